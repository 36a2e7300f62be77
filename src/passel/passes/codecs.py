"""Codecs of option values: how those of each shape are read from text, printed and checked.

A codec never guesses: what it prints reads back as an equal value.

Source: the `llvm::cl` parsers as MLIR 22's pass options use them; floats are printed so that
they read back exactly (MLIR prints `%e`).
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any, Protocol

from passel.diagnostics import suggest
from passel.passes.numbers import IntRange, read_float, read_int
from passel.pipeline import OptionText, print_value, spelled, split_list
from passel.pipeline.lexer import WHITE_SPACE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.diagnostics import Span
    from passel.errors import Problem


class BadValue(Exception):  # noqa: N818 - internal: becomes an OptionError where the option is known
    """A value that a codec refuses.

    Attributes:
        message: Why, to be put behind the option's name.
        span: Where, if that is narrower than the option's whole value.
        problems: Finished problems of a nested struct, instead of a message.
    """

    def __init__(
        self, message: str, span: Span | None = None, problems: Sequence[Problem] = ()
    ) -> None:
        super().__init__(message)
        self.message: str = message
        self.span: Span | None = span
        self.problems: tuple[Problem, ...] = tuple(problems)


class Codec(Protocol):
    """Reads, prints and checks the values of one type.

    Attributes:
        metavar: What stands for a value in help, such as `<int>`; empty if none is needed.
    """

    metavar: str

    def parse(self, values: Sequence[OptionText | None], scope: Any) -> Any:
        """Return the value for all occurrences of an option; None is a key without `=`."""
        ...

    def spell(self, value: Any, *, all_options: bool) -> OptionText:
        """Return what stands after `=`; `parse` reads an equal value from it."""
        ...

    def check(self, value: Any) -> Any:
        """Return a Python value in its canonical form. Raises `BadValue`."""
        ...


class ScalarCodec:
    """A value spelled by a single word; given twice, the last one wins.

    Args:
        metavar: What stands for a value in help.
        read: Reads a value.
        write: Spells a value.
        accepts: Brings a Python value to its canonical form.
        trim: Whether white space inside quotes means nothing.
    """

    def __init__(
        self,
        metavar: str,
        read: Callable[[str], Any],
        write: Callable[[Any], OptionText],
        accepts: Callable[[Any], Any],
        *,
        trim: bool = True,
    ) -> None:
        self.metavar = metavar
        self._read, self._write, self._accepts = read, write, accepts
        self._spaces = WHITE_SPACE if trim else ""

    def parse(self, values: Sequence[OptionText | None], scope: Any) -> Any:
        """Read every occurrence, so that a wrong one is never hidden by a later one."""
        del scope
        result = None
        for value in values:
            if value is None:
                if self.metavar:
                    raise BadValue("requires a value!")
                result = True
                continue
            try:
                result = self._read(value.text.strip(self._spaces))
            except ValueError as error:
                raise BadValue(str(error), value.span) from None
        return result

    def spell(self, value: Any, *, all_options: bool) -> OptionText:
        """Spell the value."""
        del all_options
        return self._write(value)

    def check(self, value: Any) -> Any:
        """Accept values of the type only; nothing is converted but an int to a float."""
        try:
            return self._accepts(value)
        except ValueError as error:
            raise BadValue(str(error)) from None


def read_bool(text: str) -> bool:
    """Read a flag; an empty value is true, as for a key without one."""
    if text in ("", "true", "TRUE", "True", "1"):
        return True
    if text in ("false", "FALSE", "False", "0"):
        return False
    msg = f"'{text}' is invalid value for boolean argument! Try 0 or 1"
    raise ValueError(msg)


def _instance_of(*kinds: type) -> Callable[[Any], Any]:
    def accepts(value: Any) -> Any:
        # bool is an int in Python, but a flag is no number.
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            msg = f"expected {kinds[0].__name__}, got {value!r}"
            raise ValueError(msg)
        return kinds[0](value) if type(value) not in kinds else value

    return accepts


def _accept_float(value: Any) -> float:
    try:
        return float(_instance_of(float, int)(value))
    except OverflowError as error:
        raise ValueError(str(error)) from None


def _spelled_int(value: int) -> OptionText:
    return OptionText(str(value))


_TRUE, _FALSE, _NONE = OptionText("true"), OptionText("false"), OptionText("none")

SCALARS: dict[Any, Codec] = {
    bool: ScalarCodec("", read_bool, lambda value: _TRUE if value else _FALSE, _instance_of(bool)),
    int: ScalarCodec("<int>", read_int, _spelled_int, _instance_of(int)),
    float: ScalarCodec(
        "<number>", read_float, lambda value: OptionText(repr(value)), _accept_float
    ),
    str: ScalarCodec("<string>", str, spelled, _instance_of(str), trim=False),
}


def ranged_codec(bounds: IntRange) -> ScalarCodec:
    """Return the codec for integers of a range."""
    accept_int = _instance_of(int)
    name = bounds.name or "int"

    def read(text: str) -> int:
        try:
            value = read_int(text)
        except ValueError as error:
            raise ValueError(str(error).replace("integer", name)) from None
        if not bounds.minimum <= value <= bounds.maximum:
            msg = f"'{text}' value invalid for {name} argument! It takes {bounds}"
            raise ValueError(msg)
        return value

    def accepts(value: Any) -> int:
        found: int = accept_int(value)
        if not bounds.minimum <= found <= bounds.maximum:
            msg = f"expected {bounds}, got {value!r}"
            raise ValueError(msg)
        return found

    metavar = f"<{bounds.name or f'{bounds.minimum}..{bounds.maximum}'}>"
    return ScalarCodec(metavar, read, _spelled_int, accepts)


def choice_codec(choices: dict[str, Any]) -> ScalarCodec:
    """Return the codec for one of a few keywords."""

    def read(text: str) -> Any:
        if text in choices:
            return choices[text]
        msg = f"'{text}' is not one of {', '.join(choices)}{suggest(text, choices)}"
        raise ValueError(msg)

    def accepts(value: Any) -> Any:
        for choice in choices.values():
            if type(choice) is type(value) and choice == value:
                return choice
        msg = f"expected one of {', '.join(choices)}, got {value!r}"
        raise ValueError(msg)

    def write(value: Any) -> OptionText:
        return spelled(next(k for k, c in choices.items() if type(c) is type(value) and c == value))

    return ScalarCodec(f"<{'|'.join(choices)}>", read, write, accepts)


class TupleCodec:
    """A list, `{a,b}`; given twice, the second is appended.

    Args:
        elements: The codec of each element; one for all if `length` is None.
        length: The number of elements if it is fixed.
    """

    def __init__(self, elements: list[Codec], length: int | None) -> None:
        self.elements: list[Codec] = elements
        self.length: int | None = length
        self.metavar: str = (
            elements[0].metavar + ",..." if elements and elements[0].metavar else "<list>"
        )

    def parse(self, values: Sequence[OptionText | None], scope: Any) -> tuple[Any, ...]:
        """Read and join all occurrences."""
        texts: list[OptionText] = []
        for value in values:
            if value is None:
                raise BadValue("requires a value!")
            texts += split_list(value)
        self._check_length(len(texts))
        pairs = zip(self._codecs(len(texts)), texts, strict=True)
        return tuple(self._parse_element(codec, text, scope) for codec, text in pairs)

    def _parse_element(self, codec: Codec, text: OptionText, scope: Any) -> Any:
        try:
            return codec.parse([text], scope)
        except BadValue as error:
            raise BadValue(error.message, error.span or text.span, error.problems) from None

    def spell(self, value: Any, *, all_options: bool) -> OptionText:
        """Spell it in braces, also when empty."""
        pairs = zip(self._codecs(len(value)), value, strict=True)
        items = (print_value(codec.spell(item, all_options=all_options)) for codec, item in pairs)
        return OptionText(",".join(items), "{")

    def check(self, value: Any) -> tuple[Any, ...]:
        """Accept any list or tuple and make it a tuple."""
        if not isinstance(value, (list, tuple)):
            raise BadValue(f"expected a tuple, got {value!r}")
        items = typing.cast("Sequence[Any]", value)
        self._check_length(len(items))
        return tuple(
            codec.check(item) for codec, item in zip(self._codecs(len(items)), items, strict=True)
        )

    def _codecs(self, length: int) -> Sequence[Codec]:
        return self.elements if self.length is not None else self.elements * length

    def _check_length(self, length: int) -> None:
        if self.length is not None and length != self.length:
            raise BadValue(f"expected {self.length} elements, got {length}")


class UnionCodec:
    """The first of several types that takes the value; `none` allows the key alone.

    None is spelled by the key without a value, or `none` where that would mean true.
    """

    def __init__(self, members: Sequence[Codec], *, none: bool) -> None:
        self.members: Sequence[Codec] = members
        self.none: bool = none
        self.metavar: str = "|".join(member.metavar or "<bool>" for member in members)
        self._has_lists = any(not isinstance(member, ScalarCodec) for member in members)
        self._flag = any(not member.metavar for member in members)
        self._text = (
            members[-1] if members[-1] is SCALARS[str] and len(members) + none > 1 else None
        )

    def parse(self, values: Sequence[OptionText | None], scope: Any) -> Any:
        """Try the members in order; the last one's complaint is the error."""
        last = values[-1]
        if self.none and _spells_none(last, flag=self._flag):
            return None
        quoted = last is not None and last.quote in ('"', "'")
        # Braces say "this is a list", even of a single element.
        braced = last is not None and last.quote == "{" and self._has_lists
        for member in self.members[:-1]:
            if braced and isinstance(member, ScalarCodec):
                continue
            # Quotes say "this is a string", whatever it could be read as.
            if quoted and self._text is not None:
                break
            try:
                return member.parse(values, scope)
            except BadValue:
                continue
        return self.members[-1].parse(values, scope)

    def spell(self, value: Any, *, all_options: bool) -> OptionText:
        """Spell as the member does that takes the value; quote what would read as another's."""
        if value is None:
            return _NONE
        member = self._member_of(value)
        spelling = member.spell(value, all_options=all_options)
        ambiguous = member is self._text or (self.none and spelling == _NONE)
        return OptionText(spelling.text, '"') if ambiguous and not spelling.quote else spelling

    def check(self, value: Any) -> Any:
        """Accept what any member accepts, and None if that is allowed."""
        if value is None and self.none:
            return None
        return self._member_of(value).check(value)

    def _member_of(self, value: Any) -> Codec:
        for member in self.members[:-1]:
            try:
                member.check(value)
            except BadValue:
                continue
            return member
        return self.members[-1]


def _spells_none(value: OptionText | None, *, flag: bool) -> bool:
    if value is None:
        return not flag
    return value.text == "none" and not value.quote
