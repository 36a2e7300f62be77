"""Ordering steps by constraints, then by their current order, for `PipelineBuilder.place`."""

from __future__ import annotations

from collections import deque
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from passel.builder.steps import Scope, Step, steps_in
from passel.errors import InsertionError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from passel.builder.constraints import Rule
    from passel.builder.snapshot import Snapshot
    from passel.builder.steps import BundleUse, Node

Groups: TypeAlias = "dict[Node, list[Step]]"
"""The items of a scope, each mapped to the steps that it contains."""


class _Edge(NamedTuple):
    """An item that must come before another item, and the reason.

    Attributes:
        first: The earlier item.
        last: The later item.
        reason: The reason in a sentence.
        rule: The rule that requires the order, or None if no constraint is the reason.
    """

    first: Node
    last: Node
    reason: str
    rule: Rule | None = None


def ordered(items: list[Node], placed: Collection[Node], snapshot: Snapshot) -> list[Node]:
    """Return the items of a scope in an order that satisfies the constraints.

    Args:
        items: The items of the scope, in their current order.
        placed: The items whose position may change. All other items keep their order.
        snapshot: A snapshot of the pipeline.

    Raises:
        InsertionError: If no order satisfies all constraints. The message lists the shortest cycle
            of contradictory requirements.
    """
    groups = {item: steps_in([item]) for item in items}
    edges = [*_fixed(groups, placed), *_demanded(groups, placed, snapshot)]
    sorter: TopologicalSorter[Node] = TopologicalSorter(dict.fromkeys(items, ()))
    for edge in edges:
        sorter.add(edge.last, edge.first)
    try:
        sorter.prepare()
    except CycleError as error:
        raise _contradiction(_shortest_cycle(edges, error.args[1])) from None
    numbers = {item: number for number, item in enumerate(items)}
    found: list[Node] = []
    ready: list[int] = []
    while sorter.is_active():
        for item in sorter.get_ready():
            heappush(ready, numbers[item])
        found.append(items[heappop(ready)])
        sorter.done(found[-1])
    return found


def _fixed(groups: Groups, placed: Collection[Node]) -> Iterator[_Edge]:
    """Yield the edges between items with a fixed order and between the members of each bundle."""
    chains: dict[BundleUse | None, list[Node]] = {}
    for item, steps in groups.items():
        uses = [use for step in steps[:1] for use in step.bundles] if item in placed else [None]
        for use in uses:
            chains.setdefault(use, []).append(item)
    for chain in chains.values():
        for first, last in pairwise(chain):
            yield _Edge(first, last, _reason(first, last, groups))


def _demanded(groups: Groups, placed: Collection[Node], snapshot: Snapshot) -> Iterator[_Edge]:
    """Yield the edges that constraints require between placed items and other items.

    If a constraint has several possible predecessors, only the first one gets an edge.
    """
    owners = {step: item for item, steps in groups.items() for step in steps}
    for rule, step in snapshot.rules:
        for last, others in snapshot.demands(rule.constraint, step):
            before = [owners[each] for each in others if each in owners]
            item = owners.get(last)
            if item is None or not before or item in before:
                continue
            if item in placed or before[0] in placed:
                yield _Edge(before[0], item, rule.about(step), rule)


def _shortest_cycle(edges: list[_Edge], items: list[Node]) -> list[_Edge]:
    """Return the shortest cycle of edges through one of the items."""
    outgoing: dict[Node, list[_Edge]] = {}
    for edge in edges:
        outgoing.setdefault(edge.first, []).append(edge)
    return min((_path_back(start, outgoing) for start in items), key=len)


def _path_back(start: Node, outgoing: dict[Node, list[_Edge]]) -> list[_Edge]:
    """Return the shortest path from an item back to itself."""
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


def _contradiction(cycle: list[_Edge]) -> InsertionError:
    rules = {id(each.rule) for each in cycle if each.rule}
    lines = [each.reason for each in cycle]
    lines += (
        f"the steps of {_named(each.first)} must stay together"
        for each in cycle
        if isinstance(each.first, Scope)
    )
    drop = "one of the constraints" if len(rules) > 1 else "the constraint"
    return InsertionError(
        "no order satisfies all of these constraints:",
        *(f"  {line}" for line in dict.fromkeys(lines)),
        f"remove {drop} or one of the steps",
    )


def _reason(first: Node, last: Node, groups: Groups) -> str:
    pair = f"{_named(first)} before {_named(last)}"
    uses, shared = (
        {use for step in groups[node] for use in step.bundles} for node in (first, last)
    )
    for use in uses & shared:
        return f"bundle '{use.bundle.name}' has {pair}"
    order = "in this order"
    return f"{pair}, since they were added explicitly {last.origin.clause(order) or order}"


def _named(node: Node) -> str:
    if isinstance(node, Step):
        return node.title
    return (
        f"nested pipeline '{node.label}'" if node.kind == "nest" else f"{node.kind} '{node.name}'"
    )
