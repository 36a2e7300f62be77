"""Random changes of text and of bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

_TOKENS = re.compile(r"[\w.$-]+|\s+|.", re.DOTALL)
ODD: Final = (
    *("", " ", "\n", "\0", '"', "'", "\\", "{", "}", "(", ")", "[", "]", "<", ">", ",", "=", ":"),
    *("%", "@", "#", "!", "^", "//", "-", "{-#", "#-}", "é", "\u2028", "\U0001f600", "->", "::"),
    *("-1", "99999999999999999999", "0x", "0xFFFFFFFFFFFFFFFF", "1e999", "nan", "true", "any"),
)
"""What is put where it may not belong."""


def mutated(text: str, random: Random, others: Sequence[str] = ()) -> str:
    """Return a text with a few of its tokens changed.

    Args:
        text: The text.
        random: Chooses.
        others: Texts of which tokens may be taken.
    """
    tokens: list[str] = _TOKENS.findall(text)
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        start = random.randrange(len(tokens) + 1)
        end = min(start + random.choice((0, 1, 1, 1, 2, 5, 20)), len(tokens))
        tokens[start:end] = _replacement(tokens, start, end, random, others)
    return "".join(tokens)


def _replacement(
    tokens: list[str], start: int, end: int, random: Random, others: Sequence[str]
) -> list[str]:
    match random.randrange(6):
        case 0:
            return []
        case 1:
            return tokens[start:end] * 2
        case 2:
            return [random.choice(ODD)]
        case 3:
            return tokens[start:end][::-1]
        case 4 if others:
            source: list[str] = _TOKENS.findall(random.choice(others)) or [""]
            at = random.randrange(len(source))
            return source[at : at + random.choice((1, 1, 1, 3, 10))]
        case _:
            return [random.choice(tokens or [""])]


def mutated_bytes(data: bytes, random: Random) -> bytes:
    """Return data with a few of its bytes changed, added or removed."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(changed) + 1)
        match random.randrange(5):
            case 0:
                del changed[at : at + random.choice((1, 4, 64))]
            case 1:
                changed[at:at] = random.randbytes(random.choice((1, 4)))
            case 2:
                changed[at : at + 1] = bytes([random.choice((0, 1, 0x7F, 0x80, 0xFF))])
            case _:
                changed[at : at + 1] = random.randbytes(1)
    return bytes(changed)
