"""Elements of dense constants, read all at once: xDSL's parser makes objects for each of them."""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import Any, Final, NamedTuple, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerType,
    MemRefType,
    Signedness,
    TensorType,
    VectorType,
)

_literal: Final = re.compile(r"<(\[[][0-9eE.+, \n-]*+)>", re.ASCII).match

_has_odd_number: Final = re.compile(r"(?<![0-9.])[0-9]++[eE]", re.ASCII).search
"""A number in JSON that is none in MLIR, which wants a point before an exponent."""

_LEAST: Final = 100
"""Characters below which it makes no difference."""


class DenseLiteral(NamedTuple):
    """The elements of a dense constant whose type is not known yet.

    Attributes:
        numbers: The elements, in order, as Python numbers.
        shape: How many elements, and lists of them, each level has.
        end: Where the text after the literal starts.
    """

    numbers: list[Any]
    shape: list[int]
    end: int

    @classmethod
    def at(cls, text: str, start: int) -> DenseLiteral | None:
        """Return the literal that starts at a `<`; None if it may not be one of plain numbers."""
        match = _literal(text, start)
        if match is None or match.end() - start < _LEAST or _has_odd_number(match[1]):
            return None
        try:
            level = json.loads(match[1])
        except (ValueError, RecursionError):
            return None
        shape = [len(level)]
        while {*map(type, level)} == {list}:
            sizes = {*map(len, level)}
            if len(sizes) != 1:
                return None
            shape += sizes
            level = [*chain.from_iterable(level)]
        return cls(level, shape, match.end()) if {*map(type, level)} <= {int, float} else None

    def values(self, type_: Any) -> list[Any] | None:
        """Return the elements as values of a type; None if xDSL may refuse them for it."""
        if not isinstance(type_, MemRefType | TensorType | VectorType):
            return None
        element: Any = cast("Any", type_).element_type
        numbers = self.numbers
        if [*type_.get_shape()] != self.shape:
            return None
        if isinstance(element, AnyFloat):
            return [*map(float, numbers)]
        is_signed = isinstance(element, IntegerType) and (
            cast("Any", element).signedness.data is not Signedness.UNSIGNED
        )
        if not is_signed and not isinstance(element, IndexType):
            return None
        return numbers if float not in map(type, numbers) else None
