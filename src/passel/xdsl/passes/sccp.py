"""Sparse conditional constant propagation."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.ir import Operation
from xdsl.traits import ConstantLike, IsolatedFromAbove
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from passel.passes import Pass, Statistic
from passel.xdsl.analyses.call_graph import CallGraph, call_target
from passel.xdsl.analyses.dominance import DominanceInfo, PostDominanceInfo
from passel.xdsl.passes.constants import ConstantValues
from passel.xdsl.passes.folding import materialize
from passel.xdsl.symbols import is_table, ops_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.ir import Attribute, Block, SSAValue

    from passel.passes import PassContext


class SCCP(Pass["Operation"]):
    """Propagate constants, assuming that branches on constants go one way only.

    Values that are always the same are replaced by constants at the start of the function, and
    ops that became unused by it erased; branches and blocks stay for `canonicalize`. Followed are
    branches of `cf`, the regions of `scf`, and, where the pass runs on a symbol table,
    `func.call`: into functions all of whose calls are known, and out of all with a body.

    Example:
        >>> from passel import PassManager
        >>> str(PassManager("func.func").add(SCCP()))
        'func.func(sccp)'

    Source: `mlir/lib/Transforms/SCCP.cpp`, MLIR 22.
    """

    name = "sccp"
    can_fork = True
    ir = "xdsl"
    replaced: ClassVar[Statistic] = Statistic(
        "Number of values found to be constant", name="num-constants"
    )
    erased: ClassVar[Statistic] = Statistic("Number of operations erased", name="num-erased")

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Find the constants in `op`, then replace the values."""
        graph = ctx.analysis(CallGraph) if is_table(op) else None
        constants = ConstantValues(op, ctx.ir_context, graph)
        if not _Rewriter(self, constants, ctx).rewrite(op):
            ctx.preserve_all()
        else:
            ctx.preserve(DominanceInfo, PostDominanceInfo)


class _Rewriter:
    """Replaces values by constants."""

    def __init__(
        self,
        statistics: SCCP,
        constants: ConstantValues,
        ctx: PassContext,
    ) -> None:
        self._statistics = statistics
        self._constants = constants
        self._ctx = ctx
        self._made: dict[tuple[Block, str, Attribute, Attribute], SSAValue] = {}

    def rewrite(self, root: Operation) -> bool:
        """Replace what is constant inside of `root`; return whether anything was."""
        changed = False
        worklist = [root]
        while worklist:
            op = worklist.pop()
            for region in op.regions:
                for block in region.blocks:
                    changed |= self._replace_all(block.args)
            is_constant = op.has_trait(ConstantLike, value_if_unregistered=False)
            if op is not root and not is_constant:
                changed |= self._replace_all(op.results)
                if self._is_known(op) and (is_trivially_dead(op) or _is_folded(op)):
                    op.detach()
                    op.erase()
                    self._ctx.count(self._statistics.erased)
                    changed = True
                    continue  # and so is what was nested in it
            worklist += reversed(list(ops_in(op)))
        return changed

    def _is_known(self, op: Operation) -> bool:
        return len(op.results) > 0 and all(map(self._constants.constant, op.results))

    def _replace_all(self, values: Iterable[SSAValue]) -> bool:
        replaced = [self._replace(value) for value in values]
        return any(replaced)

    def _replace(self, value: SSAValue) -> bool:
        constant = self._constants.constant(value)
        if constant is None or value.first_use is None:
            return False
        block = _home(value)
        key = (block, constant.dialect, constant.value, value.type)
        new = self._made.get(key)
        if new is None:
            op = materialize(constant.value, value.type, constant.dialect, self._ctx.ir_context)
            if op is None:
                return False
            if block.first_op is None:
                block.add_op(op)
            else:
                block.insert_op_before(op, block.first_op)
            new = self._made[key] = op.results[0]
        value.replace_all_uses_with(new)
        self._ctx.count(self._statistics.replaced)
        return True


def _is_folded(op: Operation) -> bool:
    """Return whether all that an op did, whose results were constant, was to compute them."""
    unused = all(result.first_use is None for result in op.results)
    return unused and not op.regions and call_target(op) is None


def _home(value: SSAValue) -> Block:
    """Return the entry of the closest region that encloses a value that is isolated from above."""
    block = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    while block is not None and (enclosing := block.parent_op()) is not None:
        region = block.parent
        outer = enclosing.parent
        isolated = enclosing.has_trait(IsolatedFromAbove, value_if_unregistered=True)
        if region is not None and (isolated or outer is None):
            return region.blocks[0]
        block = outer
    msg = "a value in a pass's op has an enclosing region"
    raise AssertionError(msg)
