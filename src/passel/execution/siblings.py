"""Nested pipelines on the ops immediately inside one op.

A failure on one op does not keep its siblings from being processed. When all are, the enclosing op
is verified: in one call with what was put off for the siblings, where the IR does so.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from passel.execution.child_run import ChildRun, ChildRunParts
from passel.execution.outcome import UNCHANGED, Outcome, merge
from passel.execution.strategies.base import Sequential, at_work
from passel.execution.strategies.placement import Place, placement_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from passel.execution.child_run import NestedRunner
    from passel.execution.context import OpContext
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
        verifier: Verifies the enclosing op.
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
        self._services = services
        self._strategy = strategy
        self._placement_of = cache(partial(placement_of, services=services))
        self._parts = ChildRunParts(services, planner, verifier, runner, self._placement_of)
        self._tracks = services.options.isolation or (
            services.tracks and services.policies.finds_changes
        )

    def run(self, step: NestedStep, op: Any, ctx: OpContext) -> Outcome:
        """Run nested pipelines on the ops inside `op` and return the merged outcome."""
        services, reports = self._services, self._services.reports
        children = self.child_run(step, op, ctx)
        if not children.tasks:
            return UNCHANGED
        if services.hooks.sees_steps:
            identity_of = services.identity_of
            services.ordinals.update((identity_of(op), i) for i, op in enumerate(children.children))
        strategy = self._strategy_for(step, op, len(children.tasks))
        is_shared = strategy.place is not Place.HERE
        # What is observed is reported in its place among dumps, as it is taken over.
        buffers = services.defers or (is_shared and not services.hooks.sees_steps)
        outcomes: list[Outcome] = []
        reports.held += buffers
        try:
            self._run_tasks(children, strategy, outcomes)
        except Exception:
            raise
        except BaseException as error:  # noqa: BLE001 - an interrupt while others work: what is done counts
            failure = services.failures.interrupted(step, op, error)
            outcomes.append(Outcome(None, (failure,), interrupt=error))
        finally:
            siblings, ctx.siblings = ctx.siblings, None
            reports.held -= buffers
            merged = merge(outcomes)
            if buffers:
                reports(merged.diagnostics, merged.failures)
        state = ctx.op_state
        if merged.changed is not False:
            state.last_valid = None
        goes_on = ctx.parent is not None or ctx.plan.steps[-1] is not step
        if goes_on and state.last_valid is None and siblings is not None:
            state.last_valid = siblings.whole()
        return merged

    def _run_tasks(
        self, children: ChildRun, strategy: SiblingStrategy, outcomes: list[Outcome]
    ) -> None:
        """Add the outcomes of all tasks, up to an interrupt, and of the enclosing op."""
        with self._waiting(strategy):
            for outcome in strategy(children, children.tasks):
                outcomes.append(outcome)
                if outcome.interrupt is not None:
                    return
        outcomes.append(children.settle(outcomes))

    def child_run(self, step: NestedStep, op: Any, ctx: OpContext) -> ChildRun:
        """Return the run of nested pipelines on the ops inside an op."""
        children = ChildRun(self._parts, step, op, ctx)
        if children.tasks and self._tracks:
            children.track()
        return children

    def _waiting(self, strategy: SiblingStrategy) -> AbstractContextManager[None]:
        """Enclose what may wait for others, which is interrupted at once."""
        hooks = self._services.hooks
        if strategy.place is Place.HERE or not hooks.sees_steps:
            return nullcontext()
        return hooks.interrupts.allowed()

    def _strategy_for(self, step: NestedStep, op: Any, count: int) -> SiblingStrategy:
        """Return the strategy of the run, or the plainest where sharing must be asked for."""
        strategy, services = self._strategy, self._services
        if strategy.place is Place.HERE or count == 1 or at_work.get():
            return strategy
        services.sharing.ops += count
        why = strategy.is_automatic and self._placement_of(step).automatic
        if strategy.is_automatic and not why and not services.adapter.is_known_code(op):
            why = "not all ops are known to keep to themselves"
        if not why:
            return strategy
        services.sharing.keep(f"{why} (-j N shares them all the same)")
        return Sequential()
