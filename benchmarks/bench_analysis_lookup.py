"""What it costs a pass to ask for an analysis that is cached. The target is 0.3 µs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from measuring import compare, wants_quick

from passel import Pass, PassContext, PassManager
from passel.testing import ToyAdapter, ToyOp, parse_toy

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


def main() -> None:
    """Run the pass that measures."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Ask(quick=wants_quick()))
    pm.run(parse_toy("toy.module(toy.func @f)"))


if __name__ == "__main__":
    main()
