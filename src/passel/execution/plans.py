"""Plans: how far ops of one kind can run a pipeline, and which nested pipelines find no op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.ir import ANY
from passel.schedule import NestedStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from passel.ir import IRAdapter, OpKind
    from passel.schedule import Pipeline, Step


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


def key_of(pipeline: Pipeline) -> str:
    """Return what tells a nested pipeline from all others of a schedule, in any process."""
    first = next(passes_of(pipeline), None)
    return pipeline.path if first is None else f"{pipeline.path} {first.path}"


def keys_inside(steps: Iterable[Step]) -> Iterator[str]:
    """Yield the keys of all pipelines that are nested in steps."""
    for step in steps:
        if isinstance(step, NestedStep):
            for pipeline in step.pipelines:
                yield key_of(pipeline)
                yield from keys_inside(pipeline.steps)


def matched_now(adapter: IRAdapter, pipeline: Pipeline, op: Any) -> Iterator[str]:
    """Yield the keys of the nested pipelines for which an op holds ops, before any pass has run.

    Nothing if no step comes before a nested one: these will run on whatever there is now.
    """
    if not _nests_late(pipeline.steps):
        return
    nested = [step for step in pipeline.steps if isinstance(step, NestedStep)]
    selected: dict[Hashable, list[Pipeline]] = {}
    for child in adapter.children(op):
        key = adapter.key_of(child)
        if key not in selected:
            kind = adapter.kind_of(child)
            found = [each for step in nested if (each := step.select(kind)) is not None]
            yield from map(key_of, found)
            selected[key] = [each for each in found if _nests_late(each.steps)]
        for each in selected[key]:
            yield from matched_now(adapter, each, child)


def _nests_late(steps: Iterable[Step]) -> bool:
    return any(
        isinstance(step, NestedStep)
        and (number > 0 or any(_nests_late(each.steps) for each in step.pipelines))
        for number, step in enumerate(steps)
    )


def unmatched(pipeline: Pipeline, matched: AbstractSet[str]) -> Iterator[str]:
    """Yield the nested pipelines that have passes and no op to run on, the outermost of each.

    Args:
        pipeline: The enclosing pipeline.
        matched: The keys of those that had one.
    """
    for step in pipeline.steps:
        for nested in step.pipelines if isinstance(step, NestedStep) else ():
            if key_of(nested) in matched:
                yield from unmatched(nested, matched)
            elif nested.anchor != ANY and any(passes_of(nested)):
                text = str(nested)
                for anchor in reversed(nested.path.split("/")[:-1]):
                    text = f"{anchor}({text})"
                yield text
