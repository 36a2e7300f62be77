"""Each adapter in turn, with a manager, a program and passes over its IR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from subjects import MLIRSubject, Node, ToySubject, XDSLSubject

from passel import Diagnostic, Pass, PassContext, PassManager, RunResult, Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from subjects import Subject


@pytest.fixture(params=[ToySubject, XDSLSubject, MLIRSubject], ids=["toy", "xdsl", "mlir"])
def subject(request: pytest.FixtureRequest) -> Subject:
    """Each adapter in turn."""
    return request.param()


@pytest.fixture
def manager(subject: Subject) -> PassManager:
    """A manager on modules, with a context of its own."""
    context = subject.adapter.create_context()
    return PassManager(subject.names["module"], context, adapter=subject.adapter)


@pytest.fixture
def program(subject: Subject, manager: PassManager) -> Any:
    """Functions, unregistered ops and a nested module."""
    inner = Node("module", "inner", (Node("func", "g"), Node("func", "h")))
    body = (
        Node("func", "f"),
        Node("unknown"),
        Node("region", None, (Node("func", "inside_region"),)),
        inner,
        Node("func", "k"),
    )
    return subject.build(Node("module", "top", body), manager.context)


@pytest.fixture
def visited() -> list[str]:
    """The remarks of passes that `run` ran, which say where they are."""
    return []


@pytest.fixture
def run(program: Any, visited: list[str]) -> Callable[[PassManager], RunResult]:
    """Run a manager on the program."""

    def note(diagnostic: Diagnostic) -> None:
        if diagnostic.severity is Severity.REMARK:
            visited.append(diagnostic.message)

    return lambda manager: manager.run(program, on_diagnostic=note)


@pytest.fixture
def act() -> Callable[..., Pass[Any]]:
    """Make a pass from a function that takes the op and the context.

    More arguments are what its class body declares.
    """

    def make(
        action: Callable[[Any, PassContext], object] = lambda _op, _ctx: None,
        name: str = "act",
        **body: Any,
    ) -> Pass[Any]:
        def run(_: Any, op: Any, ctx: PassContext) -> None:
            action(op, ctx)

        return type("Act", (Pass,), {"name": name, "run": run, "__doc__": "Act.", **body})()

    return make
