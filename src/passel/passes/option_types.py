"""Types of options: the codec for an annotation, and classes that read their own text."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol, runtime_checkable

from passel.errors import DefinitionError, PipelineError
from passel.passes.codecs import (
    SCALARS,
    BadValue,
    Codec,
    ScalarCodec,
    TupleCodec,
    UnionCodec,
    choice_codec,
    ranged_codec,
)
from passel.passes.numbers import IntRange
from passel.pipeline import OptionText

if TYPE_CHECKING:
    from collections.abc import Sequence


@runtime_checkable
class ReadsOptionText(Protocol):
    """Class whose instances an option may hold.

    It need not, but may derive from `OptionValue`.
    """

    @classmethod
    def from_option_text(cls, text: OptionText, scope: Any) -> Any:
        """Return the value that `text` spells. Raises `ValueError` or `PipelineError`."""
        ...

    def to_option_text(self, *, all_options: bool) -> OptionText | str:
        """Return what `from_option_text` reads back; a string is quoted as far as need be."""
        ...


class OptionValue:
    """Base class of classes whose instances an option may hold, with what they need not say.

    Attributes:
        option_metavar: What stands for a value in help.
    """

    option_metavar: ClassVar[str] = "<value>"

    @classmethod
    def option_value(cls, value: Any) -> Any:
        """Return an instance in the form that a pass holds, which must not change any more."""
        return value


class CustomCodec:
    """The codec of a class that reads and prints its option text itself."""

    def __init__(self, kind: Any) -> None:
        self.kind: Any = kind
        self._declared: type[OptionValue] = kind if issubclass(kind, OptionValue) else OptionValue
        self.metavar: str = self._declared.option_metavar

    def parse(self, values: Sequence[OptionText | None], scope: Any) -> Any:
        """Read the last occurrence."""
        value = values[-1]
        if value is None:
            raise BadValue("requires a value!")
        try:
            return self.kind.from_option_text(value, scope)
        except PipelineError as error:
            raise BadValue("", problems=error.problems) from None
        except RecursionError:  # pipelines in options of pipelines in options ...
            raise BadValue("is nested too deeply", value.span) from None
        except ValueError as error:
            raise BadValue(str(error), value.span) from None

    def spell(self, value: Any, *, all_options: bool) -> OptionText:
        """Ask the value."""
        text: OptionText | str = value.to_option_text(all_options=all_options)
        return text if isinstance(text, OptionText) else OptionText(text)

    def check(self, value: Any) -> Any:
        """Accept instances, in the form that a pass can hold."""
        if not isinstance(value, self.kind):
            raise BadValue(f"expected {self.kind.__name__}, got {value!r}")
        return self._declared.option_value(value)


def codec_for(hint: Any) -> Codec:
    """Return the codec for an annotation.

    Args:
        hint: `bool`, `int`, `float`, `str`, an `Enum`, a `Literal`, a tuple, list-like unions
            of these, `| None`, or a class with `from_option_text`, such as
            `Options`; an `int` may be annotated with an `IntRange`.

    Raises:
        DefinitionError: The type cannot be an option's.
    """
    scalar = SCALARS.get(hint) if isinstance(hint, type) else None
    if scalar is not None:
        return scalar
    found = _generic_codec(hint) or _class_codec(hint)
    if found is None:
        raise DefinitionError(_no_type(hint))
    return found


_BYTES = (bytes, bytearray)


def _no_type(hint: Any) -> str:
    """Return why a type cannot be an option's, and what can stand in its place."""
    origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
    shown = hint.__qualname__ if isinstance(hint, type) and not arguments else str(hint)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"{shown} can be changed, and passes are values; write a subclass of Options"
    if isinstance(origin, type) and issubclass(origin, Iterable) and origin not in _BYTES:
        element = arguments[0] if arguments else int
        name = element.__name__ if isinstance(element, type) else str(element)
        return f"{shown} is no type of an option; for a list of values, write tuple[{name}, ...]"
    return (
        f"{shown} cannot be read from text; use bool, int, float, str, an Enum, Literal, "
        "tuple[int, ...] for a list, Options, OpPassManager, or a class with from_option_text"
    )


def _generic_codec(hint: Any) -> Codec | None:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        plain, *notes = arguments
        bounds = next((note for note in notes if isinstance(note, IntRange)), None)
        return codec_for(plain) if bounds is None else ranged_codec(bounds)
    if origin is Literal:
        return choice_codec({str(choice): choice for choice in arguments})
    if origin is tuple:
        variadic = arguments[-1:] == (Ellipsis,)
        members = arguments[:1] if variadic else arguments
        codecs = [codec_for(member) for member in members]
        return TupleCodec(codecs, None if variadic else len(codecs))
    if origin in (typing.Union, types.UnionType):
        members = [member for member in arguments if member is not types.NoneType]
        codecs = sorted((codec_for(member) for member in members), key=_eagerness)
        return UnionCodec(codecs, none=len(members) < len(arguments))
    return None


def _eagerness(codec: Codec) -> int:
    """Order a union's members so that each leaves alone what others print."""
    if not isinstance(codec, ScalarCodec):
        return 2  # a list reads any number as its only element
    # A flag reads 0 and 1; a string reads everything.
    return 3 if codec is SCALARS[str] else int(codec is SCALARS[bool])


def _class_codec(hint: Any) -> Codec | None:
    if isinstance(hint, type) and issubclass(hint, Enum):
        return choice_codec({_keyword(member): member for member in hint})
    if isinstance(hint, type) and issubclass(hint, ReadsOptionText):
        return CustomCodec(hint)
    return None


def _keyword(member: Enum) -> str:
    """Return an enum member's keyword: its value if that is a string, else its name."""
    if isinstance(member.value, str):
        return member.value
    return member.name.lower().replace("_", "-")
