"""Analyses: facts about an op that passes compute once, keep while true, and share.

An analysis is any class that can be constructed from `(op)` or from `(op, analyses)`; in the
second form it may ask for other analyses. Results are cached per op, in a tree parallel to
the IR, and dropped after each pass that does not preserve them.

Source: `mlir/include/mlir/Pass/AnalysisManager.h`, MLIR 22.
"""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from passel.errors import DefinitionError, refuse_cpp_names
from passel.ir import outwards

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from inspect import Signature

    from passel.analysis.preserved import PreservedAnalyses
    from passel.ir import IRAdapter

A = TypeVar("A")

AnalysisClass: TypeAlias = "Callable[[Any], A] | Callable[[Any, AnalysisManager], A]"
"""A class that is an analysis, for type checkers: what constructs an `A`."""


class AnalysisServices(Protocol):
    """Services of a run to its analyses.

    Attributes:
        adapter: The adapter of the IR.
    """

    adapter: IRAdapter

    @property
    def identity_of(self) -> Callable[[Any], Hashable]:
        """A function from ops to keys of a dictionary."""
        ...

    def compute(self, kind: Any, op: Any, construct: Callable[[], Any]) -> Any:
        """Call `construct`, with hooks around and checks as the run demands."""
        ...

    def check_preserved(self, kind: Any, old: Any, op: Any, construct: Callable[[], Any]) -> None:
        """Compute a preserved analysis again and compare, if the run demands."""
        ...


class _Unobserved:
    """Computes analyses without hooks or checks, for looking at one a second time."""

    def __init__(self, services: AnalysisServices) -> None:
        self.adapter = services.adapter
        self.identity_of = services.identity_of

    def compute(self, kind: Any, op: Any, construct: Callable[[], Any]) -> Any:
        return construct()

    def check_preserved(self, kind: Any, old: Any, op: Any, construct: Callable[[], Any]) -> None:
        raise NotImplementedError


