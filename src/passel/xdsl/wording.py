"""Clearer messages and spans for errors of xDSL's parser, mostly in MLIR's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from xdsl.utils.exceptions import MultipleSpansParseError, ParseError
from xdsl.utils.lexer import Input, Span

if TYPE_CHECKING:
    from xdsl.context import Context

_UNREGISTERED_DIALECT: Final = (
    "operation being parsed with an unregistered dialect. If this is intended, please use "
    "-allow-unregistered-dialect with the MLIR tool used"
)
_STRING_START: Final = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+')
_UNKNOWN_OP: Final = re.compile(r"Operation (.*) is not registered")
_NO_CUSTOM_FORM: Final = "Operation builtin.unregistered does not have a custom format."
_CUSTOM_FORM: Final = re.compile(r"\s*(?:%[^=]*=\s*)?([a-zA-Z_]\w*\.[\w.]+)", re.ASCII)
"""The beginning of a line with an op in custom form."""
_LAST_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_$.]*\s*\Z", re.ASCII)


def reworded(error: ParseError, text: str, context: Context, dialect: str) -> ParseError:
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
    error = _reworded_text(error, text)
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    if (found := _CUSTOM_FORM.match(line)) and (op := context.get_optional_op(found[1])):
        package = op.__module__.partition(".")[0].removeprefix("passel_plugin_")
        if package != "xdsl":
            message = f"{error.msg} (package {package} parses '{found[1]}')"
            return ParseError(error.span, message)
    return error


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
    if text.startswith("/*", start):
        message += "; comments start with '//'"
    return error if message is error.msg else ParseError(span, message)


def _unknown_op(
    name: str, following: Span[str] | Span[bytes], text: str, context: Context, enclosing: str
) -> ParseError:
    """Return the error for an unregistered op, at its name."""
    start = max(text.rfind(name, 0, following.start), 0)
    is_generic = text[start - 1 : start] == '"'
    dialect, dot, mnemonic = name.partition(".")
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
    import difflib

    prefix = f"{dialect}."
    ops = [op.name.removeprefix(prefix) for op in context.loaded_ops if op.name.startswith(prefix)]
    if close := difflib.get_close_matches(mnemonic, ops, n=1):
        message = f"{message}; did you mean '{prefix}{close[0]}'?"
    source = cast("Input[str]", following.input)
    return ParseError(Span(start - is_generic, start + len(name) + is_generic, source), message)
