"""A printer with quicker primitives: dialects' own printers call them most of the time."""
# pyright: reportPrivateUsage=false
# xDSL's printer names values in its private tables; there is no public way to look one up.

from __future__ import annotations

import re
from io import StringIO
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

from xdsl.ir import TypeAttribute
from xdsl.printer import Printer

from passel.xdsl.fast.known import is_known_attribute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from xdsl.ir import Attribute

_T = TypeVar("_T")

_ESCAPED = re.compile(r"[^ -~]|[\"\\]")
"""Bytes that do not stand in a text as they are."""


class FastPrinter(Printer):
    """xDSL's `Printer`, in less time: the text is the same, and all fields while it is printed.

    Types of known classes are printed once. The printers of all ops, xDSL's and others, are called
    for each op, as xDSL calls them.

    Args:
        args: As for `Printer`.
        keywords: As for `Printer`.
    """

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        # With the types, whose addresses they are.
        self._type_texts: dict[int, tuple[str, Attribute]] = {}

    def print_list(
        self, elems: Iterable[_T], print_fn: Callable[[_T], Any], delimiter: str = ", "
    ) -> None:
        """Print things with a delimiter between them."""
        is_first = True
        for each in elems:
            if not is_first:
                self.print_string(delimiter)
            is_first = False
            print_fn(each)

    def print_bytes_literal(self, bytestring: bytes) -> None:
        """Print bytes in quotes, in one piece: xDSL prints each for itself."""
        text = bytestring.decode("latin-1")
        self.print_string(f'"{_ESCAPED.sub(_escaped, text)}"')

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute."""
        if not isinstance(attribute, TypeAttribute):
            super().print_attribute(attribute)
            return
        known = self._type_texts.get(id(attribute))
        if known is not None:
            self.print_string(known[0])
        elif is_known_attribute(attribute):
            self._print_first(attribute)
        else:
            super().print_attribute(attribute)

    def _print_first(self, type_: TypeAttribute) -> None:
        """Print a type, and keep its text."""
        stream, own = self.stream, StringIO()
        self.stream = cast("IO[str]", own)
        try:
            super().print_attribute(type_)
        finally:
            self.stream = stream
        self._type_texts[id(type_)] = own.getvalue(), type_
        # Not by `print_string`: the printer is where the text ends.
        print(own.getvalue(), end="", file=stream)


def _escaped(found: re.Match[str]) -> str:
    return "\\\\" if found[0] == "\\" else f"\\{ord(found[0]):02X}"
