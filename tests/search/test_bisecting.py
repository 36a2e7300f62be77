"""Bisection finds planted bugs: the pass, the op and the rewrite, in a few calls of the oracle."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from corpus import Asked
from sweeps import STEP
from xdsl.dialects.arith import AddiOp, ConstantOp
from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr, i32
from xdsl.dialects.func import FuncOp
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)

from passel import (
    OperationPass,
    OpPassManager,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
    option,
)
from passel.frontend import SourcePart, frontend_of
from passel.ir import adapter_named
from passel.passes import PassRegistry, default_registry
from passel.record import Record, Recorder
from passel.search import (
    Answer,
    Case,
    SameFailure,
    SearchError,
    Subject,
    Trials,
    Verdict,
    bisect,
)
from passel.search.bisecting import Bisection, guilty_rewrite
from passel.search.children import Scratch
from passel.search.oracle import ComputesElse, NotValid
from passel.search.starting import failure_of, pipeline_of
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation

    from passel.search import Oracle
    from passel.search.bisecting import Culprit

FUNCTION = """\
func.func @f{n}(%a: i32) -> i32 {{
  %c = arith.constant {n} : i32
  %z = arith.constant 0 : i32
  %0 = arith.addi %a, %z : i32
  %1 = arith.muli %0, %0 : i32
  %2 = arith.muli %0, %0 : i32
  %3 = arith.addi %1, %c : i32
  %4 = arith.addi %3, %2 : i32
  func.return %4 : i32
}}
"""


class _WrongFold(RewritePattern):
    """Make constants larger, once each."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, ConstantOp) and isinstance(op.value, IntegerAttr):
            value = op.value.value.data
            if value < 1000:
                rewriter.replace(op, ConstantOp(IntegerAttr(value + 1000, i32)))


class _Mark(RewritePattern):
    """A rewrite that does no harm."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, AddiOp) and "seen" not in op.attributes:
            op.attributes["seen"] = UnitAttr()
            rewriter.notify_op_modified(op)


class Bug(OperationPass[FuncOp]):
    """Do harm to one function."""

    name = "bug"
    kind: str = option(default="fold", help="What to do.")
    symbol: str = option(default="", help="The function.")

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Do it if it is the function."""
        patterns: list[RewritePattern] = [_Mark()]
        is_here = op.sym_name.data == self.symbol
        if is_here and self.kind == "fold":
            patterns.append(_WrongFold())
        PatternRewriteWalker(GreedyRewritePatternApplier(patterns)).rewrite_region(op.body)
        if is_here and self.kind == "invalid":
            op.function_type = type(op.function_type).from_lists([], [])
        if is_here and self.kind == "lost":
            last = op.body.blocks[0].last_op
            assert last is not None
            last.operands[0] = op.body.blocks[0].args[0]
        if is_here and self.kind in ("attribute", "crash"):
            op.attributes["harm"] = StringAttr("done")


