"""The ops inside of one op while nested pipelines run on them, and what they were like before.

What differs later, without a pass on the op itself in between, was changed by a pass on another op.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.execution.facts import VerifyEach
from passel.execution.failures import BESIDE, INSIDE, PLACES, Violation, suspects_of
from passel.ir import outwards
from passel.passes import PassContext
from passel.passes.outcome import CHANGED, UNCHANGED, Outcome, sum_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from passel.execution.facts import RunFacts
    from passel.execution.failures import Suspects
    from passel.schedule import NestedStep, Plan


class Level:
    """The ops immediately inside of one op, while nested pipelines run on them.

    Args:
        run: The run.
        step: The pipelines.
        ctx: The context of the enclosing op.

    Attributes:
        step: The pipelines.
        ctx: The context of the enclosing op.
        children: The ops.
        tasks: The contexts of those that a pipeline runs on, in program order.
        gone: The numbers of ops that were erased or moved.
        done: The numbers of ops that were worked on.
        is_in_order: Whether the ops are worked on in program order.
        is_tracked: Whether the states of the ops are known.
        is_in_place: Returns whether a child is where it was, given its number and place.
        may_touch: Whether the ops are there, but for those that are known to be gone.
    """

    def __init__(self, run: RunFacts, step: NestedStep, ctx: PassContext[Any]) -> None:
        self.step: NestedStep = step
        self.ctx: PassContext[Any] = ctx
        self.children: list[Any] = list(run.adapter.children(ctx.op))
        self.gone: set[int] = set()
        self.is_in_order: bool = True
        self.may_touch: bool = True
        self._is_violated = False
        self._lost: set[int] = set()
        self.done: set[int] = set()
        self._last = -1
        self.is_tracked: bool = False
        self._run = run
        self._watch = run.lifetime.watch(ctx.op, self.children)
        self.is_in_place: Callable[[int, object], bool] = self._watch.is_in_place
        self.tasks: list[PassContext[Any]] = list(self._tasks())

    def _tasks(self) -> Iterator[PassContext[Any]]:
        run, key_of = self._run, self._run.adapter.key_of
        this: Any = run
        plans: dict[Hashable, Plan | None] = {}
        for number, child in enumerate(self.children):
            key = key_of(child)
            if key not in plans:
                plans[key] = run.select(self.step, child)
            if (plan := plans[key]) is not None:
                yield PassContext(this, child, run.place_of(child), plan, self.ctx, number)

    def track(self) -> None:
        """Take the states of the enclosing op's own parts, and of the ops inside."""
        take = self._run.adapter.fingerprint
        self._own = take(self.ctx.op, recursive=False)
        self._states: list[Any] = list(map(take, self.children))
        for task in self.tasks:
            task.good = self._states[task.number]
        self.is_tracked = True

    def track_all(self) -> None:
        """Take the states of this level and of all around it, as far as they are not known."""
        self._outer = self._own_parts()
        ctx: PassContext[Any] | None = self.ctx
        while ctx is not None:
            if ctx.level is not None and not ctx.level.is_tracked:
                ctx.level.track()
            ctx = ctx.parent

    def _own_parts(self) -> list[object]:
        """Return the fingerprints of the own parts of the enclosing ops."""
        take, enclosing = self._run.adapter.fingerprint, outwards(self._run.adapter, self.ctx.op)
        return [take(op, recursive=False) for op in enclosing]

    def state_of(self, task: PassContext[Any]) -> object:
        """Return the fingerprint of an op when it was last looked at; None if not known."""
        return self._states[task.number] if self.is_tracked else None

    def enter(self, task: PassContext[Any]) -> bool:
        """Begin work on an op, and return whether it is as it was."""
        was = self._states[task.number]
        task.good = now = self._run.renew(task.op, was)
        if now is was:
            return True
        self._states[task.number], self._is_violated = now, True
        return False

    def is_as_known(self, task: PassContext[Any]) -> bool:
        """Return whether nothing that was done to other ops has changed or moved a task's op."""
        if not self.is_tracked:
            return True
        was = self._states[task.number]
        return self.is_in_place(task.number, task.place) and self._run.renew(task.op, was) is was

    def leave(self, task: PassContext[Any], outcome: Outcome) -> None:
        """End work on an op, whose state is that of its last valid one, if that is known."""
        self.done.add(task.number)
        self._last = task.number if self.is_in_order else -1  # nothing ran after it
        if outcome.failures and self._run.place_of(task.op) != task.place:
            self._lost.add(task.number)
        elif self.is_tracked:
            known = task.good is not None
            self._states[task.number] = (
                task.good if known else self._run.adapter.fingerprint(task.op)
            )

    def accept_enclosing(self) -> None:
        """Take the enclosing op's own parts as they are now."""
        if self.is_tracked:
            self._own = self._run.adapter.fingerprint(self.ctx.op, recursive=False)

    def violations(self, worked_on: Any = None) -> Iterator[Violation]:
        """Yield the changes that no pass on the op itself has made, each once.

        Args:
            worked_on: The op inside that passes work on, if they still do.
        """
        take, op = self._run.adapter.fingerprint, self.ctx.op
        if not (self.gone or self._watch.are_all_in_place()):
            if worked_on is None:
                self.may_touch = False
                yield Violation(op, PLACES, self.done)
        elif self.is_tracked and (self._run.lifetime.survives_loss or not self.gone):
            own = take(op, recursive=False)
            if own != self._own and not (self.gone or self._lost):
                self._own = own
                yield Violation(op, INSIDE, self.done)
            last = self._last if worked_on is None else -1
            missing, renew = self.gone | self._lost | {last}, self._run.renew
            for number, (child, was) in enumerate(zip(self.children, self._states, strict=True)):
                if number in missing or child is worked_on or (now := renew(child, was)) is was:
                    continue
                self._states[number] = now
                before = number if self.is_in_order and number in self.done else -1
                yield Violation(child, BESIDE, {n for n in self.done if n > before})

    def suspects(self, numbers: Iterable[int]) -> Suspects:
        """Return the passes that ran on some of the ops, those that are there by their names."""
        tasks = [task for task in self.tasks if task.number in set(numbers)]
        may_touch = self.may_touch and (self._run.lifetime.survives_loss or not self.gone)
        alive = [
            task.op for task in tasks if may_touch and task.number not in self.gone | self._lost
        ]
        return suspects_of(self.step, tasks, alive)

    def is_intact(self) -> bool:
        """Return whether nothing was changed but by passes on the ops that they ran on."""
        if self._own_parts() != self._outer:
            return False
        if self.gone or self._lost or self._is_violated or any(True for _ in self.violations()):
            return False
        inner, outer = self.ctx, self.ctx.parent
        while outer is not None:
            if outer.level is not None and any(True for _ in outer.level.violations(inner.op)):
                return False
            inner, outer = outer, outer.parent
        return True

    def settle(self, outcomes: Sequence[Outcome]) -> Outcome:
        """Look at an op as a whole after pipelines on the ops inside: what others did, is it valid.

        Args:
            outcomes: How it went.
        """
        if found := list(self.violations()):
            return sum_of(map(self.tell_violation, found))
        touched: list[PassContext[Any]] = []
        for task, outcome in zip(self.tasks, outcomes, strict=True):
            if outcome.failures:
                return UNCHANGED
            if outcome.changed is not False or task.claims:
                touched.append(task)
        step, op, recursive = self.step, self.ctx.op, self._run.options.verify is VerifyEach.ALWAYS
        if not touched or (error := self._run.error_in(step, op, recursive=recursive)) is None:
            return UNCHANGED
        suspects = suspects_of(step, touched, [task.op for task in touched])
        return self._run.tell(self.ctx, self._run.failing.invalid_enclosing(suspects, op, error))

    def tell_violation(self, violation: Violation) -> Outcome:
        """Report a change that no pass on the op itself has made."""
        failure = self._run.failing.violation(self.suspects(violation.suspects), violation)
        return CHANGED + self._run.tell(self.ctx, failure)

    def lose(self, task: PassContext[Any]) -> Outcome:
        """Return the outcome of an op that was erased or moved before its turn."""
        self.gone.add(task.number)
        suspects = self.suspects(range(task.number))
        rest = "" if self._run.lifetime.survives_loss else "; the ops behind it are not processed"
        name = task.plan.op_name
        failure = self._run.failing.lost_siblings(suspects, self.ctx.op, name, rest)
        return CHANGED + self._run.tell(self.ctx, failure)
