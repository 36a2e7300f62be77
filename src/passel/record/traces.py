"""Traces: which ops a pass has kept, and of which it has made the others.

Ops have the numbers of their places in the generic form. A trace has for each op after the pass
the number that it had before, or what it was made from: `~n` for the op `n`, None for none that
is known. It begins with how many ops there were before; ops that follow each other share an entry:
pairs of the first value and a count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Trace: TypeAlias = "Sequence[int | None]"


def trace_of(
    before: Sequence[Any],
    after: Sequence[Any],
    source_of: Callable[[Any], Any],
    parent_of: Callable[[Any], Any],
) -> Trace | None:
    """Return a trace; None if nothing is known, as for a pass that reads its op anew from text.

    Args:
        before: The ops before the pass, which no others can be by identity.
        after: Those after it.
        source_of: Returns the op for which an op was inserted, or None.
        parent_of: Returns the op around an op.
    """
    numbers = {id(op): number for number, op in enumerate(before)}
    new = {id(op) for op in after} - numbers.keys()

    def value(op: Any) -> int | None:
        number = numbers.get(id(op))
        if number is not None:
            return number
        seen: set[int] = set()
        while id(op) not in seen:
            seen.add(id(op))
            source = source_of(op)
            if source is None and id(parent := parent_of(op)) in new:
                source = parent  # what is inserted brings along what is inside
            if source is None:
                return None
            if (number := numbers.get(id(source))) is not None:
                return ~number
            op = source
        return None

    trace: list[Any] = [len(before)]
    expected: object = ...
    for each in map(value, after):
        if each == expected:
            trace[-1] += 1
        else:
            trace += (each, 1)
        expected = each if each is None or each < 0 else each + 1
    return None if trace[1:] == [0, 1, None, len(after) - 1] else trace


def values_of(trace: Trace) -> Iterator[int | None]:
    """Yield the values of a trace, one for each op."""
    for first, count in zip(trace[1::2], trace[2::2], strict=True):
        for offset in range(count or 0):
            yield first if first is None or first < 0 else first + offset
