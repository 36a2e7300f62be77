"""Programs that tests of adapters build, and the checks of such tests."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeVar
from unittest import SkipTest

from passel.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    "verify print_op fingerprint": "Is it valid, and did it change?",
    "context_of load_dialects": "What about dialects?",
    "name identity_of": "Use it",
    "renew_fingerprint decode_changes wrap_pass": "Optional abilities",
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
