"""Passes that run pipelines, on any IR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from passel.analysis import AllAnalyses
from passel.errors import PassFailure
from passel.passes import Pass, option
from passel.passes.op_pass_manager import BarePipeline

if TYPE_CHECKING:
    from passel.passes import PassContext, PassRegistry


def register(registry: PassRegistry) -> None:
    """Register the passes of this module in a registry."""
    registry.register(CompositeFixedPoint)


class CompositeFixedPoint(Pass[Any, None]):
    """Run a pipeline on an op repeatedly until the op no longer changes.

    If the op changes in each of the first `max_iterations` runs, the pass runs the pipeline once
    more and emits a warning.

    Example:
        >>> str(CompositeFixedPoint(pipeline=BarePipeline("canonicalize,cse"), max_iterations=3))
        'composite-fixed-point-pass{max-iterations=3 pipeline={canonicalize,cse}}'

    Source: `mlir/lib/Transforms/CompositePass.cpp`, MLIR 22.
    """

    name = "composite-fixed-point-pass"
    preserves: ClassVar[tuple[type, ...]] = (AllAnalyses,)  # the passes of the pipeline decide
    title: str = option(
        default="CompositeFixedPointPass", name="name", help="The name of the pass in warnings."
    )
    pipeline: BarePipeline = option(
        default=BarePipeline(), help="The pipeline to repeat, such as `canonicalize,cse`."
    )
    max_iterations: int = option(default=10, help="The maximum number of repetitions.")

    @property
    def display_name(self) -> str:
        """The name of the pass in reports, as given by the option `name`."""
        return self.title

    def initialize(self, ir_context: Any) -> None:
        """Reject a value of `max_iterations` below 1."""
        if self.max_iterations <= 0:
            raise PassFailure(f"Invalid maxIterations value: {self.max_iterations}")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Repeat the pipeline until the fingerprint of the op no longer changes."""
        start = before = ctx.fingerprint()
        for number in range(self.max_iterations + 1):
            if failures := ctx.run_pipeline(self.pipeline).failures:
                raise PassFailure("its pipeline failed", is_reported=True) from failures[0].cause
            if number == self.max_iterations:  # as in MLIR, which runs the pipeline once more
                ctx.emit_warning(
                    f'Composite pass "{self.title}" didn\'t converge in {number} iterations'
                )
                return
            after = ctx.fingerprint()
            if after == before:
                break
            before = after
        if before == start:
            ctx.preserve_all()
