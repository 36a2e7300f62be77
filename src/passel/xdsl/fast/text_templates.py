"""Texts as templates: what was printed for an op, with holes for what differs in the next one."""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from xdsl.traits import IsolatedFromAbove

from passel.xdsl.fast.contextual import CONTEXTUAL
from passel.xdsl.fast.ghost_printer import (
    AttributeHole,
    RegionHole,
    ValueHole,
    join,
    print_alone,
    print_ghosts,
)
from passel.xdsl.fast.ghosts import LOCATION, Ghosts, can_have_ghosts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from xdsl.ir import Attribute, Operation

    from passel.xdsl.fast.ghost_printer import Piece
    from passel.xdsl.fast.ghosts import Place

_MAX_RUNS: Final = 12
_RANKS: Final = {"operand": 0, "result": 1, "properties": 2}
_SIGILS: Final = {"successor": "^%s"}


class Segment(NamedTuple):
    """A text between regions.

    Attributes:
        text: With `%s` for each hole.
        pick: Takes the parts for the holes from all parts; None if these are all, in order.
        region: The region that follows.
    """

    text: str
    pick: Callable[[tuple[str, ...]], tuple[str, ...]] | None
    region: RegionHole | None


@dataclass(slots=True, eq=False)
class TextTemplate:
    """The text of all ops of one key.

    Its parts are the names of the results, those of the operands, and then `extras`.

    Attributes:
        is_plain: Whether it is only a text, without regions.
        is_particular: Whether it has names of blocks or arguments.
        text: The first of its texts, as in `Segment`.
        pick: The same.
        segments: The text; there is one more of them than regions are printed.
        extras: More parts.
        operand_types: Which operands' types are the first extras.
        result_types: Which results' types follow.
        properties: Which properties follow.
        others: The rest of the extras.
        successors: Which successors' names it has.
        arguments: The arguments whose names it has: the region's number and theirs.
        is_isolated: Whether names inside of the op are counted by themselves.
    """

    is_plain: bool
    is_particular: bool
    text: str
    pick: Callable[[tuple[str, ...]], tuple[str, ...]] | None
    segments: tuple[Segment, ...]
    extras: tuple[ValueHole | AttributeHole, ...]
    operand_types: tuple[int, ...]
    result_types: tuple[int, ...]
    properties: tuple[str, ...]
    others: tuple[ValueHole | AttributeHole, ...]
    successors: tuple[int, ...]
    arguments: tuple[tuple[int, int], ...]
    is_isolated: bool


class Seen:
    """The state of a key without a template."""


ONCE: Final = Seen()
NEVER: Final = Seen()


@dataclass(slots=True, eq=False)
class TextShape:
    """Ops of one class that have attributes and types of the same classes.

    Attributes:
        is_known: Whether one was learned from.
        keyed: Which attributes and types the text depends on; all others are only in it.
        templates: By what these are.
    """

    is_known: bool = False
    keyed: tuple[Place, ...] = ()
    templates: dict[tuple[int, ...], TextTemplate | Seen] = field(
        default_factory=dict[tuple[int, ...], "TextTemplate | Seen"]
    )

    def depend_on(self, places: Iterable[Place]) -> None:
        """Make attributes that printers look at part of the key."""
        more = [place for place in places if place not in self.keyed]
        if more or not self.is_known:
            self.is_known = True
            self.keyed += tuple(more)
            self.templates = {}


def learn(op: Operation, shape: TextShape, flags: dict[str, bool]) -> TextTemplate | None:
    """Print ghosts of an op, and return its text as a template.

    Args:
        op: The op.
        shape: Its shape, whose key gets what the op's printer looks at.
        flags: How to print.

    Returns:
        The template; None if the op's printer looks at something that no key contains.
    """
    if type(op) in CONTEXTUAL or not can_have_ghosts(type(op)):
        shape.depend_on(())
        return None
    every = [*_places(op), LOCATION] if flags["print_debuginfo"] else _places(op)
    places = {*every}.difference(shape.keyed)
    for _ in range(_MAX_RUNS):
        ghosts = Ghosts(op, places, watched=True)
        pieces = print_ghosts(ghosts, flags)
        if not ghosts.haunting.consulted:
            break
        places -= ghosts.haunting.consulted
    else:
        return None
    shape.depend_on(place for place in every if place not in places)
    if pieces is None:
        return None
    expected = _filled(op, pieces, flags)
    for swapped in (False, True):
        others = print_ghosts(Ghosts(op, (), watched=False, swapped=swapped), flags)
        if expected is None or others != expected:
            return None
    return _to_template(op, pieces)