class Fragile(OperationPass[FuncOp]):
    """Fail on functions to which harm was done."""

    name = "fragile"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Look for the attribute."""
        if "harm" in op.attributes:
            raise PassFailure("harm was done")


class MLIRBug(Pass[Any]):
    """Do harm to one function of MLIR's."""

    name = "mlir-bug"
    kind: str = option(default="attribute", help="What to do.")
    symbol: str = option(default="", help="The function.")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it if it is the function."""
        from mlir.ir import StringAttr, TypeAttr

        if ctx.adapter.symbol_name(op) != self.symbol:
            return
        if self.kind == "attribute":
            op.operation.attributes["harm"] = StringAttr.get("done", op.operation.context)
        else:
            types = TypeAttr.parse("() -> ()", op.operation.context)
            op.operation.attributes["function_type"] = types


REGISTRY = PassRegistry(default_registry())
for each in (Bug, Fragile, MLIRBug):
    REGISTRY.register(each)


class Planted:
    """A recorded run with a bug in it.

    Args:
        folder: Where the record is.
        ir: The name of the IR.
        before: The passes in front of the bug.
        bug: The pass that is one.
        after: The passes behind it.
        functions: How many functions there are.
    """

    def __init__(
        self,
        folder: Path,
        ir: str,
        before: Sequence[str],
        bug: str,
        after: Sequence[str],
        functions: int,
    ) -> None:
        adapter = adapter_named(ir)
        frontend = frontend_of(adapter)

        def manager(text: str, context: Any) -> PassManager:
            made = PassManager.parse(text, context, registry=REGISTRY, adapter=adapter)
            made.enable_verifier(False)
            return made

        self.subject = Subject(frontend, manager, verifies=False)
        self.strict = Subject(frontend, manager)
        source = "".join(FUNCTION.format(n=n) for n in range(functions))
        context = frontend.new_context()
        text = f"builtin.module {{ {source} }}"
        op = frontend.read(SourcePart(text, "in.mlir"), context, lambda _: None).op
        self.pipeline = f"builtin.module(func.func({','.join([*before, bug, *after])}))"
        pm = manager(self.pipeline, context)
        path = folder / "run.passel"
        pm.add_instrumentation(Recorder(str(path)))
        self.failed = False
        try:
            pm.run(op, on_diagnostic=lambda _: None)
        except PassFailedError:
            self.failed = True
        self.record = Record.open(path)
        before_text = self.record.info.runs[0].before
        assert before_text is not None
        self.start = self.record.text(before_text)

    def find(self, oracle: Oracle) -> tuple[Culprit, Trials]:
        """Return what a bisection finds."""
        trials = Trials(oracle)
        return Bisection(self.record, trials).find(), trials


def _harmed(text: str) -> bool:
    return "harm" in text


_KINDS = ["fold", "lost", "invalid", "attribute", "crash", "mlir-attribute", "mlir-invalid"]
_XDSL = ("cse", "canonicalize", "dce", "bug", "licm")
_MLIR = ("cse", "canonicalize", "mlir-bug")


def _planted(
    folder: Path, kind: str, seed: int, functions: int, passes: int
) -> tuple[Planted, str]:
    """Return a run with a bug of a kind at a random place, and the function that it is in."""
    numbers = random.Random(seed)  # noqa: S311 - repeatable
    ir, _, harm = kind.rpartition("-")
    symbol = f"f{numbers.randrange(functions)}"
    place = numbers.randrange(passes)
    name = "mlir-bug" if ir else "bug"
    others: list[str] = numbers.choices(_MLIR if ir else _XDSL, k=passes - 1)
    before, after = others[:place], others[place:]
    if harm == "crash":
        after.append("fragile")
    bug = f"{name}{{kind={harm} symbol={symbol}}}"
    return Planted(folder, ir or "xdsl", before, bug, after, functions), symbol


def _oracle(planted: Planted, harm: str) -> Oracle:
    match harm:
        case "fold" | "lost":
            return ComputesElse(planted.subject, planted.start)
        case "invalid":
            return NotValid(planted.strict)
        case _:
            return Asked(_harmed)


def _check(folder: Path, kind: str, seed: int, functions: int, passes: int) -> int:
    """Check that a planted bug is found, and return how often the oracle was asked."""
    planted, symbol = _planted(folder, kind, seed, functions, passes)
    harm = kind.rpartition("-")[2]
    if harm == "crash":
        failed = next(each for each in planted.record.executions if each.failure)
        text = planted.record.state_before(failed)
        assert text is not None
        case = Case(text, pipeline_of(failed))
        identity = failure_of(planted.strict, case)
        assert identity is not None
        oracle = SameFailure(planted.strict, identity, failed, case.pipeline)
        culprit, trials = planted.find(oracle)
    else:
        culprit, trials = planted.find(_oracle(planted, harm))
    found = culprit.execution
    assert "symbol" in found.title, (planted.pipeline, found)
    assert (found.symbol, culprit.others) == (symbol, []), (planted.pipeline, found)
    calls = trials.calls
    if harm == "fold":
        rewrite = guilty_rewrite(planted.subject, trials, culprit)
        assert rewrite is not None
        number, rewrites = rewrite
        assert rewrites[number - 1].startswith("rewriting on arith.const")
    return calls


@pytest.mark.parametrize("kind", _KINDS)
def test_a_planted_bug_is_found(tmp_path: Path, kind: str) -> None:
    """The pass and the function are right, and of a wrong fold the rewrite as well."""
    calls = _check(tmp_path, kind, seed=0, functions=6, passes=6)
    assert calls <= 10


@pytest.mark.sweep
@pytest.mark.parametrize("kind", _KINDS)
def test_many_planted_bugs_are_found(tmp_path: Path, kind: str) -> None:
    """All of them: 196 in pipelines of 20 passes over 40 functions."""
    for seed in range(100, 128, STEP):
        (folder := tmp_path / str(seed)).mkdir()
        _check(folder, kind, seed, functions=40, passes=20)


@pytest.fixture
def folded(tmp_path: Path) -> Planted:
    """Return a run in which one function computes something else."""
    bug = "bug{kind=fold symbol=f3}"
    return Planted(tmp_path, "xdsl", ["cse"], bug, ["canonicalize", "dce"], functions=6)


def test_functions_that_compute_the_same_in_the_end_are_not_run(folded: Planted) -> None:
    """Once it is known which functions differ, the oracle is about these alone."""
    oracle, scratch = ComputesElse(folded.subject, folded.start), Scratch(Path())
    other = Case(folded.start.replace("value = 1 :", "value = 9 :"))
    assert oracle(other, scratch).verdict is Verdict.INTERESTING
    assert folded.find(oracle)[0].execution.symbol == "f3"
    assert oracle(other, scratch).verdict is Verdict.DULL


def test_functions_that_still_can_be_run_are_enough(folded: Planted) -> None:
    """One that is gone is passed over if another one differs; if not, the error names it."""
    oracle, scratch = ComputesElse(folded.subject, folded.start), Scratch(Path())
    renamed = folded.start.replace('"f0"', '"other"')
    answer = oracle(Case(renamed), scratch)
    assert answer.verdict is Verdict.INVALID
    assert answer.why.startswith("some functions cannot run: @f0 (")
    harmed = renamed.replace("value = 1 :", "value = 9 :")
    assert oracle(Case(harmed), scratch).verdict is Verdict.INTERESTING


def test_states_that_cannot_be_asked_about_are_passed_over(folded: Planted) -> None:
    """What may be the culprit as well is told."""
    bug = next(e for e in folded.record.executions if (e.pass_name, e.symbol) == ("bug", "f3"))
    unknown = folded.record.state_after(bug)

    class Sometimes(ComputesElse):
        """Cannot run the IR right after the bug."""

        def __call__(self, case: Case, scratch: Scratch) -> Answer:
            if case.ir == unknown:
                return Answer(Verdict.INVALID)
            return super().__call__(case, scratch)

    culprit, _ = folded.find(Sometimes(folded.subject, folded.start))
    assert bug in culprit.others
    assert culprit.execution.number > bug.number


class Spread(Pass[ToyOp]):
    """Run a pipeline that spoils ops of one symbol, and fails on others."""

    name = "spread"
    spoils: str = ""
    fails: str = ""

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Run it on the op."""

        def spoil(op: ToyOp, _: Any) -> None:
            op.value += op.symbol == self.spoils

        ctx.run_pipeline(OpPassManager("toy.func").add(spoil, spoil), op)
        if op.symbol == self.fails:
            raise PassFailure("no")


