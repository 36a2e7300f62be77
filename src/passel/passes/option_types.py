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
from typing import TYPE_CHECKING, Annotated, Any, Literal

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


class Codec:
    """Reads, prints and checks the values of one type.

    Attributes:
        metavar: The placeholder for a value in help, such as `<int>`; empty for a flag.
    """

    metavar: str = "<value>"

    def parse(self, values: Sequence[OptionText | None], scope: Any) -> Any:
        """Return the value for all occurrences of an option; None is a key without `=`.

        Raises:
            BadValue: A value is invalid, or missing for an option that is not a flag.
            PipelineError: Nested options or a nested pipeline are wrong.
        """
        if self.metavar and None in values:
            raise BadValue("requires a value!")
        return self._read([value or _TRUE for value in values], scope)

    def _read(self, values: Sequence[OptionText], scope: Any) -> Any:
        """Return the last value. All are read, so that a later value hides no error."""
        found = None
        for value in values:
            try:
                found = self._read_one(value, scope)
            except PipelineError:
                raise
            except ValueError as error:
                raise BadValue(str(error), value.span) from None
        return found

    def _read_one(self, value: OptionText, scope: Any) -> Any:
        """Return the value of one occurrence, or raise a `ValueError`."""
        raise NotImplementedError

    def spell(self, value: Any, *, all_options: bool) -> OptionText:
        """Return the text after `=`; `parse` reads an equal value from it."""
        raise NotImplementedError

    def check(self, value: Any) -> Any:
        """Return a Python value in its canonical form, or raise a `ValueError`."""
        raise NotImplementedError


class ScalarCodec(Codec):
    """A value spelled by a single word.

    Args:
        metavar: The placeholder for a value in help.
        read: A function that reads a value from text.
        check: A function that checks a value and returns its canonical form.
        spell: A function that returns the text of a value.
        spaces: The white space that is stripped, inside quotes as well.
    """

    def __init__(
        self,
        metavar: str,
        read: Callable[[str], Any],
        check: Callable[[Any], Any],
        spell: Callable[[Any], str | OptionText] = repr,
        spaces: str = WHITE_SPACE,
    ) -> None:
        self.metavar = metavar
        self._from_text, self._checked, self._to_text = read, check, spell
        self._spaces = spaces

    def _read_one(self, value: OptionText, scope: Any) -> Any:
        return self._checked(self._from_text(value.text.strip(self._spaces)))

    def spell(self, value: Any, *, all_options: bool) -> OptionText:
        """Return the word."""
        return _as_option(self._to_text(value))

    def check(self, value: Any) -> Any:
        """Accept values of the type only, and an int for a float."""
        return self._checked(value)


def _as_option(text: str | OptionText) -> OptionText:
    return text if isinstance(text, OptionText) else OptionText(text)


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
    bool: ScalarCodec("", read_bool, _instance_of(bool), lambda value: str(value).lower()),
    int: ScalarCodec("<int>", read_int, _check_int),
    float: ScalarCodec("<number>", read_float, _instance_of(float, int)),
    str: ScalarCodec("<string>", str, _instance_of(str), spelled, spaces=""),
}


def _ranged(bounds: IntRange) -> ScalarCodec:
    """Return the codec for integers of a range."""

    def check(value: Any) -> int:
        found: int = _check_int(value)
        if not bounds.minimum <= found <= bounds.maximum:
            msg = f"expected {bounds}, got {value!r}"
            raise ValueError(msg)
        return found

    metavar = f"<{bounds.name or f'{bounds.minimum}..{bounds.maximum}'}>"
    return ScalarCodec(metavar, read_int, check)


def _one_of(choices: dict[str, Any]) -> ScalarCodec:
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

    return ScalarCodec(
        metavar=f"<{'|'.join(choices)}>",
        read=read,
        check=lambda value: choices[keyword(value)],
        spell=lambda value: spelled(keyword(value)),
    )


class _ListCodec(Codec):
    """A list, `{a,b}`.

    Attributes:
        element: The codec of the elements.
    """

    def __init__(self, element: Codec) -> None:
        self.element: Codec = element
        self.metavar = f"{element.metavar},..." if element.metavar else "<list>"

    def _read(self, values: Sequence[OptionText], scope: Any) -> tuple[Any, ...]:
        texts = [text for value in values for text in split_list(value)]
        return tuple(self.element.parse([text], scope) for text in texts)

    def spell(self, value: Any, *, all_options: bool) -> OptionText:
        """Return the elements in braces, even if there are none."""
        items = (self.element.spell(item, all_options=all_options) for item in value)
        return OptionText(",".join(map(str, items)), "{")

    def check(self, value: Any) -> tuple[Any, ...]:
        """Accept any list or tuple and make it a tuple."""
        if not isinstance(value, (list, tuple)):
            raise BadValue(f"expected a tuple, got {value!r}")
        return tuple(map(self.element.check, typing.cast("Sequence[Any]", value)))


