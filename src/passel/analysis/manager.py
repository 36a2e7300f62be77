"""Analyses of ops: results that are cached for later passes until a pass invalidates them.

An analysis is a class whose constructor takes `(op)` or `(op, analyses)`. An analysis that takes
`analyses` can use other analyses. Analyses are cached per op, in a tree parallel to the IR. After
each pass, the analyses that the pass does not preserve are dropped.

Source: `mlir/include/mlir/Pass/AnalysisManager.h`, MLIR 22.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from passel.analysis.preserved import PreservedAnalyses
from passel.errors import PassFailure, refuse_cpp_names
from passel.ir import outwards

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from passel.ir import IRAdapter

A = TypeVar("A")

AnalysisClass: TypeAlias = "Callable[[Any], A] | Callable[[Any, AnalysisManager], A]"
"""The type of an analysis class for type checkers: a callable that constructs an `A`."""


Compute: TypeAlias = "Callable[[Any, Any, Callable[[], Any]], Any]"
"""A function that computes an analysis.

Its arguments are the class of the analysis, the op to analyze, and a function without arguments
that constructs the analysis.
"""


class AnalysisManager:
    """The cached analyses of one op and of its nested ops.

    A pass uses the manager through `PassContext`. The constructor of an analysis can take the
    manager as its second argument.

    Source: `mlir::AnalysisManager`, MLIR 22.
    """

    __slots__ = ("_adapter", "_children", "_compute", "_parent", "op", "results")

    def __init__(
        self, op: Any, adapter: IRAdapter, compute: Compute, parent: AnalysisManager | None = None
    ) -> None:
        """Create the manager for an op. Users do not call this constructor."""
        self.op: Any = op
        self._adapter = adapter
        self._compute = compute
        self._parent = parent
        self.results: dict[Any, Any] = {}
        self._children: dict[Hashable, AnalysisManager] = {}

    def analysis(self, kind: AnalysisClass[A]) -> A:
        """Return an analysis of the manager's op, and compute the analysis if it is not cached."""
        if kind not in self.results:
            given = (self.op, self) if _takes_manager(kind) else (self.op,)
            # Analyses that it depends on are inserted first, and dropped first.
            self.results[kind] = self._compute(kind, self.op, partial(kind, *given))
        return self.results[kind]

    def cached_analysis(self, kind: AnalysisClass[A]) -> A | None:
        """Return a cached analysis of the manager's op, or None if the analysis is not cached."""
        return self.results.get(kind)

    def parent_analysis(self, kind: AnalysisClass[A], op: Any = None) -> A | None:
        """Return a cached analysis of an enclosing op, or None if the analysis is not cached.

        The analysis may be stale, since passes on nested ops may have run after it was computed.
        This method never computes an analysis, since passes may run on sibling ops in parallel.

        Args:
            kind: The class of the analysis.
            op: The enclosing op; None for the parent op.
        """
        manager = self._parent
        while op is not None and manager is not None and manager.op != op:
            manager = manager._parent
        return None if manager is None else manager.results.get(kind)

    def child_analysis(self, kind: AnalysisClass[A], op: Any) -> A:
        """Return an analysis of a nested op, and compute the analysis if it is not cached.

        Raises:
            ValueError: If `op` is not nested in this manager's op.
        """
        return self.nest(op).analysis(kind)

    def cached_child_analysis(self, kind: AnalysisClass[A], op: Any) -> A | None:
        """Return the cached analysis of an op immediately inside this manager's op.

        The method returns None if the analysis is not cached.
        """
        child = self.known_child(op)
        return None if child is None else child.results.get(kind)

    def nest(self, op: Any) -> AnalysisManager:
        """Return the manager of an op that is nested in this manager's op at any depth.

        Raises:
            ValueError: If `op` is not nested in this manager's op.
        """
        path: list[Any] = []
        for each in outwards(self._adapter, op):
            if path and each == self.op:
                break
            path.append(each)
        else:
            raise ValueError("the op is not nested in the op of this analysis manager")
        manager = self
        for inner in reversed(path):
            manager = manager.child(inner)
        return manager

    def child(self, op: Any, compute: Compute | None = None) -> AnalysisManager:
        """Return the manager of an op immediately inside this manager's op.

        Args:
            op: The nested op. The method does not check that the op is immediately inside this
                manager's op.
            compute: The function that computes analyses if a new manager is created; None to use
                the function of this manager. An existing manager keeps its function.
        """
        found = self.known_child(op)
        if found is None:
            found = AnalysisManager(op, self._adapter, compute or self._compute, self)
            self._children[self._adapter.identity_of(op)] = found
        return found

    def compute_by(self, compute: Compute) -> None:
        """Replace the function that computes the analyses of the op and of its nested ops."""
        self._compute = compute
        for child in self._children.values():
            child.compute_by(compute)

    def known_child(self, op: Any) -> AnalysisManager | None:
        """Return the manager of an op immediately inside this manager's op.

        The method returns None if the op has no manager yet.
        """
        adapter = self._adapter
        found = self._children.get(adapter.identity_of(op))
        return found if found is not None and adapter.is_surely(found.op, op) else None

    def has_any_in_tree(self) -> bool:
        """Return whether any analysis is cached for the outermost op or for an op nested in it."""
        return self._has_any() if self._parent is None else self._parent.has_any_in_tree()

    def _has_any(self) -> bool:
        return bool(self.results) or any(child._has_any() for child in self._children.values())

    def clear(self) -> None:
        """Drop all cached analyses of the op and of its nested ops."""
        self.results.clear()
        self._children.clear()

    def invalidate(self, preserved: PreservedAnalyses) -> None:
        """For the op and its nested ops, drop all analyses that a pass has not preserved.

        Analyses are checked in the order in which they were computed. A dropped analysis no longer
        counts as preserved. In the method `is_invalidated`, an analysis can therefore check whether
        another analysis that it uses was dropped.
        """
        if preserved.all:
            return
        self._filter(PreservedAnalyses(preserved))
        if preserved.none:
            self._children.clear()
        for child in self._children.values():
            child.invalidate(preserved)

    def invalidate_between(self, outer: Any, preserved: PreservedAnalyses) -> None:
        """Drop the unpreserved analyses of the ops inside `outer` that enclose the manager's op."""
        manager = self._parent
        while manager is not None and manager.op != outer:
            manager._filter(PreservedAnalyses(preserved))
            manager = manager._parent

    def check(self) -> None:
        """Recompute cached analyses whose classes define `__eq__`, and compare the results.

        The analyses of nested ops are checked as well.

        Raises:
            PassFailure: If a cached analysis differs from the recomputed analysis.
        """
        # Analyses that an analysis depends on are recomputed too, and not cached in this manager.
        adapter = self._adapter
        fresh = AnalysisManager(self.op, adapter, _compute_unobserved, self._parent)
        for kind, old in list(self.results.items()):
            if type(old).__eq__ is not object.__eq__ and fresh.analysis(kind) != old:
                where = adapter.symbol_name(self.op)
                on = f" of @{where}" if where else ""
                message = f"it changed {analysis_name(kind)}{on}, which it claims to preserve"
                raise PassFailure(message, op=self.op)
        inside = adapter.children(self.op) if self._children else ()
        # Ops that were erased since are not inside.
        for child in filter(None, map(self._children.get, map(adapter.identity_of, inside))):
            child.check()

    def _filter(self, preserved: PreservedAnalyses) -> None:
        for kind, result in list(self.results.items()):
            decide = getattr(result, "is_invalidated", None)
            if decide(preserved) if decide else not preserved.is_preserved(kind):
                del self.results[kind]
                preserved.discard(kind)


def _compute_unobserved(_kind: Any, _op: Any, construct: Callable[[], Any]) -> Any:
    return construct()


@cache
def _takes_manager(kind: Any) -> bool:
    """Return whether the constructor of an analysis takes `(op, analyses)` rather than `(op)`."""
    if isinstance(kind, type):
        refuse_cpp_names(kind, {"isInvalidated": "is_invalidated(self, preserved)"})
    from inspect import signature  # noqa: PLC0415 - half the time of `import passel`

    try:
        second = [*signature(kind).parameters.values()][1:2]
    except (TypeError, ValueError):
        return False  # a constructor written in C takes only the op
    # A second parameter with a default value is not the manager.
    return any(each.default is each.empty for each in second)


def analysis_name(kind: Any) -> str:
    """Return the name of an analysis class, for hooks and reports."""
    return getattr(kind, "__name__", repr(kind))