@pytest.mark.parametrize("spoils", ["f0", "f4", "f7"])
def test_a_function_of_python_finds_the_pass(spoils: str) -> None:
    """Whatever it runs is its own doing; no text is needed, and the manager stays as it is."""
    manager = PassManager("toy.module", adapter=ToyAdapter())
    manager.add_nested("toy.func", Spread(), Spread(spoils=spoils), Spread())
    before, calls = str(manager), list[int]()

    def is_bad(module: ToyOp) -> bool:
        calls.append(1)
        return any(each.value for each in module.body)

    functions = ",".join(f"toy.func @f{n}" for n in range(8))
    found = bisect(lambda: parse_toy(f"toy.module({functions})"), manager, is_bad)
    assert (found.path, found.symbol) == ("toy.module/toy.func/1:spread", spoils)
    assert str(found).startswith(f"spread{{spoils={spoils}}} on toy.func @{spoils}  [")
    assert str(manager) == before
    assert len(calls) <= 7


@pytest.mark.parametrize(
    ("first", "symbol", "error", "message"),
    [
        (1, "f", SearchError, "bad before any pass has run"),
        (0, "g", SearchError, "still good after the last pass"),
        (0, "fails", PassFailedError, "no"),
    ],
)
def test_a_function_of_python_needs_something_to_find(
    first: int, symbol: str, error: type[Exception], message: str
) -> None:
    """The input is good, the result is not, and no pass fails on the way."""
    manager = PassManager("toy.func", adapter=ToyAdapter()).add(Spread(spoils="f", fails="fails"))
    with pytest.raises(error, match=message):
        bisect(lambda: parse_toy(f"toy.func @{symbol} {first}"), manager, lambda op: op.value > 0)


def test_a_function_of_python_needs_new_inputs() -> None:
    """An op on which passes have run already is refused: it leads to a pass that is not to blame."""
    manager = PassManager("toy.func", adapter=ToyAdapter()).add(Spread(spoils="f"))
    op = parse_toy("toy.func @f 0")
    with pytest.raises(SearchError, match="return a new op each time"):
        bisect(lambda: op, manager, lambda op: op.value > 0)
