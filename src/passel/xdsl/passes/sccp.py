"""Sparse conditional constant propagation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from xdsl.dialects import scf
from xdsl.dialects.arith import SelectOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.cf import ConditionalBranchOp, SwitchOp
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike, IsolatedFromAbove, ReturnLike
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.hints import isa

from passel.passes import Pass, Statistic
from passel.xdsl.analyses.call_graph import CallGraph, call_target, is_external
from passel.xdsl.analyses.dominance import DominanceInfo, PostDominanceInfo
from passel.xdsl.branches import successor_operands
from passel.xdsl.passes.folding import fold, materialize
from passel.xdsl.symbols import is_callable, is_table, ops_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from xdsl.context import Context
    from xdsl.ir import Attribute, Block, Region

    from passel.passes import PassContext


class Constant(NamedTuple):
    """A lattice value that represents a constant.

    Attributes:
        value: The value, as an attribute.
        dialect: The name of the dialect whose op computed the value. This dialect also materializes
            the constant.
    """

    value: Attribute
    dialect: str


class _Varying:
    """The lattice value of values that are not constant."""


VARYING: Final = _Varying()
State = Constant | _Varying | None
"""A lattice value, or None for an SSA value that has not been reached."""


class ConstantValues:
    """An analysis of the constant values and the reachable blocks in an op.

    The analysis is optimistic: each value starts as unreached, may become constant, and may finally
    become varying. The fixed-point iteration takes O(uses + edges) visits.

    Args:
        op: The op to analyze. The arguments of the op's entry blocks count as varying.
        context: The context whose dialects materialize constants.
        graph: The call graph of `op`, or None if `op` is not a symbol table. With a call graph,
            constants are also propagated into each function for which the graph contains every
            call, and out of all functions with a body.

    Source: Wegman and Zadeck, "Constant propagation with conditional branches", TOPLAS 1991;
    `mlir/lib/Analysis/DataFlow/`, MLIR 22.
    """

    def __init__(self, op: Operation, context: Context, graph: CallGraph | None) -> None:
        self._op = op
        self._context = context
        self._graph = graph
        self._states: dict[SSAValue, Constant | _Varying] = {}
        self._reached: set[Block] = set()
        self._worklist: list[Operation] = []
        self._enter_regions(op)
        for callee in graph.callables if graph else ():
            if callee is not op and graph and graph.has_unknown_callers(callee):
                self._enter_regions(callee)
        self._solve()

    def constant(self, value: SSAValue) -> Constant | None:
        """Return the constant for an SSA value, or None if the value varies or is not reached."""
        state = self._states.get(value)
        return state if isinstance(state, Constant) else None

    def _solve(self) -> None:
        while self._worklist:
            op = self._worklist.pop()
            if op.parent in self._reached:
                self._visit(op)

    def _visit(self, op: Operation) -> None:
        if op.successors:
            self._visit_branch(op)
        elif isinstance(op, CallOp):
            self._visit_call(op)
        elif op.regions:
            self._visit_region_op(op)
        elif op.results:
            self._visit_plain(op)
        elif op.next_op is None:
            self._visit_end(op)

    def _visit_plain(self, op: Operation) -> None:
        if op.has_trait(ConstantLike, value_if_unregistered=False):
            value = ConstantLike.get_constant_value(op.results[0])
            state = VARYING if value is None else Constant(value, op.dialect_name())
            self._join(op.results[0], state)
            return
        operands = [self._states.get(operand) for operand in op.operands]
        if isinstance(op, SelectOp) and isinstance(way := self._integer(op.cond), int):
            self._join(op.results[0], operands[1] if way else operands[2])
            return
        if None in operands:
            return  # not reached yet, whatever it will be
        known = [state.value if isinstance(state, Constant) else None for state in operands]
        folded = fold(op, known, self._context)
        for index, result in enumerate(op.results):
            found = None if folded is None else folded[index]
            if found is None:
                self._join(result, VARYING)
            elif isinstance(found, SSAValue):
                self._join(result, self._states.get(found, VARYING))
            else:
                self._join(result, Constant(found, op.dialect_name()))

    def _visit_branch(self, op: Operation) -> None:
        passed = successor_operands(op)
        taken = self._taken(op)
        for index, block in enumerate(op.successors):
            if taken is None or index in taken:
                self._enter(block, None if passed is None else passed[index])

    def _taken(self, op: Operation) -> Iterable[int] | None:
        """Return the indices of the possible successors of a branch, or None for all successors."""
        if not isinstance(op, ConditionalBranchOp | SwitchOp):
            return None
        flag = self._integer(op.operands[0])
        if not isinstance(flag, int):
            return () if flag is None else None
        if isinstance(op, ConditionalBranchOp):
            return (0 if flag else 1,)
        cases = op.case_values.get_values() if op.case_values is not None else ()
        return (next((i + 1 for i, case in enumerate(cases) if case == flag), 0),)

    def _visit_region_op(self, op: Operation) -> None:
        match op:
            case scf.IfOp():
                condition = self._integer(op.cond)
                for region, flag in ((op.true_region, True), (op.false_region, False)):
                    if region.blocks and _may_be(condition, flag):
                        self._reach(region.blocks[0])
                        self._pass_ends(region, op.results)
            case scf.ForOp():
                induction, *carried = op.body.block.args
                self._join(induction, VARYING)
                for targets in (carried, op.results):
                    self._pass(op.iter_args, targets)
                    self._pass_ends(op.body, targets)
                self._reach(op.body.block)
            case scf.WhileOp():
                self._visit_while(op)
            case scf.ExecuteRegionOp():
                self._reach(op.region.blocks[0])
                self._pass_ends(op.region, op.results)
            case _:
                if not is_callable(op):
                    self._enter_regions(op)
                self._join_all(op.results)

    def _integer(self, value: SSAValue) -> int | _Varying | None:
        """Return the lattice value of a condition."""
        state = self._states.get(value)
        if isinstance(state, Constant):
            return state.value.value.data if isa(state.value, IntegerAttr) else VARYING
        return state

    def _visit_while(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.blocks[0], op.after_region.blocks[0]
        self._enter(before, op.arguments)
        for end in self._ends(op.before_region):
            condition, passed = self._integer(end.operands[0]), end.operands[1:]
            if _may_be(condition, True):
                self._enter(after, passed)
            if _may_be(condition, False):
                self._pass(passed, op.results)
        self._pass_ends(op.after_region, before.args)

    def _visit_call(self, op: CallOp) -> None:
        callee = self._graph.callee(op) if self._graph else None
        if callee is None or self._graph is None or is_external(callee) or callee is self._op:
            self._join_all(op.results)
            return
        region = next(region for region in callee.regions if region.blocks)
        if not self._graph.has_unknown_callers(callee):
            self._enter(region.blocks[0], op.arguments)
        self._pass_ends(region, op.results)

    def _visit_end(self, op: Operation) -> None:
        """Revisit the receivers of the values that a region's terminator passes on."""
        enclosing = op.parent_op()
        if enclosing is None or enclosing is self._op:
            return
        if is_callable(enclosing):
            if self._graph is not None and op.has_trait(ReturnLike):
                self._worklist += (call.op for call in self._graph.calls_to(enclosing))
            return
        self._worklist.append(enclosing)

    def _ends(self, region: Region) -> list[Operation]:
        lasts = (block.last_op for block in region.blocks if block in self._reached)
        return [last for last in lasts if last is not None and not last.successors]

    def _pass_ends(self, region: Region, targets: Sequence[SSAValue]) -> None:
        for end in self._ends(region):
            if len(end.operands) == len(targets):  # unlike `ub.unreachable`
                self._pass(end.operands, targets)

    def _pass(self, values: Sequence[SSAValue], targets: Sequence[SSAValue]) -> None:
        for value, target in zip(values, targets, strict=True):
            self._join(target, self._states.get(value))

    def _enter_regions(self, op: Operation) -> None:
        for region in op.regions:
            if region.blocks:
                self._enter(region.blocks[0], None)

    def _enter(self, block: Block, values: Sequence[SSAValue] | None) -> None:
        """Mark a block as reached, with the given argument values or with varying arguments."""
        if values is None:
            self._join_all(block.args)
        else:
            self._pass(values, block.args)
        self._reach(block)

    def _reach(self, block: Block) -> None:
        if block not in self._reached:
            self._reached.add(block)
            self._worklist += reversed(list(block.ops))

    def _join_all(self, values: Iterable[SSAValue]) -> None:
        for value in values:
            self._join(value, VARYING)

    def _join(self, value: SSAValue, state: State) -> None:
        old = self._states.get(value)
        if state is None or isinstance(old, _Varying):
            return
        if isinstance(old, Constant) and isinstance(state, Constant):
            if old.value == state.value:
                return
            state = VARYING
        self._states[value] = state
        self._worklist += (use.operation for use in value.uses)


