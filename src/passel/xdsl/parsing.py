"""Parsing of MLIR text with xDSL, but with MLIR's rules for top-level ops and a span in each error.

`parse_source` is the entry point. `SourceParser` is the parser class.
"""

from __future__ import annotations

import gc
import re
from typing import TYPE_CHECKING, Any, Final, cast

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.utils.exceptions import DiagnosticException, MultipleSpansParseError, ParseError
from xdsl.utils.lexer import Input, Span

from passel.diagnostics import brief, closest
from passel.xdsl.fast import make_parser
from passel.xdsl.locations import SourceLocation, SourceText

if TYPE_CHECKING:
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
    resources: list[ExternalResource] | None = None,
) -> Operation:
    """Parse a source text, and return the top-level op.

    As in `mlir::parseSourceFile`, if the text contains only a `builtin.module`, the result is that
    module. Otherwise, the result is a new module around the top-level ops of the text, even if the
    text contains no ops. An op or block argument without an explicit `loc(...)` is located at its
    position in the text.

    Args:
        context: The context, which loads the dialects that the text uses.
        text: The source text.
        filename: The file name that locations and errors contain.
        implicit_module: Whether to wrap top-level ops in a module. If False, the text must contain
            exactly one top-level op, which need not be a module.
        line_offset: The number of lines that precede `text` in the file, if the text is a part of
            split input. Locations and errors count lines from the beginning of the file.
        resources: A list to which the external resources of the source are added, since ops cannot
            hold them. If None, the external resources are dropped.

    Returns:
        The top-level op, which has not been verified.

    Raises:
        ParseError: If the text cannot be parsed. The error always has a span. If xDSL raises an
            error without a span, for example because ops are nested too deeply, the span marks the
            position where parsing stopped.

    Example:
        >>> from xdsl.context import Context
        >>> print(parse_source(Context(), "", "empty.mlir"))
        builtin.module {
        }
    """
    try:
        ops = _top_level_ops(context, text, filename, SourceText(text, filename, line_offset))
        if not implicit_module and len(ops) != 1:
            raise _not_one_op(ops, Input(text, filename))
    except ParseError as error:
        _shift(error, line_offset)
        raise
    if resources is not None and "{-#" in text:
        from passel.frontend.resources import read_resources

        resources += read_resources(text)
    if len(ops) == 1 and (not implicit_module or isinstance(ops[0], ModuleOp)):
        return ops[0]
    module = ModuleOp(ops)
    module.location = FileLineColLoc(StringAttr(filename), IntAttr(0), IntAttr(0))
    return module


def _top_level_ops(
    context: Context, text: str, filename: str, source: SourceText
) -> list[Operation]:
    """Parse a source text, and raise a `ParseError` with a span for each error."""
    parser = None
    # Parsing allocates long-lived objects, so a collection would find no garbage. There is no
    # `gc.freeze()` afterwards, which would spare the one collection that is then due: ops and
    # blocks refer to each other, so frozen IR would never be freed.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        parser = make_parser(context, text, filename, source)
        return parser.parse_top_level()
    except Exception as error:  # noqa: BLE001 - custom parsers may raise any exception
        cause = None if isinstance(error, ParseError) else error
        raise _located(error, parser, Input(text, filename), context) from cause
    finally:
        if was_enabled:
            gc.enable()


def _located(
    error: Exception, parser: SourceParser | None, source: Input[str], context: Context
) -> ParseError:
    """Return a clearer error with a span."""
    text = source.content
    if isinstance(error, ParseError):
        return _reworded(error, text, context, parser.dialect if parser else "")
    # Other errors are raised after the offending token was consumed, and the next token may be
    # lines away, so the span marks the last character that was read.
    end = max(len(text[: parser.pos if parser else 1].rstrip()), 1)
    return ParseError(Span(end - 1, end, source), _message(error))


def _not_one_op(ops: list[Operation], source: Input[str]) -> ParseError:
    """Return the error for a source that does not contain exactly one top-level op."""
    span = Span(0, 0, source)
    for op in ops[1:2]:
        if isinstance(op.location, SourceLocation):
            span = Span(op.location.offset, op.location.offset + len(op.name), source)
    return ParseError(span, f"source must contain a single top-level operation, found: {len(ops)}")


