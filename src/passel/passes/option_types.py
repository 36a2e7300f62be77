"""The types of options, with functions to parse, print and check values.

    bool, int, float, str    a scalar; if the option is repeated, the last value counts
    Enum, Literal            a keyword
    tuple[X, ...]            a list; if the option is repeated, the lists are concatenated
    X | None                 X, or `none`
    another class            a class with `from_option_text`, such as `Options` or `OpPassManager`
    Any                      an object, which cannot be set in text

A printed value parses to an equal value.

Source: the `llvm::cl` parsers that MLIR 22's pass options use. Unlike in MLIR, which prints `%e`,
a printed float parses to the same value.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from passel.diagnostics import suggest
from passel.errors import DefinitionError, PipelineError
from passel.passes.numbers import IntRange, read_bool, read_float, read_int
from passel.pipeline import OptionText, spelled, split_list
from passel.pipeline.lexer import WHITE_SPACE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.diagnostics import Span


_TRUE, _NONE = OptionText("true"), OptionText("none")


class BadValue(ValueError):  # noqa: N818 - internal: becomes an OptionError where the option is known
    """An error about an option's value. The message is printed after the name of the option.

    Attributes:
        span: The place of the error; None for the place of the option's value.
    """

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.span: Span | None = span


class Codec:
    """The parser, printer and checker for the values of one option type.

    Attributes:
        metavar: The placeholder for a value in help, such as `<int>`; an empty string for a flag.
        bare: The text that is implied by a key without `=`; None if the option requires a value.
        inner: The codec for values other than None, if the type includes None; otherwise None.
        element: The codec for list elements, if the type is a list; otherwise None.
    """

    bare: OptionText | None = None
    inner: Codec | None = None
    element: Codec | None = None

    def __init__(self, metavar: str) -> None:
        self.metavar: str = metavar

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

    def join(self, values: list[Any]) -> Any:
        """Combine the values of a repeated option; by default, return the last value."""
        return values[-1]

    def read(self, text: OptionText, scope: Any) -> Any:
        """Parse the value at one occurrence of an option; see `parse`."""
        try:
            return self._read(text, scope)
        except (BadValue, PipelineError):
            raise
        except ValueError as error:
            raise BadValue(str(error), text.span) from None

    def _read(self, text: OptionText, scope: Any) -> Any:
        raise NotImplementedError

    def check(self, value: Any) -> Any:
        """Return the canonical form of a value, or raise `ValueError` if the value is invalid.

        The only conversions are from int to float, from list to tuple, and from a mutable to an
        immutable object.
        """
        return value

    def spell(self, value: Any, every: bool) -> OptionText:
        """Print a value as text that parses to an equal value.

        Args:
            value: The value of the option.
            every: Whether to include options that have their default value.
        """
        raise NotImplementedError


class _Word(Codec):
    """A codec for values that are single words.

    Args:
        metavar: The placeholder for a value in help.
        value: A function that returns the value of a word.
        word: A function that returns the word of a value.
        kinds: The type of the values, followed by other types that are converted to that type.
    """

    def __init__(
        self, metavar: str, value: Callable[[str], Any], word: Callable[[Any], str], *kinds: type
    ) -> None:
        super().__init__(metavar)
        self.bare = None if metavar else _TRUE
        self._value, self._word, self._kinds = value, word, kinds

    def _read(self, text: OptionText, scope: Any) -> Any:
        # White space in a string counts.
        return self.check(
            self._value(text.text if str in self._kinds else text.text.strip(WHITE_SPACE))
        )

    def check(self, value: Any) -> Any:
        kind = self._kinds[0]
        # bool is an int in Python, but a flag is not a number.
        if not isinstance(value, self._kinds) or (isinstance(value, bool) and kind is not bool):
            raise ValueError(f"expected {kind.__name__}, got {value!r}")
        return value if type(value) is kind else kind(value)

    def spell(self, value: Any, every: bool) -> OptionText:
        return spelled(self._word(value))


_SCALARS: dict[Any, Codec] = {
    bool: _Word("", read_bool, lambda value: str(value).lower(), bool),
    int: _Word("<int>", read_int, repr, int),
    float: _Word("<number>", read_float, repr, float, int),
    str: _Word("<string>", str, str, str),
}


class _Ranged(_Word):
    """A codec for integers in a range."""

    def __init__(self, bounds: IntRange) -> None:
        name = bounds.name or f"{bounds.minimum}..{bounds.maximum}"
        super().__init__(f"<{name}>", read_int, repr, int)
        self._bounds = bounds

    def check(self, value: Any) -> Any:
        found, bounds = super().check(value), self._bounds
        if not bounds.minimum <= found <= bounds.maximum:
            raise ValueError(f"expected {bounds}, got {value!r}")
        return found


class _OneOf(_Word):
    """A codec for values that are written as keywords."""

    def __init__(self, choices: dict[str, Any]) -> None:
        super().__init__(f"<{'|'.join(choices)}>", self._choice, self._keyword)
        self._choices = choices

    def _choice(self, word: str) -> Any:
        if word not in self._choices:
            known, hint = ", ".join(self._choices), suggest(word, self._choices)
            raise ValueError(f"'{word}' is not one of {known}{hint}")
        return self._choices[word]

    def _keyword(self, value: Any) -> str:
        for key, choice in self._choices.items():
            if type(choice) is type(value) and choice == value:
                return key
        raise ValueError(f"expected one of {', '.join(self._choices)}, got {value!r}")

    def check(self, value: Any) -> Any:
        return self._choices[self._keyword(value)]


class _ListOf(Codec):
    """A codec for lists such as `{a,b}`, which are tuples in Python."""

    def __init__(self, element: Codec) -> None:
        super().__init__(f"{element.metavar},..." if element.metavar else "<list>")
        self.element = self._element = element

    def _read(self, text: OptionText, scope: Any) -> Any:
        return tuple(self._element.read(part, scope) for part in split_list(text))

    def join(self, values: list[Any]) -> Any:
        return tuple(chain.from_iterable(values))

    def check(self, value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            raise BadValue(f"expected a tuple, got {value!r}")
        return tuple(map(self._element.check, cast("Sequence[Any]", value)))

    def spell(self, value: Any, every: bool) -> OptionText:
        return OptionText(",".join(str(self._element.spell(item, every)) for item in value), "{")


class _Optional(Codec):
    """A codec for optional values; None is `none` or, except for flags, a key without a value."""

    def __init__(self, inner: Codec) -> None:
        super().__init__(inner.metavar or "<bool>")
        self.inner = self._inner = inner
        self.bare = inner.bare or _NONE

    def _read(self, text: OptionText, scope: Any) -> Any:
        return None if text == _NONE else self._inner.read(text, scope)

    def join(self, values: list[Any]) -> Any:
        given = [value for value in values if value is not None]
        return None if values[-1] is None else self._inner.join(given)

    def check(self, value: Any) -> Any:
        return None if value is None else self._inner.check(value)

    def spell(self, value: Any, every: bool) -> OptionText:
        text = _NONE if value is None else self._inner.spell(value, every)
        is_ambiguous = value is not None and text == _NONE  # a string, say
        return OptionText(text.text, '"') if is_ambiguous else text


class _Custom(Codec):
    """A codec for a class that parses and prints the text of its values.

    The class method `from_option_text(text, scope)` returns the value of a text, or raises a
    `ValueError` or `PipelineError`. The method `to_option_text(all_options=...)` returns text that
    parses to an equal value. The class may also define `option_metavar`, the placeholder for a
    value in help, and `frozen()`, which returns an immutable form of a value.
    """

    def __init__(self, kind: Any) -> None:
        super().__init__(getattr(kind, "option_metavar", "<value>"))
        self._kind = kind

    def _read(self, text: OptionText, scope: Any) -> Any:
        try:
            found = self._kind.from_option_text(text, scope)
            found.to_option_text(all_options=True)  # refuses values too deep to be printed
        except RecursionError:  # pipelines in options of pipelines in options ...
            raise BadValue("is nested too deeply") from None
        return found

    def check(self, value: Any) -> Any:
        if not isinstance(value, self._kind):
            raise BadValue(f"expected {self._kind.__name__}, got {value!r}")
        return value.frozen() if hasattr(value, "frozen") else value

    def spell(self, value: Any, every: bool) -> OptionText:
        text = value.to_option_text(all_options=every)
        return text if isinstance(text, OptionText) else OptionText(text)


class _Object(Codec):
    """A codec for objects, which only Python can set."""

    def parse(self, given: Sequence[OptionText | None], scope: Any) -> Any:
        raise BadValue("text cannot contain Python objects; create the pass in Python")


OBJECT = _Object("<object>")


def codec_for(hint: Any) -> Codec:
    """Return the codec for a type annotation; the module's docstring lists the supported types.

    Raises:
        DefinitionError: The type is not supported for options.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        plain, *notes = arguments
        bounds = next((note for note in notes if isinstance(note, IntRange)), None)
        return codec_for(plain) if bounds is None else _Ranged(bounds)
    if origin is Literal:
        return _OneOf({str(choice): choice for choice in arguments})
    if origin is tuple and arguments[1:] == (Ellipsis,):
        return _holding(_ListOf, arguments[0])
    if origin in (typing.Union, types.UnionType):
        members = [member for member in arguments if member is not types.NoneType]
        if len(members) == 1:
            return _holding(_Optional, members[0])
    if hint is Any:
        return OBJECT
    if isinstance(hint, type) and origin is None:
        if issubclass(hint, Enum):
            return _OneOf({_keyword(member): member for member in hint})
        if hint in _SCALARS or hasattr(cast("Any", hint), "from_option_text"):
            return _SCALARS.get(hint) or _Custom(hint)
    raise DefinitionError(_no_type(hint))


def _holding(made: Callable[[Codec], Codec], hint: Any) -> Codec:
    """Return the codec for a list or optional type, or `OBJECT` if the element type is `Any`."""
    inner = codec_for(hint)
    return inner if inner is OBJECT else made(inner)


def _keyword(member: Enum) -> str:
    """Return an enum member's keyword: its value if that is a string, else its name."""
    if isinstance(member.value, str):
        return member.value
    return member.name.lower().replace("_", "-")


def _no_type(hint: Any) -> str:
    """Return the error message for a type that an option cannot have."""
    origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
    shown = hint.__qualname__ if isinstance(hint, type) and not arguments else str(hint)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"{shown} is mutable, but passes are values: write a subclass of Options"
    if isinstance(origin, type) and issubclass(origin, Iterable) and origin is not bytes:
        element = arguments[0] if arguments else int
        name = element.__name__ if isinstance(element, type) else str(element)
        return f"{shown} is not an option type; for a list of values, write tuple[{name}, ...]"
    return (
        f"{shown} is not an option type, since text cannot be converted to it; use bool, int, "
        "float, str, an Enum, Literal, an optional type such as int | None, tuple[int, ...], "
        "Options, OpPassManager, a class with from_option_text, or Any for an object set in Python"
    )
