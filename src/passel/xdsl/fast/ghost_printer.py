"""A printer for ghosts, which keeps what it prints as text with holes."""
# pyright: reportPrivateUsage=false, reportIncompatibleMethodOverride=false

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from xdsl.printer import Printer

from passel.xdsl.fast.ghosts import (
    Haunting,
    Refused,
    is_ghost_text,
    is_known,
    place_of,
    refuse_operators,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.dialects.builtin import StringAttr
    from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

    from passel.xdsl.fast.ghosts import Ghosts, GhostText, Place

_IN_PLACE: Final = frozenset({"in_location", "print_metadata"})
"""Members that depend on what is printed around."""

_FREE: Final = frozenset(
    name for name in dir(Printer) if name.startswith(("print_", "in_")) and name not in _IN_PLACE
) | {"delimited", "indented"}
"""Members of a printer that depend on nothing but what they are given, and its flags."""


class ValueHole(NamedTuple):
    """The name of a value or a block.

    Attributes:
        kind: `result`, `operand`, `successor`, or, of an argument, the number of the region.
        index: Which of them.
    """

    kind: str
    index: int


class AttributeHole(NamedTuple):
    """An attribute.

    Attributes:
        place: Where the op has it.
        method: The method of a printer that prints it, or the text that it consists of.
    """

    place: Place
    method: str


class RegionHole(NamedTuple):
    """A region.

    Attributes:
        index: Which of the op's.
        arguments: How it is printed.
    """

    index: int
    arguments: tuple[bool, ...]


Piece = str | ValueHole | AttributeHole | RegionHole


class _Returned:
    """A printer's return value for a name, which must be thrown away."""

    def __init__(self, haunting: Haunting) -> None:
        object.__setattr__(self, "haunting", haunting)

    def __getattribute__(self, name: str) -> Any:
        _use(self)


def _use(self: object, *_: object) -> Any:
    object.__getattribute__(self, "haunting").refuse("the name of a value or a block")
    raise Refused


refuse_operators(_Returned, _use)


class PiecePrinter(Printer):
    """Prints a ghost, or an attribute, in pieces.

    Attributes:
        haunting: Where to note what speaks against a template.
        ghosts: The ghost and what it refers to; None for an attribute.
        anywhere: Whether the text must be the same within another attribute.
        pieces: What was printed.
    """

    haunting: Haunting
    ghosts: Ghosts | None
    anywhere: bool
    pieces: list[Piece]

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        """Keep a text; line ends would be followed by indentation."""
        del indent
        if type(text) is not str or "\n" in text:
            self.haunting.refuse("a line end")
            raise Refused
        self.pieces.append(text)

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute, or a hole in its place."""
        place = place_of(attribute)
        if place is None:
            super().print_attribute(attribute)
        else:
            self.pieces.append(AttributeHole(place, "print_attribute"))

    def print_symbol_name(self, sym_name: str | GhostText) -> None:
        """Print the name of a symbol, or a hole in its place."""
        if not is_ghost_text(sym_name):
            super().print_symbol_name(sym_name)
            return
        stand_in: StringAttr = object.__getattribute__(sym_name, "stand_in")
        place = cast("Place", place_of(stand_in))
        self.pieces.append(AttributeHole(place, "print_symbol_name"))

    def print_ssa_value(self, value: SSAValue[Any]) -> Any:
        """Print a hole for the name of a value of the op."""
        which = self.ghosts and self.ghosts.values.get(id(value))
        if which is None:
            self.haunting.refuse("another value")
            raise Refused
        self.pieces.append(ValueHole(*which))
        return _Returned(self.haunting)

    def print_block_name(self, block: Block) -> Any:
        """Print a hole for the name of a successor."""
        index = self.ghosts and self.ghosts.blocks.get(id(block))
        if index is None:
            self.haunting.refuse("another block")
            raise Refused
        self.pieces.append(ValueHole("successor", index))
        return _Returned(self.haunting)

    def print_region(
        self,
        region: Region,
        print_entry_block_args: bool = True,
        print_empty_block: bool = True,
        print_block_terminators: bool = True,
    ) -> None:
        """Print a hole for a region of the op."""
        index = self.ghosts and self.ghosts.regions.get(id(region))
        if index is None or self._indent:
            self.haunting.refuse("another region, or one that is indented more")
            raise Refused
        arguments = print_entry_block_args, print_empty_block, print_block_terminators
        self.pieces.append(RegionHole(index, tuple(map(bool, arguments))))

    def print_op(self, op: Operation) -> None:
        """Print a ghost."""
        if self.ghosts is None or op is not self.ghosts.op or self.pieces:
            self.haunting.refuse("another op")
            raise Refused
        super().print_op(op)

    def print_block(self, block: Block, *args: bool, **keywords: bool) -> None:
        """Refuse to print a block by itself."""
        self.haunting.refuse("a block")
        raise Refused

    def print_resource_handle(self, dialect: str, handle: str) -> None:
        """Refuse: the printer remembers handles."""
        self.haunting.refuse("a resource")
        raise Refused

    def _print_new_line(self, *_: object, **__: object) -> None:
        self.haunting.refuse("a line end")
        raise Refused


class WatchedPrinter(PiecePrinter):
    """Notes what is asked of it, but for what depends on nothing around."""

    def __getattribute__(self, name: str) -> Any:
        if name not in _FREE and not is_known(sys._getframe(1)):
            in_place = name == "in_location" and not object.__getattribute__(self, "anywhere")
            if not in_place:
                object.__getattribute__(self, "haunting").refuse(f"printer.{name}")
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: object) -> None:
        if not is_known(sys._getframe(1)):
            self.haunting.refuse(f"printer.{name} = ...")
        object.__setattr__(self, name, value)


def _make_printer(
    flags: dict[str, bool], haunting: Haunting, *, watched: bool, **fields: object
) -> PiecePrinter:
    plain = PiecePrinter(None, **cast("dict[str, Any]", flags))
    made = object.__new__(WatchedPrinter) if watched else plain
    pieces: list[Piece] = []
    object.__getattribute__(made, "__dict__").update(
        vars(plain), haunting=haunting, pieces=pieces, **fields
    )
    return made


def print_ghosts(ghosts: Ghosts, flags: dict[str, bool]) -> list[Piece] | None:
    """Return what is printed for a ghost; None if its printer consulted too much."""
    printer = _make_printer(
        flags, ghosts.haunting, watched=ghosts.watched, ghosts=ghosts, anywhere=False
    )
    try:
        printer.print_op(ghosts.op)
    except Exception:  # noqa: BLE001 - what a printer raises for a ghost says nothing of the op
        return None
    return None if ghosts.haunting.refusals else join(printer.pieces)


def print_alone(
    attribute: Attribute,
    flags: dict[str, bool],
    method: str = "print_attribute",
    *,
    anywhere: bool = False,
) -> str | None:
    """Return an attribute's text; None if its printer consulted anything but the attribute.

    Args:
        attribute: The attribute.
        flags: How to print.
        method: The method that prints it.
        anywhere: Whether the text must be the same within another attribute.
    """
    haunting = Haunting()
    printer = _make_printer(flags, haunting, watched=True, ghosts=None, anywhere=anywhere)
    try:
        if method == "print_attribute":
            printer.print_attribute(attribute)
        else:
            getattr(printer, method)(cast("StringAttr", attribute).data)
    except Exception:  # noqa: BLE001 - as above
        return None
    return None if haunting.refusals else "".join(map(str, printer.pieces))


def join(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the same pieces with adjacent texts joined."""
    joined: list[Piece] = []
    for piece in pieces:
        if joined and isinstance(piece, str) and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined
