"""Passes that take an op to the other IR and back: `xdsl(...)` on MLIR, `mlir(...)` on xDSL.

In a pipeline they look like a nested pipeline whose anchor is an IR. The op goes over as
generic text with locations, within the process, and its new attributes and regions come back
into the op itself, so that what holds it still does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from passel.combinators import BarePipeline
from passel.errors import OptionError, PassFailedError, PassFailure, Problem
from passel.ir import PrintFlags
from passel.manager import PassManager
from passel.passes import Pass
from passel.registry import default_registry
from passel.resolution import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passel.context import PassContext
    from passel.ir import IRAdapter
    from passel.pipeline import ElementNode, OptionNode
    from passel.registry import PassRegistry


class Side(Protocol):
    """One of the two IRs, with the context that ops are read into.

    Attributes:
        context: The IR's own context.
    """

    context: Any

    @property
    def adapter(self) -> IRAdapter:
        """Answers for the IR."""
        ...

    def read(self, text: str) -> Any:
        """Return the op that a text in generic form stands for.

        Raises:
            PassFailure: The IR cannot read it.
        """
        ...

    def replace(self, op: Any, new: Any) -> None:
        """Give an op the attributes and regions of another one of its name, which is used up."""
        ...


def register(registry: PassRegistry) -> None:
    """Add the crossings; an entry point names this."""
    registry.register("xdsl", lambda: RunOnXDSL, origin="passel", ir="mlir")
    registry.register("mlir", lambda: RunOnMLIR, origin="passel", ir="xdsl")


class Crossing(Pass[Any]):
    """Base class of the passes that run a pipeline on the op in the other IR.

    Args:
        passes: What to run there; in text, what is in the parentheses.
    """

    passes: BarePipeline = BarePipeline().as_option()
    takes_elements: ClassVar[bool] = True

    @classmethod
    def option_infos(cls) -> tuple[()]:
        """Return nothing: the pipeline is no option, and its passes are the other IR's."""
        return ()

    @classmethod
    def read_options(
        cls,
        nodes: Iterable[OptionNode],  # noqa: ARG003 - as in the base class
        owner: str,
        scope: Any,  # noqa: ARG003 - as in the base class
    ) -> dict[str, Any]:
        """Refuse the name alone.

        Raises:
            OptionError: Always.
        """
        example = f"{cls.name}(cse)"
        raise OptionError(Problem(f"{owner} takes passes in parentheses, such as {example}"))

    @classmethod
    def from_elements(cls, elements: Sequence[ElementNode]) -> Crossing:
        """Return the pass for what stands in the parentheses.

        Raises:
            PipelineError: The other IR has no such pass, or refuses an option.
        """
        pipeline = BarePipeline()
        pipeline.add_resolved(resolve(elements, cls.names()))
        return cls(passes=pipeline.as_option())

    @classmethod
    def names(cls) -> PassRegistry:
        """Return the names of the other IR's passes."""
        raise NotImplementedError

    def to_text(self, *, all_options: bool = False) -> str:
        """Return the pass as it stands in a pipeline."""
        text = self.passes.to_text(all_options=all_options)
        return f"{self.name}{text.removeprefix(self.passes.anchor)}"

    @property
    def display_name(self) -> str:
        """The pass as it stands in a pipeline: the name alone would say little."""
        return self.to_text()

    def initialize(self, ir_context: Any) -> Any:
        """Return the other side, with a context for all ops of the run."""
        return self.other_side()

    def other_side(self) -> Side:
        """Return the other IR, with a new context."""
        raise NotImplementedError

    def run(self, op: Any, ctx: PassContext) -> None:
        """Take the op over, run the pipeline, and take the result back.

        Raises:
            PassFailure: The other IR cannot read the op, a pass there failed, or the result
                cannot be read here, or is another op.
        """
        there: Any = ctx.state
        here = self.this_side(ctx.ir_context)
        other = there.read(_text(here, op))
        manager = PassManager(
            there.adapter.kind_of(other).name, there.context, adapter=there.adapter
        )
        manager.add(*self.passes)
        try:
            manager.run(other, on_diagnostic=ctx.emit)
        except PassFailedError as error:
            raise PassFailure(f"in {self}: {error.failures[0]}") from error.__cause__
        result = here.read(_text(there, other))
        if here.adapter.kind_of(result).name != here.adapter.kind_of(op).name:
            raise PassFailure(f"{self} made another op of it")
        here.replace(op, result)

    def this_side(self, context: Any) -> Side:
        """Return the IR of the op, with its context."""
        raise NotImplementedError


def _text(side: Side, op: Any) -> str:
    return side.adapter.print_op(op, PrintFlags(generic=True, debuginfo=True, local_scope=True))


class RunOnXDSL(Crossing):
    """Run xDSL's passes on an op of MLIR's."""

    name = "xdsl"
    ir = "mlir"

    @classmethod
    def names(cls) -> PassRegistry:
        """Return the names of xDSL's passes."""
        return default_registry()

    def other_side(self) -> Side:
        """Return xDSL, with all dialects that are installed."""
        from passel.xdsl.crossing import XDSLSide  # noqa: PLC0415 - only where a pipeline crosses

        return XDSLSide()

    def this_side(self, context: Any) -> Side:
        """Return MLIR."""
        from passel.mlir.crossing import MLIRSide  # noqa: PLC0415 - only where a pipeline crosses

        return MLIRSide(context)


class RunOnMLIR(Crossing):
    """Run MLIR's passes on an op of xDSL's."""

    name = "mlir"
    ir = "xdsl"

    @classmethod
    def names(cls) -> PassRegistry:
        """Return the names of the passes of MLIR's bindings."""
        from passel.mlir import MLIRAdapter  # noqa: PLC0415 - only where a pipeline crosses

        return MLIRAdapter().passes_among(None)

    def other_side(self) -> Side:
        """Return MLIR, with the dialects of the build."""
        from passel.mlir.crossing import MLIRSide  # noqa: PLC0415 - only where a pipeline crosses

        return MLIRSide()

    def this_side(self, context: Any) -> Side:
        """Return xDSL."""
        from passel.xdsl.crossing import XDSLSide  # noqa: PLC0415 - only where a pipeline crosses

        return XDSLSide(context)
