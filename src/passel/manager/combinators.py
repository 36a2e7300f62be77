"""Passes that run pipelines, on any IR.

`BarePipeline` is the type of options whose value is a pipeline without an anchor.
`CompositeFixedPoint` repeats a pipeline until the op no longer changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from passel.analysis import AllAnalyses
from passel.errors import PassFailure
from passel.passes import Pass, PassRegistry, default_registry, option
from passel.passes.op_pass_manager import OpPassManager
from passel.pipeline import OptionText, located, parse_elements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.passes import PassContext
    from passel.passes.op_pass_manager import Addable
    from passel.pipeline import ElementNode


def register(registry: PassRegistry) -> None:
    """Register the passes of this module in a registry."""
    registry.register(CompositeFixedPoint)


class BarePipeline(OpPassManager):
    """An immutable pipeline without an anchor, for use as the value of an option.

    Args:
        passes: The passes to add; see `OpPassManager.add`.
        nodes: The syntax nodes of further passes and nested pipelines, which follow `passes`.
        names: The registry that resolves pass names in `nodes`.

    Raises:
        PipelineError: A name is not registered, or an option is invalid.

    Example:
        >>> str(CompositeFixedPoint(pipeline=BarePipeline("symbol-dce,func.func(cse)")))
        'composite-fixed-point-pass{pipeline={symbol-dce,func.func(cse)}}'

    Source: the pipeline options of MLIR's passes, parsed by `mlir::parsePassPipeline`, MLIR 22.
    """

    option_metavar = "<pipeline>"

    def __init__(
        self, *passes: Addable, nodes: Sequence[ElementNode] = (), names: PassRegistry | None = None
    ) -> None:
        super().__init__()
        self.add(*passes).add_nodes(nodes, names)
        self._freeze()

    @classmethod
    def from_option_text(cls, text: OptionText, scope: PassRegistry | None) -> Self:
        """Parse the value of an option as a pipeline without an anchor."""
        elements = parse_elements(located(text)) if text.text.strip() else ()
        return cls(nodes=elements, names=scope or default_registry())

    def to_option_text(self, *, all_options: bool) -> OptionText:
        """Return the pipeline, without an anchor, as the text of an option's value."""
        text = ",".join(map(str, self.to_node(all_options=all_options).elements))
        return OptionText(text, "{" if not text or " " in text or "," in text else "")


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
            if not ctx.run_pipeline(self.pipeline):
                raise PassFailure("its pipeline failed", is_reported=True)
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
