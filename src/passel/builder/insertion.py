"""Putting items next to others: in the same container if they fit there, else in an outer one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from passel.builder.sequence import Group, Nest, is_block
from passel.errors import AnchorError, InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.builder.sequence import Container, Item, Node, Sequence
    from passel.builder.targets import Unit


MakesNodes: TypeAlias = "Callable[[object, Container], list[Node]]"
"""Makes items of what a user adds, to be put into a container."""


def put(
    sequence: Sequence,
    unit: Unit,
    items: tuple[object, ...],
    make: MakesNodes,
    *,
    after: bool,
    split: bool,
) -> list[Node]:
    """Put items right before or after a unit, and return them in the order of the sequence.

    Args:
        sequence: The sequence of all.
        unit: What they are put next to.
        items: As users add them.
        make: Makes items of a sequence.
        after: Whether they are put after it.
        split: Whether a nested pipeline may be split to make place.

    Raises:
        InsertionError: There is no place without splitting.
        AnchorError: They fit into no enclosing pipeline of the unit.
    """
    target = unit[-1] if after else unit[0]
    step = -1 if after else 1  # what is put last is the nearest
    found = [_put(sequence, target, each, make, after=after, split=split) for each in items[::step]]
    return [node for nodes in found[::step] for node in nodes]


def _put(
    sequence: Sequence, target: Node, given: object, make: MakesNodes, *, after: bool, split: bool
) -> list[Node]:
    refused: AnchorError | None = None
    item: Item = target
    splits: list[Container] = []
    for container in target.enclosing():
        index = container.index(item) + after
        if not is_block(container):
            try:
                nodes = make(given, container)
            except AnchorError as error:
                refused = refused or error
            else:
                if splits:
                    _check_splits(target, splits, given, after=after, split=split)
                    index = _room(sequence, target, container, after=after)
                for offset, node in enumerate(nodes):
                    sequence.link(node, container, index + offset)
                return nodes
        if 0 < index < len(container.items):
            splits.append(container)
        item = container
    assert refused is not None  # noqa: S101 - the outermost container is not closed
    raise refused


def _check_splits(
    target: Node, splits: list[Container], given: object, *, after: bool, split: bool
) -> None:
    """Refuse to split what has to stay in one piece.

    Raises:
        InsertionError: It is a bundle or a stage, or nothing may be split.
    """
    side = "after" if after else "before"
    for group in splits:
        if isinstance(group, Group):
            what = "bundle" if group.is_closed else "stage"
            message = (
                f"nothing can be put {side} '{target.label}', which stands inside {what} "
                f"'{group.name}'; put it before or after the {what}"
            )
            raise InsertionError(Problem(message))
    if not split:
        message = (
            f"'{given}' cannot stand in the pipeline on '{target.anchors[-1]}' that "
            f"'{target.label}' is in, and to stand {side} that outside it would have to split "
            "the pipeline; allow it with split=True, or choose another target"
        )
        raise InsertionError(Problem(message))


def _room(sequence: Sequence, target: Node, outer: Container, *, after: bool) -> int:
    """Split the nested pipelines around a target up to a container, and return the place in it."""
    item: Item = target
    offset = int(after)
    for container in target.enclosing():
        index = container.index(item) + offset
        if container is outer:
            return index
        if 0 < index < len(container.items):
            assert isinstance(container, Nest)  # noqa: S101 - groups are not split
            assert container.parent is not None  # noqa: S101 - nor is the outermost container
            rest = Nest(container.anchor, container.origin, jobs=container.jobs)
            for each in container.items[index:]:
                sequence.unlink(each)
                rest.items.append(each)
            sequence.link(rest, container.parent, container.parent.index(container) + 1)
            offset = 1  # between both halves
        item = container
    raise AssertionError
