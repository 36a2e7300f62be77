"""The draft of a pipeline: a sequence with atomic changes.

A change is made in place, ordered as the constraints require, and checked. A rejected change is
undone.
"""

from __future__ import annotations

from collections import deque
from contextlib import AbstractContextManager, contextmanager
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passel.builder.editing import Edit
from passel.builder.rules import Rules
from passel.builder.sequence import Node, Scope, Step, grouped, steps_in
from passel.builder.targets import Origin, caller
from passel.errors import InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator

    from passel.builder.constraints import Rule
    from passel.builder.declarations import DeclarationTable
    from passel.builder.sequence import BundleUse, Entry, Sequence
    from passel.manager import PassManager


Groups: TypeAlias = dict[Node, list[Any]]
"""The items immediately inside a scope, each with its contents."""


class Draft:
    """The sequence of a builder, which all its views share, and the constraints in force.

    Args:
        sequence: The sequence.
        declarations: The declarations for passes.
        template: An empty manager with the IR's adapter and the registry.

    Attributes:
        extension: The name of the running extension; empty if none.
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
            self._rules = Rules(self.sequence, self.declarations)
        return self._rules

    def forget(self) -> None:
        """Drop the cached constraints, since the sequence has changed."""
        self._rules = None

    def copy(self) -> Draft:
        """Return an independent copy of the draft."""
        return Draft(self.sequence.copy(), self.declarations, self.template)

    @contextmanager
    def all_or_nothing(self) -> Generator[None]:
        """Restore the sequence if the `with` block raises."""
        before = self.sequence.copy()
        try:
            yield
        except BaseException:
            self.sequence = before
            self.forget()
            raise

    def edit(self, origin: Origin | None = None) -> AbstractContextManager[Edit]:
        """Change the sequence in a `with` block, then order and check it.

        Args:
            origin: The author of the change; by default the caller of the builder.

        Raises:
            InsertionError: If no order is possible, or the change breaks a constraint.
        """
        return self._edited(origin or caller(self.extension))

    @contextmanager
    def _edited(self, origin: Origin) -> Generator[Edit]:
        known = self.rules.breaches
        with self.all_or_nothing():
            self.sequence.calls += 1
            edit = Edit(self.sequence, self.rules, self.template, origin)
            yield edit
            self.forget()
            if edit.placed:
                self._order(edit.added)
            for about, breach in self.rules.breaches.items():
                if about not in known:
                    breach.refuse()

    def _order(self, placed: Collection[Node]) -> None:
        """Move the placed nodes so that the constraints are satisfied."""
        entries = self.sequence.entries
        for scope in dict.fromkeys(self.sequence.scope_of(each) for each in placed):
            inside = self.sequence.inside(scope)
            end = self.sequence.end(scope)
            entries[end - len(inside) : end] = ordered(inside, placed, self.rules)
        self.forget()


class _Edge(NamedTuple):
    """An item that must come before another item.

    Attributes:
        first: The earlier item.
        last: The later item.
        reason: The reason, in a sentence.
        rule: The constraint, if one is the reason.
    """

    first: Node
    last: Node
    reason: str
    rule: Rule | None = None


def ordered(entries: list[Entry], placed: Collection[Node], rules: Rules) -> list[Entry]:
    """Return the contents of a scope in an order that satisfies the constraints.

    Args:
        entries: The contents.
        placed: The entries that may move; the others keep their order.
        rules: The constraints.

    Raises:
        InsertionError: If no order satisfies all constraints. The error contains the shortest cycle
            of reasons.
    """
    groups = {group[0]: group for group in grouped(entries)}
    edges = [*_fixed(groups, placed), *_demanded(groups, placed, rules)]
    nodes = list(groups)
    numbers = {node: number for number, node in enumerate(nodes)}
    sorter = TopologicalSorter[Node](dict.fromkeys(groups, ()))
    for edge in edges:
        sorter.add(edge.last, edge.first)
    try:
        sorter.prepare()
    except CycleError as error:
        raise _refusal(_shortest_circle(edges, error.args[1])) from None
    found: list[Entry] = []
    ready: list[int] = []
    while sorter.is_active():
        for node in sorter.get_ready():
            heappush(ready, numbers[node])
        first = nodes[heappop(ready)]
        found += groups[first]
        sorter.done(first)
    return found


def _fixed(groups: Groups, placed: Collection[Node]) -> Iterator[_Edge]:
    """Yield edges between items that keep their order, and between the members of each bundle."""
    chains = [[node for node in groups if node not in placed]]
    members: dict[BundleUse, list[Node]] = {}
    for node in (each for each in placed if each in groups):
        for step in steps_in(groups[node])[:1]:
            for use in step.bundles:
                members.setdefault(use, []).append(node)
    for chain in (*chains, *members.values()):
        for first, last in pairwise(chain):
            yield _Edge(first, last, _reason(first, last, groups))


def _demanded(groups: Groups, placed: Collection[Node], rules: Rules) -> Iterator[_Edge]:
    """Yield the edges that constraints require of placed items, one of several alternatives."""
    owners = {step: node for node, group in groups.items() for step in steps_in(group)}
    for rule, step in rules.all:
        for last, others in rules.demands(rule.constraint, step):
            before = [owners[each] for each in others if each in owners]
            node = owners.get(last)
            if node is None or not before or node in before:
                continue
            if node in placed or before[0] in placed:
                yield _Edge(before[0], node, rule.about(step), rule)


def _shortest_circle(edges: list[_Edge], items: list[Node]) -> list[_Edge]:
    """Return the shortest cycle of edges through one of the items."""
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
    lines |= dict.fromkeys(f"{_named(each)} must stay together" for each in whole)
    drop = "one of the constraints" if len(rules) > 1 else "the constraint"
    return InsertionError(
        Problem("no order satisfies all of these constraints:"),
        *(Problem(f"  {line}") for line in lines),
        Problem(f"drop {drop} or remove one of the steps"),
        rules=rules,
    )


def _reason(first: Node, last: Node, groups: Groups) -> str:
    if all(isinstance(each, Scope) and each.kind != "nest" for each in (first, last)):
        return f"{_named(first)} comes before {_named(last)}"
    pair = f"{_named(first)} before {_named(last)}"
    uses, shared = ({u for s in steps_in(groups[n]) for u in s.bundles} for n in (first, last))
    for use in uses & shared:
        return f"bundle '{use.bundle.name}' has {pair}"
    order = "in this order"
    return f"{pair}, since they were added explicitly {last.origin.clause(order) or order}"


def _named(node: Node) -> str:
    if isinstance(node, Step) or node.kind == "nest":
        return f"{'' if isinstance(node, Step) else 'nested pipeline '}'{node.label}'"
    return f"{node.kind} '{node.name}'"
