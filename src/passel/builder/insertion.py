"""Putting items next to others: in the same container if they fit there, else in an outer one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from passel.builder.sequence import Group, Nest
from passel.errors import AnchorError, InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from passel.builder.sequence import Container, Node, Sequence
    from passel.builder.targets import Unit


MakesNodes: TypeAlias = "Callable[[object, Container], list[Node]]"
"""Makes items of what a user adds, to be put into a container."""

Put: TypeAlias = "Callable[..., list[Node]]"
"""`put_before` or `put_after`."""


class _Place(NamedTuple):
    """A place in a container.

    Attributes:
        container: The container.
        position: The number of items before the place.
        splits: The enclosing containers of the target that would have to be split there.
    """

    container: Container
    position: int
    splits: tuple[Container, ...]


def put_before(
    sequence: Sequence,
    unit: Unit,
    items: tuple[object, ...],
    make: MakesNodes,
    *,
    split: bool,
) -> list[Node]:
    """Put items right before a unit, and return them in the order of the sequence.

    Args:
        sequence: The sequence of all.
        unit: What they are put before.
        items: As users add them.
        make: Makes items of a sequence.
        split: Whether a nested pipeline may be split to make place.

    Raises:
        InsertionError: There is no place without splitting.
        AnchorError: They fit into no enclosing pipeline of the unit.
    """
    return [
        node for item in items for node in _put(sequence, unit[0], item, make, after=0, split=split)
    ]


def put_after(
    sequence: Sequence,
    unit: Unit,
    items: tuple[object, ...],
    make: MakesNodes,
    *,
    split: bool,
) -> list[Node]:
    """Put items right after a unit, as `put_before` does before it."""
    found: list[list[Node]] = [
        _put(sequence, unit[-1], item, make, after=1, split=split) for item in reversed(items)
    ]
    return [node for nodes in reversed(found) for node in nodes]


def _put(
    sequence: Sequence, target: Node, item: object, make: MakesNodes, *, after: int, split: bool
) -> list[Node]:
    refused: AnchorError | None = None
    for place in _places(target, after):
        if isinstance(place.container, Group) and place.container.is_closed:
            continue
        try:
            nodes = make(item, place.container)
        except AnchorError as error:
            refused = refused or error
            continue
        container, index = _make_room(sequence, place, target, item, after=after, split=split)
        for offset, node in enumerate(nodes):
            sequence.link(node, container, index + offset)
        return nodes
    assert refused is not None  # noqa: S101 - the outermost container is not closed
    raise refused


def _places(target: Node, after: int) -> Iterator[_Place]:
    """Yield the places next to an item, in its own container and then in the enclosing ones."""
    splits: tuple[Container, ...] = ()
    item = target
    while (container := item.parent) is not None:
        index = container.items.index(item) + after
        yield _Place(container, index, splits)
        if 0 < index < len(container.items):
            splits = (*splits, container)
        if not isinstance(container, (Nest, Group)):
            return
        item = container


def _make_room(
    sequence: Sequence,
    place: _Place,
    target: Node,
    item: object,
    *,
    after: int,
    split: bool,
) -> tuple[Container, int]:
    """Return the place, after splitting what has to be split."""
    if not place.splits:
        return place.container, place.position
    closed = next((c for c in place.splits if isinstance(c, Group)), None)
    side = "after" if after else "before"
    if closed is not None:
        what = "bundle" if closed.is_closed else "stage"
        message = (
            f"nothing can be put {side} '{target.label}', which stands inside {what} "
            f"'{closed.name}'; put it before or after the {what}"
        )
        raise InsertionError(Problem(message))
    if not split:
        message = (
            f"'{item}' cannot stand in the pipeline on '{target.anchors[-1]}' that "
            f"'{target.label}' is in, and to stand {side} that outside it would have to split "
            "the pipeline; allow it with split=True, or choose another target"
        )
        raise InsertionError(Problem(message))
    inner = target
    for container in place.splits:
        _split(sequence, container, container.items.index(inner) + after)
        inner = container if isinstance(container, (Nest, Group)) else inner
    index = place.container.items.index(inner) + 1
    return place.container, index


def _split(sequence: Sequence, container: Container, index: int) -> None:
    """Move the items from an index on into a container of their own, right after this one."""
    outer = container.parent
    assert isinstance(container, Nest)  # noqa: S101 - groups are not split
    assert outer is not None  # noqa: S101 - the outermost container is not split
    rest = Nest(container.anchor, container.origin, jobs=container.jobs)
    for item in container.items[index:]:
        sequence.unlink(item)
        rest.items.append(item)
    sequence.link(rest, outer, outer.items.index(container) + 1)
