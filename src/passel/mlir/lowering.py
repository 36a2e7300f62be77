"""MLIR's passes that follow each other, nested pipelines included, as one call.

So MLIR schedules them itself, on its own threads. It does not say which of them failed: a copy of
the op is kept, from which they then run again, one by one.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from passel.errors import PassFailure
from passel.ir import ANY
from passel.mlir.contents import replace_contents
from passel.mlir.contexts import on_threads
from passel.mlir.diagnostics import convert_location
from passel.mlir.native import Managers, NativePass, can_fail
from passel.mlir.pipelines import query_context
from passel.passes import Pass
from passel.pipeline import print_elements
from passel.schedule import NestedStep, PassStep, Step, nodes_of, passes_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.diagnostics import Diagnostic, Location
    from passel.mlir.bindings import Bindings
    from passel.mlir.kinds import Kinds
    from passel.passes import PassContext
    from passel.schedule import Pipeline


_MOST_LEVELS = 2
"""How many levels of ops one call may run on, below its own op.

On each level MLIR has threads for ops. One that waits for those of the next level does work of
others meanwhile; what it reports after that comes in any order. For two levels the order is known
from the places of what is reported. For three it is not: of two reports about one op of the first
level, the later one may be of an op that stands earlier, or of a later pass.
"""


def lower(
    bindings: Bindings, kinds: Kinds, steps: Sequence[Step], *, verify: bool
) -> tuple[Step, ...]:
    """Return the steps with those that are MLIR's own and follow each other as one.

    One pass by itself stays what it is.

    Args:
        bindings: The build.
        kinds: What is known of ops.
        steps: What runs on one op, in order.
        verify: Whether MLIR verifies after each of them.
    """
    structure = _Structure(kinds, query_context(bindings))
    lowered: list[Step] = []
    native: list[Step] = []
    most: int | None = None

    def flush() -> None:
        if len(native) == 1 and isinstance(native[0], PassStep):
            lowered.append(native[0])
        elif native:
            pass_ = LoweredPass(
                steps=tuple(native),
                managers=Managers(bindings, verify=verify),
                is_deep=any(map(structure.is_deep, native)),
                jobs=most,
            )
            lowered.append(PassStep(pass_, native[0].path))
        native.clear()

    for step in steps:
        if not structure.is_native(step):
            flush()
            lowered.append(step)
            continue
        limit = min(_limits(step), default=None)
        if limit != most or structure.is_deep(step):
            flush()
        native.append(step)
        most = limit
        if structure.is_deep(step):
            flush()
    flush()
    return tuple(lowered)


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
        return _levels(step) <= _MOST_LEVELS and all(
            pipeline.steps  # MLIR reads no pipeline of nothing
            and (pipeline.jobs is None or _levels(step) == 1)  # MLIR has one number for all levels
            and self._is_known(pipeline)
            and all(map(self.is_native, pipeline.steps))
            for pipeline in step.pipelines
        )

    def _is_known(self, pipeline: Pipeline) -> bool:
        """Return whether MLIR and passel agree on which ops run a pipeline, without an error."""
        if pipeline.anchor == ANY:
            passes = (step.pass_ for step in pipeline.steps)
            return not any(isinstance(each, NativePass) and each.on_functions for each in passes)
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


def _levels(step: Step) -> int:
    """Return how many levels of ops a step runs on, below its own op."""
    if not isinstance(step, NestedStep):
        return 0
    inner = (_levels(each) for pipeline in step.pipelines for each in pipeline.steps)
    return 1 + max(inner, default=0)


def _limits(step: Step) -> Iterator[int]:
    """Yield how many ops pipelines may run on at once, those that say it."""
    for pipeline in step.pipelines if isinstance(step, NestedStep) else ():
        if pipeline.jobs is not None:
            yield pipeline.jobs
        for each in pipeline.steps:
            yield from _limits(each)


class LoweredPass(Pass[Any]):
    """Several of MLIR's passes in the place of one, for the length of a run.

    Args:
        steps: The passes.
        managers: MLIR's pass managers for them.
        is_deep: Whether what MLIR reports of them comes in any order.
        jobs: How many threads may work on them at most; None for no limit.
    """

    ir = "mlir"
    steps: tuple[Any, ...]
    managers: Any
    is_deep: Any
    jobs: Any

    def to_text(self, *, all_options: bool = False) -> str:
        """Return the passes as they stand in a pipeline."""
        return print_elements(nodes_of(self.steps, all_options=all_options))

    def run(self, op: Any, ctx: PassContext) -> None:
        """Let MLIR run the passes; run them one by one, to find out which fails, if one does.

        Raises:
            PassFailure: Some of them failed, but none when they ran again one by one.
        """
        operation, bindings = op.operation, self.managers.bindings
        before = operation.clone(ip=False).operation if self._may_fail() else None
        threads = nullcontext() if self.jobs is None else on_threads(ctx.ir_context, self.jobs)
        with threads:
            outcome = self.managers.run(operation, self.to_text(), ctx)
        if outcome.failed and before is not None:
            replace_contents(bindings, operation, before)
            if ctx.run_one_by_one(self.steps):
                return
            message = "one of these passes failed; which one is unknown: run one by one, none did"
            raise PassFailure(message, op=op)
        diagnostics = outcome.diagnostics
        if self.is_deep and len(diagnostics) > 1:
            diagnostics = in_program_order(bindings, operation, diagnostics)
        for diagnostic in diagnostics:
            ctx.emit(diagnostic)
        if outcome.failed:
            raise PassFailure("one of these passes failed, and MLIR does not say which", op=op)

    def _may_fail(self) -> bool:
        return self.managers.verify or any(
            can_fail(each.pass_) for step in self.steps for each in passes_in(step)
        )


def in_program_order(
    bindings: Bindings, operation: Any, diagnostics: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Return what was reported of ops in an op in the order of those that are its children."""
    ranks: dict[Location, int] = {}
    children = bindings.children(operation)
    for rank, child in enumerate(children):
        for inner in bindings.walk(child):
            ranks.setdefault(convert_location(inner.operation.location), rank)
    return tuple(sorted(diagnostics, key=lambda each: ranks.get(each.location, len(children))))
