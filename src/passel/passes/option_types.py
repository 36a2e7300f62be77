"""The types of options, with functions to parse, print and check values.

    bool, int, float, str    a scalar; if the option is repeated, the last value counts
    Enum, Literal            a keyword
    tuple[X, ...]            a list; if the option is repeated, the lists are concatenated
    X | None                 X, or `none`
    another class            a class with `from_option_text`, such as `Options` or `OpPassManager`
    Any                      an object, which cannot be set in text

A printed value parses to an equal value.

Source: the `llvm::cl` parsers that MLIR 22's pass options use. MLIR prints a float with `%e`, which
loses digits. passel prints all digits that are needed to parse the same value.
"""

from __future__ import annotations

import types
import typing
from enum import Enum
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, cast

from passel.diagnostics import suggest
from passel.errors import DefinitionError, PipelineError
from passel.passes.numbers import IntRange, read_bool, read_float, read_int
from passel.pipeline import OptionText, spelled
from passel.pipeline.lexer import WHITE_SPACE, split_list

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.diagnostics import Span


_NONE, _TRUE = OptionText("none"), OptionText("true")


class BadValue(ValueError):  # noqa: N818 - internal: becomes an OptionError where the option is known
    """An error about an option's value. The message is printed after the name of the option.

    Attributes:
        span: The span of the error; None means the span of the option's value.
    """

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.span: Span | None = span


class Codec(NamedTuple):
    """The parser, printer and checker for the values of one option type.

    Attributes:
        metavar: The placeholder for a value in help, such as `<int>`; an empty string for a flag.
        decode: A function that converts text to a value. The second argument is the registry that
            resolves pass names. The function raises `ValueError` if the text is invalid.
        check: A function that returns the canonical form of a value, or raises `ValueError` if the
            value is invalid. The only conversions are from int to float, from list to tuple, and
            from a mutable to an immutable object.
        spell: A function that converts a value to text, which parses to an equal value. The second
            argument says whether the text includes options that have their default value.
        join: A function that combines the values of a repeated option into one value.
        bare: The text that a key without `=` stands for; None if the option requires a value.
        inner: For an optional type, the codec for values other than None; for any other type, None.
    """

    metavar: str
    decode: Callable[[OptionText, Any], Any]
    check: Callable[[Any], Any]
    spell: Callable[[Any, bool], OptionText]
    join: Callable[[list[Any]], Any] = itemgetter(-1)
    bare: OptionText | None = None
    inner: Codec | None = None

    def parse(self, given: Sequence[OptionText | None], scope: Any) -> Any:
        """Parse all occurrences of an option, and return the resulting value.

        Args:
            given: The text of the value at each occurrence; None for a key without `=`.
            scope: The registry that resolves pass names in values.

        Raises:
            BadValue: A value is invalid.
            PipelineError: A value contains invalid options or an invalid pipeline.
        """
        texts = [text for each in given if (text := each or self.bare)]
        if len(texts) < len(given):
            raise BadValue("requires a value!")
        # All values are parsed, so that a later value does not hide an error.
        return self.join([self.read(text, scope) for text in texts])

    def read(self, text: OptionText, scope: Any) -> Any:
        """Parse the value at one occurrence of an option; see `parse`."""
        try:
            return self.check(self.decode(text, scope))
        except (BadValue, PipelineError):
            raise
        except ValueError as error:
            raise BadValue(str(error), text.span) from None


def _word(
    metavar: str,
    read: Callable[[str], Any],
    check: Callable[[Any], Any],
    show: Callable[[Any], str] = str,
) -> Codec:
    """Return the codec for values that are single words.

    Args:
        metavar: The placeholder for a value in help.
        read: A function that returns the value of a word.
        check: A function that checks a value; see `Codec`.
        show: A function that returns the word for a value.
    """

    def decode(text: OptionText, _: Any) -> Any:
        return read(text.text.strip(WHITE_SPACE))

    def spell(value: Any, _: bool) -> OptionText:
        return spelled(show(value))

    return Codec(metavar, decode, check, spell)


def _of(kind: type, *others: type, bounds: IntRange | None = None) -> Callable[[Any], Any]:
    """Return a check for values of a type, to which values of other types are converted."""

    def check(value: Any) -> Any:
        # bool is an int in Python, but a flag is not a number.
        if not isinstance(value, (kind, *others)) or (isinstance(value, bool) and kind is not bool):
            raise ValueError(f"expected {kind.__name__}, got {value!r}")
        if bounds is not None and not bounds.minimum <= value <= bounds.maximum:
            raise ValueError(f"expected {bounds}, got {value!r}")
        return value if type(value) is kind else kind(value)

    return check


def _text(value: OptionText, _: Any) -> str:
    return value.text  # with the white space in quotes


_SCALARS: dict[Any, Codec] = {
    bool: _word("", read_bool, _of(bool), lambda value: str(value).lower())._replace(bare=_TRUE),
    int: _word("<int>", read_int, _of(int)),
    float: _word("<number>", read_float, _of(float, int)),
    str: _word("<string>", str, _of(str))._replace(decode=_text),
}


def _ranged(bounds: IntRange) -> Codec:
    name = bounds.name or f"{bounds.minimum}..{bounds.maximum}"
    return _word(f"<{name}>", read_int, _of(int, bounds=bounds))


