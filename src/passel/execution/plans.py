"""Plans: how far ops of one kind can run a pipeline, and what of it runs as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from passel.execution.matching import key_of, keys_inside
from passel.ir import Fusing

if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Any

    from passel.execution.services import RunServices
    from passel.ir import OpKind
    from passel.schedule import NestedStep, Pipeline, Step


class Plan(NamedTuple):
    """A pipeline as far as one kind of op can run it.

    Attributes:
        pipeline: The pipeline.
        steps: What runs, in order.
        rejected: The step that cannot run on such ops; None if all can.
        rejection: Why it cannot.
        op_name: The name of the ops.
        nests: Whether there are nested pipelines among the steps.
    """

    pipeline: Pipeline
    steps: tuple[Step, ...]
    rejected: Step | None
    rejection: str
    op_name: str
    nests: bool


class Planner:
    """Makes the plans of one run, each once.

    Args:
        services: What the run's parts share.
    """

    def __init__(self, services: RunServices) -> None:
        self._adapter = services.adapter
        self._fuses = services.fuses
        self._verifies = services.verifies
        hooks = services.hooks
        self._fusing = Fusing(self._verifies, bool(hooks.measures), hooks.collects_statistics)
        self._matched = services.matched
        self._plans: dict[NestedStep, dict[Hashable, Plan | None]] = {}

    def nested(self, step: NestedStep) -> dict[Hashable, Plan | None]:
        """Return the plans of nested pipelines that are known, by the keys of ops."""
        return self._plans.setdefault(step, {})

    def select(self, step: NestedStep, op: Any) -> Plan | None:
        """Return the plan of the nested pipeline that runs on an op, if one does."""
        kind = self._adapter.kind_of(op)
        pipeline = step.select(kind)
        if pipeline is None:
            return None
        self._matched.add(key_of(pipeline))
        return self.plan(pipeline, kind)

    def plan(self, pipeline: Pipeline, kind: OpKind) -> Plan:
        """Return the plan of a pipeline for ops of a kind."""
        steps, rejection = pipeline.admit(kind)
        rejected = pipeline.steps[len(steps)] if rejection else None
        if self._fuses is not None:
            steps = self._fuses.fuse(steps, self._fusing)
            for step in steps:
                if step.is_fused:  # the run does not see what they run on
                    self._matched |= set(keys_inside(step.children))
        nests = any(step.pass_ is None and not step.is_fused for step in steps)
        return Plan(pipeline, steps, rejected, rejection, kind.name, nests)
