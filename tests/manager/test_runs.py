"""Runs: what they take from their manager and leave alone, fixed points, and reproducers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from event_recorder import EventRecorder
from toy_steps import failed_run, step

from passel import (
    AdapterError,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassInstrumentation,
    PassManager,
    PipelineError,
    Statistic,
    load_reproducer,
)
from passel.frontend import UnreadableError
from passel.instruments import Timing
from passel.manager.combinators import CompositeFixedPoint
from passel.passes.op_pass_manager import BarePipeline
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


# -- What a run leaves alone -----------------------------------------------------------------


@pytest.mark.parametrize("ir", ["toy.module(toy.func @f)", "toy.module(toy.func @x)"])
def test_a_run_never_changes_the_manager(parse: Callable[[str], PassManager], ir: str) -> None:
    """Merging happens in the schedule: text, size and equality are as before, also on failure."""
    pm = parse("toy.module(toy.func(a),toy.module(b),toy.func(fail{at=x}))")
    text, copy = str(pm), pm.copy()
    for _ in range(2):
        try:
            pm.run(parse_toy(ir))
        except PassFailedError:
            assert "@x" in ir
        assert (str(pm), len(pm)) == (text, 3)
        assert pm == copy


def test_passes_added_after_a_run_are_run(
    make: Callable[..., Pass[Any]], adapter: ToyAdapter
) -> None:
    """Each run sees the manager as it is then, also what was added to or cleared inside it."""
    pm, recorder = PassManager("toy.module", adapter=adapter), EventRecorder()
    pm.add_instrumentation(recorder)
    funcs = pm.nest("toy.func").add(make("a"))

    def run() -> list[str]:
        recorder.events.clear()
        pm.run(parse_toy("toy.module(toy.func @f)"))
        return [event[12:] for event in recorder.events if event.startswith("before-pass")]

    assert run() == ["[toy.func] toy.module", "a @f"]
    funcs.add(make("b"))
    pm.add(make("c"))
    assert run() == ["[toy.func] toy.module", "a @f", "b @f", "c toy.module"]
    funcs.clear()
    assert run() == ["[toy.func] toy.module", "c toy.module"]
    pm.clear()
    assert run() == []


def test_an_unchanged_manager_is_compiled_once(parse: Callable[[str], PassManager]) -> None:
    """The schedule is kept until the manager changes or runs in another context."""
    seen: list[Any] = []

    class Watch(PassInstrumentation):
        def before_pass(self, step: Any, op: Any) -> None:
            seen.append(step)

    pm = parse("toy.module(a)")
    pm.add_instrumentation(Watch())
    for _ in range(2):
        pm.run(parse_toy("toy.module"))
    assert seen[0] is seen[1]
    pm.context = {"another"}
    for _ in range(2):
        pm.run(parse_toy("toy.module"))
    assert seen[1] is not seen[2]
    assert seen[2] is seen[3]
    pm.nest("toy.func")
    pm.run(parse_toy("toy.module"))
    assert seen[3] is not seen[4]


# -- Contexts, dialects, adapters ------------------------------------------------------------


def test_dialects_are_loaded_in_the_order_of_their_names(make: Callable[..., Pass[Any]]) -> None:
    """Loading order does not depend on the order of passes, and each is loaded once."""
    loaded: list[str] = []

    class Recording(ToyAdapter):
        def load_dialects(self, context: object, names: Any) -> None:
            loaded.extend(names)

    passes = (
        type("Needing", (type(make("a")),), {"name": "x", "dependent_dialects": dialects})()
        for dialects in (("zz", "mm"), ("mm", "aa"))
    )
    PassManager(adapter=Recording()).add(*passes).run(parse_toy("toy.module"))
    assert loaded == ["aa", "mm", "zz"]


def test_ops_that_know_their_context_decide_it() -> None:
    """An op's own context wins over the manager's."""

    class Knowing(ToyAdapter):
        def context_of(self, op: ToyOp) -> Any:
            return {"own"}

    seen: list[object] = []

    look = step(lambda _, ctx: seen.append(ctx.ir_context))
    for adapter in (Knowing(), ToyAdapter()):
        PassManager(context={"given"}, adapter=adapter).add(look).run(parse_toy("toy.module"))
    assert seen == [{"own"}, {"given"}]


def test_an_op_of_no_known_ir_needs_an_adapter() -> None:
    """Without an adapter, an op is refused with the way out."""
    with pytest.raises(AdapterError, match=r"pass adapter=\.\.\. to PassManager$"):
        PassManager().run(1.5)
    with pytest.raises(AdapterError, match=r"parse the text first$"):
        PassManager().run("func.func @f()")


def test_a_failed_run_has_been_counted_and_measured(adapter: ToyAdapter) -> None:
    """The error of a run that failed has the statistics and the timing of what ran until then."""

    class CountAndFail(Pass):
        name = "count-and-fail"
        seen = Statistic("Ops seen")

        def run(self, op: Any, ctx: PassContext) -> None:
            ctx.count(self.seen)
            raise PassFailure("enough")

    pm = PassManager("toy.module", adapter=adapter).add(CountAndFail())
    pm.add_instrumentation(Timing())
    error = failed_run(pm, "toy.module()")
    assert error.statistics == {"toy.module/0:count-and-fail": {"seen": 1}}
    assert [timer.name for timer in error.timing.children] == ["CountAndFail"]


class CountDown(Pass[ToyOp]):
    """Decrease the value of an op until it is zero."""

    name = "count-down"
    fail_at: int = -1

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Count down, or fail."""
        if op.value == self.fail_at:
            raise PassFailure("as it was told to")
        op.value = max(op.value - 1, 0)


