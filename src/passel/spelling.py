"""Suggestions for misspelled names.

Names are split into words at `-`, `_` and `.`, and compared word by word. A candidate is suggested
if it differs from the given name only by a typo in a word, an abbreviation, or missing words at
either end. Names such as `test-lower-to-llvm` and `lower-host-to-llvm` are not suggested for each
other, since they often belong to different passes.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher, get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MAX_LENGTH = 100
"""Longer names are not typos; `difflib` takes quadratic time."""

_MAX_CANDIDATES = 10
_LETTERS_PER_SLIP = 5
_MIN_LETTERS = 4


def closest_name(name: str, candidates: Iterable[str]) -> str:
    """Return the likeliest candidate for a misspelled name, or an empty string.

    Example:
        >>> closest_name("canonicalise", ["canonicalize", "cse"])
        'canonicalize'
        >>> closest_name("test-lower-to-llvm", ["lower-host-to-llvm"])
        ''
    """
    if len(name) > _MAX_LENGTH:
        return ""
    close = get_close_matches(name, list(candidates), n=_MAX_CANDIDATES, cutoff=0.6)
    return next((each for each in close if _may_mean(name, each)), "")


def _may_mean(name: str, other: str) -> bool:
    words, others = (
        [word for word in re.split(r"[^0-9a-z]+", each.lower()) if word] for each in (name, other)
    )
    if _is_slip(name.lower(), other.lower()) or _is_slip("".join(words), "".join(others)):
        return True
    shorter, longer = sorted((words, others), key=len)
    return 2 * len(shorter) >= len(longer) and _occur_in(shorter, longer)


def _occur_in(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether all words occur among others, in this order."""
    remaining = iter(others)
    return all(any(_is_word(word, other) for other in remaining) for word in words)


def _is_word(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    if len(shorter) < _MIN_LETTERS:
        return word == other  # one typo leads to almost any other word
    letters = iter(longer)  # an abbreviation has some of them, in this order
    return _is_slip(word, other) or (
        shorter[0] == longer[0] and all(each in letters for each in shorter)
    )


def _is_slip(word: str, other: str) -> bool:
    """Return whether two words differ by few typos; letters in another order count half."""
    allowed = max(1, min(len(word), len(other)) // _LETTERS_PER_SLIP)
    changes = SequenceMatcher(None, word, other).get_opcodes()
    edits = sum(max(c[2] - c[1], c[4] - c[3]) for c in changes if c[0] != "equal")
    return edits <= allowed * (2 if sorted(word) == sorted(other) else 1)
