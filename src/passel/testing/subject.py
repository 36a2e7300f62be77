"""An adapter under test: how its IR is built and changed, and what it lacks."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, ParamSpec, TypeVar
from unittest import SkipTest

from passel.errors import DefinitionError
from passel.ir import IRAdapter, ability_of
from passel.manager import PassManager
from passel.passes import Pass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from passel.passes import PassContext

ErrorT = TypeVar("ErrorT", bound=BaseException)
P = ParamSpec("P")

_LONGEST = 300
"""How much of a value a message shows."""


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


SECTIONS = {
    "key_of kind_of kind_named suggest_op": "What is this op?",
    "children parent symbol_name location": "Where is it?",
    "verify print_op fingerprint renew_fingerprint": "Is it valid, and did it change?",
    "context_of load_dialects": "What about dialects?",
    "name identity_of": "Use it",
    "decode_changes wrap_pass": "Optional abilities",
    "make_frontend": "Files of it",
}
"""Sections of the guide `docs/adapters.md`, by the methods of adapters that they are about."""


def about(method: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Let the errors of a test name the method of the adapter that it is about, and its section."""
    section = next(title for names, title in SECTIONS.items() if method in names.split())
    place = f"'{section}' in docs/adapters.md says what '{method}' returns"

    def decorated(test: Callable[P, None]) -> Callable[P, None]:
        @wraps(test)
        def called(*args: P.args, **keywords: P.kwargs) -> None:
            __tracebackhide__ = True
            try:
                test(*args, **keywords)
            except AssertionError as error:
                error.args = (f"{method}: {error}; {place}",)
                raise
            except (SkipTest, DefinitionError):
                raise
            except Exception as error:
                error.add_note(place)
                raise

        return called

    return decorated


def check(condition: object, problem: str) -> None:
    """Fail a test with a problem unless a condition holds."""
    if not condition:
        raise AssertionError(problem)


def equal(found: object, expected: object, what: str) -> None:
    """Fail a test unless what was found equals what was expected."""
    check(found == expected, f"{what} is {_short(found)}, expected {_short(expected)}")


def raised(kind: type[ErrorT], action: Callable[[], object], what: str) -> ErrorT:
    """Return the error that is raised for something, which must be of a kind."""
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"{what} raised nothing, expected {kind.__name__}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


class Subject:
    """Samples of an IR that tests of its adapter need; see `AdapterContract`."""

    adapter: IRAdapter
    names: ClassVar[Mapping[str, str]]
    program: ClassVar[Node] = PROGRAM
    isolated: ClassVar[AbstractSet[str]] = frozenset({"module", "func"})
    unregistered: ClassVar[AbstractSet[str]] = frozenset({"unknown", "other"})
    interface: type | None = None
    implementing: ClassVar[AbstractSet[str]] = frozenset({"func"})
    dialect: str = ""
    misspelt: tuple[str, str, str] = ("", "", "")
    moves: ClassVar[Sequence[tuple[tuple[int, ...], tuple[int, ...]]]] = (
        ((0,), (2,)),
        ((3, 0), (2,)),
    )
    flat: ClassVar[tuple[Node, tuple[int, ...], tuple[int, ...]] | None] = (
        Node("module", None, (Node("region", None, (Node("unknown"),)), Node("unknown"))),
        (1,),
        (0,),
    )
    has_parents: bool = True
    has_locations: bool = False
    knows_changes: bool = True
    foreign: Sequence[Any] = ()
    source: str = ""

    def build(self, node: Node, context: Any) -> Any:
        """Return the op for a node, valid, with all that is inside."""
        raise NotImplementedError

    def change(self, op: Any) -> None:
        """Change an op of any role, leaving it valid."""
        raise NotImplementedError

    def break_(self, op: Any) -> None:
        """Make an op of the role `func` invalid."""
        raise NotImplementedError

    def move(self, op: Any, into: Any) -> None:
        """Move an op to the end of what is inside of another."""
        raise NotImplementedError

    # -- For tests -----------------------------------------------------------------------------

    def _built(self) -> tuple[Any, Any]:
        """Return a context with the program."""
        context = self.adapter.create_context()
        return context, self._build("program", self.program, context)

    def _build(self, what: str, program: Node, context: Any) -> Any:
        """Return the op for the program of an attribute, all of whose roles must have names."""
        lacking = {node.role for _, node in program.walk()} - self.names.keys()
        if lacking:
            roles = ", ".join(f"'{role}'" for role in sorted(lacking))
            raise DefinitionError(
                f"'{what}' has ops of the roles {roles}, which 'names' lacks: add their names, or "
                f"set a '{what}' of your test without"
            )
        return self.build(program, context)

    def _moves(self) -> Sequence[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Return what is moved, and where to, which must be in the program."""
        paths = {path for path, _ in self.program.walk()}
        for path in (each for move in self.moves for each in move):
            if path not in paths:
                msg = f"'moves' has {path}, at which 'program' has no op: set 'moves' of your test"
                raise DefinitionError(msg)
        return self.moves

    def _ops(self) -> Iterator[tuple[Node, Any]]:
        """Yield all nodes with their ops."""
        _, top = self._built()
        for path, node in self.program.walk():
            yield node, self._at(top, path)

    def _at(self, op: Any, path: Sequence[int]) -> Any:
        for index in path:
            op = self.adapter.children(op)[index]
        return op

    def _functions(self) -> list[tuple[int, ...]]:
        return [path for path, node in self.program.walk() if node.role == "func"]

    def _manager(self, context: Any, body: Callable[[Any], object]) -> PassManager:
        manager = PassManager(self.names[self.program.role], context, adapter=self.adapter)
        manager.nest(self.names["func"]).add(_Acting(body=body))
        return manager

    def _same(self, found: Any, expected: Any, what: str) -> None:
        """Fail unless what was found is the op that was expected."""
        names = (f"{self._named(op)}" for op in (found, expected))
        check(found == expected, f"{what} is {', expected '.join(names)}")

    def _named(self, op: Any) -> str:
        if op is None:
            return "None"
        symbol = self.adapter.symbol_name(op)
        return f"'{self.adapter.kind_of(op).name}'" + (f" @{symbol}" if symbol else "")

    def _able(self, ability: type[Any]) -> Any:
        able = ability_of(self.adapter, ability)
        if able is None:
            raise SkipTest(f"the adapter does not have the ability {ability.__name__}")
        return able


class _Acting(Pass):
    """Call a function of a test."""

    name = "acting"
    body: Any

    def run(self, op: Any, ctx: PassContext) -> None:
        self.body(op)
