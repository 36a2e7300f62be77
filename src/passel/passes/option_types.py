"""Types of options: how values of each are read from text, printed and checked.

    bool, int, float, str    scalars; if repeated, the last one counts
    Enum, Literal            one of a few keywords
    tuple[X, ...]            a list; if repeated, the lists are joined
    X | None                 X, or `none`
    another class            if it has `from_option_text`, such as `Options` and `OpPassManager`
    Any                      an object, which text cannot set

Printed values read back as equal values.

Source: the `llvm::cl` parsers as MLIR 22's pass options use them; floats are printed so that
they read back exactly (MLIR prints `%e`).
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

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
    """An invalid value; the message follows the option's name.

    Attributes:
        span: The place of the error, if it is narrower than the option's whole value.
    """

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.span: Span | None = span


class Codec(NamedTuple):
    """Reads, prints and checks the values of one type.

    Attributes:
        metavar: The placeholder for a value in help, such as `<int>`; empty for a flag.
        parse: A function that returns the value for all occurrences of an option (None is a key
            without `=`), with a registry for names in it. It raises `BadValue`, or a
            `PipelineError` of nested options or a nested pipeline.
        check: A function that checks a value and returns its canonical form, or raises a
            `ValueError`. It converts only an int to a float, and a list to a tuple.
        spell: A function that returns the text of a value, with all options or only those that
            differ from their defaults. `parse` reads an equal value from it.
        inner: The codec of values other than None, if None is a value.
        element: The codec of the elements of a list.
    """

    metavar: str
    parse: Callable[[Sequence[OptionText | None], Any], Any]
    check: Callable[[Any], Any]
    spell: Callable[[Any, bool], OptionText]
    inner: Any = None
    element: Any = None


def _given(values: Sequence[OptionText | None]) -> list[OptionText]:
    if None in values:
        raise BadValue("requires a value!")
    return [value for value in values if value is not None]


def _last(
    read: Callable[[OptionText, Any], Any], *, is_flag: bool = False
) -> Callable[[Sequence[OptionText | None], Any], Any]:
    """Return a parser of values that read by themselves, of which the last counts."""

    def parse(values: Sequence[OptionText | None], scope: Any) -> Any:
        found = None
        # All are read, so that a later value hides no error.
        for value in [each or _TRUE for each in values] if is_flag else _given(values):
            try:
                found = read(value, scope)
            except PipelineError:
                raise
            except ValueError as error:
                raise BadValue(str(error), value.span) from None
        return found

    return parse


def _word(
    metavar: str,
    read: Callable[[str], Any],
    check: Callable[[Any], Any],
    spell: Callable[[Any], str] = repr,
    spaces: str = WHITE_SPACE,
) -> Codec:
    """Return the codec for values that are single words.

    Args:
        metavar: The placeholder for a value in help.
        read: A function that reads a value from text.
        check: A function that checks a value and returns its canonical form.
        spell: A function that returns the word of a value.
        spaces: The white space that is stripped, inside quotes as well.
    """

    def read_word(value: OptionText, scope: Any) -> Any:  # noqa: ARG001 - for other types
        return check(read(value.text.strip(spaces)))

    def print_word(value: Any, every: bool) -> OptionText:  # noqa: ARG001
        return spelled(spell(value))

    parse = _last(read_word, is_flag=not metavar)
    return Codec(metavar, parse, check, print_word)


def _instance_of(*kinds: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        # bool is an int in Python, but a flag is not a number.
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            msg = f"expected {kinds[0].__name__}, got {value!r}"
            raise ValueError(msg)
        return value if type(value) is kinds[0] else kinds[0](value)

    return check


_check_int = _instance_of(int)

_SCALARS: dict[Any, Codec] = {
    bool: _word("", read_bool, _instance_of(bool), lambda value: str(value).lower()),
    int: _word("<int>", read_int, _check_int),
    float: _word("<number>", read_float, _instance_of(float, int)),
    str: _word("<string>", str, _instance_of(str), str, spaces=""),
}


def _ranged(bounds: IntRange) -> Codec:
    """Return the codec for integers of a range."""

    def check(value: Any) -> int:
        found: int = _check_int(value)
        if not bounds.minimum <= found <= bounds.maximum:
            msg = f"expected {bounds}, got {value!r}"
            raise ValueError(msg)
        return found

    metavar = f"<{bounds.name or f'{bounds.minimum}..{bounds.maximum}'}>"
    return _word(metavar, read_int, check)


def _one_of(choices: dict[str, Any]) -> Codec:
    """Return the codec for values that are written as keywords."""

    def read(text: str) -> Any:
        if text in choices:
            return choices[text]
        msg = f"'{text}' is not one of {', '.join(choices)}{suggest(text, choices)}"
        raise ValueError(msg)

    def keyword(value: Any) -> str:
        for key, choice in choices.items():
            if type(choice) is type(value) and choice == value:
                return key
        msg = f"expected one of {', '.join(choices)}, got {value!r}"
        raise ValueError(msg)

    return _word(
        metavar=f"<{'|'.join(choices)}>",
        read=read,
        check=lambda value: choices[keyword(value)],
        spell=keyword,
    )


def _list_of(element: Codec) -> Codec:
    """Return the codec for lists, `{a,b}`, which are tuples in Python."""

    def parse(values: Sequence[OptionText | None], scope: Any) -> tuple[Any, ...]:
        texts = [text for value in _given(values) for text in split_list(value)]
        return tuple(element.parse([text], scope) for text in texts)

    def check(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise BadValue(f"expected a tuple, got {value!r}")
        return tuple(map(element.check, typing.cast("Sequence[Any]", value)))

    def spell(value: Any, every: bool) -> OptionText:
        return OptionText(",".join(str(element.spell(item, every)) for item in value), "{")

    metavar = f"{element.metavar},..." if element.metavar else "<list>"
    return Codec(metavar, parse, check, spell, element=element)


def _optional(inner: Codec) -> Codec:
    """Return the codec for values or None: `none` or, except for flags, a key without a value."""
    bare = _TRUE if not inner.metavar else _NONE

    def parse(values: Sequence[OptionText | None], scope: Any) -> Any:
        given = [value or bare for value in values]
        others = [value for value in given if value != _NONE]
        return None if given[-1] == _NONE else inner.parse(others, scope)

    def spell(value: Any, every: bool) -> OptionText:
        if value is None:
            return _NONE
        text = inner.spell(value, every)
        return OptionText(text.text, '"') if text == _NONE else text  # a string, say

    def check(value: Any) -> Any:
        return None if value is None else inner.check(value)

    return Codec(inner.metavar or "<bool>", parse, check, spell, inner)


def _custom(kind: Any) -> Codec:
    """Return the codec of a class that reads and prints its option text itself.

    The class method `from_option_text(text, scope)` returns the value of a text, or raises a
    `ValueError` or `PipelineError`. The method `to_option_text(all_options=...)` returns text that
    reads back as an equal value. Optional are `option_metavar`, the placeholder for a value in
    help, and `frozen()`, which returns an immutable form of a value.
    """

    def read(value: OptionText, scope: Any) -> Any:
        try:
            found = kind.from_option_text(value, scope)
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

    return Codec(getattr(kind, "option_metavar", "<value>"), _last(read), check, spell)


def _refuse(*_: object) -> Any:
    raise BadValue("it is an object, which cannot be given in text; create the pass in Python")


def _as_it_is(value: Any, *_: object) -> Any:
    return value


OBJECT = Codec("<object>", _refuse, _as_it_is, _as_it_is)
"""The codec of objects, which only Python can set."""


def codec_for(hint: Any) -> Codec:
    """Return the codec for an annotation; the module's docstring lists the types.

    Raises:
        DefinitionError: The type cannot be an option's.
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
    if isinstance(hint, type) and origin is None and (found := _class_codec(hint)) is not None:
        return found
    raise DefinitionError(_no_type(hint))


