"""passel on xDSL: the adapter, the analyses, and the passes that work on any isolated op.

`import passel` does not import this package, nor does this import more of xDSL than the
adapter needs; passes are imported by name when a pipeline uses them, and analyses when they
are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.xdsl.adapter import XDSLAdapter
from passel.xdsl.fast.contextual import parsed_in_context
from passel.xdsl.files import parse_file
from passel.xdsl.parsing import parse_source

if TYPE_CHECKING:
    from passel.xdsl.analyses import (
        CallGraph,
        DominanceInfo,
        Effects,
        Liveness,
        LoopInfo,
        PostDominanceInfo,
        SymbolTables,
        SymbolUsers,
    )

__all__ = [
    "CallGraph",
    "DominanceInfo",
    "Effects",
    "Liveness",
    "LoopInfo",
    "PostDominanceInfo",
    "SymbolTables",
    "SymbolUsers",
    "XDSLAdapter",
    "parse_file",
    "parse_source",
    "parsed_in_context",
]


def __getattr__(name: str) -> object:
    """Import an analysis when it is asked for."""
    if name in __all__:
        from passel.xdsl import analyses

        return getattr(analyses, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
