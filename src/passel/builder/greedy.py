"""Ordering by one greedy choice, where all that is demanded is to come after something else.

Items form a tree: a container stays in one piece. An item can come next when all that it must
follow has come; since that never ends, what gets stuck has no order at all, and nothing that was
chosen is ever taken back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from passel.builder.sequence import Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from passel.builder.rules import Clause
    from passel.builder.sequence import Container, Node


class Tree(NamedTuple):
    """The items that are ordered.

    Attributes:
        root: The outermost container.
        inside: What is in each container: first what was added explicitly, then what is placed.
        parents: The container of each item.
        placed: The items whose place constraints decide, in their canonical order.
    """

    root: Container
    inside: Mapping[Container, list[Node]]
    parents: Mapping[Node, Container]
    placed: AbstractSet[Node]

    def child(self, container: Container, item: Node) -> Node | None:
        """Return what an item is, or is inside of, among the items of a container."""
        child: Node | None = item
        while child is not None and self.parents[child] is not container:
            outer = self.parents[child]
            child = None if outer is self.root else outer  # pyright: ignore[reportAssignmentType] - a Nest or Group
        return child


class Greedy:
    """One greedy order of items.

    Of the items of a container that can come next, a placed one that follows an explicit one goes
    first; then comes the first explicit one, right after placed ones that it has to follow; and
    last the placed ones that are left.

    Args:
        tree: The items.
        clauses: Of some steps, one has to come before another one.
        links: Pairs of siblings, of which the one comes before the other.
    """

    def __init__(
        self, tree: Tree, clauses: Iterable[Clause], links: Iterable[tuple[Node, Node]]
    ) -> None:
        self._tree = tree
        self._numbers: dict[Node, int] = {}
        self._number(tree.root)
        self._needs: dict[Node, list[tuple[Node, ...]]] = {}
        for before, after in links:
            self._needs.setdefault(after, []).append((before,))
        for clause in clauses:
            self._note(clause)
        for needs in self._needs.values():
            needs.sort(
                key=lambda others: (len(others), sorted(map(self._numbers.__getitem__, others)))
            )
        self._early = self._find_early()
        self._out: dict[Node, None] = {}
        self._waits_for: dict[Node, tuple[Node, ...]] = {}

    def order(self) -> list[Node] | None:
        """Return all items, containers after what is inside; or None if there is no order."""
        return list(self._out) if self._emit_inside(self._tree.root) else None

    def is_stuck(self, clause: Clause) -> bool:
        """Return whether a step still waits when there is no order."""
        return clause.step not in self._out and self._is_open(clause.others)

    def _number(self, container: Container) -> None:
        """Number all items, so that no choice depends on when they were added."""
        for item in self._tree.inside.get(container, ()):
            self._numbers[item] = len(self._numbers)
            if not isinstance(item, Step):
                self._number(item)

    def _note(self, clause: Clause) -> None:
        """Have a step wait for others, and the enclosing containers that have none inside."""
        tree = self._tree
        item: Node = clause.step
        while True:
            self._needs.setdefault(item, []).append(clause.others)
            outer = tree.parents[item]
            if outer is tree.root or any(tree.child(outer, other) for other in clause.others):
                return
            item = outer  # pyright: ignore[reportAssignmentType] - a Nest or Group

    def _find_early(self) -> set[Node]:
        """Return the placed items that follow explicit ones, maybe by way of other placed ones."""
        early: set[Node] = set()
        has_changed = True
        while has_changed:
            found = {
                item
                for item in self._tree.placed - early
                for others in self._needs.get(item, ())
                for other in others
                if not self._is_placed(other) or other in early
            }
            early |= found
            has_changed = bool(found)
        return early

    def _is_placed(self, item: Node) -> bool:
        tree = self._tree
        return tree.child(tree.parents[item], item) in tree.placed

    def _emit_inside(self, container: Container) -> bool:
        """Emit all items of a container, or none; of the outermost one, all that can be."""
        start = len(self._out)
        left = dict.fromkeys(sorted(self._tree.inside[container], key=self._rank))
        while left:
            emitted = next((found for each in left if (found := self._emit(each, container))), None)
            if emitted is None:
                if container is not self._tree.root:
                    self._take_back(start)
                return False
            for item in emitted:
                del left[item]
        return True

    def _rank(self, item: Node) -> int:
        if item in self._early:
            return 0
        return 2 if item in self._tree.placed else 1

    def _emit(self, item: Node, container: Container) -> list[Node]:
        """Emit an item, after the placed ones that it has to follow; or nothing."""
        if item in self._waits_for and self._is_open(self._waits_for[item]):
            return []
        start = len(self._out)
        wanted = self._wanted(item, container)
        left = [*sorted(wanted[1:], key=self._numbers.__getitem__), *wanted[:1]]
        while left:
            ready = next(filter(self._emit_alone, left), None)
            if ready is None:
                self._take_back(start)
                return []
            left.remove(ready)
        return wanted

    def _emit_alone(self, item: Node) -> bool:
        if any(map(self._is_open, self._needs.get(item, ()))):
            return False
        if not isinstance(item, Step) and not self._emit_inside(item):
            return False
        self._out[item] = None
        return True

    def _wanted(self, item: Node, container: Container) -> list[Node]:
        """Return an item and the placed siblings that it waits for; nothing if others as well."""
        tree = self._tree
        wanted = {item: None}
        todo = [item]
        while todo:
            waiting = todo.pop()
            for others in filter(self._is_open, self._needs.get(waiting, ())):
                siblings = {tree.child(container, other) for other in others}
                if not siblings.isdisjoint(wanted):
                    continue
                pulled = min(tree.placed & siblings, key=self._numbers.__getitem__, default=None)
                if pulled is None:
                    self._waits_for[waiting] = others
                    return []
                wanted[pulled] = None
                todo.append(pulled)
        return list(wanted)

    def _is_open(self, others: tuple[Node, ...]) -> bool:
        """Return whether none of some items has come."""
        return self._out.keys().isdisjoint(others)

    def _take_back(self, start: int) -> None:
        while len(self._out) > start:
            self._out.popitem()
