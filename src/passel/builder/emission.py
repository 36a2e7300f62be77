"""Emitting units in an order: the algorithm alone, on numbers, where nothing is to be chosen.

Units form a tree: those with others inside are blocks, which nothing gets between. Units are
emitted greedily: one is ready when all that it must follow is out, and being ready never ends, so
what gets stuck has no order at all. Of the units that are ready the one of the lowest priority
goes first. A leaf that must not be in a gap waits while that is open: it goes before the gap
if it happens to be ready, else after it.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from passel.builder.graphs import shortest_cycle, smallest_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = 0

Priority: TypeAlias = "tuple[float, int, int]"


class After(NamedTuple):
    """A leaf comes after at least one of some others."""

    leaf: int
    others: tuple[int, ...]


class Next(NamedTuple):
    """A leaf comes right after another one."""

    first: int
    leaf: int


class Gap(NamedTuple):
    """A leaf does not come after any of some others and before any of yet others."""

    leaf: int
    starts: tuple[int, ...]
    ends: tuple[int, ...]


Condition: TypeAlias = "After | Next | Gap"


class Units:
    """A tree of units, with the order between siblings that is fixed.

    Attributes:
        parents: The block around each unit.
        children: The units inside of each.
        priorities: Of units that are ready, the lowest goes first.
        edges: Pairs of siblings, of which the one comes before the other.
    """

    def __init__(self) -> None:
        self.parents: list[int] = [-1]
        self.children: list[list[int]] = [[]]
        self.priorities: list[Priority] = [(0, 0, 0)]
        self.edges: dict[tuple[int, int], int] = {}

    def add(self, parent: int, priority: Priority) -> int:
        """Add a unit to a block, and return it; a block has to have something inside."""
        unit = len(self.parents)
        self.parents.append(parent)
        self.children[parent].append(unit)
        self.children.append([])
        self.priorities.append(priority)
        return unit

    def chain(self, units: Iterable[int]) -> None:
        """Fix the order of siblings."""
        before = -1
        for unit in units:
            if before >= 0:
                self.edges[before, unit] = -1
            before = unit

    def path(self, unit: int) -> list[int]:
        """Return the blocks around a unit from the outermost on, and the unit."""
        found = [unit]
        while (unit := self.parents[unit]) > ROOT:
            found.append(unit)
        return found[::-1]

    def siblings(self, one: int, other: int) -> tuple[int, int]:
        """Return the siblings that two leaves are, or are inside of."""
        if self.parents[one] == self.parents[other]:
            return one, other
        pairs = zip(self.path(one), self.path(other), strict=False)
        return next((a, b) for a, b in pairs if a != b)


class Attempt:
    """One greedy emission of all units.

    Args:
        units: What is ordered.
        conditions: What has to hold, each with the number of the demand that it is part of.

    Attributes:
        order: What is out, blocks after what is inside.
        has_failed: Whether something is stuck.
    """

    def __init__(self, units: Units, conditions: Iterable[tuple[int, Condition]]) -> None:
        self._units = units
        count = len(units.parents)
        self.order: list[int] = []
        self.has_failed = False
        self._edges = dict(units.edges)
        self._clauses: list[tuple[int, After]] = []
        self._glue: list[tuple[int, Next]] = []
        self._gaps: list[tuple[int, Gap, int]] = []
        for place, (number, condition) in enumerate(conditions):
            self._note(number, condition, place)
        self._head = list(range(count))
        self._next: dict[int, int] = {}
        self._is_contradictory = not self._glue_blocks()
        self._successors: list[list[int]] = [[] for _ in range(count)]
        self._waits = [0] * count
        self._link()
        self._left = [0] * count
        self._member_of: dict[int, list[int]] = {}
        for place, (_, clause) in enumerate(self._clauses):
            self._left[clause.leaf] += 1
            for other in clause.others:
                self._member_of.setdefault(other, []).append(place)
        self._hits = [0] * len(self._clauses)
        self._index_gaps()
        self._woken: list[int] = []

    def run(self) -> None:
        """Emit all units, as far as that is possible."""
        self.has_failed: bool = self._is_contradictory or not self._emit_inside(ROOT)

    def leaves(self) -> Iterator[int]:
        """Yield the units without others inside, in order."""
        return (unit for unit in self.order if not self._units.children[unit])

    # -- Making -----------------------------------------------------------------------------

    def _note(self, number: int, condition: Condition, place: int) -> None:
        if isinstance(condition, Gap):
            self._gaps.append((number, condition, place))
            return
        if isinstance(condition, After):
            if len(condition.others) == 1:
                edge = self._units.siblings(condition.others[0], condition.leaf)
                self._edges.setdefault(edge, number)
            else:
                self._clauses.append((number, condition))
            return
        self._glue.append((number, condition))
        before, after = self._units.siblings(condition.first, condition.leaf)
        self._edges.setdefault((before, after), number)
        for other, unit in self._beside(condition.first, before):
            self._edges.setdefault((other, unit), number)
        for other, unit in self._beside(condition.leaf, after):
            self._edges.setdefault((unit, other), number)

    def _beside(self, unit: int, block: int) -> Iterator[tuple[int, int]]:
        """Yield what stands beside a unit and the blocks around it, inside of a block."""
        while unit != block:
            parent = self._units.parents[unit]
            yield from ((other, unit) for other in self._units.children[parent] if other != unit)
            unit = parent

    def _glue_blocks(self) -> bool:
        """Make blocks of what is glued, and return whether that is possible."""
        followers: dict[int, int] = {}
        for _, glue in self._glue:
            before, after = self._units.siblings(glue.first, glue.leaf)
            if self._next.setdefault(before, after) != after:
                return False
            if followers.setdefault(after, before) != before:
                return False
        for start in [unit for unit in self._next if unit not in followers]:
            unit = start
            while unit in self._next:
                unit = self._next[unit]
                self._head[unit] = start
        return all(self._head[unit] != unit for unit in followers)

    def _link(self) -> None:
        seen: set[tuple[int, int]] = set()
        for before, after in self._edges:
            pair = self._head[before], self._head[after]
            if pair[0] == pair[1]:
                self._is_contradictory |= not self._is_later(before, after)
            elif pair not in seen:
                seen.add(pair)
                self._successors[pair[0]].append(pair[1])
                self._waits[pair[1]] += 1

    def _is_later(self, before: int, after: int) -> bool:
        unit: int | None = before
        while unit is not None and unit != after:
            unit = self._next.get(unit)
        return unit is not None

    def _index_gaps(self) -> None:
        self._gaps_of: dict[int, list[int]] = {}
        self._starts_gap: dict[int, list[int]] = {}
        self._ends_gap: dict[int, list[int]] = {}
        self._started = [0] * len(self._gaps)
        self._unended = [len(gap.ends) for _, gap, _ in self._gaps]
        for place, (_, gap, _) in enumerate(self._gaps):
            self._gaps_of.setdefault(gap.leaf, []).append(place)
            for unit in gap.starts:
                self._starts_gap.setdefault(unit, []).append(place)
            for unit in gap.ends:
                self._ends_gap.setdefault(unit, []).append(place)

    def _is_in_gap(self, place: int) -> bool:
        return self._started[place] > 0 and self._unended[place] > 0

    # -- Emitting ---------------------------------------------------------------------------

    def _emit_inside(self, block: int) -> bool:
        """Emit all units of a block, or none; of the outermost one, all that can be."""
        start, priorities = len(self.order), self._units.priorities
        heads = [unit for unit in self._units.children[block] if self._head[unit] == unit]
        waits = {unit: self._waits[unit] for unit in heads}
        ready = [(priorities[unit], unit) for unit in heads if not waits[unit]]
        heapify(ready)
        parked: set[int] = set()
        left, seen = len(heads), len(self._woken)
        while ready:
            _, unit = heappop(ready)
            if not self._emit_glued(unit):
                parked.add(unit)
                continue
            left -= 1
            for other in self._successors[unit]:
                waits[other] -= 1
                if not waits[other]:
                    heappush(ready, (priorities[other], other))
            for leaf in self._woken[seen:] if parked else ():
                woken = self._unit_in(block, leaf)
                if woken in parked:
                    parked.remove(woken)
                    heappush(ready, (priorities[woken], woken))
            seen = len(self._woken)
        if left and block != ROOT:  # what is out tells what is stuck
            self._take_back(start)
        return not left

    def _unit_in(self, block: int, leaf: int) -> int:
        """Return the head of the unit of a block that a leaf is, or is inside of; -1 if none."""
        unit = leaf
        while (parent := self._units.parents[unit]) != block:
            if parent < 0:
                return -1
            unit = parent
        return self._head[unit]

    def _emit_glued(self, head: int) -> bool:
        """Emit a unit and all that is glued to it, or nothing."""
        start = len(self.order)
        unit: int | None = head
        while unit is not None:
            if not self._emit(unit):
                self._take_back(start)
                return False
            unit = self._next.get(unit)
        return True

    def _emit(self, unit: int) -> bool:
        if self._left[unit] or any(map(self._is_in_gap, self._gaps_of.get(unit, ()))):
            return False
        if self._units.children[unit] and not self._emit_inside(unit):
            return False
        self.order.append(unit)
        for place in self._member_of.get(unit, ()):
            self._hits[place] += 1
            if self._hits[place] == 1:
                leaf = self._clauses[place][1].leaf
                self._left[leaf] -= 1
                if not self._left[leaf]:
                    self._woken.append(leaf)
        for place in self._starts_gap.get(unit, ()):
            self._started[place] += 1
        for place in self._ends_gap.get(unit, ()):
            self._unended[place] -= 1
            if not self._unended[place]:
                self._woken.append(self._gaps[place][1].leaf)
        return True

    def _take_back(self, start: int) -> None:
        while len(self.order) > start:
            unit = self.order.pop()
            for place in self._starts_gap.get(unit, ()):
                self._started[place] -= 1
            for place in self._ends_gap.get(unit, ()):
                self._unended[place] += 1
            for place in self._member_of.get(unit, ()):
                self._hits[place] -= 1
                if not self._hits[place]:
                    self._left[self._clauses[place][1].leaf] += 1

    # -- What went wrong --------------------------------------------------------------------

    def core(self) -> set[int]:
        """Return demands that cannot be fulfilled together: those among units that wait in vain."""
        if self._is_contradictory:
            numbers = (n for n, *_ in (*self._clauses, *self._glue, *self._gaps))
            return {n for n in self._edges.values() if n >= 0}.union(numbers)
        stuck = self._stuck()
        top = self._top
        found = {
            number
            for (before, after), number in self._edges.items()
            if number >= 0 and top(before) in stuck and top(after) in stuck
        }
        for place, (number, clause) in enumerate(self._clauses):
            if not self._hits[place] and top(clause.leaf) in stuck:
                found.add(number)
        found.update(self._gaps[place][0] for place in self._blocking(stuck))
        return found | {n for n, glue in self._glue if {top(glue.first), top(glue.leaf)} & stuck}

    def gaps(self) -> list[int]:
        """Return the places of the gaps that leaves wait in, among those that are stuck."""
        if self._is_contradictory:
            return [place for _, _, place in self._gaps]
        return [self._gaps[place][2] for place in self._blocking(self._stuck())]

    def _blocking(self, stuck: set[int]) -> list[int]:
        return [
            place
            for place, (_, gap, _) in enumerate(self._gaps)
            if self._is_in_gap(place) and self._top(gap.leaf) in stuck
        ]

    def cycle(self) -> list[tuple[int, int, int]]:
        """Return a short cycle of units, with the demand behind each pair; or nothing."""
        if self._is_contradictory or self._next:
            return []
        stuck = self._stuck()
        graph: dict[int, list[tuple[int, int]]] = {unit: [] for unit in stuck}
        for (before, after), number in self._edges.items():
            if before in stuck and after in stuck:
                graph[before].append((after, number))
        return shortest_cycle(graph)

    def _top(self, unit: int) -> int:
        while self._units.parents[unit] > ROOT:
            unit = self._units.parents[unit]
        return self._head[unit]

    def _stuck(self) -> set[int]:
        """Return outermost units that wait for each other alone."""
        out = set(self.order)
        heads = self._units.children[ROOT]
        waiting = {unit for unit in heads if self._head[unit] == unit and unit not in out}
        graph: dict[int, set[int]] = {unit: set() for unit in waiting}
        for one, other in self._pending():
            before, after = self._top(one), self._top(other)
            if before != after and before in waiting and after in waiting:
                graph[before].add(after)
        return smallest_source(graph)

    def _pending(self) -> Iterator[tuple[int, int]]:
        """Yield units and those that wait for them, maybe among others."""
        yield from self._edges
        for place, (_, clause) in enumerate(self._clauses):
            if not self._hits[place]:
                yield from ((other, clause.leaf) for other in clause.others)
        for place, (_, gap, _) in enumerate(self._gaps):
            if self._is_in_gap(place):
                yield from ((end, gap.leaf) for end in gap.ends)
