"""Which passes run on which ops, and how hooks pair, for random pipelines and random IR."""

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
    PassFailedError,
    PassFailure,
    PassInstrumentation,
    PassManager,
)
from passel.testing import Callable_, EventRecorder, ToyAdapter, ToyOp

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


class Misbehave(Pass):
    """Fails in some way on the op with this symbol."""

    name = "misbehave"
    at: str = ""
    how: str = ""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Fail, crash, leave invalid IR behind, or change something."""
        if op.symbol != self.at:
            return
        if self.how == "fail":
            raise PassFailure
        if self.how == "crash":
            raise ValueError
        op.value = -1 if self.how == "invalid" else op.value + 1
        if self.how == "hide":
            op.value = -1
            ctx.preserve_all()


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
misbehaving = st.builds(
    Misbehave,
    at=st.sampled_from(SYMBOLS[:6]),
    how=st.sampled_from(["fail", "crash", "invalid", "change", "hide"]),
)


def managers(depth: int, extra: st.SearchStrategy[Any]) -> st.SearchStrategy[OpPassManager]:
    """Nested managers of at most this depth."""

    def with_anchor(anchor: str) -> st.SearchStrategy[OpPassManager]:
        entries = PASSES[anchor] | extra
        if depth:
            entries = entries | managers(depth - 1, extra)
        return st.lists(entries, max_size=4).map(lambda found: OpPassManager(anchor).add(*found))

    return st.sampled_from(sorted(PASSES)).flatmap(with_anchor)


def roots(extra: st.SearchStrategy[Any]) -> st.SearchStrategy[OpPassManager]:
    """Managers for a module."""
    entries = PASSES["toy.module"] | extra | managers(2, extra) | managers(1, extra)
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


def run(
    pm: OpPassManager, module: ToyOp, *instrumentations: PassInstrumentation
) -> tuple[list[str], Any]:
    """Run a manager and return all events, and the result or the error."""
    recorder = EventRecorder()
    runner = PassManager("toy.module", adapter=ADAPTER).add(*pm)
    for instrumentation in (*instrumentations[:1], recorder, *instrumentations[1:]):
        runner.add_instrumentation(instrumentation)
    text, copy = str(runner), runner.copy()
    try:
        result: Any = runner.run(module)
    except PassFailedError as error:
        result = error
    assert (str(runner), runner) == (text, copy)
    return recorder.events, result


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


@given(roots(agnostic), modules())
def test_merging_changes_neither_what_runs_nor_its_order(pm: OpPassManager, module: ToyOp) -> None:
    """Each op gets the passes, in the order, that it gets without any merging."""
    numbered = Numbered()
    run(pm, module, numbered)
    assert by_op(numbered.ran) == by_op(list(executed(pm, module)))


@given(roots(misbehaving), modules())
def test_a_failed_op_spares_its_siblings(pm: OpPassManager, module: ToyOp) -> None:
    """No op's pipeline goes on behind its failure, and every sibling's pipeline is started."""
    events, _ = run(pm, module)
    last: list[str] = [""]
    for event in events:
        if event.startswith("before-pass "):
            assert not last[-1].startswith("after-pass-failed")
        if event.startswith("before-"):
            last.append("")
        else:
            last.pop()
            last[-1] = event if event.startswith("after-pass") else ""


@given(roots(st.builds(Misbehave, at=st.sampled_from(SYMBOLS), how=st.just("change"))), modules())
def test_a_run_knows_whether_it_changed_the_ir(pm: OpPassManager, module: ToyOp) -> None:
    """`changed` is true exactly if the IR's text differs."""
    before = str(module)
    result = run(pm, module)[1]
    assert result.changed is (str(module) != before)
