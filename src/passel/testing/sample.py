"""Sample IR for tests of adapters, and assertions about the results of adapter methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from passel.ir import IRAdapter

ErrorT = TypeVar("ErrorT", bound=BaseException)

Path = tuple[int, ...]


class Node(NamedTuple):
    """A description of an op that a test builds.

    Attributes:
        role: The role of the op, which is a key of `AdapterContract.names`.
        symbol: The symbol name of the op, or None.
        body: The nodes for the ops immediately inside the op.
    """

    role: str
    symbol: str | None = None
    body: tuple[Node, ...] = ()

    def walk(self, path: Path = ()) -> Iterator[tuple[Path, Node]]:
        """Yield this node and all nested nodes with their paths, in program order."""
        yield path, self
        for index, inner in enumerate(self.body):
            yield from inner.walk((*path, index))


_INNER = Node("module", "inner", (Node("func", "g"), Node("other")))
_REGION = Node("region", None, (Node("unknown"), Node("func", "h")))
_BODY = (Node("func", "f"), Node("unknown"), _INNER, _REGION, Node("func", "last"))
PROGRAM = Node("module", None, _BODY)
"""A program with functions, unregistered ops, a nested module and a region that is not isolated."""


class Sample(NamedTuple):
    """A program of nodes, and the ops that were built for the nodes.

    Attributes:
        adapter: The adapter of the IR.
        program: The outermost node.
        context: The context of the IR.
        top: The top-level op.
    """

    adapter: IRAdapter
    program: Node
    context: Any
    top: Any

    def at(self, path: Sequence[int]) -> Any:
        """Return the op at a path of child indices."""
        op = self.top
        for index in path:
            op = self.adapter.children(op)[index]
        return op

    def ops(self) -> Iterator[tuple[Path, Node, Any]]:
        """Yield the path, the node and the op for each node of the program."""
        for path, node in self.program.walk():
            yield path, node, self.at(path)

    def functions(self) -> list[Any]:
        """Return all ops with the role `func`."""
        return [op for _, node, op in self.ops() if node.role == "func"]


def check(condition: object, problem: str) -> None:
    """Raise an `AssertionError` with a message unless a condition is true."""
    if not condition:
        raise AssertionError(f"{problem}; see docs/adapters.md")


def equal(found: object, expected: object, what: str) -> None:
    """Raise an `AssertionError` unless a result equals the expected result."""
    check(found == expected, f"{what} is {found!r:.300}, expected {expected!r:.300}")


def differ(found: object, before: object, what: str) -> None:
    """Raise an `AssertionError` if a result equals an earlier result."""
    check(found != before, f"{what} did not change")


def raised(kind: type[ErrorT], action: Callable[[], object], what: str) -> ErrorT:
    """Call a function that must raise a given type of exception, and return the exception."""
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"{what} raised nothing, expected {kind.__name__}; see docs/adapters.md")
