"""Which nested pipelines find no op to run on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.schedule import NestedStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

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


def unmatched(pipeline: Pipeline, matched: AbstractSet[str]) -> Iterator[str]:
    """Yield the nested pipelines that have passes and ran on nothing, the outermost of each.

    Args:
        pipeline: The enclosing pipeline.
        matched: The keys of those that ran on something.
    """
    for step in pipeline.steps:
        for nested in step.pipelines if isinstance(step, NestedStep) else ():
            if key_of(nested) in matched:
                yield from unmatched(nested, matched)
            elif any(passes_of(nested)):
                text = str(nested)
                for anchor in reversed(nested.path.split("/")[:-1]):
                    text = f"{anchor}({text})"
                yield text
