"""Nested pipelines on the ops immediately inside of one op.

A failure on one op does not keep its siblings from being processed. When all are, the op around
is verified: in one call with what was put off for the siblings, where the IR does so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.execution.isolation import SiblingStates
from passel.execution.level import Level, LevelParts
from passel.execution.outcome import UNCHANGED, Outcome, merge
from passel.passes.walking import walk
from passel.schedule import passes_in

if TYPE_CHECKING:
    from passel.execution.context import OpContext
    from passel.execution.level import NestedRunner
    from passel.execution.plans import Planner
    from passel.execution.services import RunServices
    from passel.execution.strategies import SiblingStrategy
    from passel.execution.verification import Verifier
    from passel.schedule import NestedStep


class SiblingRunner:
    """Runs nested pipelines.

    Args:
        services: What the run's parts share.
        planner: Decides which pipeline runs on which op.
        verifier: Verifies the op around.
        strategy: How siblings share the work.
        runner: Runs the pipelines.
    """

    def __init__(
        self,
        services: RunServices,
        planner: Planner,
        verifier: Verifier,
        strategy: SiblingStrategy,
        runner: NestedRunner,
    ) -> None:
        self._parts = LevelParts(services, planner, verifier, runner)
        self._services = services
        self._strategy = strategy
        self._trusted: dict[NestedStep, bool] = {}
        self._buffers = services.defers or not strategy.in_order
        self._tracks = services.checks.isolation or (
            services.tracks and services.policies.finds_changes
        )

    def run(self, step: NestedStep, op: Any, ctx: OpContext) -> Outcome:
        """Run nested pipelines on the ops inside of `op` and return the merged outcome."""
        services, reports = self._services, self._services.reports
        level, tasks = self.level(step, op, ctx)
        if not tasks:
            return UNCHANGED
        if services.hooks.sees_steps:
            identity_of = services.identity_of
            services.ordinals.update((identity_of(op), i) for i, op in enumerate(level.children))
        outcomes: list[Outcome] = []
        reports.held += self._buffers
        try:
            for outcome in self._strategy(level, tasks):
                outcomes.append(outcome)
                if outcome.interrupt is not None:
                    break
            else:
                outcomes.append(level.settle(tasks, outcomes))
        finally:
            siblings, ctx.siblings = ctx.siblings, None
            reports.held -= self._buffers
            merged = merge(outcomes)
            if self._buffers:
                reports(merged.diagnostics, merged.failures)
        if merged.changed is not False:
            ctx.good = None
        if ctx.good is None and siblings is not None:
            ctx.good = siblings.whole()
        return merged

    def level(self, step: NestedStep, op: Any, ctx: OpContext) -> tuple[Level, list[OpContext]]:
        """Return the work on the ops inside of an op, and its tasks."""
        level = Level(self._parts, step, op, ctx, is_trusted=self._trusts(step))
        tasks = level.tasks()
        if tasks and self._tracks:
            known = None if ctx.claims else ctx.good
            ctx.siblings = SiblingStates(
                self._services.fingerprints,
                op,
                level.children,
                known,
                is_asked=not level.is_trusted or _goes_on(step, ctx),
            )
        return level, tasks

    def _trusts(self, step: NestedStep) -> bool:
        """Return whether all passes of a step are trusted to change nothing but their ops.

        Then nobody looks whether they do, unless the run is to check that.
        """
        if step not in self._trusted:
            self._trusted[step] = not self._services.checks.isolation and all(
                visit.pass_.contract.stays_inside
                for each in passes_in(step)
                for visit in walk(each.pass_)
            )
        return self._trusted[step]


def _goes_on(step: NestedStep, ctx: OpContext) -> bool:
    """Return whether the state of an op matters after a step on it."""
    if ctx.claims or (ctx.plan is not None and ctx.plan.steps[-1] is not step):
        return True
    around = None if ctx.parent is None else ctx.parent.siblings
    return around is not None and around.is_asked
