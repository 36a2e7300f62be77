"""Reading pass declarations in TableGen, and generating documentation and Python code.

A `Passes.td` file declares passes for C++ and for Python. The command `passel-tblgen` runs the
generators.
"""

from passel.specification.markdown import pass_doc
from passel.specification.python_code import pass_decls
from passel.specification.records import (
    OptionDeclaration,
    PassDeclaration,
    Place,
    StatisticDeclaration,
    read_passes,
)
from passel.specification.tablegen import SpecificationError

__all__ = [
    "OptionDeclaration",
    "PassDeclaration",
    "Place",
    "SpecificationError",
    "StatisticDeclaration",
    "pass_decls",
    "pass_doc",
    "read_passes",
]
