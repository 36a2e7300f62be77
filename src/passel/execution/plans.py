"""Plans: how far ops of one kind can run a pipeline, and which nested pipelines find no op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.execution.matching import key_of, keys_inside

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from passel.ir import IRAdapter, OpKind
    from passel.schedule import NestedStep, Pipeline, Step


class Plan(NamedTuple):
    """A pipeline as far as one kind of op can run it.

    Attributes:
        pipeline: The pipeline.
        steps: What runs, in order.
        rejected: The step that cannot run on such ops; None if all can.
        rejection: Why it cannot.
        op_name: The name of the ops.
    """

    pipeline: Pipeline
    steps: tuple[Step, ...]
    rejected: Step | None
    rejection: str
    op_name: str


class Plans:
    """The plans of one run, each made once.

    Args:
        adapter: The adapter of the IR.
        lower: What makes fewer steps of some; None if they are to run as they are.

    Attributes:
        matched: Keys of nested pipelines that had some op to run on.
    """

    def __init__(
        self, adapter: IRAdapter, lower: Callable[[Sequence[Step]], tuple[Step, ...]] | None
    ) -> None:
        self.matched: set[str] = set()
        self._adapter = adapter
        self._lower = lower
        self._plans: dict[NestedStep, dict[Hashable, Plan | None]] = {}

    def of_step(self, step: NestedStep) -> dict[Hashable, Plan | None]:
        """Return the plans of nested pipelines that are known, by the keys of ops."""
        return self._plans.setdefault(step, {})

    def select(self, step: NestedStep, op: Any) -> Plan | None:
        """Return the plan of the nested pipeline that runs on an op, if one does."""
        kind = self._adapter.kind_of(op)
        pipeline = step.select(kind)
        if pipeline is None:
            return None
        self.matched.add(key_of(pipeline))
        return self.plan(pipeline, kind)

    def plan(self, pipeline: Pipeline, kind: OpKind) -> Plan:
        """Return the plan of a pipeline for ops of a kind."""
        steps, rejection = pipeline.admit(kind)
        rejected = pipeline.steps[len(steps)] if rejection else None
        if self._lower is not None:
            lowered = self._lower(steps)
            # The run does not see which ops such steps find.
            self.matched.update(keys_inside(each for each in steps if each not in lowered))
            steps = lowered
        return Plan(pipeline, steps, rejected, rejection, kind.name)
