r"""Splitting the text of pipelines and options at separators outside quotes and brackets.

The same rules for quotes apply at every nesting depth. A quote at the start of a value opens a
string that ends at the matching quote. In double quotes, `\"` and `\\` are escapes. A quote inside
a word, as in `it's`, opens a string only if the matching quote comes before the next brace. MLIR
has no escapes, and ignores quotes when it searches for the closing brace of options, so `{s="}"}`
does not parse in MLIR. As in MLIR, only ASCII white space separates words.

Source: the option parser in `mlir/lib/Pass/PassRegistry.cpp`, MLIR 22.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from passel.diagnostics import Source, Span
from passel.errors import DefinitionError, PipelineSyntaxError, Problem
from passel.pipeline.syntax import OptionNode, OptionText

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BRACES = 64
"""The maximum nesting depth of braces in options, which limits the recursion of the parser."""

WHITE_SPACE = " \t\n\v\f\r"
"""The characters that separate words."""

_STRINGS = {
    # Possessive, so that a string of several megabytes does not store backtracking positions.
    '"': re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL),
    "'": re.compile(r"'[^']*'"),
}
_WORD_STRINGS = {'"': re.compile(r'"[^"{}]*"'), "'": re.compile(r"'[^'{}]*'")}
_BEFORE_VALUE = frozenset(WHITE_SPACE + "={,([")
_CLOSING = {"{": "}", "(": ")", "[": "]"}
_ESCAPE = re.compile(r'\\(["\\])')
_BRACES = re.compile(r"""[{}"']""")
_BRACKETS = re.compile(r"""[][(){}"',]""")
_VALUE_END = re.compile(r"""[\s{}"']""", re.ASCII)
_KEY = re.compile(r"\s*([^=\s]*)(=?)", re.ASCII)
_NAME = re.compile(r"""[^\s\x00-\x1f\x7f\ud800-\udfff,(){}\[\]"'=/\\]+""")

NAMES = "names must not be empty or contain white space, commas, brackets, quotes, '=', '/' or '\\'"
"""The rule for names, worded for error messages; see `is_name`."""


def is_name(text: str) -> bool:
    """Return whether `text` is a valid name for a pass, a pipeline or an option.

    A name must be parsable in pipelines, options, command-line flags, pass paths and text files.
    """
    return _NAME.fullmatch(text) is not None


def check_name(name: object, what: str) -> None:
    """Reject a name that cannot occur in the text of a pipeline.

    Args:
        name: The name to check.
        what: A phrase for messages that says what has the name, such as `a pass`.

    Raises:
        DefinitionError: The name is invalid; see `is_name`.
    """
    if not isinstance(name, str) or not is_name(name):
        raise DefinitionError(f"{name!r} cannot be the name of {what}: {NAMES}")


def skip_string(text: str, start: int, end: int) -> int:
    """Return the offset after the string that begins with the quote at `start`.

    If the quote does not open a string, it is an ordinary character, and the result is
    `start + 1`.
    """
    opens_value = start == 0 or text[start - 1] in _BEFORE_VALUE
    patterns = _STRINGS if opens_value else _WORD_STRINGS
    match = patterns[text[start]].match(text, start, end)
    return match.end() if match else start + 1


def find_outside(span: Span, pattern: re.Pattern[str], stops: str) -> int | None:
    """Return the offset of the first stop character that is outside strings and brackets, or None.

    Args:
        span: The text to search, which must begin outside all brackets.
        pattern: A pattern that matches stop characters, quotes, and the brackets to skip.
        stops: The stop characters to search for.

    Raises:
        PipelineSyntaxError: Brackets are nested too deeply.
    """
    source, position, end = span
    closers: list[str] = []
    while match := pattern.search(source.text, position, end):
        char, position = match.group(), match.end()
        if char in _STRINGS:
            position = skip_string(source.text, match.start(), end)
        elif closers and char == closers[-1]:
            closers.pop()
        elif char in stops and not closers:
            return match.start()
        elif char in _CLOSING:
            closers.append(_CLOSING[char])
            if len(closers) >= MAX_BRACES:
                message = f"options are nested more than {MAX_BRACES} levels deep"
                raise PipelineSyntaxError(Problem(message, Span(source, *match.span())))
    return None


def find_closing_brace(span: Span) -> int | None:
    """Return the offset of the brace that closes the brace at the start of `span`, or None."""
    return find_outside(span._replace(start=span.start + 1), _BRACES, "}")


def trim(span: Span) -> Span:
    """Return a span without surrounding white space."""
    start = span.end - len(text := span.text.lstrip(WHITE_SPACE))
    return Span(span.source, start, start + len(text.rstrip(WHITE_SPACE)))


def clean(span: Span) -> OptionText:
    """Return a value, which has no white space around it, without its outer quotes or braces."""
    text = span.text
    if len(text) > 1 and (first := text[0]) in "\"'{":
        inner = Span(span.source, span.start + 1, span.end - 1)
        if first in _STRINGS and _STRINGS[first].fullmatch(text):
            value = _ESCAPE.sub(r"\1", inner.text) if first == '"' else inner.text
            return OptionText(value, first, inner)
        if first == "{" and find_closing_brace(span) == inner.end:
            return OptionText(trim(inner).text, "{", trim(inner))
    return OptionText(text, "", span)


def split_options(span: Span) -> Iterator[OptionNode]:
    """Split the options of a pass, which are the text between its braces, at white space.

    Yields:
        The syntax node of each option, in text order.
    """
    source, position, end = span
    while (key := _KEY.match(source.text, position, end)) and (key[1] or key[2]):
        value, position = None, key.end()
        if key[2]:
            space = find_outside(Span(source, position, end), _VALUE_END, WHITE_SPACE)
            start, position = position, end if space is None else space
            value = clean(Span(source, start, position))
        yield OptionNode(key[1], value, Span(source, *key.span(1)))


def split_list(value: OptionText) -> Iterator[OptionText]:
    """Split the text of a list at its top-level commas. Empty text has no elements.

    Yields:
        The text of each element, as `clean` returns it. The middle element of `1,,2` is empty.
    """
    rest = located(value)
    if not rest.text:
        return
    while (comma := find_outside(rest, _BRACKETS, ",")) is not None:
        yield clean(trim(rest._replace(end=comma)))
        rest = rest._replace(start=comma + 1)
    yield clean(trim(rest))


def located(value: OptionText) -> Span:
    """Return the span of a value in its source.

    If the value has no span, or if escapes changed its text, the result is a span in a new source
    that contains only the value.
    """
    if value.span is not None and value.span.text == value.text:
        return value.span
    return Span(Source(value.text, "<option>"), 0, len(value.text))
