"""When analyses are dropped: of the ops inside, of nested pipelines, at the end of a run."""

from __future__ import annotations

from typing import Any

import pytest
from toy_steps import (
    FUNCS,
    Total,
    children,
    failure_of,
    keep,
    look,
    look_inside,
    manager,
    step,
)

from passel import (
    AnalysisManager,
    PassContext,
    PassFailure,
    PreservedAnalyses,
)
from passel.testing import EventRecorder, ToyAdapter, ToyOp, parse_toy

# -- The ops inside --------------------------------------------------------------------------


def test_what_is_dropped_from_one_op_counts_as_preserved_for_others() -> None:
    """Each op is filtered from what the pass preserved; its own losses do not cross ops."""
    seen: list[bool] = []

    class MortalAtF(Total):
        def __init__(self, op: ToyOp) -> None:
            super().__init__(op)
            self.mortal = op.symbol in (None, "f")

        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            return self.mortal

    class Of:
        def __init__(self, op: ToyOp, analyses: AnalysisManager) -> None:
            analyses.analysis(MortalAtF)

        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            return not preserved.is_preserved(MortalAtF)

    own = keep(Of, MortalAtF)
    inside = children(Of, preserving=(MortalAtF,))
    both = step(lambda op, ctx: (own.run(op, ctx), inside.run(op, ctx)))
    manager(both, look(seen, Of), look_inside(seen, Of)).run(parse_toy(FUNCS))
    assert seen == [False, False, True]


# -- Nested pipelines and the end ------------------------------------------------------------


# -- When ------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [None, PassFailure, ValueError])
def test_invalidation_comes_before_verification_and_hooks_also_after_a_failure(
    error: type[Exception] | None,
) -> None:
    """Analyses are asked right after the pass, whether or not it failed."""
    order: list[str] = []

    class Asked(Total):
        def is_invalidated(self, preserved: PreservedAnalyses) -> bool:
            order.append("invalidate")
            return True

    class Adapter(ToyAdapter):
        def verify(self, op: ToyOp, *, recursive: bool) -> None:
            order.append("verify")

    class Recorder(EventRecorder):
        def after_pass(self, step: Any, op: Any) -> None:
            order.append("hook")

        def after_pass_failed(self, step: Any, op: Any, failure: Any) -> None:
            order.append("hook")

    def body(op: ToyOp, ctx: PassContext) -> None:
        ctx.analysis(Asked)
        op.value = 1
        if error is not None:
            raise error

    pm = manager(step(body), adapter=Adapter())
    pm.add_instrumentation(Recorder())
    if error is None:
        pm.run(parse_toy("toy.module"))
    else:
        failure_of(pm, "toy.module")
    assert order == ["invalidate", *(() if error else ("verify",)), "hook"]
