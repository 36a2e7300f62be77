"""Strongly connected components."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

N = TypeVar("N", bound="Hashable")


def strongly_connected(
    nodes: Iterable[N], successors: Callable[[N], Iterable[N]]
) -> tuple[tuple[N, ...], ...]:
    """Return the strongly connected components, each after those that it leads to.

    Linear in nodes and edges, without recursion.

    Example:
        >>> graph = {"a": "b", "b": "ca", "c": ""}
        >>> strongly_connected(graph, graph.__getitem__)
        (('c',), ('a', 'b'))

    Source: Tarjan: Depth-First Search and Linear Graph Algorithms, 1972.
    """
    components: list[tuple[N, ...]] = []
    number: dict[N, int] = {}
    lowest: dict[N, int] = {}
    unfinished: dict[N, None] = {}  # in the order in which they were met
    for root in nodes:
        if root in number:
            continue
        stack: list[tuple[N, Iterator[N]]] = []
        following: N | None = root
        while following is not None or stack:
            if following is not None:
                number[following] = lowest[following] = len(number)
                unfinished[following] = None
                stack.append((following, iter(successors(following))))
            node, edges = stack[-1]
            following = None
            for successor in edges:
                if successor not in number:
                    following = successor
                    break
                if successor in unfinished:
                    lowest[node] = min(lowest[node], number[successor])
            else:
                stack.pop()
                if stack:
                    parent = stack[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[node])
                if lowest[node] == number[node]:
                    components.append(_close(unfinished, node))
    return tuple(components)


def _close(unfinished: dict[N, None], first: N) -> tuple[N, ...]:
    component: list[N] = []
    while not component or component[-1] is not first:
        component.append(unfinished.popitem()[0])
    return tuple(reversed(component))
