"""Reduction, which finds a smaller case that is still interesting.

Sources: J. Regehr et al., "Test-Case Reduction for C Compiler Bugs", PLDI 2012, for passes that
each apply one kind of edit until a fixpoint is reached. `mlir-reduce`, MLIR 22, for the reduction
of MLIR. A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE
Transactions on Software Engineering 28(2), 2002, for delta debugging (this module only tests
complements).
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from passel.frontend.generic_form import parse_generic
from passel.pipeline import PassNode, PipelineNode, parse_pipeline
from passel.search.edits import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from passel.frontend.generic_form import Op
    from passel.pipeline import ElementNode
    from passel.search.edits import EditKind
    from passel.search.subject import Case
    from passel.search.trials import Trials

_T = TypeVar("_T")

FirstInteresting: TypeAlias = "Callable[[Iterable[list[_T]]], int | None]"
"""A function that returns the index of the first interesting list, or None."""


def ddmin(items: Sequence[_T], first: FirstInteresting[_T], *, size: int | None = None) -> list[_T]:
    """Remove items from an interesting list as long as the rest of the list is interesting.

    The search first tries to remove all items, then halves, quarters and so on. At the end, the
    search removes single items until removing any item would make the list uninteresting.

    Args:
        items: The items of an interesting list.
        first: A function that takes an iterable of shorter lists, and returns the index of the
            first interesting list. If no list is interesting, the function returns None. Each list
            keeps the order of `items`. The function may test several lists at once.
        size: The maximum number of adjacent items to remove at once, by default all items.

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
    """Yield the items without each group of `size` adjacent items, starting at index `start`."""
    for place in range(start, len(items), size):
        yield items[:place] + items[place + size :]


Part: TypeAlias = "tuple[int] | tuple[int, int]"
"""A pass, by its index among all passes of a pipeline, or the pass and an index of an option."""


def parts(pipeline: str) -> tuple[list[Part], list[Part]]:
    """Return the passes and the options in the text of a pipeline.

    Example:
        >>> parts("any(cse,func.func(inline{a=1 b=2}))")
        ([(0,), (1,)], [(1, 0), (1, 1)])
    """
    passes = [*_passes(parse_pipeline(pipeline))]
    options = [(i, j) for i, node in enumerate(passes) for j in range(len(node.options))]
    return [(i,) for i in range(len(passes))], [*options]


def without(pipeline: str, left_out: Collection[Part]) -> str:
    """Remove passes, options and empty nested pipelines from the text of a pipeline.

    Example:
        >>> without("any(cse,func.func(inline{a=1 b=2}))", {(0,), (1, 1)})
        'any(func.func(inline{a=1}))'
    """
    return str(_kept(parse_pipeline(pipeline), frozenset(left_out), count()))


def _passes(node: PipelineNode) -> Iterator[PassNode]:
    for each in node.elements:
        yield from (each,) if isinstance(each, PassNode) else _passes(each)


def _kept(node: PipelineNode, left_out: Collection[Part], numbers: count[int]) -> PipelineNode:
    elements: list[ElementNode] = []
    for each in node.elements:
        if isinstance(each, PassNode):
            number = next(numbers)
            kept = [o for i, o in enumerate(each.options) if (number, i) not in left_out]
            elements += [] if (number,) in left_out else [each._replace(options=tuple(kept))]
        elif (inner := _kept(each, left_out, numbers)).elements:
            elements.append(inner)
    return node._replace(elements=tuple(elements))


class Size(NamedTuple):
    """The size of a case. Sizes are compared by the first field that differs.

    Attributes:
        passes: The number of passes in the pipeline.
        complexity: The number of ops, blocks, values and successors in the IR.
        length: The total number of characters in the IR and the pipeline.
        ops: The number of ops in the IR.
    """

    passes: int
    complexity: int
    length: int
    ops: int


class Reducer:
    """A reducer that makes a case smaller as long as the case remains interesting.

    Args:
        case: An interesting case whose IR is in generic form without locations.
        trials: The `Trials` object that runs the oracle.

    Attributes:
        best: The smallest interesting case so far, which is available even after an interrupt.
    """

    def __init__(self, case: Case, trials: Trials) -> None:
        self.best: Case = case
        self._trials = trials
        self._root = parse_generic(case.ir)
        self._worked: dict[int, int] = {}

    @property
    def size(self) -> Size:
        """The size of the best case."""
        return self._size(self.best, self._root)

    def offer(self, cases: Sequence[Case]) -> bool:
        """Set `best` to the first interesting case in a list, even if this case is larger.

        Returns:
            Whether any case in the list is interesting.
        """
        found = self._trials.first(cases)
        if found is not None:
            self.best, self._root = cases[found], parse_generic(cases[found].ir)
        return found is not None

    def run(self) -> Case:
        """Reduce the case until no edit makes the case smaller, and return the reduced case."""
        while True:
            before = self.best
            self._reduce_pipeline()
            for number, kind in enumerate(KINDS):
                self._reduce_ir(number, kind)
            if self.best == before:
                return before

    def _reduce_pipeline(self) -> None:
        for number in range(2 if self.best.pipeline else 0):  # passes, and options
            case = self.best

            def edited(left_out: set[Part], case: Case = case) -> Case:
                return case._replace(pipeline=without(case.pipeline, left_out))

            self._minimize(~number, parts(case.pipeline)[number], lambda out: (edited(out), None))

        if self.best.pipeline and not parts(self.best.pipeline)[0]:
            self.offer([self.best._replace(pipeline="")])

    def _reduce_ir(self, number: int, kind: EditKind) -> None:
        case, root = self.best, self._root

        def edited(left_out: set[Any]) -> tuple[Case, Op]:
            copy = root.copy()
            kind.apply(copy, left_out)
            return case._replace(ir=str(copy)), copy

        self._minimize(number, list(kind.find(root)), edited)

    def _minimize(
        self, number: int, items: list[Any], edited: Callable[[set[Any]], tuple[Case, Op | None]]
    ) -> None:
        """Remove as many items as possible, starting with the last successful group size."""

        def first(lists: Iterable[list[Any]]) -> int | None:
            tried: list[tuple[int, list[Any]]] = []

            def smaller() -> Iterator[Case]:
                for index, kept in enumerate(lists):
                    case, root = edited(set(items).difference(kept))
                    if self._size(case, root or self._root) < self.size:
                        tried.append((index, kept))
                        yield case

            found = self._trials.first(smaller())
            if found is None:
                return None
            index, kept = tried[found]
            self.best, root = edited(set(items).difference(kept))
            self._root = root or self._root
            worked[0], left[0] = max(worked[0], left[0] - len(kept)), len(kept)
            return index

        worked, left = [1], [len(items)]
        ddmin(items, first, size=self._worked.get(number))
        self._worked[number] = worked[0]

    def _size(self, case: Case, root: Op) -> Size:
        passes = len(parts(case.pipeline)[0]) if case.pipeline else 0
        length, ops = len(case.ir) + len(case.pipeline), sum(1 for _ in root.walk())
        return Size(passes, root.complexity(), length, ops)
