"""Running a fast path and its slow twin on the same, and comparing all that can be seen."""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from unittest.mock import patch

from layouts import layout
from xdsl.printer import Printer
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError
from xdsl_inputs import xdsl_context

from passel.xdsl import parse_source, parsing
from passel.xdsl.fast.printer import TemplatePrinter
from passel.xdsl.fast.template_parser import TemplateParser
from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.context import Context
    from xdsl.ir import Operation


_RESOURCE = re.compile(r"dense_resource<\w+>")


class Outcome(NamedTuple):
    """What parsing gave.

    Attributes:
        seen: All that can be seen of the op, or of the error.
        op: The op, if there is no error.
        from_templates: How many of its ops were built from templates.
    """

    seen: object
    op: Operation | None
    from_templates: int


def parse_both(
    text: str, context: Callable[[], Context] = xdsl_context, **options: Any
) -> tuple[Outcome, Outcome]:
    """Parse a text from templates and the ordinary way, each in a context of its own."""
    return (
        _outcome(TemplateParser, context(), text, options),
        _outcome(SourceParser, context(), text, options),
    )


def assert_same(
    text: str, context: Callable[[], Context] = xdsl_context, **options: Any
) -> Outcome:
    """Parse a text from templates, which must give the same as the ordinary way."""
    fast, slow = parse_both(text, context, **options)
    assert fast.seen == slow.seen
    return fast


_FORMS = ((), ("print_generic_format",), ("print_properties_as_attributes",), ("print_debuginfo",))


def _all_printed(class_: type[Printer], op: Operation, flags: tuple[str, ...]) -> tuple[Any, ...]:
    """Return all that can be seen after an op was printed twice by one printer, or the error."""
    options: dict[str, Any] = dict.fromkeys(flags, True)
    printer: Any = class_(StringIO(), **options)
    try:
        for _ in range(2):
            printer.print_op(op)
    except Exception as error:  # noqa: BLE001 - dialects' printers raise what they like
        return type(error), str(error)
    names = {id(each): name for each, name in (printer._ssa_values | printer._blocks).items()}
    return printer.stream.getvalue(), names, printer._dialect_resources


def assert_prints_same(op: Operation) -> None:
    """Print an op from templates in each form, which must give the same as xDSL's printer."""
    for form in _FORMS:
        expected = _all_printed(Printer, op, form)
        if isinstance(expected[0], type):
            return  # xDSL leaves an op behind that has lost its name
        assert _all_printed(TemplatePrinter, op, form) == expected


def repeated(text: str, times: int) -> str:
    """Return a source with the ops of another one in several modules, after its aliases."""
    lines = text.splitlines(keepends=True)
    aliases = [line for line in lines if line.startswith(("#", "!"))]
    rest = "".join(line for line in lines if not line.startswith(("#", "!")))
    module = f"builtin.module {{\n{rest}\n}}\n"
    return "".join(aliases) + module * times


def _outcome(
    parser_class: type[SourceParser], context: Context, text: str, options: dict[str, Any]
) -> Outcome:
    parsers: list[SourceParser] = []

    def make(*args: Any) -> SourceParser:
        parsers.append(parser_class(*args))
        return parsers[-1]

    with patch.object(parsing, "make_parser", make):
        try:
            op = parse_source(context, text, "test.mlir", **options)
        except ParseError as error:
            return Outcome(_seen_of_error(error), None, 0)
    (parser,) = parsers
    built = parser.ops_from_templates if isinstance(parser, TemplateParser) else 0
    loaded = sorted(each.name for each in context.loaded_dialects)
    # What has the same layout prints the same.
    seen = repr((layout(op), loaded, len(parser.dialect_resources)))
    # A resource gets another name each time that a source declares it in one process.
    return Outcome(_RESOURCE.sub("dense_resource<...>", seen), op, built)


def _seen_of_error(error: ParseError) -> object:
    spans = [error.span]
    notes: list[object] = []
    if isinstance(error, MultipleSpansParseError):
        spans += [span for span, _ in error.refs]
        notes += [error.ref_text, *(note for _, note in error.refs)]
    return (
        type(error),
        error.msg,
        [(span.start, span.end, span.line_offset) for span in spans],
        [type(span.start) for span in spans],
        notes,
        str(error),
        type(cast("object", error.__cause__)),
        str(error.__cause__),
    )
