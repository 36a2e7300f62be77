"""The contents of a YAML file: scalars, lists and tables, each with its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passel.diagnostics import suggest
from passel.errors import PipelineSyntaxError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.diagnostics import Span

_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?")
_WORDS = {
    "": None,
    "~": None,
    "null": None,
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_MOST_DIGITS = 100


class Scalar(NamedTuple):
    """A text, a number or a truth value.

    Attributes:
        value: What it stands for; None for nothing.
        text: The same as text.
        span: Where it stands.
        exact: Where its text stands as it is; None if it is written in another way.
        quoted: Whether it is in quotes, and so a text for certain.
    """

    value: str | bool | int | float | None
    text: str
    span: Span
    exact: Span | None = None
    quoted: bool = False


class Listing(NamedTuple):
    """A list."""

    items: tuple[Data, ...]
    span: Span


class Table(NamedTuple):
    """Keys with their values.

    Attributes:
        values: The values by key.
        keys: Where the keys stand.
        span: Where the whole stands.
    """

    values: dict[str, Data]
    keys: dict[str, Span]
    span: Span


Data: TypeAlias = Scalar | Listing | Table

_KINDS = {Scalar: "a single value", Listing: "a list", Table: "a table of keys"}


def plain_value(text: str) -> str | bool | int | float | None:
    """Return what a text without quotes stands for, as in YAML 1.2: `no` is a text.

    Example:
        >>> [plain_value(text) for text in ("3", "1e3", "true", "no", "null")]
        [3, 1000.0, True, 'no', None]
    """
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text) and len(text) <= _MOST_DIGITS:
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


class ExcessError(PipelineSyntaxError):
    """A file asks for more than pipelines need; nothing after it is looked at."""


def refusal(message: str, span: Span | None) -> PipelineSyntaxError:
    """Return the error for data that is refused."""
    return PipelineSyntaxError(Problem(message, span))


def excess(message: str, span: Span | None) -> ExcessError:
    """Return the error for data that is more than a pipeline may be."""
    return ExcessError(Problem(message, span))


def as_table(data: Data, what: str, known: Iterable[str] = ()) -> Table:
    """Return a table with known keys.

    Args:
        data: What should be one.
        what: What it says, for messages.
        known: The keys that it may have; any if there are none.

    Raises:
        PipelineSyntaxError: It is none, or has another key.
    """
    if not isinstance(data, Table):
        raise refusal(f"expected {what}, a table of keys, not {_KINDS[type(data)]}", data.span)
    allowed = list(known)
    for key in data.values if allowed else ():
        if key not in allowed:
            hint = suggest(key, allowed) or f"; it has {', '.join(allowed)}"
            raise refusal(f"{what} has no key '{key}'{hint}", data.keys[key])
    return data


def as_list(data: Data | None, what: str) -> tuple[Data, ...]:
    """Return the items of a list; nothing at all is an empty one.

    Raises:
        PipelineSyntaxError: It is none.
    """
    if isinstance(data, Listing):
        return data.items
    if data is None or (isinstance(data, Scalar) and data.value is None):
        return ()
    raise refusal(f"expected {what}, a list, not {_KINDS[type(data)]}", data.span)


def as_text(data: Data, what: str) -> Scalar:
    """Return a scalar that is not empty.

    Raises:
        PipelineSyntaxError: It is none.
    """
    if not isinstance(data, Scalar):
        raise refusal(f"expected {what}, not {_KINDS[type(data)]}", data.span)
    if data.value is None or not data.text:
        raise refusal(f"expected {what}", data.span)
    return data


def as_bool(data: Data | None, what: str, *, default: Any = False) -> Any:
    """Return a truth value; the default if there is none.

    Raises:
        PipelineSyntaxError: It is something else.
    """
    if data is None:
        return default
    if not isinstance(data, Scalar) or not isinstance(data.value, bool):
        raise refusal(f"{what} is true or false", data.span)
    return data.value


def as_count(data: Data | None, what: str) -> int | None:
    """Return a number of things, at least one; None if there is none.

    Raises:
        PipelineSyntaxError: It is something else.
    """
    if data is None:
        return None
    if not isinstance(data, Scalar) or type(data.value) is not int or data.value < 1:
        raise refusal(f"{what} is a positive number", data.span)
    return data.value
