"""A printer with quicker primitives: dialects' own printers call them most of the time."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects.builtin import FileLineColLoc, UnknownLoc
from xdsl.ir import TypeAttribute
from xdsl.printer import Printer

from passel.xdsl.fast.generic import UnknownAttributeError, text_of
from passel.xdsl.locations import SourceLocation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from xdsl.ir import Attribute

_T = TypeVar("_T")

_RESOURCE = "dense_resource"
_LOCATIONS = frozenset({FileLineColLoc, SourceLocation, UnknownLoc})
"""Classes of locations, which have another text inside of others."""

_ESCAPED = re.compile(r"[^ -~]|[\"\\]")
"""Bytes that do not stand in a text as they are."""


class FastPrinter(Printer):
    """xDSL's `Printer`, in less time: the text is the same, and all fields while it is printed.

    Types and locations of known classes are printed once. The printers of all ops are called
    for each of them, xDSL's and others, as xDSL calls them.
    """

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
        kind = type(attribute)
        if (kind in _LOCATIONS and not self.printing_location) or issubclass(kind, TypeAttribute):
            with suppress(UnknownAttributeError):
                text = text_of(attribute)
                if _RESOURCE not in text:  # which the printer takes note of
                    self.print_string(text)
                    return
        super().print_attribute(attribute)


def _escaped(found: re.Match[str]) -> str:
    return "\\\\" if found[0] == "\\" else f"\\{ord(found[0]):02X}"
