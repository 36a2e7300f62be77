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
        matched: Keys of nested pipelines that have ops to run on where this one runs.
    """

    pipeline: Pipeline
    steps: tuple[Step, ...]
    rejected: Step | None
    rejection: str
    op_name: str
    matched: frozenset[str]


def plan_of(
    pipeline: Pipeline,
    kind: OpKind,
    lower: Callable[[Sequence[Step]], tuple[Step, ...]] | None = None,
) -> Plan:
    """Return the plan of a pipeline for ops of a kind.

    Args:
        pipeline: The pipeline.
        kind: The kind.
        lower: What makes fewer steps of some; None if they are to run as they are.
    """
    admitted, rejection = pipeline.admit(kind)
    rejected = pipeline.steps[len(admitted)] if rejection else None
    steps = admitted if lower is None else lower(admitted)
    # The run does not see which ops such steps find.
    inside = keys_inside(each for each in admitted if each not in steps) if lower else ()
    matched = frozenset({pipeline.key, *inside})
    return Plan(pipeline, steps, rejected, rejection, kind.name, matched)


def keys_inside(steps: Iterable[Step]) -> Iterator[str]:
    """Yield the keys of all pipelines that are nested in steps."""
    for step in steps:
        if isinstance(step, NestedStep):
            for pipeline in step.pipelines:
                yield pipeline.key
                yield from keys_inside(pipeline.steps)


def matched_now(adapter: IRAdapter, pipeline: Pipeline, op: Any) -> Iterator[str]:
    """Yield the keys of the nested pipelines for which an op holds ops, before any pass has run.

    Only needed if some step comes before a nested one (`Pipeline.nests_late`): others run on
    whatever there is now.
    """
    nested = [step for step in pipeline.steps if isinstance(step, NestedStep)]
    selected: dict[Hashable, list[Pipeline]] = {}
    for child in adapter.children(op):
        key = adapter.key_of(child)
        if key not in selected:
            kind = adapter.kind_of(child)
            found = [each for step in nested if (each := step.select(kind)) is not None]
            yield from (each.key for each in found)
            selected[key] = [each for each in found if each.nests_late]
        for each in selected[key]:
            yield from matched_now(adapter, each, child)


def unmatched(pipeline: Pipeline, matched: AbstractSet[str]) -> Iterator[str]:
    """Yield the nested pipelines that have passes and no op to run on, the outermost of each.

    Args:
        pipeline: The enclosing pipeline.
        matched: The keys of those that had one.
    """
    for step in pipeline.steps:
        for nested in step.pipelines if isinstance(step, NestedStep) else ():
            if nested.key in matched:
                yield from unmatched(nested, matched)
            elif nested.anchor != ANY and any(passes_of(nested)):
                text = str(nested)
                for anchor in reversed(nested.path.split("/")[:-1]):
                    text = f"{anchor}({text})"
                yield text
