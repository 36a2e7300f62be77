"""Programs that tests of adapters build, and the checks of such tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ErrorT = TypeVar("ErrorT", bound=BaseException)


class Node(NamedTuple):
    """An op to build.

    Attributes:
        role: A key of `AdapterContract.names`.
        symbol: Its symbol, if it has one.
        body: The nodes immediately inside.
    """

    role: str
    symbol: str | None = None
    body: tuple[Node, ...] = ()

    def walk(self, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Node]]:
        """Yield this node and all nodes inside with their paths, in program order."""
        yield path, self
        for index, inner in enumerate(self.body):
            yield from inner.walk((*path, index))


_INNER = Node("module", "inner", (Node("func", "g"), Node("other")))
_REGION = Node("region", None, (Node("unknown"), Node("func", "h")))
_BODY = (Node("func", "f"), Node("unknown"), _INNER, _REGION, Node("func", "last"))
PROGRAM = Node("module", None, _BODY)
"""Functions, unregistered ops, a nested module, and a region that is not isolated."""


def check(condition: object, problem: str) -> None:
    """Fail a test with a problem unless a condition holds."""
    if not condition:
        raise AssertionError(problem)


def equal(found: object, expected: object, what: str) -> None:
    """Fail a test unless what was found equals what was expected."""
    check(found == expected, f"{what} is {found!r}, not {expected!r}")


def raised(kind: type[ErrorT], action: Callable[[], object]) -> ErrorT:
    """Return the error that an action raises, which must be of a kind."""
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"there is no {kind.__name__}")
