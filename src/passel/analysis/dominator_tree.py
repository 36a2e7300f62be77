"""Dominator trees of directed graphs with hashable nodes, and dominance in nested regions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

N = TypeVar("N", bound="Hashable")


class DominatorTree(Generic[N]):
    """The dominator tree of a directed graph with one or more roots.

    All roots are children of a virtual root, which is represented by None.

    Building the tree takes O(edges * depth) time, which is close to linear in practice.
    `immediate_dominator` takes O(1) time, and so does `dominates` after its first call. The first
    call of `dominance_frontier` takes O(edges * depth) time. No method is recursive.

    Args:
        roots: The entry nodes of the graph.
        successors: A function that returns the successors of a node, possibly with duplicates.

    Example:
        >>> graph = {"a": "bc", "b": "d", "c": "d", "d": ""}
        >>> tree = DominatorTree(["a"], graph.__getitem__)
        >>> tree.immediate_dominator("d"), tree.dominates("b", "d")
        ('a', False)
        >>> tree.dominance_frontier("b")
        ('d',)

    Source: K. D. Cooper, T. J. Harvey and K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
    """

    def __init__(self, roots: Iterable[N], successors: Callable[[N], Iterable[N]]) -> None:
        edges = _post_order(roots, successors)
        # Numbers follow reverse post-order; 0 is the virtual root.
        self._nodes: list[Any] = [*reversed(edges)]
        self._index: dict[N | None, int] = {node: n for n, node in enumerate(self._nodes)}
        self._predecessors: list[list[int]] = [[] for _ in self._nodes]
        for number, node in enumerate(self._nodes):
            for successor in edges[node]:
                self._predecessors[self._index[successor]].append(number)
        self._parents = _immediate_dominators(self._predecessors)
        self._children: list[list[int]] = [[] for _ in self._nodes]
        for number, parent in enumerate(self._parents[1:], 1):
            self._children[parent].append(number)

    def __contains__(self, node: object) -> bool:
        return node in self._index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DominatorTree):
            return NotImplemented
        return self._edges() == other._edges()

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def _edges(self) -> Mapping[N | None, N | None]:
        return dict(zip(self._nodes, map(self._nodes.__getitem__, self._parents), strict=True))

    def dominates(self, a: N, b: N) -> bool:
        """Return whether every path from a root to `b` passes through `a`.

        An unreachable node is dominated by every node, and dominates only unreachable nodes.
        """
        ours, theirs = self._spans.get(a), self._spans.get(b)
        if ours is None or theirs is None:
            return theirs is None
        return theirs.start in ours

    @cached_property
    def _spans(self) -> dict[N, range]:
        """The preorder numbers of each node and its descendants, which are consecutive."""
        sizes = [1] * len(self._nodes)
        for number in range(len(sizes) - 1, 0, -1):  # children before parents
            sizes[self._parents[number]] += sizes[number]
        places = enumerate(self.preorder())
        return {node: range(place, place + sizes[self._index[node]]) for place, (node, _) in places}

    def immediate_dominator(self, node: N) -> N | None:
        """Return the closest node that properly dominates `node`, or None if no node does."""
        return self._nodes[self._parents[self._index.get(node, 0)]]

    def dominance_frontier(self, node: N) -> tuple[N, ...]:
        """Return the dominance frontier of `node`, in reverse post-order.

        The frontier contains each node X for which `node` dominates a predecessor of X, but does
        not properly dominate X.
        """
        return tuple(self._frontiers.get(node, ()))

    @cached_property
    def _frontiers(self) -> dict[N, dict[N, None]]:
        found: dict[N, dict[N, None]] = {}
        for number, node in enumerate(self._nodes):
            for predecessor in self._predecessors[number]:
                runner = predecessor
                while runner != self._parents[number]:
                    found.setdefault(self._nodes[runner], {})[node] = None
                    runner = self._parents[runner]
        return found

    def preorder(self) -> Iterator[tuple[N, int]]:
        """Yield each reachable node and its depth in the tree, in preorder.

        The children of the virtual root have depth 0.
        """
        stack = [(0, -1)]
        while stack:
            number, depth = stack.pop()
            if number:
                yield self._nodes[number], depth
            stack.extend([(child, depth + 1) for child in reversed(self._children[number])])


class RegionDominance(ABC, Generic[N]):
    """The base class of dominance analyses. Each subclass supports one IR.

    Source: `mlir/lib/IR/Dominance.cpp`, MLIR 22.
    """

    _is_reversed: ClassVar[bool] = False
    """Whether paths are followed backward, from the ends of a region to its entry."""

    _block_of: ClassVar[Any]
    """A function that returns the block of an op, or None."""

    _owner_of: ClassVar[Any]
    _region_of: ClassVar[Any]
    """Functions that return the op and the region that contain a block, or None."""

    @abstractmethod
    def tree(self, region: Any) -> DominatorTree[N]:
        """Return the dominator tree of the blocks in a region."""

    @abstractmethod
    def is_before(self, a: Any, b: Any) -> bool:
        """Return whether `a` comes before `b` in the same block."""

    @abstractmethod
    def _is_ordered(self, block: N) -> bool:
        """Return whether values in a block's region must be defined before they are used."""

    def immediate_dominator(self, block: N) -> N | None:
        """Return the closest block that properly dominates `block`, or None if no block does."""
        return self.tree(self._region_of(block)).immediate_dominator(block)

    def dominance_frontier(self, block: N) -> tuple[N, ...]:
        """Return the dominance frontier of `block`: the blocks where its dominance ends."""
        return self.tree(self._region_of(block)).dominance_frontier(block)

    def _op_dominates(self, a: Any, b: Any, *, enclosing: bool) -> bool:
        """Return whether `a` dominates `b`; without `enclosing`, whether the results of `a` do."""
        block, other = self._block_of(a), self._block_of(b)
        if block is None or other is None:
            return False
        place, inner = b, other
        while inner is not None and inner != block:
            place = self._owner_of(inner)
            inner = None if place is None else self._block_of(place)
        if inner is None:
            return self._block_dominates(block, other)
        if place == a and a != b and enclosing:
            return True
        first, second = (place, a) if self._is_reversed else (a, place)
        return not self._is_ordered(block) or self.is_before(first, second)

    def _block_dominates(self, a: N, b: N) -> bool:
        region = self._region_of(a)
        place: N | None = b
        while place is not None and self._region_of(place) != region:
            op = self._owner_of(place)
            place = None if op is None else self._block_of(op)
        if region is None or place is None:
            return False
        if place == a:
            return a != b or not self._is_ordered(a)
        return self.tree(region).dominates(a, place)