class OptionalCodec(Codec):
    """A value or None. `none` or, except for flags, a key without a value mean None.

    Attributes:
        inner: The codec of values other than None.
    """

    def __init__(self, inner: Codec) -> None:
        self.inner: Codec = inner
        self.metavar: str = inner.metavar or "<bool>"

    def parse(self, values: Sequence[OptionText | None], scope: Any) -> Any:
        """Return None if the last occurrence means None; else read the other values."""
        given = [value for value in values if not self._is_none(value)]
        return None if self._is_none(values[-1]) else self.inner.parse(given, scope)

    def _is_none(self, value: OptionText | None) -> bool:
        return bool(self.inner.metavar) if value is None else value == _NONE

    def spell(self, value: Any, *, all_options: bool) -> OptionText:
        """Return the text of the value, quoted if it would otherwise mean None."""
        if value is None:
            return _NONE
        spelling = self.inner.spell(value, all_options=all_options)
        return OptionText(spelling.text, '"') if spelling == _NONE else spelling

    def check(self, value: Any) -> Any:
        """Accept None, and values of the inner type."""
        return None if value is None else self.inner.check(value)


class _CustomCodec(Codec):
    """The codec of a class that reads and prints its option text itself.

    The class method `from_option_text(text, scope)` returns the value of a text, or raises a
    `ValueError` or `PipelineError`. The method `to_option_text(all_options=...)` returns text that
    reads back as an equal value. Optional are `option_metavar`, the placeholder for a value in
    help, and `option_value()`, which returns an immutable form of a value.
    """

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self.metavar = getattr(kind, "option_metavar", Codec.metavar)

    def _read_one(self, value: OptionText, scope: Any) -> Any:
        try:
            read = self._kind.from_option_text(value, scope)
            read.to_option_text(all_options=True)  # what is too deep to be printed is refused here
        except RecursionError:  # pipelines in options of pipelines in options ...
            raise BadValue("is nested too deeply", value.span) from None
        return read

    def spell(self, value: Any, *, all_options: bool) -> OptionText:
        return _as_option(value.to_option_text(all_options=all_options))

    def check(self, value: Any) -> Any:
        if not isinstance(value, self._kind):
            raise BadValue(f"expected {self._kind.__name__}, got {value!r}")
        return value.option_value() if hasattr(value, "option_value") else value


class ObjectCodec(Codec):
    """Any object. Only Python can set it."""

    metavar = "<object>"

    def parse(self, values: Sequence[OptionText | None], scope: Any) -> Any:
        """Refuse text."""
        raise BadValue("it is an object, which cannot be given in text; create the pass in Python")

    def check(self, value: Any) -> Any:
        """Accept anything."""
        return value


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
        return _holding(_ListCodec, arguments[0])
    if origin in (typing.Union, types.UnionType):
        members = [member for member in arguments if member is not types.NoneType]
        if len(members) == 1:
            return _holding(OptionalCodec, members[0])
    if hint is Any:
        return ObjectCodec()
    if isinstance(hint, type) and origin is None and (found := _class_codec(hint)) is not None:
        return found
    raise DefinitionError(_no_type(hint))


def _class_codec(kind: Any) -> Codec | None:
    if kind in _SCALARS:
        return _SCALARS[kind]
    if issubclass(kind, Enum):
        return _one_of({_keyword(member): member for member in kind})
    return _CustomCodec(kind) if hasattr(kind, "from_option_text") else None


def _holding(made: Callable[[Codec], Codec], hint: Any) -> Codec:
    """Return the codec for a type with an element type; lists of objects are objects."""
    inner = codec_for(hint)
    return inner if isinstance(inner, ObjectCodec) else made(inner)


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
        return f"{shown} is not a type of an option; for a list of values, write tuple[{name}, ...]"
    return (
        f"{shown} cannot be read from text; use bool, int, float, str, an Enum, Literal, one of "
        "these or None, tuple[int, ...] for a list, Options, OpPassManager, a class with "
        "from_option_text, or Any for an object that text cannot set"
    )
