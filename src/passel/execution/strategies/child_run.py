"""Nested pipelines on the ops immediately inside one op.

A failure on one op does not keep its siblings from being processed. When all are, the enclosing op
is verified: in one call with what was put off for the siblings, where the IR does so.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from passel.diagnostics import log_warning_once
from passel.errors import EncodingError
from passel.execution.context import OpContext
from passel.execution.enclosing import changes_outside, enclosing_states
from passel.execution.failures import suspects_of
from passel.execution.isolation import IsolationViolation, SiblingStates
from passel.execution.op_state import OpState
from passel.execution.options import VerifyEach
from passel.execution.outcome import CHANGED, UNCHANGED, Outcome, merge
from passel.execution.strategies.placement import Place, at_work, is_declared, obstacle_to
from passel.execution.streams import standard_streams
from passel.execution.verification import verify, verify_enclosing
from passel.hooks import Bracket

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from contextlib import AbstractContextManager

    from passel.execution.context import Runner
    from passel.execution.failures import Suspects
    from passel.execution.services import RunServices
    from passel.ir import SendsOps
    from passel.schedule import NestedStep


class Branch(NamedTuple):
    """The work on some siblings as another thread or process does it.

    Attributes:
        work: The work.
        observed: Encloses all that is done: the parts observe it.
        parts: Parts of what observes the run, for `ChildRun.merge`.
    """

    work: ChildRun
    observed: AbstractContextManager[Any]
    parts: Any


class SiblingStrategy(Protocol):
    """Shares out the tasks of one nested step, where they may be shared.

    Attributes:
        place: Where tasks are done.
        where: The workers, as messages name them.
        jobs: How many tasks it does at once.
    """

    place: Place
    where: str
    jobs: int

    def __call__(self, work: ChildRun, tasks: Sequence[Any], /) -> Iterable[Outcome]:
        """Do all tasks, and yield their outcomes in the order of the tasks."""
        ...


class Packed(NamedTuple):
    """The effect of a task on its op in another process.

    Attributes:
        contents: What has changed in the op; empty if nothing has.
        claims: Whether passes have stated that they changed nothing.
        matched: Keys of nested pipelines that have run on some op there.
    """

    contents: bytes
    claims: bool
    matched: AbstractSet[str]


class ChildRun:
    """A run of nested pipelines on the ops immediately inside one op.

    Args:
        step: The pipelines.
        ctx: The context of the enclosing op.

    Attributes:
        services: What the run's parts share.
        step: The pipelines.
        ctx: The context of the enclosing op.
        tasks: The contexts of the ops that a pipeline runs on, in program order.
    """

    def __init__(self, step: NestedStep, ctx: OpContext) -> None:
        self._runner: Runner = ctx.runner
        self.services: RunServices = ctx.runner.services
        self._lifetime = self.services.policies.lifetime
        self.step: NestedStep = step
        self._op = ctx.op
        self.ctx: OpContext = ctx
        self._gone: list[int] = []
        self._lost: list[int] = []
        self._looks = not is_declared(step, self.services)  # at each op before its turn
        self._may_touch = True  # False as soon as any op inside may be erased, and not known to be
        self._children: list[Any] = list(self.services.adapter.children(ctx.op))
        self._watch = self._lifetime.watch(ctx.op, self._children)
        self.tasks: list[OpContext] = self._make_tasks()
        if self.tasks and self.services.isolates:
            self._track()

    def _make_tasks(self) -> list[OpContext]:
        step, ctx, runner = self.step, self.ctx, self._runner
        plans, key_of = runner.planner.nested(step), self.services.adapter.key_of
        place_of = self._lifetime.place_of
        tasks: list[OpContext] = []
        for number, child in enumerate(self._children):
            key = key_of(child)
            if key not in plans:
                plans[key] = runner.planner.select(step, child)
            plan = plans[key]
            if plan is not None:
                tasks.append(OpContext(runner, child, place_of(child), plan, ctx, number))
        return tasks

    def _track(self) -> None:
        """Take the states of the enclosing op and the ops inside, to notice what changes them."""
        ctx, worked_on = self.ctx, {task.number: task.op_state for task in self.tasks}
        states = [worked_on.get(number) or OpState() for number in range(len(self._children))]
        siblings = SiblingStates(self.services.fingerprints, self._op, self._children, states)
        siblings.start(ctx.op_state.last_valid)
        ctx.siblings = siblings

    def run(self, strategy: SiblingStrategy) -> Outcome:
        """Run the pipelines, share the work as a strategy says, and return the merged outcome."""
        if not self.tasks:
            return UNCHANGED
        services, reports = self.services, self.services.reports
        observed = services.hooks.sees_steps
        if observed:
            numbers = enumerate(map(services.identity_of, self._children))
            services.ordinals.update((key, number) for number, key in numbers)
        is_shared = self._is_shared_by(strategy)
        # What is observed is reported in its place among dumps, as it is taken over.
        buffers = services.defers or (is_shared and not observed)
        outcomes: list[Outcome] = []
        reports.held += buffers
        try:
            for outcome in strategy(self, self.tasks) if is_shared else map(self, self.tasks):
                outcomes.append(outcome)
                if outcome.interrupt is not None:
                    break
            if outcomes[-1].interrupt is None:
                outcomes.append(self._settle(outcomes))
        except Exception:
            raise
        except BaseException as error:  # noqa: BLE001 - an interrupt while others work: what is done counts
            failure = services.failures.interrupted(self.step, self._op, error)
            outcomes.append(Outcome(None, (failure,), interrupt=error))
        finally:
            reports.held -= buffers
            merged = merge(outcomes)
            if buffers:
                reports(merged.diagnostics, merged.failures)
            self._leave(merged)
        return merged

    def _leave(self, merged: Outcome) -> None:
        """Leave what is known of the enclosing op now to the steps that follow."""
        ctx, state = self.ctx, self.ctx.op_state
        siblings, ctx.siblings = ctx.siblings, None
        if merged.changed is not False:
            state.last_valid = None
        goes_on = ctx.parent is not None or ctx.plan.steps[-1] is not self.step
        if goes_on and state.last_valid is None and siblings is not None:
            state.last_valid = siblings.whole()

    def _is_shared_by(self, strategy: SiblingStrategy) -> bool:
        """Return whether a strategy is to do the tasks; the log says why not, once."""
        if strategy.place is Place.HERE or at_work.get() or len(self.tasks) < 2:  # noqa: PLR2004 - one is not shared
            return False
        # The only worker of an executor works beside this process.
        most = 2 if strategy.place is Place.PROCESSES else strategy.jobs
        if min(most, self.jobs or most) < 2:  # noqa: PLR2004 - at once
            return False
        if obstacle := obstacle_to(strategy.place, self.step, self.services):
            log_warning_once(f"no {strategy.where}: {obstacle}")
        return not obstacle

    def __call__(self, task: OpContext, /) -> Outcome:
        """Run a nested pipeline on one op, if the op is still there."""
        if self._gone and not self._lifetime.survives_loss:
            return UNCHANGED
        siblings, watch, op = self.ctx.siblings, self._watch, task.op
        if not watch.is_in_place(task.number, task.place) or (
            siblings and not watch.are_all_in_place()
        ):
            return self._lose(task)
        if siblings is None:
            return self._runner.run_between_hooks(self.step, task)
        before = UNCHANGED
        if violation := siblings.enter(task.number, looks=self._looks):
            before, siblings.is_violated = self._report(violation), True
            if verify(self.services, self.step, op) is not None:
                return before  # passes may fail in any way on what is invalid
        outcome = self._runner.run_between_hooks(self.step, task)
        place = self._lifetime.place_of(op)
        if place is task.place or place == task.place:
            siblings.leave(task.number)
        else:
            self._lost.append(task.number)  # a failure of its own
        return outcome if before is UNCHANGED else merge([before, outcome])

    # -- Work in other places ----------------------------------------------------------------

    @property
    def jobs(self) -> int | None:
        """How many tasks may be done at once, as their pipelines say; None for no limit."""
        limits = {task.plan.pipeline.jobs for task in self.tasks}
        return min((jobs for jobs in limits if jobs is not None), default=None)

    def branch(self, tasks: Sequence[OpContext], /) -> Branch:
        """Return what does some tasks in another thread, or in a copy of this process."""
        _ = self.ctx.analyses  # made here, so that no two threads make them
        other, (hooks, parts) = copy(self), self.services.hooks.branch()
        other.services = self.services.branch(hooks)
        hooks.run = hooks.run.branch(other.services.reports)
        other._runner = runner = self._runner.branch(other.services)
        for task in tasks:
            task.runner = runner
            if task.cached is not None:  # enclosing passes have asked for analyses of this op
                task.cached.serve(runner.analyzer)
        return Branch(other, Bracket(hooks, "run", hooks.run), parts)

    # -- Work in other processes ------------------------------------------------------------

    def merge(self, observers: Any, outcomes: Sequence[Outcome], /) -> None:
        """Take over what such parts have observed, and report it, in program order."""
        with self.services.reports.catching_up(outcomes):
            self.services.hooks.merge(observers)

    @contextmanager
    def apart(self) -> Generator[None]:
        """Enclose the tasks that a worker does, which are refused if passes left their ops.

        Even a change that a pass declares is not sent back, if it is not of the task's own op.

        Raises:
            EncodingError: Passes have changed more than the ops that they ran on.
        """
        prints, siblings = self.services.fingerprints, self.ctx.siblings
        before, streams = enclosing_states(self.ctx, prints), standard_streams()
        self._looks = True  # what was changed before is not sent back
        yield
        if (
            self._gone
            or self._lost
            or (siblings is not None and siblings.is_violated)
            or enclosing_states(self.ctx, prints) != before
            or any(self._violations())
            or any(changes_outside(self.ctx))
            or standard_streams() != streams  # an error of the main process
        ):
            raise EncodingError("passes have changed more than the ops that they ran on")

    def work_off(self, tasks: Sequence[OpContext], /) -> Iterator[tuple[Outcome, Packed]]:
        """Do tasks in a worker, up to an interrupt, and yield the outcome and changes of each.

        Raises:
            EncodingError: The changes cannot be sent.
        """
        sends = self._sends
        for task in tasks:
            noted = sends.note(task.op)
            outcome = self(task)
            claims = bool(task.op_state.claims)
            is_same = outcome.changed is False and not outcome.failures and not claims
            # Names, and an order, come back even where fingerprints see no change.
            data = b"" if is_same and noted is None else sends.encode_changes(task.op, noted)
            yield outcome, Packed(data, claims, self.services.matched)
            if outcome.interrupt is not None:
                return

    @property
    def _sends(self) -> SendsOps:
        return cast("SendsOps", self.services.adapter)

    def is_as_known(self, task: OpContext, /) -> bool:
        """Return whether nothing that was done to other ops has changed a task's op."""
        siblings = self.ctx.siblings
        if siblings is None:
            return True
        return self._watch.is_in_place(task.number, task.place) and siblings.is_as_known(
            task.number
        )

    def take(
        self, tasks: Sequence[OpContext], done: Sequence[tuple[Outcome, Packed]], parts: Any = (), /
    ) -> list[Outcome]:
        """Take over what a worker has done with tasks, up to an interrupt; return the outcomes.

        Args:
            tasks: The tasks.
            done: The outcome of each, and what it has done to its op.
            parts: What has observed it.
        """
        outcomes = [outcome for outcome, _ in done]
        self.merge(parts, outcomes)
        collects = gc.isenabled()
        gc.disable()  # much is made, and nothing becomes garbage
        try:
            for task, (outcome, packed) in zip(tasks, done, strict=False):
                self._unpack(task, packed)
                if self.ctx.siblings is not None:
                    self.ctx.siblings.take_over(task.number, changed=outcome.changed is not False)
        finally:
            if collects:
                gc.enable()
        return outcomes

    def _unpack(self, task: OpContext, packed: Packed) -> None:
        """Do to the op here what a task has done to it in another process."""
        if packed.contents:
            self._sends.decode_changes(task.op, packed.contents, self.ctx.ir_context)
        if packed.claims:
            task.op_state.claims = [task.plan.steps[-1]]
        self.services.matched.update(packed.matched)

    def die(self, task: OpContext, how: str, in_pass: int, /) -> Outcome:
        """Return the outcome of a task whose process has died, in a pass if that is known."""
        suspects = self._suspects([task])
        if found := [each for each in suspects.passes if id(each) == in_pass]:
            suspects = suspects._replace(passes=found)
        failure = self.services.failures.died(suspects, task.op, how)
        return self.services.reports.fail(failure)

    # -- The enclosing op ---------------------------------------------------------------------

    def _settle(self, outcomes: list[Outcome]) -> Outcome:
        """Look at the op as a whole after all pipelines have run.

        Args:
            outcomes: How it went; failures that are found only now are added to them.

        Returns:
            The outcome for the op itself.
        """
        found = [self._report(each) for each in self._violations()]
        if found or any(outcome.failures for outcome in outcomes):
            self._verify_deferred(outcomes)
            return merge(found)
        if not self.services.verifies:
            return UNCHANGED
        touched = [
            task
            for task, outcome in zip(self.tasks, outcomes, strict=True)
            if outcome.changed is not False or task.op_state.claims
        ]
        if not touched:
            return UNCHANGED
        recursive = (
            self.services.policies.verifies_together
            or self.services.options.verify is VerifyEach.ALWAYS
        )
        failure = verify_enclosing(
            self.services, self._suspects(touched), self._op, recursive=recursive
        )
        if failure is None:
            if recursive:
                self.ctx.op_state.unsettled = []
            return UNCHANGED
        if self._verify_deferred(outcomes):
            return UNCHANGED  # one by one it has shown which pass is to blame
        return self.services.reports.fail_step(self.ctx, failure)

    def _violations(self) -> Iterable[IsolationViolation]:
        """Yield changes outside of the ops that passes ran on."""
        if not (self._gone or self._watch.are_all_in_place()):
            self._may_touch = False
            yield IsolationViolation(
                self._op, True, range(len(self._children)), is_about_places=True
            )
        elif self.ctx.siblings is not None and self._may_touch:
            yield from self.ctx.siblings.compare_all([*self._gone, *self._lost])

    def _verify_deferred(self, outcomes: list[Outcome]) -> bool:
        """Verify what was to be verified with the op, one by one, and return whether any failed."""
        if self._gone or not self._may_touch:
            return False  # they may be erased as well
        failed = False
        for number, task in enumerate(self.tasks):
            if (step := task.op_state.deferred) is None:
                continue
            failure = verify(self.services, step, task.op)
            if failure is not None:
                failed = True
                more = self.services.reports.fail(failure)
                outcomes[number] = merge([outcomes[number], more])
        return failed

    def _lose(self, task: OpContext) -> Outcome:
        """Return the outcome of an op that was erased or moved before its turn."""
        self._gone.append(task.number)
        self._may_touch = self._lifetime.survives_loss
        before = [each for each in self.tasks if each.number < task.number]
        alive = [each for each in before if each.number not in self._gone]
        suspects = self._suspects(alive if self._may_touch else ())
        rest = "" if self._lifetime.survives_loss else "; the ops behind it are not processed"
        failure = self.services.failures.lost_siblings(
            suspects._replace(passes=self._suspects(before).passes),
            self._op,
            task.plan.op_name,
            rest,
        )
        return merge([self.services.reports.fail_step(self.ctx, failure), CHANGED])

    def _report(self, violation: IsolationViolation) -> Outcome:
        """Return the outcome of a change that a pass on another op made."""
        worked_on = [each for each in self.tasks if each.number in violation.suspects]
        alive = [each for each in worked_on if each.number not in self._gone]
        suspects = self._suspects(alive if self._may_touch else ())
        suspects = suspects._replace(passes=self._suspects(worked_on).passes)
        enclosing = None if violation.is_enclosing else self._op
        failure = self.services.failures.violation(suspects, enclosing, violation)
        return merge([self.services.reports.fail_step(self.ctx, failure), CHANGED])

    def _suspects(self, tasks: Sequence[OpContext]) -> Suspects:
        pipelines = list(dict.fromkeys(task.plan.pipeline for task in tasks))
        return suspects_of(self.step, [task.op for task in tasks], pipelines)
