"""The ops immediately inside one op, and the nested pipelines that run on these ops.

If an op's fingerprint changes although no pass ran on the op, a pass on another op changed the op.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

from passel.errors import EncodingError
from passel.execution.failures import BESIDE, GONE, INSIDE, suspects_of
from passel.ir import outwards
from passel.passes import PassContext
from passel.passes.outcome import CHANGED, UNCHANGED, sum_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from passel.errors import Failure
    from passel.passes.outcome import Outcome
    from passel.schedule.model import NestedStep


class Siblings:
    """The ops immediately inside one op, while the nested pipelines of a step run on them.

    Args:
        step: The step that runs the nested pipelines.
        ctx: The `PassContext` of the enclosing op.

    Attributes:
        step: The step that runs the nested pipelines.
        ctx: The `PassContext` of the enclosing op.
        tasks: A `PassContext` for each sibling that a pipeline runs on, in program order.
        last: The index of the child whose pipeline has ended last. None means that no pipeline has
            started, and -1 that pipelines may be running on threads but none has ended.
    """

    def __init__(self, step: NestedStep, ctx: PassContext[Any]) -> None:
        self.step: NestedStep = step
        self.ctx: PassContext[Any] = ctx
        self._run = run = ctx.run
        self._adapter = adapter = run.adapter
        self._children = list(adapter.children(ctx.op))
        self.tasks: list[PassContext[Any]] = []
        for number, child in enumerate(self._children):
            if (plan := run.plan(step, child)) is not None:
                self.tasks.append(PassContext(run, child, plan, ctx, number))
        self.last: int | None = None
        # The indices of the children that were erased or moved, by other passes or by failed ones.
        self._gone: set[int] = set()
        self._lost: set[int] = set()
        self._is_violated = False
        self._watch = adapter.watch(ctx.op, self._children)
        self._states: list[Any] = []  # the fingerprints of the children, if they are tracked

    # -- Nested pipelines -------------------------------------------------------------------------

    def run(self) -> Outcome:
        """Run the nested pipelines on all matching ops, and continue after failed pipelines."""
        __tracebackhide__ = True
        run, ctx = self._run, self.ctx
        checked = run.verify_changes(ctx.deferred.pop(), ctx) if ctx.deferred else UNCHANGED
        if checked.failures or not self.tasks:
            return checked
        if run.hooks.sees_steps:
            run.number(self._children)
        if run.isolates:
            self.track()
        ctx.siblings = self
        try:
            outcomes = list(run.strategy.share(run, self))
            total = sum_of(outcomes)
            total += self._settle(outcomes, failed=bool(total.failures))
        finally:
            ctx.siblings = None
        if total.changed is not False:
            ctx.valid_state = None
        return checked + total

    def run_task(self, task: PassContext[Any]) -> Outcome:
        """Run the pipeline of a task.

        If a pass on a sibling op has changed, erased or moved the task's op, the method first
        reports a failure.
        """
        __tracebackhide__ = True
        run = task.run  # in a worker, a branch of the run
        if self._gone and not self._adapter.survives_loss:
            return UNCHANGED
        if not self._is_in_place(task):
            self._gone.add(task.number)
            rest = "" if self._adapter.survives_loss else "; later ops are not processed"
            lost = self._violation(self.ctx.op, f"{GONE}{rest}", task)
            return CHANGED + run.tell(self.ctx, lost)
        before = None
        if self._states and self.last is not None and self._has_changed(task):
            self._states[task.number] = task.valid_state = self._adapter.fingerprint(task.op)
            self._is_violated = True
            violation = self._violation(task.op, BESIDE)
            before = CHANGED + run.tell(self.ctx, violation)
            if run.verify(self.step, task.op) is not None:
                return before  # passes may fail in any way on an invalid op
        outcome = run.run_nested(self.step, task)
        self.leave(task, outcome)
        return outcome if before is None else before + outcome

    def _settle(self, outcomes: Sequence[Outcome], *, failed: bool) -> Outcome:
        """Report changes that passes made to other ops, and verify the enclosing op.

        Args:
            outcomes: The outcomes of the pipelines, one for each task.
            failed: Whether any pipeline failed. If so, the enclosing op is not verified.
        """
        run, step, op = self._run, self.step, self.ctx.op
        if found := list(self.violations()):
            return CHANGED + sum_of([run.tell(self.ctx, failure) for failure in found])
        pairs = zip(self.tasks, outcomes, strict=True)
        touched = [task for task, left in pairs if left.changed is not False or task.deferred]
        if failed or not touched:
            return UNCHANGED
        # Without fingerprints, passes may have changed siblings of their op.
        recursive = not self._states or run.verify_each == "always"
        if (error := run.verify(step, op, recursive=recursive)) is None:
            return UNCHANGED
        suspects = suspects_of(step, op, touched)
        return run.tell(self.ctx, run.failing.invalid(suspects, error))

    # -- Isolation --------------------------------------------------------------------------------

    def track(self) -> None:
        """Compute each sibling's fingerprint, and the enclosing op's non-recursive fingerprint."""
        take = self._adapter.fingerprint
        self._own = take(self.ctx.op, recursive=False)
        self._states = list(map(take, self._children))
        for task in self.tasks:
            task.valid_state = self._states[task.number]

    @contextmanager
    def only_own_ops(self) -> Generator[None]:
        """Raise an `EncodingError` if passes in the `with` block changed ops other than their own.

        The other ops are the siblings, the enclosing ops, and the siblings of enclosing ops. A
        worker uses this method. The main process then repeats its work, and reports the error.
        """
        own_parts, ctx = self._own_parts(), self.ctx
        while ctx is not None:
            if ctx.siblings is not None and not ctx.siblings._states:
                ctx.siblings.track()
            ctx = ctx.parent
        yield
        is_told = self._gone or self._lost or self._is_violated
        violations = chain(self.violations(), violations_around(self.ctx))
        if is_told or self._own_parts() != own_parts or any(violations):
            raise EncodingError("passes changed ops that they did not run on")

    def _own_parts(self) -> list[object]:
        """Return the non-recursive fingerprint of each enclosing op."""
        take, enclosing = self._adapter.fingerprint, outwards(self._adapter, self.ctx.op)
        return [take(op, recursive=False) for op in enclosing]

    def _has_changed(self, task: PassContext[Any]) -> bool:
        """Return whether the op of a task no longer has its known fingerprint."""
        was = self._states[task.number]
        return self._adapter.renew_fingerprint(task.op, was) is not was

    def is_as_known(self, task: PassContext[Any]) -> bool:
        """Return whether an op is in its original place and, if that is known, unchanged."""
        return self._is_in_place(task) and not (self._states and self._has_changed(task))

    def _is_in_place(self, task: PassContext[Any]) -> bool:
        if self._watch is not None:
            return self._watch.is_in_place(task.number)
        return self._adapter.place_of(task.op) == task.place

    def leave(self, task: PassContext[Any], outcome: Outcome) -> None:
        """Drop the analyses of a task's op, on which the pipeline has run, and note its state."""
        if task.cached is not None:
            task.cached.clear()
        self.last = task.number  # no other pipeline runs after it
        if outcome.failures and self._adapter.place_of(task.op) != task.place:
            self._lost.add(task.number)
        elif self._states:
            now = task.valid_state
            self._states[task.number] = self._adapter.fingerprint(task.op) if now is None else now

    def violations(self, worked_on: Any = None) -> Iterator[Failure]:
        """Yield a failure for each op that was changed by a pass on another op.

        Args:
            worked_on: The sibling whose pipeline is still running; None if no pipeline is running.
        """
        take, op = self._adapter.fingerprint, self.ctx.op
        if self._watch is not None and not (self._gone or self._watch.are_all_in_place()):
            if worked_on is None:
                yield self._violation(op, INSIDE)
        elif self._states and (self._adapter.survives_loss or not self._gone):
            own = take(op, recursive=False)
            if own != self._own and not (self._gone or self._lost):
                self._own = own
                yield self._violation(op, INSIDE)
            last = self.last if worked_on is None else -1
            missing, renew = self._gone | self._lost | {last}, self._adapter.renew_fingerprint
            for number, (child, was) in enumerate(zip(self._children, self._states, strict=True)):
                if number in missing or child is worked_on or (now := renew(child, was)) is was:
                    continue
                self._states[number] = now
                yield self._violation(child, BESIDE)

    def _violation(self, op: Any, how: str, gone: PassContext[Any] | None = None) -> Failure:
        """Return the failure for an op that was changed by a pass on another op.

        Args:
            op: The changed op; for an erased or moved op, the enclosing op.
            how: The rest of a sentence that starts with the op and describes the change.
            gone: The `PassContext` of the erased or moved op; None for a changed op.
        """
        suspects = suspects_of(self.step, op, self.tasks)
        return self._run.failing.of("isolation", suspects, how, gone=gone)


def violations_around(ctx: PassContext[Any]) -> Iterator[Failure]:
    """Yield the failures from `Siblings.violations` for all ops that enclose the op of `ctx`."""
    inner, outer = ctx, ctx.parent
    while outer is not None:
        if outer.siblings is not None:
            yield from outer.siblings.violations(inner.op)
        inner, outer = outer, outer.parent
