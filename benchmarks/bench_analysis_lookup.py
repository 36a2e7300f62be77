"""What it costs a pass to ask for an analysis that is cached, and what caching gains.

The target for a lookup is 0.3 µs. The gain is that of dominance in a pipeline of ten passes
that each ask whether every block is dominated by the entry, over computing it each time.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from measuring import compare, wants_quick
from xdsl.dialects.func import FuncOp

from passel import OperationPass, Pass, PassContext, PassManager
from passel.testing import ToyAdapter, ToyOp, parse_toy
from passel.xdsl import XDSLAdapter, parse_source
from passel.xdsl.analyses.dominance import DominanceInfo

if TYPE_CHECKING:
    from collections.abc import Callable


class Answer:
    """An analysis that costs nothing."""

    def __init__(self, op: ToyOp) -> None:
        self.value = op.value


class Ask(Pass):
    """Compare lookups, from within a run: contexts are valid there only."""

    name = "bench-ask"
    quick: bool = False

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Measure and print."""
        lookups = 1_000 if self.quick else 200_000
        known = {Answer: ctx.analysis(Answer)}

        @cache
        def cached(kind: type[Answer]) -> Answer:
            return known[kind]

        inner = op.body[0]
        ctx.child_analysis(Answer, inner)

        def repeat(lookup: Callable[..., object], *arguments: Any) -> Callable[[], None]:
            def run() -> None:
                for _ in range(lookups):
                    lookup(*arguments)

            return run

        compare(
            f"{lookups} lookups of an analysis that is cached",
            {
                "dict.__getitem__": repeat(known.__getitem__, Answer),
                "functools.cache": repeat(cached, Answer),
                "ctx.analysis": repeat(ctx.analysis, Answer),
                "ctx.cached_analysis": repeat(ctx.cached_analysis, Answer),
                "ctx.child_analysis": repeat(ctx.child_analysis, Answer, inner),
            },
            rounds=2 if self.quick else 15,
            unit="µs per lookup",
            scale=1e6 / lookups,
        ).show()
        ctx.preserve_all()


class AskDominance(OperationPass[FuncOp]):
    """Ask whether the entry dominates every block."""

    name = "bench-dominance"
    cached: bool = True

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        """Take it from the cache, or compute it."""
        dominance = ctx.analysis(DominanceInfo) if self.cached else DominanceInfo(op)
        entry, *blocks = op.body.blocks
        assert all(dominance.dominates(entry, block) for block in blocks)
        ctx.preserve_all()


def diamonds(functions: int, count: int) -> str:
    """Return functions of `count` diamonds of control flow each."""
    body = "".join(
        f"  cf.cond_br %c, ^l{n}, ^r{n}\n^l{n}:\n  cf.br ^j{n}\n^r{n}:\n  cf.br ^j{n}\n^j{n}:\n"
        for n in range(count)
    )
    return "".join(
        f"func.func @f{n}(%c: i1) {{\n{body}  func.return\n}}\n" for n in range(functions)
    )


def compare_dominance(*, quick: bool) -> None:
    """Compare ten passes that share dominance with ten that do not."""
    functions = 2 if quick else 50
    context = XDSLAdapter().create_context()
    module = parse_source(context, diamonds(functions, 20), "bench.mlir")

    def manager(*, cached: bool) -> Callable[[], object]:
        pm = PassManager("builtin.module", context)
        pm.add_nested(FuncOp, *(AskDominance(cached=cached) for _ in range(10)))
        return lambda: pm.run(module)

    compare(
        f"{functions} functions of 61 blocks, 10 passes that ask for dominance",
        {"computed by each pass": manager(cached=False), "cached": manager(cached=True)},
        rounds=2 if quick else 9,
        unit="ms per run",
        scale=1e3,
    ).show()


def main() -> None:
    """Run the pass that measures, then the pipelines."""
    quick = wants_quick()
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Ask(quick=quick))
    pm.run(parse_toy("toy.module(toy.func @f)"))
    compare_dominance(quick=quick)


if __name__ == "__main__":
    main()
