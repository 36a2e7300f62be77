"""Printing by example and by xDSL's printer, and comparing all that can be seen."""

from __future__ import annotations

from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from xdsl.printer import Printer

from passel.xdsl.fast import PrintingMemory, example_printer, examples
from passel.xdsl.fast.assumptions import layout
from passel.xdsl.fast.example_printer import ExamplePrinter

if TYPE_CHECKING:
    from collections.abc import Generator

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
        by_example: How many ops were printed by example.
    """

    seen: object
    text: str
    by_example: int


@contextmanager
def eager_examples() -> Generator[None]:
    """Learn from an op whenever that can be learned from, however few were printed by example."""
    with (
        patch.object(examples, "_FREE_EXAMPLES", 1_000_000),
        patch.object(example_printer, "_PATIENCE", -1),
    ):
        yield


def print_with(printer: Printer, op: Operation) -> Printed:
    """Print an op."""
    assert isinstance(printer.stream, StringIO)
    hidden: Any = printer
    try:
        printer.print_op(op)
    except Exception as error:  # noqa: BLE001 - dialects' printers raise what they like
        return Printed((type(error), str(error)), "", 0)
    text = printer.stream.getvalue()
    named = [
        (id(each), name)
        for table in ("_ssa_values", "_blocks")
        for each, name in getattr(hidden, table).items()
    ]
    seen = text, named, [getattr(hidden, name) for name in _REMEMBERED]
    return Printed(seen, text, getattr(printer, "ops_by_example", 0))


def assert_prints_same(op: Operation, rounds: int = 3) -> int:
    """Print an op in each form, again and again by example: it must be as xDSL prints it.

    Returns:
        How many ops were printed by example in the last rounds of the forms.
    """
    by_example = 0
    before = None
    is_left_behind = False
    for form in _FORMS:
        flags: dict[str, Any] = dict.fromkeys(form, True)
        expected = print_with(Printer(StringIO(), **flags), op)
        if not expected.text and "print_generic_format" in form:
            is_left_behind = True  # xDSL leaves an op behind that it could not print nameless
            continue
        before = before or layout(op)  # xDSL's printer changes the order of attributes
        memory = PrintingMemory()
        found = expected
        with eager_examples():
            for _ in range(rounds):
                found = print_with(ExamplePrinter(StringIO(), memory=memory, **flags), op)
                assert found.text == expected.text
                assert found.seen == expected.seen
        by_example += found.by_example
    assert before is None or is_left_behind or layout(op) == before
    return by_example
