"""A printer that prints each attribute of a program once, however often it stands there."""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING, Final

from xdsl.printer import Printer

from passel.xdsl.fast.known import is_known_attribute
from passel.xdsl.locations import SourceLocation

if TYPE_CHECKING:
    from xdsl.ir import Attribute

_MOST_TEXTS: Final = 50_000
"""How many attributes' texts are kept."""

_texts: dict[int, tuple[str, Attribute]] = {}
"""Texts of attributes by their addresses, with the attributes: no others are there as long."""

_RESOURCE: Final = "dense_resource"

_ESCAPED: Final = re.compile(r"[^ -~]|[\"\\]")
"""Bytes that do not stand in a text as they are."""


class FastPrinter(Printer):
    """xDSL's `Printer`, in less time: the text is the same, and all fields while it is printed.

    Attributes of known classes are printed once. The printers of all ops are called for each of
    them, xDSL's and others, as xDSL calls them.
    """

    def print_bytes_literal(self, bytestring: bytes) -> None:
        """Print bytes in quotes, in one piece: xDSL prints each for itself."""
        text = bytestring.decode("latin-1")
        self.print_string(f'"{_ESCAPED.sub(_escaped, text)}"')

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute."""
        text = None
        if not self.printing_location:  # in which locations have another text
            text = _text_of(attribute)
        if text is None or _RESOURCE in text:  # which the printer takes note of
            super().print_attribute(attribute)
        else:
            self.print_string(text)


def _text_of(attribute: Attribute) -> str | None:
    """Return the text of an attribute, if nothing else can change it."""
    if (known := _texts.get(id(attribute))) is not None:
        return known[0]
    if type(attribute) is SourceLocation:
        line, column = attribute.source.line_and_column(attribute.offset)
        return f"loc({_text_of(attribute.source.filename)}:{line}:{column})"
    if not is_known_attribute(attribute):
        return None
    printer = FastPrinter(stream := StringIO())
    Printer.print_attribute(printer, attribute)
    text = stream.getvalue()
    if len(_texts) >= _MOST_TEXTS:
        _texts.clear()
    _texts[id(attribute)] = text, attribute
    return text


def _escaped(found: re.Match[str]) -> str:
    return "\\\\" if found[0] == "\\" else f"\\{ord(found[0]):02X}"
