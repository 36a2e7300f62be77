"""Delta debugging."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from passel.search import ddmin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def one_by_one(
    is_interesting: Callable[[list[int]], bool],
) -> Callable[[Iterable[list[int]]], int | None]:
    """Return what tries lists one after the other."""
    return lambda lists: next((n for n, each in enumerate(lists) if is_interesting(each)), None)


@given(st.integers(0, 60).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, 59)))))
def test_what_is_needed_is_left(given: tuple[int, set[int]]) -> None:
    """Of any items, exactly those are left, in order, that are needed."""
    count, needed = given
    needed = {each for each in needed if each < count}
    assert ddmin(range(count), one_by_one(lambda kept: needed <= set(kept))) == sorted(needed)


@given(st.lists(st.integers(0, 9), max_size=30))
def test_nothing_more_can_be_left_out(items: list[int]) -> None:
    """Also where items stand for each other, none of those that are left can be left out."""

    def is_interesting(kept: list[int]) -> bool:
        return sum(kept) >= sum(items) // 2

    left = ddmin(items, one_by_one(is_interesting))
    assert is_interesting(left)
    for index in range(len(left)):
        assert not is_interesting(left[:index] + left[index + 1 :]) or not any(left)
