"""Parsing MLIR text with xDSL, with MLIR's rules for top-level ops and a span for every error.

`parse_source` is the entry point. `SourceParser` is the parser class.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from traceback import walk_tb
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.utils.exceptions import DiagnosticException, MultipleSpansParseError, ParseError
from xdsl.utils.lexer import Input, Span

from passel.xdsl.fast import parser_class
from passel.xdsl.locations import SourceLocation, SourceText
from passel.xdsl.wording import reworded

if TYPE_CHECKING:
    from collections.abc import Generator

    from xdsl.context import Context
    from xdsl.ir import Operation

    from passel.frontend.resources import ExternalResource
    from passel.xdsl.source_parser import SourceParser


def parse_source(
    context: Context,
    text: str,
    filename: str,
    *,
    implicit_module: bool = True,
    line_offset: int = 0,
    locations: bool = True,
    resources: list[ExternalResource] | None = None,
) -> Operation:
    """Parse a source text, and return the top-level op.

    As in `mlir::parseSourceFile`, a text that contains only a `builtin.module` is parsed as this
    module. Otherwise, all top-level ops are wrapped in a new module, which may be empty.

    Args:
        context: The context, which loads the dialects that the text uses.
        text: The source text.
        filename: The name of the file in locations and errors.
        implicit_module: Whether to wrap top-level ops in a module. If False, the text must contain
            exactly one top-level op, which may be any op.
        line_offset: The number of lines before `text` in the file, for split input. Locations and
            errors count lines from the beginning of the file.
        locations: Whether ops and block arguments without an explicit location are located at their
            position in the text.
        resources: A list to which the external resources of the source are added, since they are
            not part of the op. If None, the resources are dropped.

    Returns:
        The top-level op, which has not been verified.

    Raises:
        ParseError: If the text does not parse. The error always has a span. If xDSL raises an error
            without a span, for example because ops are nested too deeply, the span marks the
            position where parsing stopped.

    Example:
        >>> from xdsl.context import Context
        >>> print(parse_source(Context(), "", "empty.mlir"))
        builtin.module {
        }
    """
    source = SourceText(text, filename, line_offset) if locations else None
    parser = None
    try:
        with collector_paused():
            parser = parser_class(len(text))(context, text, filename, source)
            ops = parser.parse_top_level()
    except Exception as error:  # noqa: BLE001 - dialects' parsers raise what they like
        located = _located(error, parser, Input(text, filename), context)
        cause = None if isinstance(error, ParseError) else error
        raise _shifted(located, line_offset) from cause
    if not implicit_module and len(ops) != 1:
        raise _shifted(_not_one_op(ops, Input(text, filename)), line_offset)
    if resources is not None:
        resources += parser.external_resources
    if len(ops) == 1 and (not implicit_module or isinstance(ops[0], ModuleOp)):
        return ops[0]
    module = ModuleOp(ops)
    if locations:
        module.location = FileLineColLoc(StringAttr(filename), IntAttr(0), IntAttr(0))
    return module


def _located(
    error: Exception, parser: SourceParser | None, source: Input[str], context: Context
) -> ParseError:
    """Return a clearer error with a span."""
    text = source.content
    if isinstance(error, ParseError):
        return reworded(error, text, context, parser.dialect if parser else "")
    # xDSL raises others after consuming what is wrong, so the next token may be lines away:
    # point at the last character read.
    end = max(len(text[: parser.pos if parser else 1].rstrip()), 1)
    return ParseError(Span(end - 1, end, source), _message(error))


def _not_one_op(ops: list[Operation], source: Input[str]) -> ParseError:
    """Return the error for a source that does not contain exactly one top-level op."""
    span = Span(0, 0, source)
    for op in ops[1:2]:
        if isinstance(op.location, SourceLocation):
            span = Span(op.location.offset, op.location.offset + len(op.name), source)
    return ParseError(span, f"source must contain a single top-level operation, found: {len(ops)}")


@contextmanager
def collector_paused() -> Generator[None]:
    """Disable the cyclic garbage collector inside the `with` block.

    Parsing allocates long-lived objects, so a collection would find no garbage. The previous
    setting is restored at the end of the block, even after an error.
    """
    # No `gc.freeze()` afterwards, which would spare the one collection that is now due: ops
    # and blocks refer to each other, so frozen IR would never be freed, and freezing is for
    # the whole process, hence a tool's decision and not a library's.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _message(error: Exception) -> str:
    match error:
        case RecursionError():
            return "nested too deeply"
        case ValueError() | DiagnosticException() | NotImplementedError() if str(error):
            return str(error)
        case NotImplementedError():  # of a type whose values have no bytes in xDSL, such as f80
            *_, (frame, _) = walk_tb(error.__traceback__)
            return f"not implemented for {frame.f_locals.get('self')}"
        case _:
            # The text of the others (`KeyError: 'x'`) says little without the type.
            return f"{type(error).__name__}: {error}"


def _shifted(error: ParseError, line_offset: int) -> ParseError:
    """Change the spans of an error such that lines are counted from the beginning of the file."""
    error.span = _from_line(error.span, line_offset)
    if isinstance(error, MultipleSpansParseError):
        error.refs = [(_from_line(span, line_offset), note) for span, note in error.refs]
    return error


def _from_line(span: Span[str] | Span[bytes], line_offset: int) -> Span[str] | Span[bytes]:
    # Not `dataclasses.replace`: a span of a string literal would validate itself again.
    return Span(span.start, span.end, cast("Input[str]", span.input), line_offset)
