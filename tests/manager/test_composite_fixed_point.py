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
