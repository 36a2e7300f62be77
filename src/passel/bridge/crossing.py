"""Passes that convert an op to the other IR and back: `xdsl(...)` on MLIR, `mlir(...)` on xDSL.

In a pipeline, a crossing looks like a nested pipeline whose anchor is the name of an IR. To convert
an op, the crossing prints the op as generic text with locations, and the other IR parses the text
in the same process. On the way back, the crossing replaces the attributes and regions of the
original op, so that references to the original op remain valid.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from passel.errors import OptionError, PassFailure, PipelineError, Problem
from passel.frontend.resources import unescaped
from passel.ir.adapters import adapter_named, crossing_adapter, running_on
from passel.passes import Pass
from passel.passes.op_pass_manager import BarePipeline, OpPassManager
from passel.passes.resolution import names_on
from passel.pipeline import PipelineNode
from passel.schedule.compiler import PipelineCompiler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from passel.mlir.crossing import MLIRSide
    from passel.passes import PassContext, PassRegistry
    from passel.passes.op_pass_manager import Addable
    from passel.pipeline import ElementNode, OptionNode
    from passel.xdsl.crossing import XDSLSide


Side: TypeAlias = "XDSLSide | MLIRSide"
"""One of the two IRs of a conversion. `XDSLSide` and `MLIRSide` have the same methods."""


class Crossing(Pass[Any]):
    """The base class of passes that convert an op to another IR to run a pipeline on the op there.

    The pass name of a subclass is the name of the other IR, as in `xdsl(...)`.

    Args:
        passes: The passes to run on the converted op. In the text of a pipeline, these passes are
            in parentheses.
    """

    takes_elements = True
    can_fork = False  # threads of another IR's library do not survive a fork
    can_thread = False  # several ops at once would share a context of another IR's library
    passes: Any = BarePipeline()

    def __post_init__(self) -> None:
        """Check that the pipeline is a `BarePipeline`, because a pass must be immutable.

        Raises:
            TypeError: If `passes` is any other object.
        """
        super().__post_init__()
        if not isinstance(self.passes, BarePipeline):
            way_out = f"to create the pass from text or passes, call {type(self).__name__}.of(...)"
            msg = f"expected a BarePipeline, got {self.passes!r}; {way_out}"
            raise TypeError(msg)

    @classmethod
    def read_options(
        cls,
        nodes: Iterable[OptionNode],  # noqa: ARG003 - as in the base class
        owner: str,
        scope: Any,  # noqa: ARG003 - as in the base class
    ) -> dict[str, Any]:
        """Reject a crossing that is written as a pass name without parentheses.

        Raises:
            OptionError: Always, because the passes of a crossing must be in parentheses.
        """
        example = f"{cls.name}(cse)"
        raise OptionError(Problem(f"{owner} takes passes in parentheses, such as {example}"))

    @classmethod
    def from_elements(cls, elements: Sequence[ElementNode], registry: PassRegistry) -> Self:
        """Create a crossing from the passes that a textual pipeline lists in parentheses.

        Args:
            elements: The syntax nodes of the passes in parentheses.
            registry: The registry in which the names of the passes are looked up.

        Raises:
            PipelineError: If `elements` names a pass that does not exist for the other IR, or
                contains an invalid option.
        """
        return cls(passes=BarePipeline(*elements, registry=cls._names(registry)))

    @classmethod
    def of(cls, *passes: Addable) -> Self:
        """Create a crossing from passes in any form that `PassManager.add` accepts.

        In a string, the names denote passes on the other IR.

        Example:
            >>> print(RunOnXDSL.of("cse", "canonicalize"))
            xdsl(cse,canonicalize)
        """
        return cls(passes=BarePipeline(*passes, registry=cls._names()))

    @classmethod
    def _names(cls, registry: PassRegistry | None = None) -> PassRegistry:
        """Return the registry of passes on the other IR, given the current IR's registry."""
        return names_on(adapter_named(cls.name), registry)

    def to_node(self, *, all_options: bool = False) -> PipelineNode:
        """Return the syntax node of the crossing, which has the form of a nested pipeline."""
        return PipelineNode(self.name, self.passes.to_node(all_options=all_options).elements)

    @property
    def display_name(self) -> str:
        """The text of the crossing in a pipeline, including the passes in parentheses."""
        return self.to_text()

    def initialize(self, ir_context: Any) -> Any:
        """Return what `run` needs: a context of the other IR, and the passes to run in it."""
        there = _side(self.name, adapter=crossing_adapter(self.name))

        @cache
        def manager(name: str) -> OpPassManager:
            return OpPassManager(name).add(*self.passes)

        return _Destination(there, PipelineCompiler(there.adapter, there.context), manager)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Convert `op` to the other IR, run the passes, and convert the result back if it changed.

        Raises:
            PassFailure: If a conversion or a pass fails, or if the result is a different kind of op
                than `op`.
        """
        state: Any = ctx.state
        destination: _Destination = state
        here, there = _side(self.ir, ctx.ir_context), destination.side
        text = _whole(here.write(op, there.knows))
        other = there.read(text, _outer_symbols(here, op, text))
        before = there.adapter.fingerprint(other)
        self._run_there(destination, other, ctx)
        if there.adapter.fingerprint(other) == before:
            ctx.preserve_all()
            return
        text = _whole(there.write(other, here.knows))
        result = here.read(text, _outer_symbols(here, op, text))
        if here.adapter.kind_of(result).name != here.adapter.kind_of(op).name:
            raise PassFailure(f"{self} replaced the op that it ran on with a different kind of op")
        here.replace(op, result)

    def _run_there(self, destination: _Destination, op: Any, ctx: PassContext) -> None:
        try:
            compiler = destination.compiler
            manager = destination.manager(compiler.adapter.kind_of(op).name)
            with running_on(compiler.adapter, compiler.context):
                outcome = ctx.run.run_elsewhere(ctx, manager, op, compiler)
        except PipelineError as error:
            raise PassFailure(f"in {self}: {error}") from error
        if not outcome:
            first = outcome.failures[0]
            why = f"{first.diagnostic.message} [{first.path}]"
            raise PassFailure(why, is_reported=True) from first.cause


def _side(ir: str, context: Any = None, adapter: Any = None) -> Side:
    """Return one side of a conversion, importing the IR's package on first use.

    Args:
        ir: The name of the IR.
        context: The context of the IR. The default is a new context of the adapter.
        adapter: The adapter of the IR. The default is an adapter with all installed dialects.
    """
    if ir == "xdsl":
        from passel.xdsl.crossing import XDSLSide  # noqa: PLC0415 - see above

        return XDSLSide(context, adapter)
    from passel.mlir.crossing import MLIRSide  # noqa: PLC0415 - see above

    return MLIRSide(context, adapter)


_SYMBOL = re.compile(r'@"((?:[^"\\]|\\.)*)"|"(?:[^"\\]|\\.)*"|@([\w$.-]+)')
_DECLARATION = (
    '"func.func"() <{{function_type = {1}, sym_name = "{0}", sym_visibility = "private"}}> ({{}}) '
    ": () -> ()"
)


def _outer_symbols(side: Side, op: Any, text: str) -> list[str]:
    """Return the texts of the symbols that an op uses, but that are defined outside the op.

    For a function, the text is a declaration.

    The result is empty for a module, which contains the symbols that it uses.

    Args:
        side: The side of the conversion that the op belongs to.
        op: The op.
        text: The text of the op, before or after the passes.
    """
    if "@" not in text or side.adapter.kind_of(op).name == "builtin.module":
        return []
    declared: dict[str, str] = {}
    texts = [text]
    while texts:
        for used in _SYMBOL.finditer(texts.pop()):
            quoted = used[1] or used[2]  # a plain name is like a string without escapes
            name = quoted and unescaped(quoted).decode(errors="replace")
            if name is None or name in declared:
                continue
            found = side.symbol(op, name)
            declared[name] = ""
            if found is None or found == op:
                continue
            kind = side.function_type(found)
            declared[name] = _DECLARATION.format(quoted, kind) if kind else side.write(found)
            texts.append("" if kind else declared[name])
    return [each for each in declared.values() if each]


_RESOURCE = re.compile(r'"(?:[^"\\]|\\.)*"|dense_resource<([^>]*)>')


def _whole(text: str) -> str:
    """Check that the text of an op is complete, and return the text.

    Raises:
        PassFailure: If the text refers to a resource, whose contents the text does not contain.
    """
    if "dense_resource<" in text:
        for found in _RESOURCE.finditer(text):
            if found[1] is not None:
                raise PassFailure(f"the op uses resource '{found[1]}', which cannot be converted")
    return text


class _Destination(NamedTuple):
    """The state of a crossing during one run.

    Attributes:
        side: The other IR, as a side of the conversion.
        compiler: The compiler of pipelines for the other IR.
        manager: A function that takes the name of an op and returns a pass manager with the
            crossing's passes, always the same one for a name. If a pass has a different anchor, the
            function raises an `AnchorError`.
    """

    side: Side
    compiler: PipelineCompiler
    manager: Callable[[str], OpPassManager]


class RunOnXDSL(Crossing):
    """Run xDSL's passes on an MLIR op."""

    name = "xdsl"
    ir = "mlir"


class RunOnMLIR(Crossing):
    """Run MLIR's passes on an xDSL op."""

    name = "mlir"
    ir = "xdsl"
