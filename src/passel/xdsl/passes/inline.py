"""Inlining of function calls."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar, Final

from xdsl.dialects.func import CallOp, FuncOp

from passel.errors import PassFailure
from passel.passes import Pass, Statistic, option
from passel.passes.op_pass_manager import BarePipeline, OpPassManager
from passel.xdsl.analyses.call_graph import CallGraph, is_external
from passel.xdsl.analyses.symbol_tables import SymbolTables
from passel.xdsl.inlining import inline_call, rejection
from passel.xdsl.passes.canonicalize import Canonicalizer
from passel.xdsl.symbols import (
    closest_enclosing,
    is_callable,
    is_table,
    references,
    symbol_name,
    visibility,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xdsl.ir import Block, Operation

    from passel.passes import PassContext


_NO_LIMIT: Final = 2**32 - 1
"""A threshold in percent that includes every callee."""


class Inliner(Pass["Operation"]):
    """Inline function calls.

    The pass visits the call graph bottom-up, in groups of mutually recursive functions. For each
    group, the pass alternately simplifies the functions with a pipeline and inlines the calls in
    the functions, until no call is inlined or `max_iterations` is reached. If a private function
    has a single use, its body is moved into the caller before the calls in the body are inlined.
    Therefore, inlining a chain of calls takes linear time. Private functions without remaining uses
    are erased.

    A call is not inlined if the callee has no body, is recursive or encloses the call, or if the
    call or the callee is marked `no_inline`. A body with several blocks is inlined only into a
    region that may have several blocks. The dialects of all ops in the callee's body must allow
    inlining (see `passel.xdsl.inlining.InlinerInterface`).

    Example:
        >>> str(Inliner(default_pipeline=BarePipeline("cse,dce"), max_iterations=2))
        'inline{default-pipeline={cse,dce} max-iterations=2}'

    Source: `mlir/lib/Transforms/InlinerPass.cpp` and `Utils/Inliner.cpp`, MLIR 22.
    """

    name = "inline"
    ir = "xdsl"
    dependent_dialects: ClassVar[tuple[str, ...]] = ("cf",)
    default_pipeline: BarePipeline = option(
        default=BarePipeline(Canonicalizer()),
        help="The pipeline for callables that op-pipelines does not list.",
    )
    op_pipelines: tuple[OpPassManager, ...] = option(
        default=(), help="Pipelines, each for callables with one op name, such as `func.func(cse)`."
    )
    max_iterations: int = option(
        default=4, help="Maximum number of inlining iterations in a group of recursive functions."
    )
    inlining_threshold: int = option(
        default=_NO_LIMIT,
        help="Inline a callee only if its op count is at most this percentage of the caller's.",
    )
    inlined: ClassVar[Statistic] = Statistic("Number of calls inlined", name="num-inlined")
    erased: ClassVar[Statistic] = Statistic("Number of private callables erased", name="num-erased")

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Inline calls between the functions in `op`, which must be a symbol table."""
        if not is_table(op):
            raise PassFailure("was scheduled to run under the inliner, but has no symbol table")
        inliner = _Inliner(self, op, ctx)
        inliner.run()
        if ctx.remark:
            inliner.report_missed()
        if not inliner.changed:
            ctx.preserve_all()


