"""Promotion of memory slots to SSA values."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.dialects.memref import AllocaOp, LoadOp, StoreOp
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import region_dce

from passel.passes import Pass, Statistic, option
from passel.xdsl.analyses.dominance import DominanceInfo, PostDominanceInfo
from passel.xdsl.branches import pass_to_successor, successor_operands

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

    from passel.passes import PassContext

Access: TypeAlias = "LoadOp | StoreOp"

_POISON_DIALECT = "ub" if find_spec("xdsl.dialects.ub") else "builtin"
"""The dialect that defines the op for undefined values; `ub` exists since xDSL 0.66."""

_TRANSPARENT = (scf.ExecuteRegionOp, scf.ForOp, scf.IfOp, scf.IndexSwitchOp, scf.WhileOp)
"""The ops whose regions run only while the op itself runs."""


@dataclass
class Slot:
    """A memory slot that holds a single element and is accessed only by loads and stores.

    Attributes:
        alloca: The op that allocates the slot.
        home: The block that contains the alloca.
        element: The type of the value in the slot.
        accesses: For each block of the alloca's region, the loads and stores of the slot in the
            block, in program order. A load nested in an op of the block is listed at the position
            of that op.
    """

    alloca: AllocaOp
    home: Block
    element: Attribute
    accesses: dict[Block, list[Access]]
    _poison: Operation | None = field(default=None, init=False)
    _arguments: dict[Block, SSAValue] = field(default_factory=dict["Block", "SSAValue"], init=False)

    @classmethod
    def of(cls, alloca: AllocaOp) -> Slot | None:
        """Return the slot of an alloca, or None if the slot cannot be promoted."""
        kind, home = alloca.memref.type, alloca.parent
        if home is None or (region := home.parent) is None:
            return None
        if any(size != 1 for size in kind.get_shape()) or alloca.memref.first_use is None:
            return None
        places: list[tuple[Access, Operation]] = []
        for use in alloca.memref.uses:
            access = use.operation
            if not isinstance(access, LoadOp | StoreOp) or access.memref is not alloca.memref:
                return None
            if isinstance(access, StoreOp) and access.value is alloca.memref:
                return None
            place = _place(access, region)
            if place is None:
                return None
            places.append((access, place))
        if any(isinstance(access, StoreOp) and access is not place for access, place in places):
            return None
        branches = [block.last_op for block in region.blocks if block.last_op is not None]
        if any(successor_operands(branch) is None for branch in branches):
            return None
        return cls(alloca, home, kind.element_type, _in_order(places))

    def promote(self, dominance: DominanceInfo) -> int:
        """Replace the slot's loads with the stored values, and erase all accesses and the alloca.

        Returns:
            The number of block arguments that were added.
        """
        merges = self._merge_points(dominance)
        for block in merges:
            argument = block.insert_arg(self.element, len(block.args))
            self._arguments[block] = argument
        # The value in the slot at the end of each block, from the dominating ones downwards.
        ends: dict[Block, SSAValue | None] = {}
        region: Any = self.home.parent
        below = [block for block, _ in dominance.tree(region).preorder()]
        for block in dict.fromkeys([self.home, *below]):
            value = None
            if block is not self.home:
                above = dominance.immediate_dominator(block)
                if above is None or above not in ends:
                    continue  # the home does not dominate the block
                value = ends[above]
            ends[block] = value = self._rewrite(block, self._arguments.get(block, value))
            self._pass_on(block, value)
        for block in self.accesses.keys() - ends.keys():
            self._rewrite(block, None)  # unreachable
        sources = {branching for merge in merges for branching in merge.predecessors()}
        for block in sources - ends.keys():
            self._pass_on(block, None)
        unused = self._poison is not None and self._poison.results[0].first_use is None
        for op in (self.alloca, self._poison if unused else None):
            if op is not None:
                op.detach()
                op.erase()
        return len(merges)

    def _merge_points(self, dominance: DominanceInfo) -> list[Block]:
        """Return the blocks that need an argument for the slot's value, in program order."""
        home, live = self.home, self._live_in()
        merges: set[Block] = set()
        worklist = [home, *(block for block in self.accesses if self._stores_in(block))]
        while worklist:
            block = worklist.pop()
            if block is not home and not dominance.is_reachable(block):
                continue
            for frontier in dominance.dominance_frontier(block):
                if frontier in live and frontier not in merges:
                    merges.add(frontier)
                    worklist.append(frontier)
        region = home.parent
        return [block for block in region.blocks if block in merges] if region else []

    def _live_in(self) -> set[Block]:
        """Return the blocks at whose start the slot is live."""
        live = {
            block
            for block, accesses in self.accesses.items()
            if block is not self.home and isinstance(accesses[0], LoadOp)
        }
        worklist = list(live)
        while worklist:
            for block in worklist.pop().predecessors():
                if block in live or block is self.home or self._stores_in(block):
                    continue
                live.add(block)
                worklist.append(block)
        return live

    def _stores_in(self, block: Block) -> bool:
        return any(isinstance(access, StoreOp) for access in self.accesses.get(block, ()))

    def _rewrite(self, block: Block, value: SSAValue | None) -> SSAValue | None:
        """Erase the slot's accesses in a block, and return the slot's value after the block."""
        for access in self.accesses.get(block, ()):
            if isinstance(access, StoreOp):
                value = access.value
            else:
                if value is None:
                    value = self._nothing()
                access.res.replace_all_uses_with(value)
            access.detach()
            access.erase()
        return value

    def _pass_on(self, block: Block, value: SSAValue | None) -> None:
        branch = block.last_op
        if branch is None:
            return
        for index, successor in enumerate(branch.successors):
            if successor in self._arguments:
                value = self._nothing() if value is None else value
                pass_to_successor(branch, index, value)

    def _nothing(self) -> SSAValue:
        """Return the value of the slot before any store."""
        if self._poison is None:
            self._poison = op = _poison(self.element)
            op.location = self.alloca.location
            Rewriter.insert_op(op, InsertPoint.at_start(self.home))
        return self._poison.results[0]


