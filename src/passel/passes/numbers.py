"""Parsing of numbers and booleans, and integer types with a range.

Type checkers treat the annotation `UInt32` as `int`. Values outside the range are rejected.

Example:
    >>> from passel import Options
    >>> class Unroll(Options):
    ...     factor: UInt32 = 4
    >>> Unroll(factor=-1)
    Traceback (most recent call last):
    ...
    passel.errors.OptionError: option 'factor' of Unroll: expected 0 to 4294967295, got -1

Source: the number types of `mlir::Pass::Option`, MLIR 22.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, NamedTuple, TypeAlias


class IntRange(NamedTuple):
    """The range of an integer option, as in `Annotated[int, IntRange(1, 64)]`.

    Attributes:
        minimum: The smallest valid value.
        maximum: The largest valid value.
        name: The placeholder for a value in help, without `<` and `>`; an empty string to show the
            range instead.
    """

    minimum: int
    maximum: int
    name: str = ""

    def __str__(self) -> str:
        return f"{self.minimum} to {self.maximum}"


def _signed(bits: int, name: str = "int") -> IntRange:
    return IntRange(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, name)


Int8: TypeAlias = Annotated[int, _signed(8)]
Int16: TypeAlias = Annotated[int, _signed(16)]
Int32: TypeAlias = Annotated[int, _signed(32)]
Int64: TypeAlias = Annotated[int, _signed(64, "long")]
UInt8: TypeAlias = Annotated[int, IntRange(0, 2**8 - 1, "uint")]
UInt16: TypeAlias = Annotated[int, IntRange(0, 2**16 - 1, "uint")]
UInt32: TypeAlias = Annotated[int, IntRange(0, 2**32 - 1, "uint")]
UInt64: TypeAlias = Annotated[int, IntRange(0, 2**64 - 1, "ulong")]


_INTEGER = re.compile(r"(-?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0o?[0-7]+|[1-9][0-9]*|0)")
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?)", re.ASCII)
_SPECIAL_FLOAT = re.compile(r"[+-]?(inf(inity)?|nan|0x[0-9a-f.]+(p[+-]?\d+)?)", re.IGNORECASE)


def read_bool(text: str) -> bool:
    """Parse a boolean. An empty string means true."""
    if text in ("", "true", "TRUE", "True", "1"):
        return True
    if text in ("false", "FALSE", "False", "0"):
        return False
    raise ValueError(f"'{text}' is invalid value for boolean argument! Try 0 or 1")


def read_int(text: str) -> int:
    """Parse an integer as LLVM does: decimal, `0x`, `0b`, or octal with a leading zero."""
    match = _INTEGER.fullmatch(text)
    if not match:
        raise ValueError(f"'{text}' value invalid for integer argument!")
    sign, digits = match.groups()
    if digits[0] == "0" and digits[1:].isdigit():
        digits = f"0o{digits[1:]}"
    return int(sign + digits, 0)


def read_float(text: str) -> float:
    """Parse a floating-point number in C notation."""
    if not _FLOAT.fullmatch(text) and not _SPECIAL_FLOAT.fullmatch(text):
        raise ValueError(f"'{text}' value invalid for floating point argument!")
    try:
        return float.fromhex(text) if "x" in text.lower() else float(text)
    except OverflowError:  # a decimal number of that size is infinity, in C as in Python
        return -math.inf if text[0] == "-" else math.inf
