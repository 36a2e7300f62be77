"""Ordering a sequence by its constraints: what is placed, or all of it.

Placed items are put among those that were added explicitly, which keep their order. Where they
stand depends on nothing but these, the set of placed items and the set of constraints: all of
them are placed anew whenever something changes.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from passel.builder.emission import ROOT, After, Gap, Next, Units
from passel.builder.scheduling import Demand, Demanded, OneOf, Solver
from passel.builder.sequence import Group, Step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from passel.builder.constraints import Clause, Constraint
    from passel.builder.rules import Rule, Rules, Scope
    from passel.builder.sequence import Container, Node, Sequence


class Arrangement:
    """A sequence as units to be ordered.

    Args:
        sequence: The sequence, which is changed by `apply` alone.
        rules: The constraints.
        homes: Where the placed items that count are put, in their canonical order.
        is_free: Whether explicitly added items may change their order.

    Attributes:
        rules: The constraints that say something about order.
        demands: What each of them demands.
        solver: Finds an order.
    """

    def __init__(
        self,
        sequence: Sequence,
        rules: Rules,
        homes: Mapping[Node, Container],
        *,
        is_free: bool,
    ) -> None:
        self._sequence = sequence
        self._homes = homes
        self._is_free = is_free
        self._units = Units()
        self._unit_of: dict[Node, int] = {}
        self._items: dict[int, Node] = {}
        self._placed_in: dict[Container, list[Node]] = {}
        for item, home in homes.items():
            self._placed_in.setdefault(home, []).append(item)
        self._enter(sequence.root, ROOT)
        self.rules: list[Rule] = []
        self.demands: list[Demand] = []
        self._read(rules)
        if homes:
            self._prioritize()
        self.solver: Solver = Solver(self._units, self.demands)

    def items(self, cycle: Iterable[tuple[int, int, int]]) -> Iterator[tuple[Node, Node, int]]:
        """Yield the items for the units of a cycle."""
        return ((self._items[a], self._items[b], number) for a, b, number in cycle)

    def apply(self, order: list[int]) -> bool:
        """Bring the sequence into an order, and return whether that has changed anything."""
        wanted: dict[Container, list[Node]] = {}
        for unit in order:
            if unit != ROOT:
                item = self._items[unit]
                home = self._homes.get(item) or item.parent
                assert home is not None  # noqa: S101 - it stands in the sequence
                wanted.setdefault(home, []).append(item)
        has_changed = False
        for home, items in wanted.items():
            for item in items:
                if item.parent is not home:
                    self._sequence.unlink(item)
                    self._sequence.append(item, home)
                    has_changed = True
            complete = _with_empty(home, items)
            if complete != home.items:
                self._sequence.reorder(home, complete)
                has_changed = True
        return has_changed

    # -- Units ------------------------------------------------------------------------------

    def _enter(self, container: Container, block: int) -> None:
        """Make units of what is in a container."""
        explicit = [item for item in container.items if item.home is None and _is_filled(item)]
        placed = self._placed_in.get(container, [])
        for place, item in enumerate((*explicit, *placed)):
            unit = self._units.add(block, (place, 1, 0))
            self._items[unit] = item
            self._unit_of[item] = unit
            if not isinstance(item, Step):
                self._enter(item, unit)
        is_fixed = not self._is_free or (isinstance(container, Group) and container.is_closed)
        fixed = explicit if is_fixed else [item for item in explicit if _is_stage(item)]
        self._units.chain(self._unit_of[item] for item in fixed)
        if not is_fixed:
            self._chain_bundles(explicit)
        self._chain_bundles(placed)

    def _chain_bundles(self, items: list[Node]) -> None:
        """Keep the order of the members of each bundle."""
        members: dict[str, list[int]] = {}
        for item in items:
            step = next(iter(item.steps()))
            for use in step.bundles:
                members.setdefault(use.label, []).append(self._unit_of[item])
        for units in members.values():
            self._units.chain(units)

    # -- Demands ----------------------------------------------------------------------------

    def _read(self, rules: Rules) -> None:
        scope = rules.scope()
        number_of: dict[int, int] = {}
        for rule, step in rules.all():
            conditions = list(self._conditions(rule.constraint, step, scope))
            if conditions:
                number = number_of.setdefault(id(rule), len(self.rules))
                if number == len(self.rules):
                    self.rules.append(rule)
                    self.demands.append([])
                self.demands[number] += conditions

    def _conditions(self, constraint: Constraint, step: Step, scope: Scope) -> Iterator[Demanded]:
        """Yield what a constraint on a step demands of the units that count."""
        unit = self._unit_of.get(step)
        if unit is None:
            return
        for clause in constraint.clauses(step, scope):
            if (condition := self._after(clause)) is not None:
                yield condition
        if neighbours := self._known(constraint.neighbours(step, scope)):
            yield OneOf(tuple(Next(each, unit) for each in neighbours))
        first, last = map(self._known, constraint.gap(step, scope))
        if first and last:
            yield Gap(unit, first, last)

    def _known(self, steps: Iterable[Step]) -> tuple[int, ...]:
        return tuple(self._unit_of[step] for step in steps if step in self._unit_of)

    def _after(self, clause: Clause) -> After | None:
        """Return a clause about units; None if it is about items that do not count."""
        unit = self._unit_of.get(clause.step)
        others = self._known(clause.others)
        return None if unit is None or not others else After(unit, others)

    # -- Priorities -------------------------------------------------------------------------

    def _prioritize(self) -> None:
        """Have placed units emitted right after what they follow, or right before what follows."""
        placed = {self._unit_of[item] for item in self._homes}
        _Priorities(self._units, placed, self.demands).assign()


class _Priorities:
    """Finds where among the others a placed unit is emitted if its constraints leave that open.

    A unit that follows an explicit one, maybe by way of others, goes as early as it can. Else one
    that is followed goes right before that, and one that is neither goes last.
    """

    def __init__(self, units: Units, placed: set[int], demands: Iterable[Demand]) -> None:
        self._units = units
        self._placed = placed
        self._before: dict[int, list[list[int]]] = {}
        self._after: dict[int, set[int]] = {}
        for demand in demands:
            for clause in demand:
                if not isinstance(clause, After):
                    continue
                pairs = [units.siblings(other, clause.leaf) for other in clause.others]
                for unit in dict.fromkeys(unit for _, unit in pairs):
                    self._note(unit, [other for other, same in pairs if same == unit])
        for before, after in units.edges:
            self._note(after, [before])

    def _note(self, unit: int, others: list[int]) -> None:
        if unit in self._placed:
            self._before.setdefault(unit, []).append(others)
        for other in others:
            self._after.setdefault(other, set()).add(unit)

    def assign(self) -> None:
        """Set the priorities of the placed units."""
        priorities = self._units.priorities
        earliest = self._earliest()
        latest = self._latest(earliest)
        for rank, unit in enumerate(sorted(self._placed)):
            if unit in earliest:
                priorities[unit] = (-1, 0, rank)
            else:
                place, is_after = latest.get(unit, (inf, 0))
                priorities[unit] = (place, is_after, rank)

    def _earliest(self) -> dict[int, float]:
        """Return for units that follow an explicit one the number of the last such."""
        found: dict[int, float] = {}
        todo = list(self._placed)
        while todo:
            unit = todo.pop()
            bounds = [
                min(
                    (p for each in others if (p := self._place(each, found)) is not None),
                    default=-1,
                )
                for others in self._before.get(unit, ())
            ]
            bound = max(bounds, default=-1)
            if bound >= 0 and bound > found.get(unit, -1):
                found[unit] = bound
                todo += (each for each in self._after.get(unit, ()) if each in self._placed)
        return found

    def _latest(self, earliest: dict[int, float]) -> dict[int, tuple[float, int]]:
        """Return before, or if the flag is 2 after, which explicit unit the others have to be."""
        found: dict[int, tuple[float, int]] = {}
        todo = [unit for unit in self._placed if unit not in earliest]
        while todo:
            unit = todo.pop()
            bounds: list[tuple[float, int]] = []
            for after in self._after.get(unit, ()):
                if after not in self._placed:
                    bounds.append((self._units.priorities[after][0], 0))
                elif after in earliest:
                    bounds.append((earliest[after], 2))
                elif after in found:
                    bounds.append(found[after])
            bound = min(bounds, default=(inf, 0))
            if bound < found.get(unit, (inf, 0)):
                found[unit] = bound
                for others in self._before.get(unit, ()):
                    todo += (o for o in others if o in self._placed and o not in earliest)
        return found

    def _place(self, unit: int, found: dict[int, float]) -> float | None:
        return found.get(unit) if unit in self._placed else self._units.priorities[unit][0]


def _is_filled(item: Node) -> bool:
    return any(True for _ in item.steps())


def _is_stage(item: Node) -> bool:
    return isinstance(item, Group) and not item.is_closed


def _with_empty(container: Container, items: list[Node]) -> list[Node]:
    """Return items with those of a container that have no steps, each after what it was after."""
    members = set(items)
    if len(members) == len(container.items):
        return items
    complete: list[Node] = []
    before: Node | None = None
    follow: dict[Node | None, list[Node]] = {}
    for item in container.items:
        if item in members:
            before = item
        else:
            follow.setdefault(before, []).append(item)
    complete += follow.get(None, ())
    for item in items:
        complete.append(item)
        complete += follow.get(item, ())
    return complete
