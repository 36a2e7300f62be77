"""MLIR's passes that follow each other, nested pipelines included, as one call.

So MLIR schedules them itself, on its own threads. Where nobody watches, nobody can tell: what
failed is found by MLIR's own IR printer, which writes the op of a failing pass to a file whose
name says which pass and where in the IR that is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from passel.ir import ANY
from passel.mlir.blame import Blamer, in_program_order
from passel.mlir.native import NativePass, can_fail
from passel.mlir.pipelines import compiled, query_context
from passel.pipeline import print_elements
from passel.schedule import FusedStep, NestedStep, PassStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.mlir.bindings import Bindings
    from passel.mlir.kinds import Kinds
    from passel.mlir.pipelines import CompiledPipeline
    from passel.passes import Pass, PassContext
    from passel.schedule import Pipeline, Step


def fuse(
    bindings: Bindings, kinds: Kinds, steps: Sequence[Step], *, verify: bool
) -> tuple[Step, ...]:
    """Return the steps with those that are MLIR's own and follow each other as one.

    The name of a pass that failed has to tell which it was: two passes of one name for ops of
    the same place are not made one, if they can fail.

    Args:
        bindings: The build.
        kinds: What is known of ops.
        steps: What runs on one op, in order.
        verify: Whether MLIR verifies after each of them.
    """
    structure = _Structure(kinds, query_context(bindings))
    fused: list[Step] = []
    native: list[Step] = []
    known: set[tuple[str, str]] = set()

    def flush() -> None:
        if native:
            deep = any(map(structure.is_deep, native))
            passes = _FusedPasses(bindings, kinds, native, verify=verify, deep=deep)
            fused.append(FusedStep(cast("Pass[Any]", passes), native[0].path, tuple(native)))
        native.clear()
        known.clear()

    for step in steps:
        named = [_place_and_name(each) for each in _passes((step,)) if can_fail(each.pass_)]
        is_native = structure.is_native(step) and len(set(named)) == len(named)
        if not is_native or structure.is_deep(step) or not known.isdisjoint(named):
            flush()
        if not is_native:
            fused.append(step)
            continue
        native.append(step)
        known.update(named)
        if structure.is_deep(step):
            flush()
    flush()
    return tuple(fused)


def _place_and_name(step: PassStep) -> tuple[str, str]:
    return step.path.rpartition("/")[0], step.pass_.name


class _Structure:
    """Structure of a schedule: which steps MLIR can run by itself, and how.

    Args:
        kinds: What is known of ops.
        context: A context to ask in: names of other dialects are left to the run.
    """

    def __init__(self, kinds: Kinds, context: Any) -> None:
        self._kinds = kinds
        self._context = context

    def is_native(self, step: Step) -> bool:
        """Return whether MLIR can run a step with the same outcome."""
        if isinstance(step, PassStep):
            return isinstance(step.pass_, NativePass)
        return all(
            pipeline.steps  # MLIR reads no pipeline of nothing
            and self._is_known(pipeline)
            and all(map(self.is_native, pipeline.steps))
            for pipeline in step.pipelines
        )

    def _is_known(self, pipeline: Pipeline) -> bool:
        """Return whether MLIR and passel agree on which ops run a pipeline, without an error."""
        if pipeline.anchor == ANY:
            passes = (step.pass_ for step in pipeline.steps if isinstance(step, PassStep))
            return not any(getattr(each, "on_functions", False) for each in passes)
        _, obstacle = pipeline.admit(self._kinds.kind(self._context, pipeline.anchor))
        return not obstacle

    def is_deep(self, step: Step) -> bool:
        """Return whether MLIR's threads might use threads in turn, for ops in isolated ops.

        What they report then comes in any order. It is put in order if nothing else is run.
        """
        return isinstance(step, NestedStep) and any(
            pipeline.anchor == ANY or self._kinds.has_isolated_ops(self._context, pipeline.anchor)
            for pipeline in step.pipelines
        )


class _FusedPasses:
    """Several of MLIR's passes in the place of one, for the length of a run."""

    name = ""
    preserves: tuple[type, ...] = ()

    def __init__(
        self, bindings: Bindings, kinds: Kinds, steps: Sequence[Step], *, verify: bool, deep: bool
    ) -> None:
        self._bindings = bindings
        self._kinds = kinds
        self._steps = tuple(steps)
        self._verify = verify
        self._is_deep = deep
        # One pass on one op needs nobody to say which it was.
        self._has_several = len(steps) > 1 or not isinstance(steps[0], PassStep)
        self._compiled: dict[str, CompiledPipeline] = {}

    @property
    def display_name(self) -> str:
        """The names of the passes in reports."""
        return ", ".join(step.display_name for step in _passes(self._steps))

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, all_options: bool = False) -> str:
        """Return the passes as they stand in a pipeline."""
        return print_elements(node for step in self._steps for node in step.to_nodes())

    def run(self, op: Any, ctx: PassContext) -> None:
        """Let MLIR run the passes.

        Raises:
            FusedFailure: Some of them failed.
        """
        operation = op.operation
        outcome = self._manager(operation.name, ctx.ir_context).run(operation)
        if self._is_deep and len(outcome.diagnostics) > 1:
            ordered = in_program_order(self._bindings, operation, outcome.diagnostics)
            outcome = outcome._replace(diagnostics=ordered)
        if outcome.failed:
            blamer = Blamer(self._bindings, self._kinds, operation, outcome)
            raise blamer.failure(self._steps, verified=self._verify)
        for diagnostic in outcome.diagnostics:
            ctx.emit(diagnostic)

    def _manager(self, anchor: str, context: Any) -> CompiledPipeline:
        made = self._compiled.get(anchor)
        if made is None:
            text = f"{anchor}({self})"
            made = self._compiled[anchor] = compiled(
                self._bindings, context, text, verify=self._verify, locate=self._has_several
            )
        return made


def _passes(steps: Sequence[Step]) -> Iterator[PassStep]:
    for step in steps:
        if isinstance(step, PassStep):
            yield step
        else:
            for pipeline in step.pipelines:
                yield from _passes(pipeline.steps)
