"""Combining adjacent native passes, and nested pipelines of native passes, into one MLIR call.

MLIR schedules the passes of the call on its own threads. If a pass fails, MLIR prints the IR to a
file whose path identifies the pass and the op.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from itertools import groupby
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Severity
from passel.ir import ANY, InvalidIR, outwards
from passel.mlir.bindings import bindings_of
from passel.mlir.diagnostics import convert_location
from passel.mlir.native import Managers, NativePass
from passel.mlir.pipelines import folder_of, query_context
from passel.mlir.verification import verify
from passel.passes import Pass
from passel.schedule.model import NestedStep, PassStep, Step, nodes_of, passes_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from passel.diagnostics import Diagnostic, Location
    from passel.ir import IRAdapter
    from passel.mlir.bindings import Bindings
    from passel.mlir.kinds import Kinds
    from passel.passes import PassContext
    from passel.schedule import Pipeline


def lower(
    bindings: Bindings, kinds: Kinds, steps: Sequence[Step], *, verify: bool
) -> tuple[Step, ...]:
    """Combine each group of adjacent native steps into one step, and return the resulting steps.

    A step is native if MLIR can run it with the same outcome as passel.

    Args:
        bindings: The build of MLIR's Python bindings.
        kinds: The cache of op kinds.
        steps: The steps that run on one op, in order.
        verify: Whether MLIR verifies the IR after each pass.
    """
    lowered: list[Step] = []
    for native, group in groupby(steps, partial(_is_native, kinds, query_context(bindings))):
        found = [*group]
        if native:
            managers = Managers(bindings, verify)
            found = [PassStep(LoweredPass(steps=tuple(found), managers=managers), found[0].path)]
        lowered += found
    return tuple(lowered)


def _is_native(kinds: Kinds, context: Any, step: Step) -> bool:
    """Return whether MLIR can run a step with the same outcome as passel.

    A step with two levels of nesting is not native. MLIR's threads would report the diagnostics of
    such a step in an arbitrary order, because a waiting thread takes over work of other threads.

    Args:
        kinds: The cache of op kinds.
        context: A context for queries. The run checks ops whose dialect this context lacks.
        step: The step.
    """
    if isinstance(step, PassStep):
        return isinstance(step.pass_, NativePass) and not step.pass_.preserves  # MLIR keeps nothing
    return all(
        pipeline.steps  # MLIR cannot parse an empty pipeline
        and pipeline.jobs is None  # MLIR has one number of threads for all levels
        and all(isinstance(s, PassStep) and _is_native(kinds, context, s) for s in pipeline.steps)
        and _is_known(kinds, context, pipeline)
        for pipeline in step.pipelines
    )


def _is_known(kinds: Kinds, context: Any, pipeline: Pipeline) -> bool:
    """Return whether MLIR and passel accept a pipeline and run it on the same ops."""
    if pipeline.anchor == ANY:
        passes = (step.pass_ for step in pipeline.steps)
        return not any(isinstance(each, NativePass) and each.on_functions for each in passes)
    return not pipeline.plan(kinds.kind(context, pipeline.anchor)).rejection


class LoweredPass(Pass[Any]):
    """A pass that runs several of MLIR's own passes in one call to MLIR.

    Args:
        steps: The steps, which run only MLIR's own passes.
        managers: MLIR's pass managers for the steps.
    """

    ir = "mlir"
    steps: tuple[Any, ...]
    managers: Any

    def to_text(self, *, all_options: bool = False) -> str:
        """Return the text of the passes, separated by commas as in a pipeline."""
        return ",".join(map(str, nodes_of(self.steps, all_options=all_options)))

    def run(self, op: Any, ctx: PassContext) -> None:
        """Run the passes in MLIR, and report the passes that failed."""
        found: tuple[bool, list[Diagnostic]] = self.managers.run(op, self.steps, ctx)
        succeeded, diagnostics = found
        ctx.is_verified = self.managers.verify and not ctx.deferred
        failed = [] if succeeded else self._failed(op, ctx, diagnostics)
        for steps, blamed, error in failed:
            # The last diagnostic in the op is that of the failed pass.
            inside = places_in(blamed)
            last = [n for n, each in enumerate(diagnostics) if each.location in inside]
            end = last[-1] + 1 if last else len(diagnostics) if blamed is failed[-1][1] else 0
            for diagnostic in diagnostics[:end]:
                if error is None or not diagnostic.message.endswith(error.message):
                    ctx.emit(diagnostic)
            diagnostics = diagnostics[end:]
            ctx.run.blame(ctx, steps, blamed, error)
        for diagnostic in diagnostics:
            ctx.emit(diagnostic)

    def _failed(
        self, op: Any, ctx: PassContext[Any], diagnostics: Sequence[Diagnostic]
    ) -> list[tuple[Sequence[PassStep], Any, InvalidIR | None]]:
        """Return the failed passes, with the op and any verifier error of each failure.

        If an entry contains several passes, one of them caused the failure.
        """
        root = self.managers.folder
        enclosing = [*map(folder_of, outwards(ctx.adapter, op))]
        said = {each.location for each in diagnostics if each.severity is Severity.ERROR}
        found = failures_in(root.joinpath(*enclosing[::-1]), op, self.steps, ctx.adapter, said)
        rmtree(root, ignore_errors=True)
        if not found:
            found = [([each for step in self.steps for each in passes_of(step)], op)]
        return [(steps, blamed, self._error_in(blamed, diagnostics)) for steps, blamed in found]

    def _error_in(self, op: Any, diagnostics: Sequence[Diagnostic]) -> InvalidIR | None:
        try:
            verify(self.managers.bindings, op, recursive=True)
        except InvalidIR as error:
            if any(each.message.endswith(error.message) for each in diagnostics):
                return error
        return None


def failures_in(
    folder: Path, op: Any, steps: Sequence[Step], adapter: IRAdapter, said: set[Location]
) -> list[tuple[list[PassStep], Any]]:
    """Read the files that MLIR wrote, and return the failed passes with the ops that they ran on.

    Sibling ops that have the same name, but no symbol names, share a folder. If a shared folder
    contains the file of a failed pass, the function assumes that the pass failed on each sibling
    that contains the location of an error.

    Args:
        folder: The folder in which MLIR wrote files for `op` and its nested ops.
        op: The op that the steps ran on.
        steps: The steps that ran on `op`.
        adapter: The adapter for MLIR.
        said: The locations of the reported errors.

    Source: `FileTreeIRPrinterConfig`, MLIR 22.
    """
    if not folder.is_dir():
        return []
    files = {each.name for each in folder.iterdir()}
    failed = {_NUMBERS.sub("", name) for name in files}
    passes = (each for each in steps if isinstance(each, PassStep))
    own = [each for each in passes if f"{each.pass_.name}.mlir" in failed]
    found = [(own, op)] if own else []
    siblings = [(folder_of(child), child) for child in adapter.children(op)]
    number = Counter(name for name, _ in siblings)
    for name, child in siblings:
        if name in files and (number[name] == 1 or places_in(child) & said):
            nested = (each for each in steps if isinstance(each, NestedStep))
            chosen = filter(None, (each.select(adapter.kind_of(child)) for each in nested))
            inner = [each for pipeline in chosen for each in pipeline.steps]
            found += failures_in(folder / name, child, inner, adapter, said)
    return found


_NUMBERS = re.compile(r"^(\d+_)+")
"""The numbers at the start of the name of a file that MLIR wrote."""


def places_in(op: Any) -> set[Location]:
    """Return the locations of an op and all nested ops."""
    return {convert_location(each.operation.location) for each in bindings_of(op).walk(op)}
