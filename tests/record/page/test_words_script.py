"""The words that the page marks: as few as possible, in both versions of a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from javascript import JavaScript

IR = st.text(st.sampled_from(list('%@x0 =(.":i\u202e\u00e9\U0001f600')), max_size=30)


@given(IR, IR)
def test_words_of_a_line_are_marked_where_they_differ(
    javascript: JavaScript, old: str, new: str
) -> None:
    """Segments give both lines, and unmarked segments are equal."""
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
