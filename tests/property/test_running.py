"""Which passes run on which ops, for random pipelines and random IR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from passel import (
    InterfacePass,
    OperationPass,
    OpKind,
    OpPassManager,
    Pass,
    PassContext,
    PassInstrumentation,
    PassManager,
)
from passel.testing import Callable_, ToyAdapter, ToyOp

if TYPE_CHECKING:
    from collections.abc import Iterator

ADAPTER = ToyAdapter()


class Note(Pass):
    """Does nothing, under a number."""

    name = "note"
    n: int = 0

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do nothing."""


class OnFunc(OperationPass[Any]):
    """Accepts functions."""

    name = "on-func"
    anchor = "toy.func"
    n: int = 0

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do nothing."""


class OnCallable(InterfacePass[Callable_]):
    """Accepts what can be called."""

    name = "on-callable"
    n: int = 0

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do nothing."""


class Picky(Note):
    """Accepts all but functions."""

    name = "picky"

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Refuse functions."""
        return kind.name != "toy.func"


SYMBOLS = [f"s{i}" for i in range(12)]
numbers = st.integers(0, 9)
agnostic = st.builds(Note, n=numbers)
PASSES: dict[str, st.SearchStrategy[Any]] = {
    "toy.module": agnostic | st.builds(Picky, n=numbers),
    "toy.func": agnostic | st.builds(OnFunc, n=numbers) | st.builds(OnCallable, n=numbers),
    "any": (
        agnostic
        | st.builds(OnFunc, n=numbers)
        | st.builds(OnCallable, n=numbers)
        | st.builds(Picky, n=numbers)
    ),
}


def managers(depth: int) -> st.SearchStrategy[OpPassManager]:
    """Nested managers of at most this depth."""

    def with_anchor(anchor: str) -> st.SearchStrategy[OpPassManager]:
        entries = PASSES[anchor]
        if depth:
            entries = entries | managers(depth - 1)
        return st.lists(entries, max_size=4).map(lambda found: OpPassManager(anchor).add(*found))

    return st.sampled_from(sorted(PASSES)).flatmap(with_anchor)


def roots() -> st.SearchStrategy[OpPassManager]:
    """Managers for a module."""
    entries = PASSES["toy.module"] | managers(2) | managers(1)
    return st.lists(entries, max_size=6).map(lambda found: OpPassManager("toy.module").add(*found))


@st.composite
def modules(draw: st.DrawFn) -> ToyOp:
    """A module of at most a dozen ops with different symbols, some of which run no passes."""
    root = ToyOp("toy.module", "root")
    ops = [root]
    for symbol in SYMBOLS[: draw(st.integers(0, 12))]:
        name = draw(st.sampled_from(["toy.func", "toy.module", "toy.region", "other.op"]))
        parent = draw(st.sampled_from(ops))
        ops.append(parent.add(ToyOp(name, symbol)))
    return root


def executed(pm: OpPassManager, op: ToyOp) -> Iterator[tuple[str | None, str]]:
    """Run a manager as it is written, one nested manager after the other, by the rules."""
    for entry in pm:
        if isinstance(entry, Pass):
            yield op.symbol, str(entry)
            continue
        for child in op.body:
            if takes(entry, child):
                yield from executed(entry, child)


def takes(pm: OpPassManager, op: ToyOp) -> bool:
    """Return whether a nested manager runs on an op, as `mlir::OpPassManager::canScheduleOn`."""
    if pm.anchor != "any":
        return pm.anchor == op.name
    kind = ADAPTER.kind_of(op)
    passes = [entry for entry in pm if isinstance(entry, Pass)]
    return kind.registered and kind.isolated and all(p.can_schedule_on(kind) for p in passes)


class Numbered(PassInstrumentation):
    """Records which pass, by its text, ran on which op."""

    def __init__(self) -> None:
        self.ran: list[tuple[str | None, str]] = []

    def before_pass(self, step: Any, op: ToyOp) -> None:
        """Record passes only."""
        if step.pass_ is not None:
            self.ran.append((op.symbol, str(step.pass_)))


def by_op(ran: list[tuple[str | None, str]]) -> dict[str | None, list[str]]:
    """Return the passes of each op in order."""
    passes: dict[str | None, list[str]] = {}
    for symbol, name in ran:
        passes.setdefault(symbol, []).append(name)
    return passes


@given(roots(), modules())
def test_merging_changes_neither_what_runs_nor_its_order(pm: OpPassManager, module: ToyOp) -> None:
    """Each op gets the passes, in the order, that it gets without any merging."""
    numbered = Numbered()
    manager = PassManager("toy.module", adapter=ADAPTER).add(*pm)
    manager.add_instrumentation(numbered)
    manager.run(module)
    assert by_op(numbered.ran) == by_op(list(executed(pm, module)))
