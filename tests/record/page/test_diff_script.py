"""The differences that the page shows: minimal, and true to both texts."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
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
    blocks = javascript.call("Diff", "blocks", old, new)
    assert applied(blocks, old, new) == new
    assert size(blocks) == fewest(old, new)


@given(LINES, LINES, st.integers(1, 4))
def test_a_search_that_is_given_up_is_still_right(
    javascript: JavaScript, old: list[str], new: list[str], effort: int
) -> None:
    """Blocks that were not searched to the end turn the old lines into the new ones."""
    assert applied(javascript.call("Diff", "blocks", old, new, effort), old, new) == new


@given(IR, IR)
def test_words_of_a_line_are_marked_where_they_differ(
    javascript: JavaScript, old: str, new: str
) -> None:
    """Segments make up both lines, and those that are not marked are the same in both."""
    left, right = javascript.call("Diff", "inLine", old, new)
    assert "".join(text for text, _ in left) == old
    assert "".join(text for text, _ in right) == new
    kept = ["".join(text for text, differs in side if not differs) for side in (left, right)]
    spaces = [text.replace(" ", "") for text in kept]  # one between two marks is marked as well
    assert spaces[0] == spaces[1]


def test_a_word_is_marked_as_a_whole(javascript: JavaScript) -> None:
    """Names, types and numbers are words."""
    old, new = "  %3 = arith.addi %1, %2 : i32", "  %3 = arith.addi %1, %20 : i64"
    left, right = javascript.call("Diff", "inLine", old, new)
    assert [text for text, differs in left if differs] == ["%2", "i32"]
    assert [text for text, differs in right if differs] == ["%20", "i64"]


def test_lines_are_paired_with_those_that_are_most_alike(javascript: JavaScript) -> None:
    """Of two removed lines, the one that has become another stands beside it."""
    old = ["%0 = arith.constant 1 : i32", "%1 = arith.addi %0, %a : i32"]
    assert javascript.call("Diff", "pairs", old, ["%1 = arith.addi %b, %a : i32"]) == [[1, 0]]
    assert javascript.call("Diff", "pairs", old, ["func.return"]) == []


@given(st.lists(IR, max_size=8), st.lists(IR, max_size=8))
def test_pairs_are_in_order(javascript: JavaScript, old: list[str], new: list[str]) -> None:
    """No line is in two pairs, and no two pairs cross."""
    pairs = javascript.call("Diff", "pairs", old, new)
    for (i, j), (k, m) in pairwise(pairs):
        assert i < k
        assert j < m