def _post_order(
    roots: Iterable[N], successors: Callable[[N], Iterable[N]]
) -> dict[N | None, Sequence[N]]:
    """Return the successors of each reachable node, with the nodes in post-order.

    The last node is None, the virtual root.
    """
    order: dict[N | None, Sequence[N]] = {}
    seen: set[N] = set()
    after = tuple(roots)
    stack: list[tuple[N | None, Sequence[N], Iterator[N]]] = [(None, after, iter(after))]
    while stack:
        node, after, rest = stack[-1]
        for successor in rest:
            if successor not in seen:
                seen.add(successor)
                following = tuple(successors(successor))
                stack.append((successor, following, iter(following)))
                break
        else:
            order[node] = after
            stack.pop()
    return order


def _immediate_dominators(predecessors: list[list[int]]) -> list[int]:
    parents = [-1] * len(predecessors)
    parents[0] = 0
    changed = True
    while changed:
        changed = False
        for number in range(1, len(predecessors)):
            # Other predecessors are only reached by back edges so far.
            known = (each for each in predecessors[number] if parents[each] >= 0)
            best = reduce(partial(_intersect, parents), known)
            if parents[number] != best:
                parents[number] = best
                changed = True
    return parents


def _intersect(parents: list[int], a: int, b: int) -> int:
    while a != b:
        while a > b:
            a = parents[a]
        while b > a:
            b = parents[b]
    return a
