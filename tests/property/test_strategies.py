"""Random pipelines on random modules, observed at random, are the same under every strategy."""

from __future__ import annotations

import io
import re
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from zlib import crc32

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp, UnitAttr

from passel import (
    Diagnostic,
    OpPassManager,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
    Statistic,
)
from passel.execution.strategies import Sequential, fork
from passel.execution.strategies.executors import OnExecutor, Threads
from passel.execution.strategies.fork import Forked
from passel.instruments.ir_printer import PrintIR
from passel.instruments.statistics_report import StatisticsReport
from passel.instruments.timing import Timing
from passel.ir import PrintFlags
from passel.xdsl import DominanceInfo, XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Generator

    from xdsl.ir import Operation


def _first(op: Any) -> Any:
    """Return the first op inside, or the op itself if there is none."""
    return next(iter(op.body.block.ops), op)


def _add(op: Any, ctx: PassContext, number: int) -> None:
    constant = ConstantOp.from_int_and_width(number, 32)
    constant.result.name_hint = "added"
    block = op.body.block
    if block.first_op is None:
        block.add_op(constant)
    else:
        block.insert_op_before(constant, block.first_op)


def _rename(op: Any, ctx: PassContext, number: int) -> None:
    """Give values names, which alone are no change."""
    for inner in op.body.block.ops:
        for result in inner.results:
            result.name_hint = f"n{number}"


def _reorder(op: Any, ctx: PassContext, number: int) -> None:
    """Put attributes in another order, which is no change either."""
    for inner in op.body.block.ops:
        for name in sorted(inner.attributes, reverse=True):
            inner.attributes[name] = inner.attributes.pop(name)


def _erase(op: Any, ctx: PassContext, number: int) -> None:
    for inner in reversed(tuple(op.body.block.ops)):
        if inner.results and not any(result.uses for result in inner.results):
            inner.detach()
            inner.erase()


def _swap(op: Any, ctx: PassContext, number: int) -> None:
    """Make all use the first value."""
    values = [inner.results[0] for inner in op.body.block.ops if inner.results]
    for inner in op.body.block.ops:
        if inner.operands:
            inner.operands[0] = values[0]  # dominates all


def _attribute(op: Any, ctx: PassContext, number: int) -> None:
    inner = _first(op)
    inner.attributes[f"a{number}"] = UnitAttr()


def _report(op: Any, ctx: PassContext, number: int) -> None:
    ctx.emit_warning(f"look {number}", _first(op)).attach_note("here")
    ctx.emit_remark("and there")


def _error(op: Any, ctx: PassContext, number: int) -> None:
    ctx.emit_error(f"bad {number}", _first(op))


def _fail(op: Any, ctx: PassContext, number: int) -> None:
    raise PassFailure(f"no {number}", op=_first(op))


def _crash(op: Any, ctx: PassContext, number: int) -> None:
    raise LookupError(number)


def _ask(op: Any, ctx: PassContext, number: int) -> None:
    known = ctx.cached_analysis(DominanceInfo) is not None
    enclosing = ctx.parent_analysis(DominanceInfo) is not None
    ctx.analysis(DominanceInfo)
    ctx.emit_remark(f"known: {known}, around: {enclosing}")
    ctx.preserve(DominanceInfo)


def _keep(op: Any, ctx: PassContext, number: int) -> None:
    ctx.preserve_all()


def _invalidate(op: Any, ctx: PassContext, number: int) -> None:
    """Leave IR behind that does not verify."""
    for inner in op.body.block.ops:
        if inner.name == "arith.constant":
            del inner.properties["value"]
            return


def _run(op: Any, ctx: PassContext, number: int) -> None:
    inner = Act(salt=number + 1, acts=("add", "report", "fail", "ask"))
    if not ctx.run_pipeline(OpPassManager("any").add("cse", inner)):
        ctx.emit_remark("it failed inside")


ACTS = {
    "add": _add,
    "ask": _ask,
    "attribute": _attribute,
    "crash": _crash,
    "erase": _erase,
    "error": _error,
    "fail": _fail,
    "invalidate": _invalidate,
    "keep": _keep,
    "rename": _rename,
    "reorder": _reorder,
    "report": _report,
    "run": _run,
    "swap": _swap,
}


class Act(Pass[Any]):
    """Do one of some acts, another one for each op."""

    name = "act"
    salt: int = 0
    acts: tuple[str, ...] = ()
    seen = Statistic("Ops seen")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        ctx.count(self.seen)
        number = crc32(f"{ctx.adapter.symbol_name(op)} {self.salt}".encode())
        ACTS[self.acts[number % len(self.acts)]](op, ctx, number % 7)


# -- Cases ----------------------------------------------------------------------------------------


STATEMENTS = [
    "%c = arith.constant 1 : i32",
    "%d = arith.constant 1 : i32",
    "%e = arith.constant 2 : i32",
    '%u = "test.op"() {x, a, k} : () -> i32',
    '"test.op"() : () -> () loc("elsewhere":3:4)',
]


class Case(NamedTuple):
    """Something to run.

    Attributes:
        source: The module.
        pipeline: The pipeline for it, as nested lists: passes, and pairs of a name and a list.
        prints: Arguments of a printer; None for no printer.
        counts: Whether statistics are reported.
        times: Whether times are measured.
        checks: Whether the verifier runs.
    """

    source: str
    pipeline: list[Any]
    prints: dict[str, Any] | None
    counts: bool
    times: bool
    checks: bool


