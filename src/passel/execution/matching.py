"""Nested pipelines for which there was never an op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.ir import ANY
from passel.schedule import NestedStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from passel.ir import IRAdapter
    from passel.schedule import Pipeline, Step


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
