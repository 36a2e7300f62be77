"""Contents of attributes, by which those are told that may stand for each other.

Equality is not enough: some of xDSL's attributes are equal although they print differently.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from itertools import count
from struct import pack
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from xdsl.ir import Attribute

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

_AttributeT = TypeVar("_AttributeT", bound=Attribute)

_MAX_LENGTH: Final = 1_000
"""Longer texts are those of constants, which hardly come twice."""

_MAX_SHARED: Final = 5_000
"""Attributes of one source that are known as the first of their kind."""

_MAX_CLASSES: Final = 1_000

_SIMPLE: Final = frozenset({int, bool, type(None)})


@lru_cache(_MAX_CLASSES)
def has_slots(class_: type[object]) -> bool:
    """Return whether `vars` of an object of a class are not all that it consists of."""
    return any(vars(each).get("__slots__") for each in class_.__mro__)


class Contents:
    """Numbers that attributes share with all that consist of the same.

    Args:
        keep: Called with each attribute that gets a number, which must not outlive it. It may
            call `clear`.

    Attributes:
        numbers: The numbers, by the attributes' addresses.
    """

    def __init__(self, keep: Callable[[Attribute], object]) -> None:
        # No number is given twice, so that one which outlives these tables is in no key.
        self.numbers: dict[int, int] = {}
        self._by_contents: dict[Hashable, int] = {}
        self._next_number = count()
        self._keep = keep

    def number(self, attribute: Attribute) -> int | None:
        """Return the number of an attribute; None if it is too large, or not hashable."""
        number = self.numbers.get(id(attribute))
        if number is not None:
            return number
        try:
            contents = self._contents_of(attribute)
            number = self._by_contents.get(contents)
        except (TypeError, OverflowError):  # not hashable, or too large
            return None
        if number is None:
            number = self._by_contents[contents] = next(self._next_number)
        self.numbers[id(attribute)] = number
        self._keep(attribute)
        return number

    def clear(self) -> None:
        """Forget everything."""
        self.numbers.clear()
        self._by_contents.clear()

    def _contents_of(self, attribute: Attribute) -> Hashable:
        if has_slots(type(attribute)):
            raise OverflowError
        return (
            attribute.__class__,
            *[(name, self._value_of(value)) for name, value in vars(attribute).items()],
        )

    def _value_of(self, value: Any) -> Hashable:
        kind = type(cast("object", value))
        if isinstance(value, Attribute):
            number = self.number(value)
            if number is None:
                raise OverflowError
            return number, Attribute
        if kind in _SIMPLE or isinstance(value, Enum):
            return value, kind
        if kind is float:
            return pack("d", value), kind
        if kind is str or kind is bytes:
            if len(value) > _MAX_LENGTH:
                raise OverflowError
            return value, kind
        if kind is tuple:
            if len(value) > _MAX_LENGTH:
                raise OverflowError
            return kind, *map(self._value_of, value)
        return id(value), None  # it lives as long as the attribute


class Shared:
    """For each attribute the first one that consists of the same."""

    def __init__(self) -> None:
        self._kept: list[Attribute] = []
        self._contents = Contents(self._kept.append)
        self._first: dict[int, Attribute] = {}

    def first(self, attribute: _AttributeT) -> _AttributeT:
        """Return the first attribute that consists of the same; itself if that is not known.

        Example:
            >>> from xdsl.dialects.builtin import VectorType, i32
            >>> shared = Shared()
            >>> one, other = (shared.first(VectorType(i32, [4])) for _ in range(2))
            >>> one is other
            True
        """
        if len(self._kept) > _MAX_SHARED:
            self._kept.clear()
            self._first.clear()
            self._contents.clear()
        number = self._contents.number(attribute)
        if number is None:
            return attribute
        return cast("_AttributeT", self._first.setdefault(number, attribute))