def _one_of(choices: dict[str, Any]) -> Codec:
    """Return the codec for values that are written as keywords."""

    def read(word: str) -> Any:
        if word not in choices:
            hint = suggest(word, choices)
            raise ValueError(f"'{word}' is not one of {', '.join(choices)}{hint}")
        return choices[word]

    def keyword(value: Any) -> str:
        for key, choice in choices.items():
            if type(choice) is type(value) and choice == value:
                return key
        raise ValueError(f"expected one of {', '.join(choices)}, got {value!r}")

    return _word(f"<{'|'.join(choices)}>", read, lambda value: choices[keyword(value)], keyword)


def _list_of(element: Codec) -> Codec:
    """Return the codec for lists such as `{a,b}`, which are tuples in Python."""

    def decode(text: OptionText, scope: Any) -> Any:
        return tuple(element.read(part, scope) for part in split_list(text))

    def check(value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            raise BadValue(f"expected a tuple, got {value!r}")
        return tuple(map(element.check, cast("Sequence[Any]", value)))

    def spell(value: Any, every: bool) -> OptionText:
        return OptionText(",".join(str(element.spell(item, every)) for item in value), "{")

    def join(values: list[Any]) -> Any:
        return tuple(chain.from_iterable(values))

    metavar = f"{element.metavar},..." if element.metavar else "<list>"
    return Codec(metavar, decode, check, spell, join)


def _optional(inner: Codec) -> Codec:
    """Return the codec for optional values; None is `none` or, except for flags, a lone key."""

    def decode(text: OptionText, scope: Any) -> Any:
        return None if str(text) == str(_NONE) else inner.read(text, scope)

    def check(value: Any) -> Any:
        return None if value is None else inner.check(value)

    def spell(value: Any, every: bool) -> OptionText:
        text = _NONE if value is None else inner.spell(value, every)
        is_ambiguous = value is not None and str(text) == str(_NONE)  # a string, say
        return OptionText(text.text, '"') if is_ambiguous else text

    def join(values: list[Any]) -> Any:
        given = [value for value in values if value is not None]
        return None if values[-1] is None else inner.join(given)

    metavar, bare = inner.metavar or "<bool>", inner.bare or _NONE
    return Codec(metavar, decode, check, spell, join, bare, inner)


def _custom(kind: Any) -> Codec:
    """Return the codec for a class that parses and prints the text of its values.

    The class method `from_option_text(text, scope)` returns the value of a text, or raises a
    `ValueError` or `PipelineError`. The method `to_option_text(all_options=...)` returns text that
    parses to an equal value. The class may also define `option_metavar`, the placeholder for a
    value in help, and `frozen()`, which returns an immutable form of a value.
    """

    def decode(text: OptionText, scope: Any) -> Any:
        try:
            found = kind.from_option_text(text, scope)
            found.to_option_text(all_options=True)  # refuses values too deep to be printed
        except RecursionError:  # pipelines in options of pipelines in options ...
            raise BadValue("is nested too deeply") from None
        return found

    def check(value: Any) -> Any:
        if not isinstance(value, kind):
            raise BadValue(f"expected {kind.__name__}, got {value!r}")
        return value.frozen() if hasattr(value, "frozen") else value

    def spell(value: Any, every: bool) -> OptionText:
        text = value.to_option_text(all_options=every)
        return text if isinstance(text, OptionText) else OptionText(text)

    return Codec(getattr(kind, "option_metavar", "<value>"), decode, check, spell)


def _no_text(*_: Any) -> Any:
    raise BadValue("text cannot contain Python objects; create the pass in Python")


def _itself(value: Any) -> Any:
    return value


OBJECT = Codec("<object>", _no_text, _itself, _no_text)
"""The codec for objects, which cannot be set in text."""


def codec_for(hint: Any) -> Codec:
    """Return the codec for a type annotation; the module's docstring lists the supported types.

    Raises:
        DefinitionError: The type is not supported for options.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        plain, *notes = arguments
        bounds = next((note for note in notes if isinstance(note, IntRange)), None)
        return codec_for(plain) if bounds is None else _ranged(bounds)
    if origin is Literal:
        return _one_of({str(choice): choice for choice in arguments})
    if origin is tuple and arguments[1:] == (Ellipsis,):
        return _holding(_list_of, arguments[0])
    if origin in (typing.Union, types.UnionType):
        members = [member for member in arguments if member is not types.NoneType]
        if len(members) == 1:
            return _holding(_optional, members[0])
    if hint is Any:
        return OBJECT
    if isinstance(hint, type) and origin is None:
        if issubclass(hint, Enum):
            return _one_of({_keyword(member): member for member in hint})
        if hint in _SCALARS or hasattr(cast("Any", hint), "from_option_text"):
            return _SCALARS.get(hint) or _custom(hint)
    shown = hint.__qualname__ if isinstance(hint, type) else hint
    raise DefinitionError(
        f"{shown} is not an option type, since text cannot be converted to it; use bool, int, "
        "float, str, an Enum, Literal, an optional type such as int | None, tuple[int, ...], "
        "Options, OpPassManager, a class with from_option_text, or Any for an object set in Python"
    )


def _holding(made: Callable[[Codec], Codec], hint: Any) -> Codec:
    """Return the codec for a list or optional type, or `OBJECT` if the element type is `Any`."""
    inner = codec_for(hint)
    return inner if inner is OBJECT else made(inner)


def _keyword(member: Enum) -> str:
    """Return an enum member's keyword: its value if that is a string, else its name."""
    if isinstance(member.value, str):
        return member.value
    return member.name.lower().replace("_", "-")