def run(value: int, composite: CompositeFixedPoint) -> tuple[int, list[str]]:
    """Return what is left of a value, and what was reported."""
    module = parse_toy(f"toy.module {value}")
    result = PassManager("toy.module", adapter=ToyAdapter()).add(composite).run(module)
    return module.value, [diagnostic.message for diagnostic in result.diagnostics]


def counting(limit: int = 10) -> CompositeFixedPoint:
    """Return the pass under test."""
    pipeline = BarePipeline(CountDown())
    return CompositeFixedPoint(title="Count", pipeline=pipeline, max_iterations=limit)


def test_repeats_until_nothing_changes_or_warns() -> None:
    """Beyond the limit, MLIR makes one more run; an empty pipeline changes nothing."""
    assert run(7, counting()) == (0, [])
    message = 'Composite pass "Count" didn\'t converge in 3 iterations'
    assert run(7, counting(3)) == (3, [message])
    assert run(7, CompositeFixedPoint()) == (7, [])


def test_fails_with_its_pipeline_or_without_iterations() -> None:
    """The pipeline has told why; a limit that leaves nothing to do is refused before the run."""
    composite = CompositeFixedPoint(pipeline=BarePipeline(CountDown(fail_at=4)))
    with pytest.raises(PassFailedError, match="its pipeline failed") as caught:
        run(7, composite)
    (told,) = caught.value.diagnostics
    assert "pass 'count-down{fail-at=4}' failed" in told.message
    with pytest.raises(PassFailedError, match="Invalid maxIterations value: 0"):
        run(7, counting(0))


@pytest.mark.parametrize("inner", ["cse", "canonicalize,cse", "func.func(cse,dce),symbol-dce"])
def test_reads_what_it_prints(inner: str) -> None:
    """Its pipeline prints as bare elements, which read back."""
    text = f"builtin.module(composite-fixed-point-pass{{max-iterations=3 name=N pipeline={inner}}})"
    manager = PassManager.parse(text)
    assert list(PassManager.parse(str(manager))) == list(manager)


def test_a_wrong_inner_pipeline_is_shown_where_it_is() -> None:
    """Its names are looked up as those around the pass are."""
    with pytest.raises(PipelineError, match="'foo' does not refer to a registered pass"):
        PassManager.parse("any(composite-fixed-point-pass{pipeline=cse,foo})")


@pytest.mark.parametrize("adapter", ["xdsl", "mlir"])
def test_invalid_ir(adapter: str, tmp_path: Path) -> None:
    """It is refused with its place on every IR, as the tool refuses it."""
    file = tmp_path / "bad.mlir"
    file.write_text(
        "builtin.module {\n  func.func @f() -> i32 {\n    func.return\n  }\n}\n"
        '{-# external_resources: {mlir_reproducer: {pipeline: "builtin.module(cse)"}} #-}'
    )
    with pytest.raises(UnreadableError, match=r"bad\.mlir:3:5: error: 'func\.return' op "):
        load_reproducer(file, adapter)


def test_what_is_no_reproducer(tmp_path: Path) -> None:
    """A file that records nothing is refused, and the name of an IR that was meant is suggested."""
    file = tmp_path / "plain.toy"
    file.write_text("toy.module(toy.func)\n")
    with pytest.raises(PipelineError, match="contains no recorded pipeline"):
        load_reproducer(file, ToyAdapter(), parse=parse_toy)
    with pytest.raises(AdapterError, match="did you mean 'xdsl'"):
        load_reproducer(file, "xdls")
