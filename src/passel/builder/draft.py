"""The draft of a pipeline: a sequence that is changed as a whole or not at all.

A change is made in place, brought into an order that the constraints allow, and checked; what is
refused is taken back.
"""

from __future__ import annotations

from collections import deque
from contextlib import AbstractContextManager, contextmanager
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from passel.builder.editing import Edit
from passel.builder.positions import Positions
from passel.builder.rules import Rules
from passel.builder.sequence import Group, Nest, Node, Step
from passel.builder.targets import Origin, caller
from passel.errors import InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator

    from passel.builder.constraints import Rule
    from passel.builder.declarations import DeclarationTable
    from passel.builder.sequence import BundleUse, Container, Item, Sequence
    from passel.manager import PassManager


class Draft:
    """The sequence of a builder, which all its views share, and the constraints in force.

    Args:
        sequence: The sequence.
        declarations: What is declared of passes.
        template: An empty manager, which knows the IR and where names are looked up.

    Attributes:
        extension: The name of the extension that is at work; empty if none is.
    """

    def __init__(
        self, sequence: Sequence, declarations: DeclarationTable, template: PassManager
    ) -> None:
        self.sequence: Sequence = sequence
        self.declarations: DeclarationTable = declarations
        self.template: PassManager = template
        self.extension: str = ""
        self._rules: Rules | None = None

    @property
    def rules(self) -> Rules:
        """The constraints in force."""
        if self._rules is None or self._rules.version != self.declarations.version:
            positions = Positions(self.sequence, self.declarations)
            self._rules = Rules(positions, self.sequence.constraints)
        return self._rules

    @property
    def positions(self) -> Positions:
        """The steps that targets stand for."""
        return self.rules.positions

    def forget(self) -> None:
        """Forget the constraints in force, since the sequence has changed."""
        self._rules = None

    def copy(self) -> Draft:
        """Return the same draft, to be changed alone."""
        return Draft(self.sequence.copy(), self.declarations, self.template)

    @contextmanager
    def all_or_nothing(self) -> Generator[None]:
        """Go back to a copy of the sequence if an error leaves what is done inside."""
        before = self.sequence.copy()
        try:
            yield
        except BaseException:
            self.sequence = before
            self.forget()
            raise

    def edit(self, origin: Origin | None = None) -> AbstractContextManager[Edit]:
        """Change the sequence, if what is done inside leaves it in order.

        Args:
            origin: Who makes the change; by default the caller of the builder.

        Raises:
            InsertionError: There is no order, or a constraint is broken that was not before.
        """
        return self._edited(origin or caller(self.extension))

    @contextmanager
    def _edited(self, origin: Origin) -> Generator[Edit]:
        known = self.rules.breaches
        with self.all_or_nothing():
            self.sequence.calls += 1
            edit = Edit(self.sequence, self.positions, self.template, origin)
            yield edit
            self.forget()
            if edit.placed:
                for container in {each.parent for each in edit.placed if each.parent}:
                    container.items = ordered(container, edit.placed, self.rules)
                self.forget()
            for about, breach in self.rules.breaches.items():
                if about not in known:
                    breach.refuse()


class _Edge(NamedTuple):
    """An item that has to come before another one.

    Attributes:
        first: The item.
        last: The other one.
        reason: Why, in a sentence.
        rule: The constraint, if it is one.
    """

    first: Node
    last: Node
    reason: str
    rule: Rule | None = None


def ordered(container: Container, placed: Collection[Node], rules: Rules) -> list[Node]:
    """Return the items of a container in an order that their constraints allow.

    Args:
        container: The container.
        placed: The items that may stand anywhere; the others keep their order.
        rules: The constraints.

    Raises:
        InsertionError: There is no such order; with the shortest circle of reasons.
    """
    edges = [*_fixed(container, placed), *_demanded(container, placed, rules)]
    numbers = {item: number for number, item in enumerate(container.items)}
    sorter = TopologicalSorter[Node](dict.fromkeys(container.items, ()))
    for edge in edges:
        sorter.add(edge.last, edge.first)
    try:
        sorter.prepare()
    except CycleError as error:
        raise _refusal(_shortest_circle(edges, error.args[1])) from None
    found: list[Node] = []
    ready: list[int] = []
    while sorter.is_active():
        for item in sorter.get_ready():
            heappush(ready, numbers[item])
        found.append(container.items[heappop(ready)])
        sorter.done(found[-1])
    return found


