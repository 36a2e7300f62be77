"""Delta debugging: the items without which something is no longer the case.

Source: A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE
Transactions on Software Engineering 28(2), 2002. Complements alone are tried, as C-Reduce does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_T = TypeVar("_T")

FirstInteresting: TypeAlias = "Callable[[Iterable[list[_T]]], int | None]"
"""Returns the index of the first of some lists that is interesting; None if none is."""


def ddmin(items: Sequence[_T], first: FirstInteresting[_T], *, size: int | None = None) -> list[_T]:
    """Return items that are still interesting, and are not if any one of them is left out.

    All are left out first, then halves, quarters and so on. A number of neighbours that could be
    left out once is tried again before a smaller one.

    Args:
        items: The items, which are interesting.
        first: Tries lists of fewer items, each with the order of `items`, and returns the index of
            the first interesting one. It takes no more of them than it needs, so that it may try
            several at once.
        size: How many neighbours to leave out at once at most; by default all.

    Example:
        >>> tried = []
        >>> def needs_both(lists):
        ...     for index, each in enumerate(lists):
        ...         tried.append(each)
        ...         if {3, 7} <= set(each):
        ...             return index
        >>> ddmin(range(100), needs_both), len(tried)
        ([3, 7], 22)
    """
    kept = list(items)
    size = min(size or len(kept), len(kept))
    while size and kept:
        start, before = 0, len(kept)
        while start < len(kept):
            found = first(_complements(kept, start, size))
            if found is None:
                break
            start += found * size
            del kept[start : start + size]
        if size > 1 or len(kept) == before:
            size = min(size, len(kept) + 1) // 2
    return kept


def _complements(items: list[_T], start: int, size: int) -> Iterator[list[_T]]:
    """Yield the items without those from a place on, for places `size` apart."""
    for place in range(start, len(items), size):
        yield items[:place] + items[place + size :]
