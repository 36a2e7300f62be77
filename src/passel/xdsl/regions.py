"""The two kinds of regions: regions with SSA dominance, and graph regions.

xDSL has no counterpart to MLIR's `RegionKindInterface`, so this module lists the ops with graph
regions. For an op that is not in the list, add the trait `HasOnlyGraphRegion` to the class of the
op.
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
    """A trait of ops whose single-block regions are graph regions, in which op order is irrelevant.

    Source: `mlir::HasOnlyGraphRegion`, MLIR 22.
    """


def has_ssa_dominance(region: Region) -> bool:
    """Return whether definitions must dominate uses in a region.

    Definitions must dominate uses in every region with several blocks. In a single-block region,
    definitions must dominate uses unless the enclosing op has graph regions or is unregistered.

    Source: `mlir::detail::DominanceInfoBase::hasSSADominance`, MLIR 22.
    """
    owner = region.parent
    if owner is None or region.first_block is not region.last_block:
        return True
    return not may_have_graph_region(type(owner))


@cache
def may_have_graph_region(op_class: type[Operation]) -> bool:
    """Return whether the single-block regions of an op class may be graph regions."""
    if issubclass(op_class, UnregisteredOp):
        return True
    return op_class.name in _GRAPH_REGION_OPS or op_class.has_trait(
        HasOnlyGraphRegion, value_if_unregistered=True
    )
