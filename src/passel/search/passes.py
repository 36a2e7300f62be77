"""Edits that make a pipeline smaller: fewer passes, fewer options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.pipeline import PassNode, PipelineNode, parse_pipeline, print_pipeline

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from passel.pipeline import ElementNode

Place = tuple[int, ...]
"""Where a pass stands, and which of its options is meant: indices from the outside in."""


def places(pipeline: str) -> tuple[list[Place], list[Place]]:
    """Return the places of all passes in a pipeline, and of all their options.

    Example:
        >>> places("any(cse,func.func(inline{a=1 b=2}))")
        ([(0,), (1, 0)], [(1, 0, 0), (1, 0, 1)])
    """
    passes: list[Place] = []
    options: list[Place] = []
    for place, node in _leaves(parse_pipeline(pipeline), ()):
        passes.append(place)
        options += ((*place, index) for index in range(len(node.options)))
    return passes, options


def without(pipeline: str, left_out: Collection[Place]) -> str:
    """Return a pipeline without some passes, options, and pipelines that get empty.

    Example:
        >>> without("any(cse,func.func(inline{a=1 b=2}))", {(0,), (1, 0, 1)})
        'any(func.func(inline{a=1}))'
    """
    return print_pipeline(_kept(parse_pipeline(pipeline), (), frozenset(left_out)))


def _leaves(node: PipelineNode, outer: Place) -> Iterator[tuple[Place, PassNode]]:
    for index, each in enumerate(node.elements):
        if isinstance(each, PassNode):
            yield (*outer, index), each
        else:
            yield from _leaves(each, (*outer, index))


def _kept(node: PipelineNode, outer: Place, left_out: Collection[Place]) -> PipelineNode:
    elements: list[ElementNode] = []
    for index, each in enumerate(node.elements):
        place = (*outer, index)
        if isinstance(each, PassNode):
            if place not in left_out:
                options = enumerate(each.options)
                kept = tuple(option for i, option in options if (*place, i) not in left_out)
                elements.append(each._replace(options=kept))
        elif (inner := _kept(each, place, left_out)).elements:
            elements.append(inner)
    return node._replace(elements=tuple(elements))
