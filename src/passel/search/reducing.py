"""Reduction: finding a smaller case that is still interesting.

Sources: J. Regehr et al., "Test-Case Reduction for C Compiler Bugs", PLDI 2012, for passes with one
kind of edit each, repeated to a fixpoint; `mlir-reduce`, MLIR 22, for reduction of MLIR; A. Zeller
and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions on
Software Engineering 28(2), 2002, for delta debugging, here with complements only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from passel.frontend.generic_form import parse_generic
from passel.pipeline import PassNode, PipelineNode, parse_pipeline
from passel.search.edits import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from passel.frontend.generic_form import Op
    from passel.pipeline import ElementNode
    from passel.search.edits import Kind
    from passel.search.subject import Case
    from passel.search.trials import Trials

_T = TypeVar("_T")

FirstInteresting: TypeAlias = "Callable[[Iterable[list[_T]]], int | None]"
"""Returns the index of the first interesting list; None if there is none."""


def ddmin(items: Sequence[_T], first: FirstInteresting[_T], *, size: int | None = None) -> list[_T]:
    """Return a 1-minimal list of items, in which every item is needed to be interesting.

    The search first leaves out all items, then halves, quarters and so on. If leaving out parts of
    some size succeeds, the search tries this size again before a smaller one.

    Args:
        items: The items, which are interesting together.
        first: A function that returns the index of the first interesting list, or None. The
            function gets an iterable of shorter lists, each in the order of `items`, and may try
            several lists at once.
        size: The maximum number of adjacent items to leave out at once; by default all.

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
    """Yield the items without each group of `size` adjacent items, beginning at `start`."""
    for place in range(start, len(items), size):
        yield items[:place] + items[place + size :]


Place = tuple[int, ...]
"""The place of a pass or an option: indices from the outside in."""


def places(pipeline: str) -> tuple[list[Place], list[Place]]:
    """Return the places of all passes in a pipeline, and of all their options.

    Example:
        >>> places("any(cse,func.func(inline{a=1 b=2}))")
        ([(0,), (1, 0)], [(1, 0, 0), (1, 0, 1)])
    """
    passes: list[Place] = []
    options: list[Place] = []
    for place, node in _leaves(parse_pipeline(pipeline), ()):
        passes.append(place)
        options += ((*place, index) for index in range(len(node.options)))
    return passes, options


def without(pipeline: str, left_out: Collection[Place]) -> str:
    """Return a pipeline without some passes and options, and without empty pipelines.

    Example:
        >>> without("any(cse,func.func(inline{a=1 b=2}))", {(0,), (1, 0, 1)})
        'any(func.func(inline{a=1}))'
    """
    return str(_kept(parse_pipeline(pipeline), (), frozenset(left_out)))


def _leaves(node: PipelineNode, outer: Place) -> Iterator[tuple[Place, PassNode]]:
    for index, each in enumerate(node.elements):
        if isinstance(each, PassNode):
            yield (*outer, index), each
        else:
            yield from _leaves(each, (*outer, index))


def _kept(node: PipelineNode, outer: Place, left_out: Collection[Place]) -> PipelineNode:
    elements: list[ElementNode] = []
    for index, each in enumerate(node.elements):
        place = (*outer, index)
        if isinstance(each, PassNode):
            if place not in left_out:
                options = enumerate(each.options)
                kept = tuple(option for i, option in options if (*place, i) not in left_out)
                elements.append(each._replace(options=kept))
        elif (inner := _kept(each, place, left_out)).elements:
            elements.append(inner)
    return node._replace(elements=tuple(elements))


class Size(NamedTuple):
    """The size of a case.

    Attributes:
        passes: The number of passes in the pipeline.
        complexity: The number of ops, values and blocks in the IR.
        length: The total length of the IR and the pipeline as text.
        ops: The number of ops in the IR.
    """

    passes: int
    complexity: int
    length: int
    ops: int


class Reducer:
    """Reduces a case while it stays interesting.

    Args:
        case: An interesting case; its IR is in generic form.
        trials: The trials that run the oracle.
        on_progress: A function that is called with the title of each phase, and when the case gets
            smaller.

    Attributes:
        best: The smallest case so far, even after an interrupt.
    """

    def __init__(
        self, case: Case, trials: Trials, on_progress: Callable[[str], object] = lambda _: None
    ) -> None:
        self.best: Case = case
        self._trials = trials
        self._on_progress = on_progress
        self._root = parse_generic(case.ir)
        self._worked: dict[int, int] = {}

    @property
    def size(self) -> Size:
        """The size of the best case."""
        return self._size(self.best, self._root)

    def offer(self, cases: Sequence[Case]) -> bool:
        """Continue with the first interesting case of several, even if it is not smaller.

        Returns:
            Whether any case is interesting.
        """
        found = self._trials.first(cases)
        if found is not None:
            self.best, self._root = cases[found], parse_generic(cases[found].ir)
        return found is not None

    def run(self) -> Case:
        """Reduce the case until no edit makes it smaller, and return it."""
        while True:
            before = self.best
            self._reduce_pipeline()
            for number, kind in enumerate(KINDS):
                self._on_progress(kind.title)
                self._reduce_ir(number, kind)
            if self.best == before:
                return before

    def _reduce_pipeline(self) -> None:
        for number, title in enumerate(("passes", "options") if self.best.pipeline else ()):
            self._on_progress(title)
            case = self.best

            def edited(left_out: set[Place], case: Case = case) -> Case:
                return case._replace(pipeline=without(case.pipeline, left_out))

            self._minimize(~number, places(case.pipeline)[number], lambda out: (edited(out), None))

        if self.best.pipeline and not places(self.best.pipeline)[0]:
            self.offer([self.best._replace(pipeline="")])

    def _reduce_ir(self, number: int, kind: Kind) -> None:
        case, root = self.best, self._root

        def edited(left_out: set[Any]) -> tuple[Case, Op]:
            copy = root.copy()
            kind.make(copy, left_out)
            return case._replace(ir=str(copy)), copy

        self._minimize(number, list(kind.find(root)), edited)

    def _minimize(
        self, number: int, items: list[Any], edited: Callable[[set[Any]], tuple[Case, Op | None]]
    ) -> None:
        """Leave out as many items as possible, starting with the last successful size."""

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
            self._on_progress("")
            return index

        worked, left = [1], [len(items)]
        ddmin(items, first, size=self._worked.get(number))
        self._worked[number] = worked[0]

    def _size(self, case: Case, root: Op) -> Size:
        passes = len(places(case.pipeline)[0]) if case.pipeline else 0
        length, ops = len(case.ir) + len(case.pipeline), sum(1 for _ in root.walk())
        return Size(passes, root.complexity(), length, ops)