def _class_codec(kind: Any) -> Codec | None:
    if kind in _SCALARS:
        return _SCALARS[kind]
    if issubclass(kind, Enum):
        return _one_of({_keyword(member): member for member in kind})
    return _custom(kind) if hasattr(kind, "from_option_text") else None


def _holding(made: Callable[[Codec], Codec], hint: Any) -> Codec:
    """Return the codec for a type with an element type; lists of objects are objects."""
    inner = codec_for(hint)
    return inner if inner is OBJECT else made(inner)


def _keyword(member: Enum) -> str:
    """Return an enum member's keyword: its value if that is a string, else its name."""
    if isinstance(member.value, str):
        return member.value
    return member.name.lower().replace("_", "-")


def _no_type(hint: Any) -> str:
    """Return the message for a type that an option cannot have."""
    origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
    shown = hint.__qualname__ if isinstance(hint, type) and not arguments else str(hint)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"{shown} is mutable, but passes are values: write a subclass of Options"
    if isinstance(origin, type) and issubclass(origin, Iterable) and origin is not bytes:
        element = arguments[0] if arguments else int
        name = element.__name__ if isinstance(element, type) else str(element)
        return f"{shown} is not an option type; for a list of values, write tuple[{name}, ...]"
    return (
        f"{shown} cannot be read from text; use bool, int, float, str, an Enum, Literal, one of "
        "these or None, tuple[int, ...] for a list, Options, OpPassManager, a class with "
        "from_option_text, or Any for an object that text cannot set"
    )
