"""MLIR's passes that follow each other, nested pipelines included, as one call.

So MLIR schedules them itself, on its own threads. Where nobody watches, nobody can tell: what
failed is found by MLIR's own IR printer, which writes the op of a failing pass to a file whose
name says which pass and where in the IR that is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from passel.mlir.blame import blame
from passel.mlir.native import FUNCTION, NativePass, can_fail
from passel.mlir.pipelines import compiled
from passel.pipeline import print_elements
from passel.schedule import FusedStep, PassStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.mlir.bindings import Bindings
    from passel.mlir.pipelines import CompiledPipeline
    from passel.passes import Pass, PassContext
    from passel.schedule import Step


def fuse(bindings: Bindings, steps: Sequence[Step], *, verify: bool) -> tuple[Step, ...]:
    """Return the steps with those that are MLIR's own and follow each other as one.

    The name of a pass that failed has to tell which it was: two passes of one name for ops of
    the same place are not made one, if they can fail.

    Args:
        bindings: The build.
        steps: What runs on one op, in order.
        verify: Whether MLIR verifies after each of them.
    """
    fused: list[Step] = []
    native: list[Step] = []
    known: set[tuple[str, str]] = set()

    def flush() -> None:
        fused.extend(_as_one(bindings, native, verify=verify))
        native.clear()
        known.clear()

    for step in steps:
        named = [_place_and_name(each) for each in _passes((step,)) if can_fail(each.pass_)]
        if not _is_native(step) or len(set(named)) < len(named):
            flush()
            fused.append(step)
            continue
        if not known.isdisjoint(named):
            flush()
        native.append(step)
        known.update(named)
    flush()
    return tuple(fused)


def _place_and_name(step: PassStep) -> tuple[str, str]:
    return step.path.rpartition("/")[0], step.pass_.name


def _is_native(step: Step) -> bool:
    """Tell whether MLIR can run a step by itself.

    Nested pipelines it can if they are on functions. On ops that have isolated ops inside, its
    threads would use threads in turn, and then some report on the wrong one: that would call
    Python, which waits for the run to end.

    Source: `ParallelDiagnosticHandler` and `llvm::StdThreadPool::wait`, LLVM 22.
    """
    if isinstance(step, PassStep):
        return isinstance(step.pass_, NativePass)
    return all(
        pipeline.anchor.endswith(FUNCTION)
        and all(isinstance(inner, PassStep) and _is_native(inner) for inner in pipeline.steps)
        for pipeline in step.pipelines
    )


def _as_one(bindings: Bindings, steps: Sequence[Step], *, verify: bool) -> list[Step]:
    if not steps:
        return []
    passes = cast("Pass[Any]", _FusedPasses(bindings, steps, verify=verify))
    return [FusedStep(passes, steps[0].path)]


class _FusedPasses:
    """What runs several of MLIR's passes, in the place of a pass, for the length of a run."""

    name = ""
    preserves: tuple[type, ...] = ()

    def __init__(self, bindings: Bindings, steps: Sequence[Step], *, verify: bool) -> None:
        self._bindings = bindings
        self._steps = tuple(steps)
        self._verify = verify
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
        if outcome.failed:
            raise blame(self._bindings, self._steps, operation, outcome, verified=self._verify)
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