class AnalysisManager:
    """The analyses of one op, and below it those of the ops inside.

    Passes reach it through their context; analyses get it as their second argument.

    Source: `mlir::AnalysisManager`, MLIR 22.
    """

    __slots__ = ("_children", "_parent", "_services", "op", "results")

    def __init__(
        self, op: Any, services: AnalysisServices, parent: AnalysisManager | None = None
    ) -> None:
        """Made by the run loop, not by users."""
        self.op: Any = op
        self._services = services
        self._parent = parent
        self.results: dict[Any, Any] = {}
        self._children: dict[Hashable, AnalysisManager] = {}

    def analysis(self, kind: AnalysisClass[A]) -> A:
        """Return an analysis of the op, computed now if it is not cached.

        Raises:
            DefinitionError: `kind` cannot be constructed from `(op)` or `(op, analyses)`.
        """
        try:
            return self.results[kind]
        except KeyError:
            pass  # computed outside, so that what it raises does not come with a KeyError
        result = self._services.compute(kind, self.op, self._constructor(kind))
        # Inserted only now: what it depends on stands before it, and is dropped first.
        self.results[kind] = result
        return result

    def cached_analysis(self, kind: AnalysisClass[A]) -> A | None:
        """Return an analysis of the op if it is cached."""
        return self.results.get(kind)

    def parent_analysis(self, kind: AnalysisClass[A], op: Any = None) -> A | None:
        """Return an analysis of an enclosing op, if it is cached; it may be stale.

        It cannot be computed from here: others may be working on siblings.

        Args:
            kind: The analysis.
            op: The ancestor; by default the immediately enclosing op.
        """
        manager = self._parent
        if op is not None:
            while manager is not None and manager.op != op:
                manager = manager._parent
        return None if manager is None else manager.results.get(kind)

    def child_analysis(self, kind: AnalysisClass[A], op: Any) -> A:
        """Return an analysis of an op inside, computed now if it is not cached.

        Raises:
            ValueError: `op` is not inside of this manager's op.
        """
        return self.nest(op).analysis(kind)

    def cached_child_analysis(self, kind: AnalysisClass[A], op: Any) -> A | None:
        """Return an analysis of an op immediately inside, if it is cached."""
        child = self.known_child(op)
        return None if child is None else child.results.get(kind)

    def nest(self, op: Any) -> AnalysisManager:
        """Return the manager of an op inside, at any depth.

        Raises:
            ValueError: `op` is not inside of this manager's op.
        """
        path: list[Any] = []
        for each in outwards(self._services.adapter, op):
            if path and each == self.op:
                break
            path.append(each)
        else:
            msg = "the op is not nested in the op whose analyses these are"
            raise ValueError(msg)
        manager = self
        for inner in reversed(path):
            manager = manager.child(inner)
        return manager

    def child(self, op: Any, services: AnalysisServices | None = None) -> AnalysisManager:
        """Return the manager of an op immediately inside; nothing checks that it is.

        Args:
            op: The op.
            services: Services to its analyses, if it is made now; by default those of this one.
        """
        key = self._services.identity_of(op)
        found = self._children.get(key)
        if found is None:
            found = self._children[key] = AnalysisManager(op, services or self._services, self)
        return found

    def serve(self, services: AnalysisServices) -> None:
        """Compute analyses of the op, and of the ops inside, with other services from now on."""
        self._services = services
        for child in self._children.values():
            child.serve(services)

    def known_child(self, op: Any) -> AnalysisManager | None:
        """Return the manager of an op immediately inside, if there is one."""
        return self._children.get(self._services.identity_of(op))

    def kinds(self) -> set[Any]:
        """Return the kinds of analyses that are cached, of the op and of the ops inside."""
        inside = (child.kinds() for child in self._children.values())
        return set(self.results).union(*inside)

    def around(self) -> set[Any]:
        """Return the kinds of analyses that are cached, of enclosing ops as well."""
        return self.kinds() if self._parent is None else self._parent.around()

    def clear(self) -> None:
        """Drop all analyses of the op and of the ops inside."""
        self.results.clear()
        self._children.clear()

    def invalidate(self, preserved: PreservedAnalyses) -> None:
        """Drop what a pass has not preserved, here and for the ops inside.

        Results are asked in the order in which they were computed, and one that is dropped
        no longer counts as preserved, so that what was built from it can notice.
        """
        if preserved.all:
            return
        self._filter(copy(preserved))
        if preserved.none:
            self._children.clear()
            return
        for child in self._children.values():
            child.invalidate(preserved)

    def check(self) -> None:
        """Hold every analysis that is still here against a fresh computation.

        Raises:
            PassFailure: One is not what it would be now.
        """
        # What an analysis is built from is computed anew as well, and kept out of the cache.
        adapter = self._services.adapter
        fresh = AnalysisManager(self.op, _Unobserved(self._services), self._parent)
        for kind, result in list(self.results.items()):
            self._services.check_preserved(kind, result, self.op, lambda: fresh.analysis(kind))  # noqa: B023 - called at once
        inside = adapter.children(self.op) if self._children else ()
        for child in map(self.known_child, inside):  # and not erased since
            if child is not None:
                child.check()

    def _filter(self, preserved: PreservedAnalyses) -> None:
        for kind, result in list(self.results.items()):
            decide = getattr(result, "is_invalidated", None)
            gone = not preserved.is_preserved(kind) if decide is None else decide(preserved)
            if gone:
                del self.results[kind]
                preserved._drop(kind)  # pyright: ignore[reportPrivateUsage] - for managers alone

    def _constructor(self, kind: Any) -> Callable[[], Any]:
        if _takes_manager(kind):
            return lambda: kind(self.op, self)
        return lambda: kind(self.op)


@cache
def _takes_manager(kind: Any) -> bool:
    """Return whether an analysis is constructed from `(op, analyses)`, and check that it can be."""
    if not callable(kind):
        msg = f"{kind!r} is no analysis: it is not a class"
        raise DefinitionError(msg)
    if isinstance(kind, type):
        refuse_cpp_names(kind)
    from inspect import signature  # noqa: PLC0415 - half the time of `import passel`

    try:
        taken = signature(kind)
    except (TypeError, ValueError):
        return False  # written in C: it can only want the op
    for arguments in ((None, None), (None,)):
        try:
            taken.bind(*arguments)
        except TypeError:
            continue
        # A second parameter that has a default is the analysis's own affair.
        return len(arguments) == 2 and _is_required(taken, 1)  # noqa: PLR2004
    msg = f"{kind!r} is no analysis: it takes neither (op) nor (op, analyses)"
    raise DefinitionError(msg)


def _is_required(signature: Signature, index: int) -> bool:
    parameters = list(signature.parameters.values())
    return len(parameters) > index and parameters[index].default is signature.empty


def analysis_name(kind: Any) -> str:
    """Return an analysis's name as hooks and reports show it."""
    return getattr(kind, "__name__", repr(kind))
