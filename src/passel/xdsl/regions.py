"""Kinds of regions: where a value must be defined before it is used, and where it need not.

xDSL has no counterpart of MLIR's `RegionKindInterface`, so the ops with graph regions are
listed here; a dialect's author gives an op the trait `HasOnlyGraphRegion` instead.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.traits import OpTrait

if TYPE_CHECKING:
    from xdsl.ir import Operation, Region

_GRAPH_REGION_OPS = frozenset(
    {
        "builtin.module",
        "emitc.class",
        # e-graphs; xDSL keeps them in functions as well, which MLIR rejects
        "equivalence.graph",
        "emitc.file",
        "gpu.module",
        "irdl.dialect",
        "ml_program.subgraph",
        # CIRCT's, after its `RegionKindInterface`
        "hw.module",
        # stand for any op in tests, and are unregistered in MLIR
        "test.op",
        "test.termop",
        "test.pureop",
    }
)


class HasOnlyGraphRegion(OpTrait):
    """The op's regions of one block are graphs: the order of ops in them means nothing.

    Source: `mlir::HasOnlyGraphRegion`, MLIR 22.
    """


def has_ssa_dominance(region: Region) -> bool:
    """Return whether values in a region must be defined before they are used.

    That is so in every region of several blocks, and in those of one block unless the
    enclosing op says otherwise or is unregistered, so that it is not known.

    Source: `mlir::detail::DominanceInfoBase::hasSSADominance`, MLIR 22.
    """
    owner = region.parent
    if owner is None or region.first_block is not region.last_block:
        return True
    return not may_have_graph_region(type(owner))


@cache
def may_have_graph_region(op_class: type[Operation]) -> bool:
    """Return whether a region of one block is a graph in ops of this class."""
    if issubclass(op_class, UnregisteredOp):
        return True
    return op_class.name in _GRAPH_REGION_OPS or op_class.has_trait(
        HasOnlyGraphRegion, value_if_unregistered=True
    )
