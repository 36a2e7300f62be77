"""Printing by the fast printer and by xDSL's, and comparing all that can be seen."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

from layouts import layout
from xdsl.printer import Printer

from passel.xdsl.fast.printer import FastPrinter

if TYPE_CHECKING:
    from xdsl.ir import Operation

_FORMS = (
    (),
    ("print_debuginfo",),
    ("print_generic_format",),
    ("print_generic_format", "print_properties_as_attributes"),
)
_REMEMBERED = (
    "_ssa_names",
    "_block_names",
    "_next_valid_name_id",
    "_next_valid_block_id",
    *("_current_line", "_current_column", "_indent", "_dialect_resources"),
)


class Printed(NamedTuple):
    """What printing gave.

    Attributes:
        seen: All that can be seen of the text, of the printer afterwards, or of the error.
        text: The text.
    """

    seen: object
    text: str


def print_with(printer: Printer, op: Operation) -> Printed:
    """Print an op."""
    assert isinstance(printer.stream, StringIO)
    hidden: Any = printer
    try:
        printer.print_op(op)
    except Exception as error:  # noqa: BLE001 - dialects' printers raise what they like
        return Printed((type(error), str(error)), "")
    text = printer.stream.getvalue()
    named = [
        (id(each), name)
        for table in ("_ssa_values", "_blocks")
        for each, name in getattr(hidden, table).items()
    ]
    seen = text, named, [getattr(hidden, name) for name in _REMEMBERED]
    return Printed(seen, text)


def assert_prints_same(op: Operation) -> None:
    """Print an op in each form: it must be as xDSL prints it, and leave the same behind."""
    before = None
    is_left_behind = False
    for form in _FORMS:
        flags: dict[str, Any] = dict.fromkeys(form, True)
        expected = print_with(Printer(StringIO(), **flags), op)
        if not expected.text and "print_generic_format" in form:
            is_left_behind = True  # xDSL leaves an op behind that it could not print nameless
            continue
        before = before or layout(op)  # xDSL's printer changes the order of attributes
        found = print_with(FastPrinter(StringIO(), **flags), op)
        assert found.text == expected.text
        assert found.seen == expected.seen
    assert before is None or is_left_behind or layout(op) == before
