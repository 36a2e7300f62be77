"""Elements of dense constants in MLIR's hexadecimal, where xDSL has another.

MLIR gives an integer as many bytes as it needs, and packs bits, eight to a byte; xDSL gives it one,
two, four or eight. Bits beyond an integer's width are zero in MLIR, and its sign in xDSL.

Source: `DenseElementsAttr::isValidRawBuffer`, `mlir/lib/IR/BuiltinAttributes.cpp`, MLIR 22.
"""

from __future__ import annotations

from math import prod
from typing import Any

from xdsl.dialects.builtin import (
    ComplexType,
    IntegerType,
    Signedness,
)

_BYTE = 8


def values_in(data: bytes, type_: Any) -> list[Any] | None:
    """Return the elements that MLIR has printed as some bytes; None if xDSL reads them as well."""
    kind, is_complex = _integer(type_.element_type)
    count = prod(type_.get_shape()) * (2 if is_complex else 1)
    width = 0 if kind is None else kind.bitwidth
    if kind is None or (not width % _BYTE and width // _BYTE == kind.compile_time_size):
        return None
    if width == 1 and not is_complex:
        if count <= _BYTE or len(data) != -(-count // _BYTE):
            return None
        numbers = [byte >> bit & 1 for byte in data for bit in range(_BYTE)][:count]
    else:
        size = -(-width // _BYTE)
        if len(data) != count * size:
            return None
        starts = range(0, len(data), size)
        numbers = [int.from_bytes(data[each : each + size], "little") for each in starts]
    if kind.signedness.data is not Signedness.UNSIGNED and (
        width > 1 or kind.signedness.data is Signedness.SIGNED
    ):
        numbers = [each - (each >> (width - 1) << width) for each in numbers]
    return [*zip(numbers[::2], numbers[1::2], strict=True)] if is_complex else numbers


def bytes_for_mlir(values: list[Any], element: Any) -> bytes | None:
    """Return the bytes that MLIR reads as the elements; None if those are xDSL's."""
    kind, is_complex = _integer(element)
    width = 0 if kind is None else kind.bitwidth
    if kind is None or (not width % _BYTE and width // _BYTE == kind.compile_time_size):
        return None
    if is_complex:
        values = [part for pair in values for part in pair]
    mask = (1 << width) - 1
    if width > 1 or is_complex:
        size = -(-width // _BYTE)
        return b"".join([(each & mask).to_bytes(size, "little") for each in values])
    starts = range(0, len(values), _BYTE)
    return bytes(
        [
            sum((bit & 1) << place for place, bit in enumerate(values[each : each + _BYTE]))
            for each in starts
        ]
    )


def _integer(element: Any) -> tuple[Any, bool]:
    """Return the integer type of elements, if they are of one, and whether they are pairs."""
    is_complex = type(element) is ComplexType
    kind = element.element_type if is_complex else element
    return (kind if type(kind) is IntegerType else None), is_complex
