"""What observing a run adds, per pass and op.

1,000 functions that only return, 10 passes that do nothing: 10,000 executions. Off and on are
the same pipeline in the same process. The target for timing is 1.5 µs more.
"""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from inputs import empty_functions
from measuring import compare, wants_quick
from xdsl.dialects.func import FuncOp

from passel import OperationPass, PassContext, PassInstrumentation, PassManager
from passel.instruments import StatisticsReport, Timing
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

_PASSES = 10


class Noop(OperationPass[FuncOp]):
    """Do nothing."""

    name = "bench-noop"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Do nothing, and say so."""
        ctx.preserve_all()


def observed(functions: int, *observers: PassInstrumentation) -> Callable[[], object]:
    """Return a run of the pipeline that is observed."""
    context = XDSLAdapter().create_context()
    module = parse_source(context, empty_functions(functions), "bench.mlir")
    manager = PassManager("builtin.module", context)
    manager.add_nested(FuncOp, *(Noop() for _ in range(_PASSES)))
    for observer in observers:
        manager.add_instrumentation(observer)
    return lambda: manager.run(module)


def main() -> None:
    """Compare runs that are observed with one that is not."""
    quick = wants_quick()
    many = 10 if quick else 1000
    show(
        many,
        {
            "off": observed(many),
            "timing": observed(many, Timing()),
            "statistics": observed(many, StatisticsReport(stream=StringIO())),
        },
        quick=quick,
    )


def show(functions: int, candidates: dict[str, Callable[[], object]], *, quick: bool) -> None:
    """Measure and print one table."""
    compare(
        f"{functions} ops, {_PASSES} passes that do nothing",
        candidates,
        rounds=2 if quick else 15,
        unit="µs per pass and op",
        scale=1e6 / (functions * _PASSES),
    ).show()


if __name__ == "__main__":
    main()