def _filled(op: Operation, pieces: list[Piece], flags: dict[str, bool]) -> list[Piece] | None:
    """Return pieces with attributes in place of their holes."""
    filled: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, AttributeHole):
            text = print_alone(attribute_at(op, piece.place), flags, piece.method)
            if text is None:
                return None
            filled.append(text)
        else:
            filled.append(piece)
    return join(filled)


def _places(op: Operation) -> list[Place]:
    """Return where an op has attributes and types."""
    return [
        *[("operand", index) for index in range(len(op._operands))],
        *[("result", index) for index in range(len(op.results))],
        *[("properties", name) for name in op.properties],
        *[("attributes", name) for name in op.attributes],
    ]


def attribute_at(op: Operation, place: Place) -> Attribute:
    """Return an attribute of an op."""
    where, name = place
    if where == "operand":
        return op._operands[cast("int", name)]._type
    if where == "result":
        return op.results[cast("int", name)]._type
    return op.location if where == "location" else getattr(op, where)[name]


def _to_template(op: Operation, pieces: list[Piece]) -> TextTemplate:
    values = [
        ValueHole(kind, index)
        for kind, size in (("result", len(op.results)), ("operand", len(op._operands)))
        for index in range(size)
    ]
    holes = dict.fromkeys(piece for piece in pieces if isinstance(piece, ValueHole | AttributeHole))
    extras = [hole for hole in holes if hole not in values]
    extras.sort(key=_rank)
    parts = [*values, *extras]
    order = {part: index for index, part in enumerate(parts)}
    segments: list[Segment] = []
    text = ""
    picked: list[int] = []
    for piece in [*pieces, None]:
        if isinstance(piece, str):
            text += piece.replace("%", "%%")
        elif isinstance(piece, RegionHole) or piece is None:
            segments.append(Segment(text, _picker(picked, len(parts)), piece))
            text, picked = "", []
        else:
            text += _SIGILS.get(piece.kind, "%%%s") if isinstance(piece, ValueHole) else "%s"
            picked.append(order[piece])
    is_isolated = bool(op.get_traits_of_type(IsolatedFromAbove))
    ranked = [[hole for hole in extras if _rank(hole) == rank] for rank in range(len(_RANKS) + 1)]
    return TextTemplate(
        is_plain=len(segments) == 1 and not is_isolated,
        is_particular=any(isinstance(hole, ValueHole) for hole in extras),
        text=segments[0].text,
        pick=segments[0].pick,
        segments=tuple(segments),
        extras=tuple(extras),
        operand_types=tuple(cast("int", hole[0][1]) for hole in ranked[0]),
        result_types=tuple(cast("int", hole[0][1]) for hole in ranked[1]),
        properties=tuple(cast("str", hole[0][1]) for hole in ranked[2]),
        others=tuple(ranked[3]),
        successors=tuple(cast("int", hole[1]) for hole in extras if hole[0] == "successor"),
        arguments=tuple(
            (int(hole.kind), hole.index)
            for hole in extras
            if isinstance(hole, ValueHole) and hole.kind.isdigit()
        ),
        is_isolated=is_isolated,
    )


def _rank(hole: ValueHole | AttributeHole) -> int:
    if isinstance(hole, AttributeHole) and hole.method == "print_attribute":
        return _RANKS.get(hole.place[0], len(_RANKS))
    return len(_RANKS)


def _picker(picked: list[int], size: int) -> Callable[[tuple[str, ...]], tuple[str, ...]] | None:
    if picked == list(range(size)):
        return None
    if len(picked) > 1:
        return itemgetter(*picked)
    return itemgetter(slice(picked[0], picked[0] + 1) if picked else slice(0))
