"""The words that the page marks: as few as possible, in both versions of a line."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

    from javascript import JavaScript

Blocks: TypeAlias = list[tuple[int, int, int, int]]

LINES = st.lists(st.sampled_from(["a", "b", "c", "{", "}"]), max_size=14)
IR = st.text(st.sampled_from(list('%@x0 =(.":i\u202e\u00e9\U0001f600')), max_size=30)


def applied(blocks: Blocks, old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return the new text, from the old one and what differs."""
    result: list[str] = []
    at = 0
    for start, end, first, last in blocks:
        result += [*old[at:start], *new[first:last]]
        at = end
    return [*result, *old[at:]]


def size(blocks: Blocks) -> int:
    """Return how many lines are removed and added."""
    return sum(end - start + last - first for start, end, first, last in blocks)


def fewest(old: Sequence[str], new: Sequence[str]) -> int:
    """Return the least number of lines to remove and add."""

    @cache
    def from_(i: int, j: int) -> int:
        if i == len(old) or j == len(new):
            return len(old) - i + len(new) - j
        if old[i] == new[j]:
            return from_(i + 1, j + 1)
        return 1 + min(from_(i + 1, j), from_(i, j + 1))

    return from_(0, 0)


@given(LINES, LINES)
def test_a_difference_makes_the_new_text_and_is_minimal(
    javascript: JavaScript, old: list[str], new: list[str]
) -> None:
    """Blocks turn the old lines into the new ones, with no line more than is needed."""
    blocks = javascript.call("Words", "blocks", old, new)
    assert applied(blocks, old, new) == new
    assert size(blocks) == fewest(old, new)


@given(IR, IR)
def test_words_of_a_line_are_marked_where_they_differ(
    javascript: JavaScript, old: str, new: str
) -> None:
    """Segments make up both lines, and those that are not marked are the same in both."""
    left, right = javascript.call("Words", "inLine", old, new)
    assert "".join(text for text, _ in left) == old
    assert "".join(text for text, _ in right) == new
    kept = ["".join(text for text, differs in side if not differs) for side in (left, right)]
    spaces = [text.replace(" ", "") for text in kept]  # one between two marks is marked as well
    assert spaces[0] == spaces[1]


def test_a_word_is_marked_as_a_whole(javascript: JavaScript) -> None:
    """Names, types and numbers are words."""
    old, new = "  %3 = arith.addi %1, %2 : i32", "  %3 = arith.addi %1, %20 : i64"
    left, right = javascript.call("Words", "inLine", old, new)
    assert [text for text, differs in left if differs] == ["%2", "i32"]
    assert [text for text, differs in right if differs] == ["%20", "i64"]
