"""passel on xDSL: the adapter and the passes that work on any isolated op.

`import passel` does not import this package, nor does this import more of xDSL than the
adapter needs; passes are imported by name when a pipeline uses them.
"""

from passel.xdsl.adapter import XDSLAdapter
from passel.xdsl.parsing import parse_source

__all__ = ["XDSLAdapter", "parse_source"]
