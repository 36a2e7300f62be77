"""Sample IR for tests of adapters, and assertions about the results of adapter methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar
from unittest import SkipTest

from passel.ir import ability_of
from passel.manager import PassManager

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

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

    def moves(self) -> Iterator[tuple[Path, Path]]:
        """Yield the path of each node that can move, and the path of the node's new parent.

        A node can move into a new parent if the program already contains a child and a parent with
        the roles of the two nodes. This child must have a symbol if and only if the moved node has
        a symbol. The new parent is the preceding sibling if possible, otherwise the first suitable
        node.
        """
        nodes = dict(self.walk())
        allowed = {(o.role, n.role, n.symbol is None) for o in nodes.values() for n in o.body}
        for path, node in nodes.items():
            before = (*path[:-1], path[-1] - 1) if path else ()
            for into in sorted(nodes, key=lambda place: place != before):
                is_elsewhere = into != path[:-1] and into[: len(path)] != path
                if is_elsewhere and (nodes[into].role, node.role, node.symbol is None) in allowed:
                    yield path, into
                    break


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
        """Yield the path, the node and the op of each node."""
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
    """Call a function, and return the exception of the given type that the call must raise."""
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"{what} raised nothing, expected {kind.__name__}; see docs/adapters.md")


class Subject:
    """An adapter under test, with the methods of `AdapterContract` that build and change IR."""

    adapter: IRAdapter
    names: ClassVar[Mapping[str, str]]
    program: ClassVar[Node] = PROGRAM
    isolated: ClassVar[AbstractSet[str]] = frozenset({"module", "func"})
    unregistered: ClassVar[AbstractSet[str]] = frozenset({"unknown", "other"})
    interface: type | None = None
    implementing: ClassVar[AbstractSet[str]] = frozenset({"func"})
    dialect: str = ""
    misspelt: tuple[str, str, str] = ("", "", "")
    has_parents: bool = True
    has_locations: bool = False
    knows_changes: bool = True
    foreign: Sequence[Any] = ()
    source: str = ""

    def build(self, node: Node, context: Any) -> Any:
        """Return a valid op for a node and all nested nodes."""
        raise NotImplementedError

    def change(self, op: Any) -> None:
        """Change an op with any role without making the op invalid."""
        raise NotImplementedError

    def break_(self, op: Any) -> None:
        """Make an op with the role `func` invalid."""
        raise NotImplementedError

    def move(self, op: Any, into: Any) -> None:
        """Move an op to the end of the body of another op."""
        raise NotImplementedError

    # -- For tests ---------------------------------------------------------------------------

    def _sample(self, context: Any = None) -> Sample:
        """Build the program."""
        context = self.adapter.create_context() if context is None else context
        return Sample(self.adapter, self.program, context, self.build(self.program, context))

    def _kind(self, role: str) -> tuple[str, bool, bool]:
        """Return the `name`, `registered` and `isolated` attributes of the kind for a role."""
        known = role not in self.unregistered
        return self.names[role], known, known and role in self.isolated

    def _manager(self, sample: Sample, body: Callable[[Any], object]) -> PassManager:
        """Return a manager that calls a function with each op of the role `func`."""

        def act(op: Any, ctx: Any) -> None:  # noqa: ARG001 - as passes are called
            body(op)

        name = self.names[self.program.role]
        manager = PassManager(name, sample.context, adapter=self.adapter)
        manager.nest(self.names["func"]).add(act)
        return manager

    def _able(self, ability: type[Any]) -> Any:
        """Return the adapter, or skip the test if it lacks an ability."""
        able = ability_of(self.adapter, ability)
        if able is None:
            raise SkipTest(f"the adapter does not have the ability {ability.__name__}")
        return able