def _message(error: Exception) -> str:
    match error:
        case RecursionError():
            return "nested too deeply"
        case ValueError() | DiagnosticException() | NotImplementedError() if str(error):
            return str(error)
        case NotImplementedError():  # of a type whose values have no bytes in xDSL, such as f80
            from traceback import walk_tb

            *_, (frame, _) = walk_tb(error.__traceback__)
            return f"xDSL cannot store values of type {frame.f_locals.get('self')}"
        case _:
            from passel.tracebacks import raised_at

            return f"parser crashed: {brief(error)} ({raised_at(error)})"


def _shift(error: ParseError, line_offset: int) -> None:
    """Change the spans of an error such that lines are counted from the beginning of the file."""

    def shifted(span: Any) -> Span[str]:
        # Not `dataclasses.replace`: a span of a string literal would validate itself again.
        return Span(span.start, span.end, span.input, line_offset)

    error.span = shifted(error.span)
    if isinstance(error, MultipleSpansParseError):
        error.refs = [(shifted(span), note) for span, note in error.refs]


# -- Clearer errors, mostly in MLIR's words ------------------------------------------------------

_UNREGISTERED_DIALECT: Final = (
    "operation being parsed with an unregistered dialect. If this is intended, please use "
    "-allow-unregistered-dialect with the MLIR tool used"
)
_STRING_START: Final = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+')
_UNKNOWN_OP: Final = re.compile(r"Operation (.*) is not registered")
_NO_CUSTOM_FORM: Final = "Operation builtin.unregistered does not have a custom format."
_LAST_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_$.]*\s*\Z", re.ASCII)


def _reworded(error: ParseError, text: str, context: Context, dialect: str) -> ParseError:
    """Return an error with a clearer message and span, or the given error if it is already clear.

    Args:
        error: The error that xDSL's parser raised.
        text: The source text.
        context: The context of the parser.
        dialect: The name of the dialect of the innermost op that was being parsed.
    """
    span, message = error.span, error.msg
    if isinstance(error, MultipleSpansParseError):
        if message.startswith("region ends with missing block declarations"):
            return ParseError(error.refs[0][0], "reference to an undefined block")
        return error
    if (found := _UNKNOWN_OP.fullmatch(message)) or message == _NO_CUSTOM_FORM:
        name = found[1] if found else _LAST_NAME.findall(text[: span.start])[-1].rstrip()
        return _unknown_op(name, span, text, context, dialect)
    return _reworded_text(error, text)


def _reworded_text(error: ParseError, text: str) -> ParseError:
    """Reword a lexical or syntax error."""
    span, message = error.span, error.msg
    start = span.start
    if message.startswith("End of file reached before closing string"):
        match = _STRING_START.match(text, text.index('"', start))
        end = match.end() if match else start
        if text.startswith("\\", end):
            escape = Span(end, end + 1, cast("Input[str]", span.input))
            return ParseError(escape, "unknown escape in string literal")
        message = "expected '\"' in string literal"
    elif message == " in block definition":
        # xDSL takes whatever does not end the region for a block's label.
        message = "expected an operation, a block label, or '}' to end the region"
    elif "{first_char}" in message:
        message = message.replace("{first_char}", f"'{text[start]}'")
    elif message.startswith("Unexpected character") and not text[start].isprintable():
        message = f"Unexpected character: U+{ord(text[start]):04X}"
    return error if message is error.msg else ParseError(span, message)


def _unknown_op(
    name: str, following: Span[str] | Span[bytes], text: str, context: Context, enclosing: str
) -> ParseError:
    """Return the error for an unregistered op, at its name."""
    start = max(text.rfind(name, 0, following.start), 0)
    is_generic = text[start - 1 : start] == '"'
    dialect, dot, op_name = name.partition(".")
    known = context.get_optional_dialect(dialect) is not None
    if is_generic:
        message = (
            f"unregistered operation '{name}' found in dialect ('{dialect}') that does "
            "not allow unknown operations"
            if dot and known
            else _UNREGISTERED_DIALECT
        )
    elif not dot:
        message = f"custom op '{name}' is unknown (tried '{enclosing}.{name}' as well)"
    elif known:
        message = f"custom op '{name}' is unknown"
    else:
        message = f"Dialect `{dialect}' not found for custom op '{name}' "
    # Without the dialect, which would make all its ops similar.
    names = (op.name.partition(".") for op in context.loaded_ops)
    if found := closest(op_name, [each[2] for each in names if each[0] == dialect]):
        message += f"; did you mean '{dialect}.{found}'?"
    source = cast("Input[str]", following.input)
    return ParseError(Span(start - is_generic, start + len(name) + is_generic, source), message)
