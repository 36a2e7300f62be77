"""Liveness analysis of SSA values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation, Region


@dataclass(init=False, repr=False)
class Liveness:
    """The values that are live at the start and end of each block inside an op.

    A value is live at a point if a later op in the same region, or an op nested in a later op, may
    use the value. Nested regions are analyzed separately: a value that is used only after an op is
    not live inside the op. xDSL's own `LivenessAnalysis` is unrelated: it marks the values that
    contribute to a side effect.

    The analysis walks the op once, and iterates to a fixed point in each region with several
    blocks. The total cost is O(uses * nesting depth + values * control-flow edges). The analysis is
    valid as long as no op, operand or block changes.

    Example:
        >>> from xdsl.dialects.func import FuncOp, ReturnOp
        >>> from xdsl.dialects.builtin import i32
        >>> f = FuncOp("f", ((i32,), (i32,)))
        >>> f.body.block.add_op(ReturnOp(f.args[0]))
        >>> liveness = Liveness(f)
        >>> liveness.live_in(f.body.block), liveness.is_dead_after(f.args[0], f.body.block.last_op)
        (frozenset(), True)

    Source: `mlir/lib/Analysis/Liveness.cpp`, MLIR 22.
    """

    op: Operation
    _in: dict[Block, set[SSAValue]]
    _out: dict[Block, set[SSAValue]]

    def __init__(self, op: Operation) -> None:
        self.op = op
        self._in, self._out = {}, {}
        # The values that each op uses in its regions, but that are defined outside of them.
        free: dict[Operation, set[SSAValue]] = {}
        owners = [inner for inner in op.walk() if inner.regions]
        for owner in reversed(owners):  # inner ops first
            free[owner] = set()
            for region in owner.regions:
                free[owner] |= self._analyse(region, free)

    def _analyse(self, region: Region, free: dict[Operation, set[SSAValue]]) -> set[SSAValue]:
        used: set[SSAValue] = set()
        definitions: dict[Block, set[SSAValue]] = {}
        for block in region.blocks:
            needed, defined = set[SSAValue](), set[SSAValue](block.args)
            for op in block.ops:
                needed.update(op.operands, free.get(op, ()))
                defined.update(op.results)
            used |= needed
            definitions[block] = defined
            self._in[block], self._out[block] = needed - defined, set()
        worklist = dict.fromkeys(region.blocks)
        while worklist:
            block, _ = worklist.popitem()
            for predecessor in block.predecessors():
                out = self._out[predecessor]
                known = len(out)
                out |= self._in[block]
                if len(out) != known:
                    self._in[predecessor] |= out - definitions[predecessor]
                    worklist[predecessor] = None
        return used.difference(*definitions.values())

    def live_in(self, block: Block) -> frozenset[SSAValue]:
        """Return the values that are defined outside a block and live at the start of the block."""
        return frozenset(self._in[block])

    def live_out(self, block: Block) -> frozenset[SSAValue]:
        """Return the values that are live at the end of a block."""
        return frozenset(self._out[block])

    def is_dead_after(self, value: SSAValue, op: Operation) -> bool:
        """Return whether a value is dead after an op.

        The value is dead if it is not used by any op that may run after `op` in the same region.
        A query takes O(uses of the value * nesting depth + ops in the block).

        Source: `mlir::Liveness::isDeadAfter`, MLIR 22.
        """
        block = op.parent
        if block is None:
            return True
        if value in self._out[block]:
            return False
        users = {block.find_ancestor_op_in_block(use.operation) for use in value.uses}
        later = op.next_op
        while later is not None and later not in users:
            later = later.next_op
        return later is None