class _Inliner:
    """The inliner for one symbol table.

    Attributes:
        changed: Whether anything in the table may have changed.

    Source: `Inliner` and `CGUseList`, `mlir/lib/Transforms/Utils/Inliner.cpp`, MLIR 22.
    """

    def __init__(self, options: Inliner, op: Operation, ctx: PassContext) -> None:
        self.changed = False
        self._op = op
        self._options = options
        self._ctx = ctx
        self._graph = ctx.analysis(CallGraph)
        # The maximum size of a callee in percent of its caller.
        threshold = options.inlining_threshold
        self._threshold = threshold if 0 <= threshold < _NO_LIMIT else None
        self._pipelines = {pipeline.anchor: pipeline for pipeline in options.op_pipelines}
        self._enclosing = {
            enclosing
            for inner in self._graph.callables
            if (enclosing := closest_enclosing(inner, is_callable))
        }
        self._tables = SymbolTables(op)
        self._uses = self._references([op])
        self._erased: set[Operation] = set()

    def run(self) -> None:
        """Inline calls bottom-up, and erase functions without remaining uses.

        Raises:
            PassFailure: If the pipeline failed on a callable.
        """
        for group in self._graph.sccs:
            self._inline_in_group([member for member in group if not is_external(member)])

    def report_missed(self) -> None:
        """Report each remaining call, with the reason why it was not inlined."""
        for call in _calls_in([self._op]):
            caller, callee = closest_enclosing(call, is_callable), self._callee(call)
            reason = "the callee is not a known function"
            if caller is not None and callee is not None:
                reason = self._obstacle(call, caller, callee) or "the callee is recursive"
            self._ctx.remark.missed(
                "inlined", call, reason=reason, callee=call.callee.string_value()
            )

    def _inline_in_group(self, group: list[Operation]) -> None:
        """Simplify functions and inline calls in turn, until no call is inlined."""
        for _ in range(max(self._options.max_iterations, 1)):
            for member in group:
                if member not in self._erased:
                    self._simplify(member)
            if self._is_left_to_caller(group) or not self._inline_calls(group):
                return

    def _is_left_to_caller(self, group: list[Operation]) -> bool:
        """Return whether to move a body to its caller before inlining the calls in the body.

        In a chain of calls, each body is then moved and simplified once instead of once per caller.
        The result is the same, since the decision to inline a callable does not depend on the calls
        in its body.
        """
        if len(group) != 1 or self._threshold is not None:
            return False
        (member,) = group
        calls = self._graph.calls_to(member)
        if len(calls) != 1 or not self._has_single_use(member):
            return False
        call, caller = calls[0].op, calls[0].caller
        return (
            isinstance(call, CallOp)
            and isinstance(member, FuncOp)
            and isinstance(caller, FuncOp)
            and call.parent_op() is caller
            and not self._obstacle(call, caller, member)
        )

    def _simplify(self, member: Operation) -> None:
        pipeline = self._pipelines.get(member.name, self._options.default_pipeline)
        if member in self._enclosing or not len(pipeline):
            return
        before = self._references([member])
        if not (run := self._ctx.run_pipeline(pipeline, member)):
            name = symbol_name(member)
            raise PassFailure(f"the pipeline {pipeline} failed on callee @{name}", op=member)
        if run.changed is not False:
            self.changed = True
            self._uses.subtract(before)
            self._uses.update(self._references([member]))

    def _inline_calls(self, group: list[Operation]) -> bool:
        """Inline all calls in a group, and the calls in inlined bodies.

        Calls between functions of the group are not inlined, and neither is a call in an inlined
        body if inlining its callee led to this body.
        """
        calls: list[tuple[CallOp, Operation, frozenset[Operation]]] = []
        for member in group:
            if member in self._erased:
                continue
            if visibility(member) == "private" and self._uses[member] <= 0:
                self._erase(member)
            elif isinstance(member, FuncOp):
                calls += ((call, member, frozenset()) for call in _calls_in(member.body.blocks))
        any_inlined = False
        for call, caller, history in calls:  # the list grows
            callee = self._callee(call)
            if caller in self._erased or callee is None or callee in history or callee in group:
                continue
            if self._obstacle(call, caller, callee):
                continue
            in_place = self._has_single_use(callee)
            ops = self._inline(call, callee, in_place=in_place)
            # A body that was moved cannot come again.
            came_from = history if in_place else history | {callee}
            calls += ((new, caller, came_from) for new in _calls_in(ops))
            any_inlined = True
        return any_inlined

    def _inline(self, call: CallOp, callee: FuncOp, *, in_place: bool) -> list[Operation]:
        self._ctx.remark.passed("inlined", call, callee=symbol_name(callee))
        self._uses[callee] -= 1
        ops = inline_call(call, callee, in_place=in_place)
        if in_place:
            self._erase(callee)
        else:
            self._uses.update(self._references(ops))
        self._ctx.count(self._options.inlined)
        self.changed = True
        return ops

    def _obstacle(self, call: CallOp, caller: Operation, callee: FuncOp) -> str:
        """Return why a call is not inlined, or an empty string if it is inlined.

        Source: `isProfitableToInline`, `mlir/lib/Transforms/InlinerPass.cpp`, MLIR 22.
        """
        if callee in self._graph.callees(callee):
            return "the callee is recursive"
        reason = rejection(call, callee, self._ctx.ir_context)
        if reason or self._threshold is None:
            return reason
        size = sum(1 for region in caller.regions for _ in region.walk())
        percent = sum(1 for _ in callee.body.walk()) * 100 // size
        return "" if 0 < self._threshold >= percent else "the callee exceeds the threshold"

    def _erase(self, callee: Operation) -> None:
        self._uses.subtract(self._references([callee]))
        self._erased.update(callee.walk())
        callee.detach()
        callee.erase(safe_erase=False)
        self._ctx.count(self._options.erased)
        self.changed = True

    def _callee(self, call: CallOp) -> FuncOp | None:
        found = self._tables.lookup(call, call.callee)
        return found if isinstance(found, FuncOp) else None

    def _has_single_use(self, callee: Operation) -> bool:
        return visibility(callee) == "private" and self._uses[callee] == 1

    def _references(self, ops: Iterable[Operation]) -> Counter[Operation]:
        """Count the references to each symbol in ops and their nested ops."""
        return Counter(
            symbol
            for op in ops
            for inner in op.walk()
            for reference in references(inner)
            for symbol in self._tables.resolve(inner, reference)
        )


def _calls_in(places: Iterable[Operation | Block]) -> Iterator[CallOp]:
    """Yield the calls in ops and blocks."""
    return (op for place in places for op in place.walk() if isinstance(op, CallOp))