class Found(NamedTuple):
    """All that a run says: what failed, what was reported, counted, printed, measured, and the IR."""

    raised: str
    failures: list[tuple[Any, ...]]
    reported: list[tuple[str, str]]
    statistics: dict[str, dict[str, int]]
    written: str
    rows: list[tuple[str, str, int]]
    text: str


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Return the text of a module with functions, also in modules inside."""
    numbers = iter(range(1000))

    def function() -> str:
        body = draw(st.lists(st.sampled_from(STATEMENTS), max_size=4, unique=True))
        if body and body[0].startswith("%"):
            name = body[0].partition(" ")[0]
            body.insert(1, f"%sum = arith.addi {name}, {name} : i32")
        return "\n".join([f"func.func @f{next(numbers)}() {{", *body, "func.return", "}"])

    def module(depth: int) -> str:
        lines: list[str] = []
        for _ in range(draw(st.integers(2, 5))):
            inner = depth < 2 and draw(st.integers(0, 3)) == 0
            lines.append(module(depth + 1) if inner else function())
        return "\n".join([f"builtin.module @m{next(numbers)} {{", *lines, "}"])

    return module(0)


acts = st.builds(
    Act,
    salt=st.integers(0, 99),
    acts=st.lists(st.sampled_from(sorted(ACTS)), min_size=1, max_size=5).map(tuple),
)
gentle = st.builds(
    Act,
    salt=st.integers(0, 99),
    acts=st.lists(
        st.sampled_from(["add", "ask", "keep", "report", "rename", "reorder", "run", "swap"]),
        min_size=1,
        max_size=5,
    ).map(tuple),
)
on_functions = st.lists(
    st.one_of(acts, gentle, st.sampled_from(["cse", "canonicalize"])), max_size=4
)


def _on_modules(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    nested = st.one_of(
        st.tuples(st.just("func.func"), on_functions),
        st.tuples(st.just("builtin.module"), inner),
    )
    return st.lists(st.one_of(gentle, nested, nested), min_size=1, max_size=3)


nests = st.tuples(st.just("func.func"), on_functions).map(lambda nest: [nest])
pipelines = _on_modules(_on_modules(nests))
printers = st.fixed_dictionaries(
    {
        "before": st.booleans(),
        "after": st.booleans(),
        "only_on_change": st.booleans(),
        "diff": st.booleans(),
        "flags": st.builds(PrintFlags, debuginfo=st.booleans(), generic=st.booleans()),
    }
)
cases = st.builds(
    Case,
    sources(),
    pipelines,
    st.none() | printers,
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


def fill(manager: OpPassManager, entries: list[Any]) -> None:
    """Add passes and nested pipelines."""
    for entry in entries:
        match entry:
            case str(name), inner:
                fill(manager.nest(name), cast("list[Any]", inner))
            case _:
                manager.add(entry)


def run(strategy: Sequential, case: Case, parsed: Operation, context: Any) -> Found:
    """Run a case on a copy of its module."""
    adapter, module = XDSLAdapter(), parsed.clone()
    manager = PassManager(ModuleOp, context)
    fill(manager, case.pipeline)
    manager.enable_verifier(case.checks)
    written, timing = io.StringIO(), Timing()
    if case.prints is not None:
        manager.add_instrumentation(PrintIR(stream=written, **case.prints))
    if case.counts:
        manager.add_instrumentation(StatisticsReport(stream=written))
    if case.times:
        manager.add_instrumentation(timing)
    reported: list[Diagnostic] = []
    logged: list[str] = []
    raised, failures, statistics = "", [], {}

    def chosen(jobs: object, executor: object = None) -> Sequential:
        return strategy

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("passel.manager.pass_manager.strategy_for", chosen)
        patch.setattr("passel.execution.strategies.distribution.log_warning_once", logged.append)
        try:
            result = manager.run(module, on_diagnostic=reported.append)
            statistics = {path: dict(counts) for path, counts in result.statistics.items()}
        except PassFailedError as error:
            raised = str(error)
            failures = [(*each[:-2], str(each), each.diagnostic.origin) for each in error.failures]
    assert not [each for each in logged if each.startswith("not using worker processes")]
    return Found(
        raised,
        failures,
        [(str(each), str(each.notes)) for each in reported],
        statistics,
        re.sub(r"0x[0-9a-f]+", "0x", written.getvalue()),
        [(row.name, row.path, row.count) for row in timing.timing.walk() if case.times],
        adapter.print_op(module, PrintFlags(debuginfo=True)),
    )


@pytest.fixture(scope="module")
def strategies() -> Generator[list[Sequential]]:
    """The strategies that share work."""
    pool = ProcessPoolExecutor(2, get_context("fork"))
    pool.submit(int).result()  # forks before there are threads
    with pool, ThreadPoolExecutor(2) as threads, pytest.MonkeyPatch.context() as patch:
        patch.setattr(fork, "_left_behind", str)  # the other pools are at rest
        yield [Forked(2), Threads(3), Threads(None, threads), OnExecutor(None, pool)]


NAMES = Case(
    "builtin.module { "
    "func.func @f() { %c = arith.constant 1 : i32 func.return } "
    'func.func @g() { %u = "test.op"() {x, a} : () -> i32 func.return } }',
    [("func.func", [Act(acts=("rename",)), Act(acts=("reorder",))])],
    None,
    counts=False,
    times=False,
    checks=True,
)
"""A case in which nothing changes but names and the order of attributes."""


@settings(phases=[Phase.explicit, Phase.generate])  # shrinking takes minutes of forks
@given(case=cases)
@example(NAMES)
def test_strategies_agree(strategies: list[Sequential], case: Case) -> None:
    """IR with locations and names, diagnostics, failures, statistics, dumps and rows are equal."""
    context = XDSLAdapter().create_context()
    parsed = parse_source(context, case.source, "random.mlir")
    expected = run(Sequential(), case, parsed, context)
    for strategy in strategies:
        assert run(strategy, case, parsed, context) == expected
