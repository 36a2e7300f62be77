"""`composite-fixed-point-pass`: as many runs as MLIR makes, its warning, its errors."""

from __future__ import annotations

import pytest

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager, PipelineError
from passel.manager import BarePipeline, CompositeFixedPoint
from passel.testing import ToyAdapter, ToyOp, parse_toy


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


def counting(max_iterations: int = 10) -> CompositeFixedPoint:
    """Return the pass under test."""
    return CompositeFixedPoint(
        title="Count",
        pipeline=BarePipeline(CountDown()),
        max_iterations=max_iterations,
    )


def test_repeats_until_nothing_changes() -> None:
    """Repeats until nothing changes."""
    assert run(7, counting()) == (0, [])


def test_warns_and_makes_one_more_run_than_the_limit_as_mlir_does() -> None:
    """Warns and makes one more run than the limit as MLIR does."""
    message = 'Composite pass "Count" didn\'t converge in 3 iterations'
    assert run(7, counting(3)) == (3, [message])


def test_fails_with_its_pipeline() -> None:
    """Fails with its pipeline, which has told why."""
    composite = CompositeFixedPoint(pipeline=BarePipeline(CountDown(fail_at=4)))
    with pytest.raises(PassFailedError, match="its pipeline failed") as caught:
        run(7, composite)
    (told,) = caught.value.diagnostics
    assert "pass 'count-down{fail-at=4}' failed" in told.message


def test_without_iterations_fails_before_anything_ran() -> None:
    """Without iterations fails before anything ran."""
    with pytest.raises(PassFailedError, match="Invalid maxIterations value: 0"):
        run(7, counting(0))


@pytest.mark.parametrize("inner", ["cse", "canonicalize,cse", "func.func(cse,dce),symbol-dce"])
def test_reads_what_it_prints(inner: str) -> None:
    """Reads what it prints."""
    text = f"builtin.module(composite-fixed-point-pass{{max-iterations=3 name=N pipeline={inner}}})"
    manager = PassManager.parse(text)
    assert list(PassManager.parse(str(manager))) == list(manager)


def test_a_wrong_inner_pipeline_is_shown_where_it_is() -> None:
    """A wrong inner pipeline is shown where it is."""
    with pytest.raises(PipelineError, match="'foo' does not refer to a registered pass"):
        PassManager.parse("any(composite-fixed-point-pass{pipeline=cse,foo})")


def test_an_empty_pipeline_changes_nothing() -> None:
    """An empty pipeline changes nothing."""
    assert run(7, CompositeFixedPoint()) == (7, [])