def _poison(kind: Attribute) -> Operation:
    """Create an op with an undefined result."""
    if _POISON_DIALECT == "builtin":
        return UnrealizedConversionCastOp.get((), (kind,))
    from xdsl.dialects.ub import PoisonOp

    return PoisonOp(result_type=kind)


def _place(access: Operation, region: Region) -> Operation | None:
    """Return the op of `region` that contains `access`, or None if an op in between is opaque."""
    place = access
    while place.parent_region() is not region:
        enclosing = place.parent_op()
        if not isinstance(enclosing, _TRANSPARENT):
            return None
        place = enclosing
    return place


def _in_order(places: Iterable[tuple[Access, Operation]]) -> dict[Block, list[Access]]:
    by_place: dict[Operation, list[Access]] = {}
    for access, place in places:
        by_place.setdefault(place, []).append(access)
    ordered: dict[Block, list[Access]] = {}
    for block in dict.fromkeys(place.parent for place in by_place):
        assert block is not None  # noqa: S101
        ordered[block] = [access for op in block.ops for access in by_place.get(op, ())]
    return ordered


class Mem2Reg(Pass["Operation"]):
    """Promote memory slots into values.

    The pass promotes a `memref.alloca` with a single element if it is used only by `memref.load`
    and `memref.store` in the same region. The region may have several blocks. Where control-flow
    paths with different values meet, a new block argument merges the values. The result of a load
    that precedes all stores is replaced with an undefined value (`ub.poison` since xDSL 0.66).
    Unlike in MLIR 22, loads may also be nested in `scf` ops, but only if no store is nested.

    Example:
        >>> from xdsl.builder import Builder, InsertPoint
        >>> from xdsl.dialects import arith, func, memref
        >>> from xdsl.dialects.builtin import i32
        >>> from passel import PassManager
        >>> f = func.FuncOp("f", ([i32], [i32]))
        >>> build = Builder(InsertPoint.at_end(f.body.block))
        >>> slot = build.insert(memref.AllocaOp.get(i32, shape=[]))
        >>> store = build.insert(memref.StoreOp.get(f.args[0], slot, []))
        >>> load = build.insert(memref.LoadOp.get(slot, []))
        >>> end = build.insert(func.ReturnOp(load))
        >>> _ = PassManager("func.func").add(Mem2Reg()).run(f)
        >>> print(f)
        func.func @f(%0: i32) -> i32 {
          func.return %0 : i32
        }

    Source: `mlir/lib/Transforms/Mem2Reg.cpp`, MLIR 22; Cytron et al., "Efficiently computing
    static single assignment form and the control dependence graph", TOPLAS 1991.
    """

    name = "mem2reg"
    ir = "xdsl"
    dependent_dialects: ClassVar[tuple[str, ...]] = (_POISON_DIALECT,)
    region_simplify: bool = option(
        default=True, help="Erase dead ops and unreachable blocks where slots were promoted."
    )
    promoted: ClassVar[Statistic] = Statistic(
        "Total amount of memory slot promoted", name="promoted slots"
    )
    arguments: ClassVar[Statistic] = Statistic(
        "Total amount of new block argument inserted in blocks", name="new block args"
    )

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Promote all promotable memory slots in `op`."""
        allocas = [inner for inner in op.walk() if isinstance(inner, AllocaOp)]
        slots = [slot for alloca in allocas if (slot := Slot.of(alloca)) is not None]
        if not slots:
            ctx.preserve_all()
            return
        dominance = ctx.analysis(DominanceInfo)
        for slot in slots:
            ctx.count(self.promoted)
            ctx.count(self.arguments, slot.promote(dominance))
        # Branches pass more values now, and lead where they led.
        if not self.region_simplify:
            ctx.preserve(DominanceInfo, PostDominanceInfo)
            return
        for region in op.regions:
            region_dce(region)
