"""Conversion of hexadecimal dense constants between MLIR's and xDSL's formats.

MLIR stores an integer in as few bytes as possible, and packs eight booleans into a byte. xDSL uses
one, two, four or eight bytes. The bits beyond the width of an integer are zero in MLIR, but copies
of the sign bit in xDSL.

Source: `DenseElementsAttr::isValidRawBuffer`, `mlir/lib/IR/BuiltinAttributes.cpp`, MLIR 22.
"""

from __future__ import annotations

from math import prod
from typing import Any

from xdsl.dialects.builtin import ComplexType, IntegerType, Signedness

_BYTE = 8


def values_in(data: bytes, type_: Any) -> list[Any] | None:
    """Decode the elements of a dense constant, or return None if xDSL's parser must decode them."""
    kind, is_complex = _odd_integer(type_.element_type)
    if kind is None:
        return None
    count, width = prod(type_.get_shape()) * (2 if is_complex else 1), kind.bitwidth
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
    signedness = kind.signedness.data
    if signedness is Signedness.SIGNED or (width > 1 and signedness is not Signedness.UNSIGNED):
        numbers = [each - (each >> (width - 1) << width) for each in numbers]
    return [*zip(numbers[::2], numbers[1::2], strict=True)] if is_complex else numbers


def bytes_for_mlir(values: list[Any], element: Any) -> bytes | None:
    """Encode the elements of a dense constant in MLIR's format.

    The result is None if MLIR and xDSL encode elements of this type in the same way.
    """
    kind, is_complex = _odd_integer(element)
    if kind is None:
        return None
    if is_complex:
        values = [part for pair in values for part in pair]
    values = [each & ((1 << kind.bitwidth) - 1) for each in values]
    if kind.bitwidth > 1 or is_complex:
        size = -(-kind.bitwidth // _BYTE)
        return b"".join([each.to_bytes(size, "little") for each in values])
    bytes_ = (values[start : start + _BYTE] for start in range(0, len(values), _BYTE))
    return bytes([sum(bit << place for place, bit in enumerate(bits)) for bits in bytes_])


def _odd_integer(element: Any) -> tuple[Any, bool]:
    """Return the integer type if MLIR stores it differently, and whether elements are complex."""
    is_complex = type(element) is ComplexType
    kind = element.element_type if is_complex else element
    if type(kind) is not IntegerType:
        return None, is_complex
    size, bits = divmod(kind.bitwidth, _BYTE)
    return (kind if bits or size != kind.compile_time_size else None), is_complex
