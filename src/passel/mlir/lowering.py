"""Joining adjacent native passes, and nested pipelines of native passes, to one call of MLIR.

MLIR then schedules the passes on its own threads. After a failure, it prints the IR to a file,
whose path names the pass and the op.
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
from passel.schedule import NestedStep, PassStep, Step, nodes_of, passes_of

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
    """Return the steps, with adjacent native steps joined.

    Args:
        bindings: The build.
        kinds: The kinds of ops.
        steps: The steps on one op, in order.
        verify: Whether MLIR verifies after each pass.
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
    """Return whether MLIR can run a step with the same outcome.

    Two nested levels are excluded: MLIR's threads would report their diagnostics in any order,
    because a thread that waits for others takes over their work.

    Args:
        kinds: The kinds of ops.
        context: A context for queries; the run checks ops of dialects that it lacks.
        step: The step.
    """
    if isinstance(step, PassStep):
        return isinstance(step.pass_, NativePass) and not step.pass_.preserves  # MLIR keeps nothing
    return all(
        pipeline.steps  # MLIR reads no pipeline of nothing
        and pipeline.jobs is None  # MLIR has one number for all levels
        and all(isinstance(s, PassStep) and _is_native(kinds, context, s) for s in pipeline.steps)
        and _is_known(kinds, context, pipeline)
        for pipeline in step.pipelines
    )


def _is_known(kinds: Kinds, context: Any, pipeline: Pipeline) -> bool:
    """Return whether MLIR and passel run a pipeline on the same ops, without an error."""
    if pipeline.anchor == ANY:
        passes = (step.pass_ for step in pipeline.steps)
        return not any(isinstance(each, NativePass) and each.on_functions for each in passes)
    _, obstacle = pipeline.admit(kinds.kind(context, pipeline.anchor))
    return not obstacle


class LoweredPass(Pass[Any]):
    """Several native passes that run as one pass.

    Args:
        steps: The passes.
        managers: MLIR's pass managers for the passes.
    """

    ir = "mlir"
    steps: tuple[Any, ...]
    managers: Any

    def to_text(self, *, all_options: bool = False) -> str:
        """Return the passes as in a pipeline's text."""
        return ",".join(map(str, nodes_of(self.steps, all_options=all_options)))

    def run(self, op: Any, ctx: PassContext) -> None:
        """Let MLIR run the passes, and report which of them failed."""
        found: tuple[bool, list[Diagnostic]] = self.managers.run(op, self.steps, ctx)
        succeeded, diagnostics = found
        ctx.is_verified = self.managers.verify and not ctx.deferred
        failed = [] if succeeded else self._failed(op, ctx, diagnostics)
        for steps, blamed, error in failed:
            # A pass has failed with the last of what was reported in its op.
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
        """Return the passes that failed, their ops, and the verifier's errors.

        Several passes in one entry are the candidates for one failure.
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
    """Return the failed passes and their ops, from the files that MLIR wrote after failures.

    Siblings without names share a folder. Of these ops, the failed ones contain the errors.

    Args:
        folder: The folder of the op.
        op: The op.
        steps: The steps that ran on the op.
        adapter: The adapter.
        said: The locations of errors.

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
"""The numbers at the start of a file's name."""


def places_in(op: Any) -> set[Location]:
    """Return the locations of an op and all nested ops."""
    return {convert_location(each.operation.location) for each in bindings_of(op).walk(op)}