def _may_be(condition: int | _Varying | None, flag: bool) -> bool:
    """Return whether a condition with a lattice value may have the value `flag`."""
    return condition is VARYING or (condition is not None and bool(condition) is flag)


class SCCP(Pass["Operation"]):
    """Propagate constants, assuming that a branch on a constant takes only one successor.

    The pass replaces constant values with constant ops at the start of the function, and erases ops
    that become unused. Run `canonicalize` afterwards to simplify branches and blocks. The pass
    follows `cf` branches and `scf` regions. On a symbol table, the pass also follows `func.call`:
    it propagates constants into each function for which it finds every call, and out of all
    functions with a body.

    Example:
        >>> from passel import PassManager
        >>> str(PassManager("func.func").add(SCCP()))
        'func.func(sccp)'

    Source: `mlir/lib/Transforms/SCCP.cpp`, MLIR 22.
    """

    name = "sccp"
    ir = "xdsl"
    replaced: ClassVar[Statistic] = Statistic(
        "Number of values found to be constant", name="num-constants"
    )
    erased: ClassVar[Statistic] = Statistic("Number of operations erased", name="num-erased")

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Find the constant values in `op`, and replace them with constant ops."""
        graph = ctx.analysis(CallGraph) if is_table(op) else None
        constants = ConstantValues(op, ctx.ir_context, graph)
        if not _Rewriter(self, constants, ctx).rewrite(op):
            ctx.preserve_all()
        else:
            ctx.preserve(DominanceInfo, PostDominanceInfo)


class _Rewriter:
    """A rewriter that replaces values with constants."""

    def __init__(self, statistics: SCCP, constants: ConstantValues, ctx: PassContext) -> None:
        self._statistics, self._constants, self._ctx = statistics, constants, ctx
        self._made: dict[tuple[Block, str, Attribute, Attribute], SSAValue] = {}

    def rewrite(self, root: Operation) -> bool:
        """Replace the constant values inside `root`, and return whether the IR changed."""
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
                known = len(op.results) > 0 and all(map(self._constants.constant, op.results))
                if known and (is_trivially_dead(op) or _is_folded(op)):
                    op.detach()
                    op.erase()
                    self._ctx.count(self._statistics.erased)
                    changed = True
                    continue  # its nested ops were erased with it
            worklist += reversed(list(ops_in(op)))
        return changed

    def _replace_all(self, values: Iterable[SSAValue]) -> bool:
        return sum(map(self._replace, values)) > 0

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
            Rewriter.insert_op(op, InsertPoint.at_start(block))
            new = self._made[key] = op.results[0]
        value.replace_all_uses_with(new)
        self._ctx.count(self._statistics.replaced)
        return True


def _is_folded(op: Operation) -> bool:
    """Return whether an op with constant results has no other effects."""
    unused = all(result.first_use is None for result in op.results)
    return unused and not op.regions and call_target(op) is None


def _home(value: SSAValue) -> Block:
    """Return the entry of the closest isolated region around a value."""
    block: Any = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    while not (op := block.parent_op()).has_trait(IsolatedFromAbove) and op.parent is not None:
        block = op.parent
    return block.parent.first_block
