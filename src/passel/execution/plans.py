"""The plans of pipelines for ops, made once for each kind of op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.passes.reachable import preserved_by
from passel.schedule import Pipeline, passes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from passel.ir import IRAdapter
    from passel.schedule import NestedStep, Plan, Step


class Plans:
    """Plans of pipelines on ops.

    Args:
        adapter: The adapter of the IR.
        lower: Returns fewer steps that do the same; None if the steps run unchanged.

    Attributes:
        matched: The keys of the nested pipelines that had at least one op to run on.
    """

    def __init__(self, adapter: IRAdapter, lower: Callable[[Any], Any] | None) -> None:
        self.matched: set[str] = set()
        self._adapter = adapter
        self._lower = lower
        self._lowered: dict[tuple[Pipeline, Hashable], Plan] = {}
        self._preserved: dict[Step | Pipeline, frozenset[type]] = {}

    def plan(self, pipeline: Pipeline, op: Any) -> Plan:
        """Return the plan of a pipeline for an op."""
        key = pipeline, self._adapter.key_of(op)
        known = pipeline.plans if self._lower is None else self._lowered
        if (plan := known.get(key)) is None:
            plan = known[key] = pipeline.plan(self._adapter.kind_of(op), self._lower)
        self.matched |= plan.matched
        return plan

    def select(self, step: NestedStep, op: Any) -> Plan | None:
        """Return the plan of the nested pipeline that runs on an op; None if none does."""
        key = self._adapter.key_of(op)
        if key not in step.chosen:
            step.chosen[key] = step.select(self._adapter.kind_of(op))
        pipeline = step.chosen[key]
        return None if pipeline is None else self.plan(pipeline, op)

    def preserved(self, what: Step | Pipeline) -> frozenset[type]:
        """Return the analyses that all passes of a step or a pipeline preserve."""
        kept = self._preserved.get(what)
        if kept is None:
            kept = preserved_by(each.pass_ for each in passes_of(what))
            self._preserved[what] = kept
        return kept
