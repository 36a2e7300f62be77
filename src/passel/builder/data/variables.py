"""Variables of a pipeline's file: declared with a default, given from outside, written `$name`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from passel.builder.data.tree import Listing, Scalar, excess, plain_value, refusal
from passel.diagnostics import suggest
from passel.passes.codecs import BadValue
from passel.passes.option_types import codec_for
from passel.pipeline import OptionText, print_value, spelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from passel.builder.data.tree import Data, Table
    from passel.diagnostics import Span

_USE = re.compile(r"\$(?:(?P<dollar>\$)|\{(?P<braced>[\w-]+)\}|(?P<name>\w+))")
_NAME = re.compile(r"[\w-]+")
_MOST_CHARACTERS = 2**16
"""Longest text that variables make, as each include may hand on twice of what it was given."""
_TYPES = {bool: "true or false", int: "an integer", float: "a number", tuple: "a list"}


class Scope:
    """The variables of one file, with their values.

    Args:
        declared: Defaults as they are written; a variable without one must be given.
        given: Values from outside, by name, as values or as text.
        span: Where they are given, if that is a file.

    Raises:
        PipelineSyntaxError: A value is of the wrong type, or missing.
    """

    def __init__(self, declared: Table | None, given: Mapping[str, Any], span: Span | None) -> None:
        self.values: dict[str, Any] = {}
        self._used: set[str] = set()
        self._span = span
        declarations = {} if declared is None else declared.values
        for name, data in declarations.items():
            place = declared.keys[name] if declared is not None else data.span
            if not _NAME.fullmatch(name):
                raise refusal(
                    f"'{name}' is no name of a variable: letters, digits, '_' and '-'", place
                )
            default = _default(name, data)
            if name in given:
                self.values[name] = _typed(name, given[name], default, span)
            elif default is None:
                raise refusal(f"variable '{name}' has neither a default nor a value", place)
            else:
                self.values[name] = default
        for name, value in given.items():
            self.values.setdefault(name, _as_written(value))
        self._used.update(declarations)

    def value(self, name: str, span: Span) -> Any:
        """Return the value of a variable.

        Raises:
            PipelineSyntaxError: It has none.
        """
        if name not in self.values:
            hint = suggest(name, self.values) or "; declare it in 'variables', or give it a value"
            raise refusal(f"variable '{name}' has no value{hint}", span)
        self._used.add(name)
        return self.values[name]

    def filled(self, scalar: Scalar) -> tuple[str, Span | None]:
        """Return a text with values for variables, and its place if it stands there as it is.

        Raises:
            PipelineSyntaxError: A variable has no value, or the text is too long.
        """
        if "$" not in scalar.text:
            return scalar.text, scalar.exact
        length = 0

        def fill(use: re.Match[str]) -> str:
            if use["dollar"]:
                return "$"
            span = scalar.span
            if scalar.exact is not None:
                start = scalar.exact.start
                span = span._replace(start=start + use.start(), end=start + use.end())
            text = as_text(self.value(use["braced"] or use["name"], span))
            nonlocal length
            length += len(text)
            if length > _MOST_CHARACTERS:
                raise excess(
                    f"variables make a text of more than {_MOST_CHARACTERS} characters", span
                )
            return text

        return _USE.sub(fill, scalar.text), None

    def check_use(self, where: str) -> None:
        """Refuse values that nothing asks for.

        Raises:
            PipelineSyntaxError: There is one.
        """
        for name in self.values:
            if name not in self._used:
                hint = suggest(name, self._used) or f"; it has {', '.join(sorted(self._used))}"
                rest = hint if self._used else "; it has no variables"
                raise refusal(f"{where} has no variable '{name}'{rest}", self._span)


class Choice(NamedTuple):
    """A condition that holds for some values of a variable.

    Attributes:
        name: The variable.
        values: The values as texts.
    """

    name: str
    values: tuple[str, ...]

    def __call__(self, variables: Mapping[str, Any]) -> bool:
        """Return whether the variable has one of the values."""
        return as_text(variables.get(self.name)) in self.values

    def __str__(self) -> str:
        return f"{self.name} is {' or '.join(self.values)}"


def as_text(value: Any) -> str:
    """Return a variable's value as it is written into a text.

    Example:
        >>> as_text(True), as_text(3), as_text((1, 2)), as_text("a b")
        ('true', '3', '{1,2}', 'a b')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        items = cast("Iterable[Any]", value)
        texts = (print_value(spelled(as_text(item))) for item in items)
        return print_value(OptionText(",".join(texts), "{"))
    return str(value)


def _default(name: str, data: Data) -> Any:
    if isinstance(data, Scalar):
        return data.value
    if isinstance(data, Listing):
        items: list[Any] = []
        for item in data.items:
            if not isinstance(item, Scalar):
                raise refusal(f"variable '{name}' is a list of single values", item.span)
            items.append(item.value)
        return tuple(items)
    raise refusal(f"variable '{name}' is a single value or a list, not a table of keys", data.span)


def _as_written(value: Any) -> Any:
    """Return a value of a variable that is not declared; of texts, truth values alone are read."""
    if isinstance(value, str) and isinstance(plain_value(value), bool):
        return plain_value(value)
    return tuple(cast("list[Any]", value)) if isinstance(value, list) else value


def _typed(name: str, value: Any, default: Any, span: Span | None) -> Any:
    """Return a value of the type of the default, read from text if it is one."""
    if default is None or isinstance(default, str):
        return _as_written(value) if default is None else as_text(value)
    codec = codec_for(tuple[str, ...] if isinstance(default, tuple) else type(default))
    try:
        if isinstance(value, (tuple, list)):
            return codec.check(tuple(map(as_text, cast("Iterable[Any]", value))))
        if not isinstance(value, str):
            return codec.check(value)
        return codec.parse([OptionText(value.strip("[]"))], None)
    except BadValue:
        kind = next(text for kind, text in _TYPES.items() if isinstance(default, kind))
        raise refusal(f"variable '{name}' is {kind}, not '{as_text(value)}'", span) from None