def _fixed(container: Container, placed: Collection[Node]) -> Iterator[_Edge]:
    """Yield the order of what was added explicitly, and of the members of each bundle."""
    chains = [[item for item in container.items if item not in placed]]
    members: dict[BundleUse, list[Node]] = {}
    for item in placed:
        first = next(item.steps(), None)
        for use in () if first is None or item.parent is not container else first.bundles:
            members.setdefault(use, []).append(item)
    for chain in (*chains, *members.values()):
        yield from (_Edge(first, last, _reason(first, last)) for first, last in pairwise(chain))


def _demanded(container: Container, placed: Collection[Node], rules: Rules) -> Iterator[_Edge]:
    """Yield what constraints demand of placed items; of several that will do, the first counts."""
    for rule, step in rules.all:
        for last, others in rules.demands(rule.constraint, step):
            item = _child(container, last)
            before = [each for each in (_child(container, other) for other in others) if each]
            if item is None or not before or item in before:
                continue
            if item in placed or before[0] in placed:
                yield _Edge(before[0], item, rule.about(step), rule)


def _child(container: Container, step: Item) -> Node | None:
    """Return what a step is, or is inside of, among the items of a container."""
    item = step
    while item.parent is not None and item.parent is not container:
        item = item.parent
    return item if item.parent is container else None  # pyright: ignore[reportReturnType] - a node, as it stands in one


def _shortest_circle(edges: list[_Edge], items: list[Node]) -> list[_Edge]:
    """Return the fewest edges that lead from one of the items of a circle back to it."""
    outgoing: dict[Node, list[_Edge]] = {}
    for edge in edges:
        outgoing.setdefault(edge.first, []).append(edge)
    return min((_path_back(start, outgoing) for start in items), key=len)


def _path_back(start: Node, outgoing: dict[Node, list[_Edge]]) -> list[_Edge]:
    reached: dict[Node, _Edge] = {}
    todo = deque([start])
    while todo and start not in reached:
        for edge in outgoing.get(todo.popleft(), ()):
            if edge.last not in reached:
                reached[edge.last] = edge
                todo.append(edge.last)
    path = [reached[start]]
    while path[-1].first is not start:
        path.append(reached[path[-1].first])
    return path[::-1]


def _refusal(circle: list[_Edge]) -> InsertionError:
    rules = tuple({id(each.rule): each.rule for each in circle if each.rule}.values())
    lines = dict.fromkeys(each.reason for each in circle)
    whole = (each.first for each in circle if not isinstance(each.first, Step))
    lines |= dict.fromkeys(f"{_named(each)} stays in one piece" for each in whole)
    drop = "one of the constraints" if len(rules) > 1 else "the constraint"
    return InsertionError(
        Problem("there is no order that fulfils all of these:"),
        *(Problem(f"  {line}") for line in lines),
        Problem(f"drop {drop} or leave out one of the steps"),
        rules=rules,
    )


def _reason(first: Node, last: Node) -> str:
    if isinstance(first, Group) and isinstance(last, Group):
        return f"{_named(first)} comes before {_named(last)}"
    pair = f"{_named(first)} before {_named(last)}"
    uses = {use for step in first.steps() for use in step.bundles}
    for use in (use for step in last.steps() for use in step.bundles if use in uses):
        return f"bundle '{use.bundle.name}' has {pair}"
    order = "in this order"
    return f"{pair}, since they were added explicitly {last.origin.clause(order) or order}"


def _named(item: Node) -> str:
    if isinstance(item, Nest):
        return f"nested pipeline '{item.label}'"
    if isinstance(item, Group):
        return f"{'bundle' if item.is_block else 'stage'} '{item.name}'"
    return f"'{item.label}'"
