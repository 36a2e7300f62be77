"""`cse`: as xDSL's over its corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl_inputs import enough, sampled

from passel import PassInstrumentation, PassManager
from passel.xdsl.passes.cse import CSE

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation


def _has_branches(module: Operation) -> bool:
    return any(len(region.blocks) > 1 for op in module.walk() for region in op.regions)


@sampled(16)
def test_same_as_xdsl(step: int, same_as_xdsl: Callable[..., int]) -> None:
    """Modules of xDSL's corpus come out as xDSL's `cse` leaves them.

    xDSL's does nothing to regions of several blocks.
    """
    own = CSE()
    assert same_as_xdsl(own, "cse", step=step, least=40, leaving_out=_has_branches) > enough(7)


def test_dominance_is_an_analysis_of_the_run(parse_op: Callable[[str], Operation]) -> None:
    """Observers of analyses see that it is computed, for a function of several blocks alone."""
    seen: list[str] = []

    class Watch(PassInstrumentation):
        def before_analysis(self, name: str, kind: object, op: object) -> None:
            seen.append(name)

    for body in ("func.return", "cf.br ^b ^b: func.return"):
        manager = PassManager("func.func")
        manager.add(CSE())
        manager.add_instrumentation(Watch())
        manager.run(parse_op(f"func.func @f() {{ {body} }}"))
    assert seen == ["DominanceInfo"]
