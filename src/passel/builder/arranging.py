"""Ordering a sequence by its constraints: what is placed, or all of it.

Placed items are put among those that were added explicitly, which keep their order. Where they
stand depends on nothing but these, the set of placed items and the set of constraints: all of
them are placed anew whenever something changes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from passel.builder.greedy import Greedy, Tree
from passel.builder.rules import Clause
from passel.builder.sequence import Step, is_block, is_stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Sequence as Items

    from passel.builder.rules import Rule, Rules
    from passel.builder.sequence import BundleUse, Container, Node, Sequence


class Demand(NamedTuple):
    """The demands of a constraint on the order, for one step.

    Attributes:
        rule: The constraint.
        step: The step.
        clauses: What has to come before what.
    """

    rule: Rule
    step: Step
    clauses: tuple[Clause, ...]


class Arrangement:
    """A sequence to be ordered.

    Args:
        sequence: The sequence, which is changed by `apply` alone.
        rules: The constraints.
        homes: Where the placed items that count are put, in their canonical order.
        is_free: Whether explicitly added items may change their order.

    Attributes:
        demands: What the constraints demand.
        chains: Siblings in an order that is fixed.
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
        self._is_free = is_free
        self._placed_in: dict[Container, list[Node]] = {}
        for item, home in homes.items():
            self._placed_in.setdefault(home, []).append(item)
        self._inside: dict[Container, list[Node]] = {}
        self._parents: dict[Node, Container] = {}
        self.chains: list[list[Node]] = []
        self._positions = {item: number for number, item in enumerate(sequence.items())}
        self._enter(sequence.root)
        self._tree = Tree(sequence.root, self._inside, self._parents, homes.keys())
        self.demands: list[Demand] = self._read(rules)

    def order(self) -> list[Node] | None:
        """Return all items, containers after what is inside; or None if there is no order."""
        return self._greedy().order()

    def is_possible(
        self, demands: Items[Demand], links: Iterable[tuple[Node, Node]] | None = None
    ) -> bool:
        """Return whether there is an order of the items that demands are about.

        Args:
            demands: What has to be fulfilled.
            links: Which pairs of siblings keep their order; by default all that are fixed.
        """
        inside: dict[Container, list[Node]] = {self._tree.root: []}
        for item in self._concerned(demands):
            inside.setdefault(self._parents[item], []).append(item)
        tree = self._tree._replace(inside=inside, placed=set())
        clauses = (clause for each in demands for clause in each.clauses)
        fixed = self.links(demands) if links is None else links
        return Greedy(tree, clauses, fixed).order() is not None

    def suspects(self) -> list[Demand]:
        """Return demands that contradict each other if there is no order; not the fewest."""
        greedy = self._greedy()
        greedy.order()
        stuck = [each for each in self.demands if any(map(greedy.is_stuck, each.clauses))]
        circle = _circle([(each, c) for each in stuck for c in each.clauses if greedy.is_stuck(c)])
        return stuck if self.is_possible(circle) else circle

    def links(self, demands: Iterable[Demand]) -> list[tuple[Node, Node]]:
        """Return which pairs of siblings that demands are about are fixed in their order."""
        concerned = self._concerned(demands)
        return [
            link
            for chain in self.chains
            for link in pairwise(item for item in chain if item in concerned)
        ]

    def in_one_piece(self, demands: Items[Demand]) -> list[Node]:
        """Return the containers of which demands are about several items."""
        touched: dict[Node, set[Node]] = {}
        for clause in (clause for each in demands for clause in each.clauses):
            for step in (clause.step, *clause.others):
                for inner, outer in pairwise(self._path(step)):
                    touched.setdefault(outer, set()).add(inner)
        return [outer for outer, inner in touched.items() if len(inner) > 1]

    def apply(self, order: list[Node]) -> None:
        """Bring the sequence into an order."""
        contents: dict[Container, list[Node]] = {container: [] for container in self._inside}
        for item in order:
            contents[self._parents[item]].append(item)
        self._sequence.refill(contents)

    def _greedy(self) -> Greedy:
        clauses = (clause for each in self.demands for clause in each.clauses)
        return Greedy(self._tree, clauses, (p for chain in self.chains for p in pairwise(chain)))

    def _concerned(self, demands: Iterable[Demand]) -> set[Node]:
        """Return the steps that demands are about, and their enclosing containers."""
        return {
            item
            for each in demands
            for clause in each.clauses
            for step in (clause.step, *clause.others)
            for item in self._path(step)
        }

    def _path(self, step: Step) -> list[Node]:
        """Return a step and its enclosing containers but the outermost, from the inside out."""
        path: list[Node] = [step]
        while (outer := self._parents[path[-1]]) is not self._tree.root:
            path.append(outer)  # pyright: ignore[reportArgumentType] - a Nest or Group
        return path

    def _enter(self, container: Container) -> None:
        explicit = [item for item in container.items if item.home is None]
        placed = self._placed_in.get(container, [])
        self._inside[container] = [*explicit, *placed]
        for item in self._inside[container]:
            self._parents[item] = container
            if not isinstance(item, Step):
                self._enter(item)
        is_fixed = not self._is_free or is_block(container)
        self.chains.append(explicit if is_fixed else list(filter(is_stage, explicit)))
        if not is_fixed:
            self._chain_bundles(explicit)
        self._chain_bundles(sorted(placed, key=self._position))

    def _position(self, item: Node) -> int:
        return self._positions[item]

    def _chain_bundles(self, items: list[Node]) -> None:
        """Keep the order of the members of each bundle."""
        members: dict[BundleUse, list[Node]] = {}
        for item in items:
            first = next(item.steps(), None)
            for use in () if first is None else first.bundles:
                members.setdefault(use, []).append(item)
        self.chains += members.values()

    def _read(self, rules: Rules) -> list[Demand]:
        found: list[Demand] = []
        for rule, step in rules.all():
            clauses: list[Clause] = []
            for clause in rules.clauses(rule.constraint, step):
                others = tuple(other for other in clause.others if other in self._parents)
                if others and clause.step in self._parents:
                    clauses.append(Clause(clause.step, others))
            if clauses:
                found.append(Demand(rule, step, tuple(clauses)))
        return found


def _circle(stuck: list[tuple[Demand, Clause]]) -> list[Demand]:
    """Return demands of steps that wait for each other in a circle; not always the shortest."""
    of_step: dict[Node, tuple[Demand, Clause]] = {}
    for demand, clause in stuck:
        of_step.setdefault(clause.step, (demand, clause))
    path: dict[Node, Demand] = {}
    step = next(iter(of_step), None)
    while step in of_step and step not in path:
        path[step], clause = of_step[step]
        step = next((other for other in clause.others if other in of_step), None)
    steps = list(path)
    circle = steps[steps.index(step) :] if step in path else []
    return list(dict.fromkeys(path[each] for each in circle))
