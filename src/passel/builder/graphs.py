"""Graphs of what waits for what: where they are stuck, and the shortest reason."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

_MAX_STEPS = 400_000
"""How many edges are looked at in search of a shorter cycle."""


def smallest_source(graph: Mapping[int, AbstractSet[int]]) -> set[int]:
    """Return the smallest strongly connected component that nothing outside leads to.

    Args:
        graph: The successors of each node.
    """
    components = list(_components(graph))
    component_of = {node: place for place, nodes in enumerate(components) for node in nodes}
    reached = {
        component_of[after]
        for before, successors in graph.items()
        for after in successors
        if component_of[after] != component_of[before]
    }
    sources = [nodes for place, nodes in enumerate(components) if place not in reached]
    return set(min(sources, key=lambda nodes: (len(nodes), min(nodes)), default=()))


def _components(graph: Mapping[int, AbstractSet[int]]) -> Iterator[list[int]]:
    """Yield the strongly connected components.

    Source: Tarjan, "Depth-first search and linear graph algorithms", 1972; without recursion.
    """
    numbers: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    for root in graph:
        if root in numbers:
            continue
        work = [(root, iter(sorted(graph[root])))]
        numbers[root] = lowest[root] = len(numbers)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, successors = work[-1]
            after = next(successors, None)
            if after is None:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
                if lowest[node] == numbers[node]:
                    place = stack.index(node)
                    yield stack[place:]
                    on_stack.difference_update(stack[place:])
                    del stack[place:]
            elif after not in numbers:
                numbers[after] = lowest[after] = len(numbers)
                stack.append(after)
                on_stack.add(after)
                work.append((after, iter(sorted(graph[after]))))
            elif after in on_stack:
                lowest[node] = min(lowest[node], numbers[after])


def shortest_cycle(graph: Mapping[int, list[tuple[int, int]]]) -> list[tuple[int, int, int]]:
    """Return a cycle with the fewest labelled edges; the shortest of some in a large graph.

    Args:
        graph: The successors of each node, with the label of the edge; -1 for none.

    Returns:
        The edges, as pairs of nodes and a label; none if there is no cycle.
    """
    best: list[tuple[int, int, int]] = []
    best_cost = len(graph) + 1
    budget = _MAX_STEPS
    for start in sorted(graph):
        found, cost, steps = _cycle_through(graph, start, best_cost)
        if found:
            best, best_cost = found, cost
        budget -= steps
        if budget < 0 and best:
            break
    return best


def _cycle_through(
    graph: Mapping[int, list[tuple[int, int]]], start: int, limit: int
) -> tuple[list[tuple[int, int, int]], int, int]:
    """Return a cycle through a node that costs less than a limit, its cost, and the effort."""
    costs = {start: 0}
    came_from: dict[int, tuple[int, int, int]] = {}
    todo = deque([(0, start)])
    found: list[tuple[int, int, int]] = []
    steps = 0
    while todo:
        cost, node = todo.popleft()
        if cost > costs[node]:
            continue
        for after, label in graph[node]:
            steps += 1
            total = cost + (label >= 0)
            if total >= limit:
                continue
            if after == start:
                found, limit = _walk_back(came_from, (node, after, label)), total
            elif total < costs.get(after, limit):
                costs[after] = total
                came_from[after] = (node, after, label)
                (todo.append if label >= 0 else todo.appendleft)((total, after))
    return found, limit, steps


def _walk_back(
    came_from: Mapping[int, tuple[int, int, int]], last: tuple[int, int, int]
) -> list[tuple[int, int, int]]:
    cycle = [last]
    while cycle[-1][0] in came_from:
        cycle.append(came_from[cycle[-1][0]])
    return cycle[::-1]
