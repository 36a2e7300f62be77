"""The work on the ops immediately inside of one op, as strategies see it."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from passel.errors import EncodingError
from passel.execution.context import ContextServices, OpContext
from passel.execution.failures import suspects_of
from passel.execution.isolation import Trespass
from passel.execution.outcome import CHANGED, UNCHANGED, Outcome, merge
from passel.execution.packed import Noted, Packed
from passel.execution.services import VerifyEach
from passel.execution.strategies.base import Branch
from passel.execution.verification import Verifier
from passel.ir import (
    KeepsNames,
    LocksContexts,
    ReturnsCopies,
    SendsOps,
    ShipsOps,
    ability_of,
)
from passel.schedule import passes_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from passel.execution.failures import Suspects
    from passel.execution.plans import Planner
    from passel.execution.services import RunServices
    from passel.schedule import NestedStep, Step


class NestedRunner(ContextServices, Protocol):
    """Runs pipelines on ops, and answers their contexts."""

    def run_nested(self, parent: Step, ctx: OpContext) -> Outcome:
        """Run the pipeline of a context, between its hooks."""
        ...

    def branch(self, services: RunServices) -> NestedRunner:
        """Return one for another thread."""
        ...


class LevelParts(NamedTuple):
    """Everything that the levels of a run have in common.

    Attributes:
        services: What the run's parts share.
        planner: Decides which pipeline runs on which op.
        verifier: Verifies the op around.
        runner: Runs the pipelines.
    """

    services: RunServices
    planner: Planner
    verifier: Verifier
    runner: NestedRunner


class Level:
    """Nested pipelines while they run on the ops inside of one op.

    Args:
        parts: Everything that the levels of a run have in common.
        step: The pipelines.
        op: The op around.
        ctx: Its context.
        is_trusted: Whether all passes are trusted to change nothing but their ops.
    """

    def __init__(
        self, parts: LevelParts, step: NestedStep, op: Any, ctx: OpContext, *, is_trusted: bool
    ) -> None:
        services = parts.services
        self._services = services
        self._planner = parts.planner
        self._verifier = parts.verifier
        self._lifetime = services.policies.lifetime
        self._step = step
        self._op = op
        self._ctx = ctx
        self._runner = parts.runner
        self._gone: list[int] = []
        self._lost: list[int] = []
        self._before: list[object] = []
        self._is_trespassed = False  # as far as a pass on the op that was changed has found it
        self._repeats_failures = False
        self._may_touch = True  # False as soon as any op inside may be erased, and not known to be
        self.children: list[Any] = list(services.adapter.children(op))
        self._sends = ability_of(services.adapter, SendsOps)
        self._ships = ability_of(services.adapter, ShipsOps)
        self._returns = ability_of(services.adapter, ReturnsCopies)
        self.ships_ops: bool = self._ships is not None
        self._named = ability_of(services.adapter, KeepsNames)
        self._assignment = b""
        self.is_trusted = is_trusted
        self._watch = self._lifetime.watch(op, self.children)

    def tasks(self) -> list[OpContext]:
        """Return the contexts of what is to run, in program order."""
        step, ctx, runner = self._step, self._ctx, self._runner
        plans, key_of = self._planner.nested(step), self._services.adapter.key_of
        place_of = self._lifetime.place_of
        tasks: list[OpContext] = []
        for number, child in enumerate(self.children):
            key = key_of(child)
            if key not in plans:
                plans[key] = self._planner.select(step, child)
            plan = plans[key]
            if plan is not None:
                tasks.append(OpContext(runner, child, place_of(child), plan, ctx, number))
        self._tasks = tasks
        return tasks

    def __call__(self, task: OpContext, /) -> Outcome:
        """Run a nested pipeline on one op, if the op is still there."""
        if self._gone and not self._lifetime.survives_loss:
            return UNCHANGED
        siblings, watch, op = self._ctx.siblings, self._watch, task.op
        if not watch.is_in_place(task.number, task.place) or (
            siblings and not watch.are_all_in_place()
        ):
            return self._lose(task)
        if siblings is None:
            return self._runner.run_nested(self._step, task)
        before = UNCHANGED
        if not self.is_trusted and (trespass := siblings.compare(task.number)):
            before, self._is_trespassed = self._report(trespass), True
            if self._verifier.verify(self._step, op, recursive=True) is not None:
                return before  # passes may fail in any way on what is invalid
        task.good = siblings.good[task.number]
        outcome = self._runner.run_nested(self._step, task)
        place = self._lifetime.place_of(op)
        if place is task.place or place == task.place:
            siblings.leave(task.number, task.good)
        else:
            self._lost.append(task.number)  # a failure of its own
        return outcome if before is UNCHANGED else merge([before, outcome])

    # -- Work in other threads --------------------------------------------------------------

    @property
    def jobs(self) -> int | None:
        """How many tasks may be done at once, as their pipelines say; None for no limit."""
        limits = {task.plan.pipeline.jobs for task in self._tasks}
        return min((jobs for jobs in limits if jobs is not None), default=None)

    @property
    def can_thread(self) -> bool:
        """Whether tasks can be done by several threads at once, so that nobody can tell."""
        services = self._services
        return (
            ability_of(services.adapter, LocksContexts) is None
            and not services.gates
            and not services.checks.isolation
            and not services.checks.analyses
            and services.hooks.can_branch
            and all(step.pass_.contract.can_thread for step in passes_in(self._step))
        )

    def branch(self) -> Branch:
        """Return what does tasks in another thread."""
        _ = self._ctx.analyses  # made here, so that no two threads make them
        other, (hooks, parts) = copy(self), self._services.hooks.branch()
        other._services = self._services.branch(hooks)
        other._runner = self._runner.branch(other._services)
        other._verifier = Verifier(other._services)

        def run(task: OpContext) -> Outcome:
            task.runner = other._runner
            if task.cached is not None:  # passes around have asked for analyses of this op
                task.cached.serve(other._runner.analyzer)
            return other(task)

        return Branch(run, hooks.observing(parts), parts)

    # -- Work in other processes ------------------------------------------------------------

    @property
    def timeout(self) -> float | None:
        """How many seconds a pass may take on one op; None for any time."""
        return self._services.checks.timeout

    @property
    def may_stay(self) -> bool:
        """Whether this process may do tasks while others do, so that nobody can tell."""
        is_watched = self.timeout is not None or self._services.hooks.sees_steps
        return self.is_trusted and not is_watched

    @property
    def can_leave(self) -> bool:
        """Whether tasks can be done by another process, so that nobody can tell."""
        services, steps = self._services, passes_in(self._step)
        return (
            self._sends is not None
            and not services.gates
            and not services.checks.isolation
            and services.hooks.can_split
            and all(step.pass_.contract.can_fork for step in steps)
        )

    @property
    def held_by(self) -> str:
        """The name of the IR if passes could leave but it cannot send their ops; else empty."""
        if self._sends is not None or not any(
            s.pass_.contract.can_fork for s in passes_in(self._step)
        ):
            return ""
        return self._services.adapter.name

    def observed(self) -> AbstractContextManager[Any]:
        """Let parts of what observes the run observe what is done inside, and yield them."""
        return self._services.hooks.split()

    def merge(self, observers: Any, /) -> None:
        """Take over what such parts have observed."""
        self._services.hooks.merge(observers)

    def note(self, task: OpContext, /) -> Noted:
        """Return what need not be sent of a task's op, before the task is done."""
        assert self._sends is not None  # noqa: S101 - `can_leave`
        noted = self._sends.note(task.op)
        return Noted(self._sends.encode_changes, noted, self._names_in(task))

    def note_known(self, task: OpContext, known: Sequence[Any]) -> Noted:
        """Return the same of the copy of a task's op, of which parts are known elsewhere."""
        if self._sends is not None:  # who has sent it has the op as it was, and needs only changes
            return self.note(task)
        assert self._returns is not None  # noqa: S101 - `can_ship`
        return Noted(self._returns.encode, known, self._names_in(task))

    def _names_in(self, task: OpContext) -> Sequence[Any]:
        return () if self._named is None else self._named.names_in(task.op)

    def pack(self, task: OpContext, outcome: Outcome, noted: Noted, /) -> Packed:
        """Return what a task has done to its op.

        Raises:
            EncodingError: It cannot be sent, or is to be done again here.
        """
        if outcome.failures and self._repeats_failures:
            raise EncodingError("it is to fail where the run is observed")
        claims, matched = bool(task.claims), self._services.matched
        if outcome.changed is False and not outcome.failures and not claims:
            names = self._names_in(task)
            return Packed(None, claims, matched, None if names == noted.names else names)
        return Packed(noted.encode(task.op, noted.known), claims, matched)

    def is_as_known(self, task: OpContext, /) -> bool:
        """Return whether nothing that was done to other ops has changed a task's op."""
        siblings = self._ctx.siblings
        if self.is_trusted or siblings is None:
            return True
        return self._watch.is_in_place(task.number, task.place) and siblings.is_as_known(
            task.number
        )

    def unpack(self, task: OpContext, packed: Packed, /) -> None:
        """Do to the op here what a task has done to it in another process."""
        if packed.contents is not None and self._sends is not None:
            self._sends.decode_changes(task.op, packed.contents, self._runner.ir_context)
        self._take_over(task, packed)

    def unpack_shipped(self, task: OpContext, packed: Packed, noted: Sequence[Any], /) -> None:
        """Do to the op here what a task has done to it in a process that knew nothing of it."""
        if self._sends is not None:
            self.unpack(task, packed)
            return
        if packed.contents is not None and self._returns is not None:
            self._returns.decode_into(task.op, packed.contents, self._runner.ir_context, noted)
        self._take_over(task, packed)

    def _take_over(self, task: OpContext, packed: Packed) -> None:
        """Take note of what has changed in a task's op, and of what has been said of it."""
        self._services.matched.update(packed.matched)
        if packed.claims:
            task.claims = (task.plan.steps[-1],)
        if packed.names is not None and self._named is not None:
            self._named.rename(task.op, packed.names)
        if (siblings := self._ctx.siblings) is not None:
            good = siblings.good[task.number] if packed.contents is None else None
            siblings.leave(task.number, good)

    def start_apart(self, *, repeats_failures: bool = False) -> None:
        """Take note of the op around, whose tasks are done in this process and sent back.

        Args:
            repeats_failures: Whether what fails is to be done again where it comes from.
        """
        self._before, self._is_trespassed = self._states_around(), False
        self._repeats_failures = repeats_failures or self._services.hooks.repeats_failures

    def is_sound(self) -> bool:
        """Return whether the tasks that were done here have changed nothing but their own ops.

        Even what a pass answers for is a change, which is not sent back.
        """
        is_around_same = self._states_around() == self._before and not self._gone and not self._lost
        trespasses = (*self._trespasses(), *self._trespasses_further_out())
        return is_around_same and not (trespasses or self._is_trespassed)

    def _states_around(self) -> list[object]:
        """Return the states of the op around and of those further out, without the ops inside."""
        states: list[object] = []
        ctx: OpContext | None = self._ctx
        while ctx is not None:
            states.append(self._services.adapter.fingerprint(ctx.op, recursive=False))
            ctx = ctx.parent
        return states

    def _trespasses_further_out(self) -> Iterator[Trespass]:
        """Yield changes outside of the op around, which a level there would find in its process."""
        inner, outer = self._ctx, self._ctx.parent
        while not self.is_trusted and outer is not None:
            if outer.siblings is not None:
                yield from outer.siblings.compare_others(inner.op)
            inner, outer = outer, outer.parent

    def die(self, task: OpContext, how: str, /) -> Outcome:
        """Return the outcome of a task whose process has died."""
        failure = self._services.failures.died(self._suspects([task]), task.op, how)
        return self._services.reports.fail(failure)

    # -- Work in processes that know nothing of it --------------------------------------------

    @property
    def can_ship(self) -> bool:
        """Whether tasks can be done by a process that knows nothing of them, as far as is known."""
        services, steps = self._services, passes_in(self._step)
        return (
            self._ships is not None
            and (self._sends or self._returns) is not None
            and not services.gates
            and not services.checks.isolation
            and not services.checks.analyses
            and services.hooks.can_split
            and all(step.pass_.contract.can_ship for step in steps)
        )

    def prepare_shipping(self) -> None:
        """Make ready what all processes need that know nothing of the tasks.

        Raises:
            EncodingError: It cannot be sent.
        """
        from passel.execution.strategies.parcels import Assignment, pack_assignment  # noqa: PLC0415 - rarely needed

        services = self._services
        assignment = Assignment(
            type(services.hooks.run),
            services.adapter,
            self._step,
            services.checks,
            services.reports.renders,
            services.hooks.collects_statistics,
            services.hooks.repeats_failures,
        )
        self._assignment = pack_assignment(assignment)

    def ship(self, tasks: Sequence[OpContext], /) -> tuple[bytes, Sequence[Any]]:
        """Return tasks for another process, and what will not be sent back.

        Raises:
            EncodingError: They cannot be sent.
        """
        from passel.execution.strategies.parcels import Parcel, pack  # noqa: PLC0415 - rarely needed

        if any(task.cached is not None and task.cached.kinds() for task in tasks):
            raise EncodingError("analyses of the ops are known already")
        assert self._ships is not None  # noqa: S101 - `can_ship`
        ops = [task.op for task in tasks]
        shipped, known = self._ships.ship(ops, self._runner.ir_context)
        ordinals = tuple(task.number for task in tasks)
        parts = self._services.hooks.branch()[1]
        parcel = Parcel(shipped, ordinals, parts, self._kinds_around())
        return pack(self._assignment, parcel), known

    def receive(self, share: bytes, /) -> None:
        """Make copies of the ops that `ship` has sent, as who gets them does, and forget them.

        Raises:
            EncodingError: They cannot be sent.
        """
        from passel.execution.strategies.parcels import ops_in  # noqa: PLC0415 - rarely needed

        assert self._ships is not None  # noqa: S101 - `can_ship`
        self._ships.receive(ops_in(share))

    def _kinds_around(self) -> frozenset[Any]:
        """Return the kinds of analyses that are cached for ops around the tasks'."""
        kinds: set[Any] = set()
        ctx: OpContext | None = self._ctx
        while ctx is not None:
            if ctx.cached is not None:
                kinds |= ctx.cached.kinds_around()
            ctx = ctx.parent
        return frozenset(kinds)

    # -- The op around ------------------------------------------------------------------------

    def settle(self, tasks: Sequence[OpContext], outcomes: list[Outcome]) -> Outcome:
        """Look at the op as a whole after all pipelines have run.

        Args:
            tasks: What has run.
            outcomes: How it went; failures that are found only now are added to them.

        Returns:
            The outcome for the op itself.
        """
        found = [self._report(each) for each in self._trespasses()]
        if found or any(outcome.failures for outcome in outcomes):
            self._verify_deferred(tasks, outcomes)
            return merge(found)
        touched = [
            task
            for task, outcome in zip(tasks, outcomes, strict=True)
            if outcome.changed is not False or task.claims
        ]
        if not touched or not self._services.verifies:
            return UNCHANGED
        recursive = (
            self._services.policies.verifies_together
            or self._services.checks.verify is VerifyEach.ALWAYS
        )
        failure = self._verifier.verify_around(
            self._suspects(touched), self._op, recursive=recursive
        )
        if failure is None:
            if recursive:
                self._ctx.unsettled = ()
            return UNCHANGED
        if self._verify_deferred(tasks, outcomes):
            return UNCHANGED  # one by one it has shown which pass is to blame
        return self._services.reports.fail_step(self._ctx, failure)

    def _trespasses(self) -> Iterable[Trespass]:
        """Yield changes outside of the ops that passes ran on."""
        if not (self._gone or self._watch.are_all_in_place()):
            self._may_touch = False
            yield Trespass(self._op, True, range(len(self.children)), is_about_places=True)
        elif self._ctx.siblings is not None and self._may_touch and not self.is_trusted:
            yield from self._ctx.siblings.compare_all([*self._gone, *self._lost])

    def _verify_deferred(self, tasks: Sequence[OpContext], outcomes: list[Outcome]) -> bool:
        """Verify what was to be verified with the op, one by one, and return whether any failed."""
        if self._gone or not self._may_touch:
            return False  # they may be erased as well
        failed = False
        for number, task in enumerate(tasks):
            if (step := task.deferred) is None:
                continue
            failure = self._verifier.verify(step, task.op, recursive=True)
            if failure is not None:
                failed = True
                more = self._services.reports.fail(failure)
                outcomes[number] = merge([outcomes[number], more])
        return failed

    def _lose(self, task: OpContext) -> Outcome:
        """Return the outcome of an op that was erased or moved before its turn."""
        self._gone.append(task.number)
        self._may_touch = self._lifetime.survives_loss
        before = [each for each in self._tasks if each.number < task.number]
        alive = [each for each in before if each.number not in self._gone]
        suspects = self._suspects(alive if self._may_touch else ())
        rest = "" if self._lifetime.survives_loss else "; the ops behind it are not processed"
        failure = self._services.failures.lost_siblings(
            suspects._replace(passes=self._suspects(before).passes),
            self._op,
            task.plan.op_name,
            rest,
        )
        return merge([self._services.reports.fail_step(self._ctx, failure), CHANGED])

    def _report(self, trespass: Trespass) -> Outcome:
        """Return the outcome of a change from outside."""
        worked_on = [each for each in self._tasks if each.number in trespass.suspects]
        alive = [each for each in worked_on if each.number not in self._gone]
        suspects = self._suspects(alive if self._may_touch else ())
        suspects = suspects._replace(passes=self._suspects(worked_on).passes)
        around = None if trespass.is_around else self._op
        failure = self._services.failures.trespass(suspects, around, trespass)
        return merge([self._services.reports.fail_step(self._ctx, failure), CHANGED])

    def _suspects(self, tasks: Sequence[OpContext]) -> Suspects:
        pipelines = list(dict.fromkeys(task.plan.pipeline for task in tasks))
        return suspects_of(self._step, [task.op for task in tasks], pipelines)
