"""MLIR's passes that follow each other, nested pipelines included, as one call.

So MLIR schedules them itself, on its own threads. Where nobody watches, nobody can tell: what
failed is found by MLIR's own IR printer, which writes the op of a failing pass to a file whose
name says where in the IR that is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from passel.errors import PassFailure
from passel.execution import FusedFailure
from passel.ir import InvalidIR
from passel.mlir.bindings import parent_of
from passel.mlir.native import NativePass
from passel.mlir.pipelines import compiled
from passel.mlir.verification import verify
from passel.schedule import FusedStep, PassStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.context import PassContext
    from passel.mlir.bindings import Bindings
    from passel.mlir.pipelines import CompiledPipeline, Outcome
    from passel.passes import Pass
    from passel.schedule import Step

_NO_SYMBOL = "no-symbol-name"


def fuse(bindings: Bindings, steps: Sequence[Step], *, verify: bool) -> tuple[Step, ...]:
    """Return the steps with those that are MLIR's own and follow each other as one.

    Args:
        bindings: The build.
        steps: What runs on one op, in order.
        verify: Whether MLIR verifies after each of them.
    """
    fused: list[Step] = []
    native: list[Step] = []
    for step in steps:
        if _is_native(step):
            native.append(step)
        else:
            fused += _as_one(bindings, native, verify=verify)
            native.clear()
            fused.append(step)
    fused += _as_one(bindings, native, verify=verify)
    return tuple(fused)


def _is_native(step: Step) -> bool:
    if isinstance(step, PassStep):
        return isinstance(step.pass_, NativePass)
    return all(_is_native(inner) for pipeline in step.pipelines for inner in pipeline.steps)


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
        self._compiled: dict[str, CompiledPipeline] = {}

    @property
    def display_name(self) -> str:
        """The names of the passes in reports."""
        return ", ".join(step.display_name for step in _passes(self._steps))

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, all_options: bool = False) -> str:
        """Return the passes as they stand in a pipeline."""
        return ",".join(_text(step) for step in self._steps)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Let MLIR run the passes.

        Raises:
            FusedFailure: Some of them failed.
        """
        operation = op.operation
        outcome = self._manager(operation.name, ctx.ir_context).run(operation)
        failures = list(self._failures(operation, outcome)) if outcome.failed else []
        if not any(isinstance(reason, InvalidIR) for _, _, reason in failures):
            # Otherwise they are what the verifier said, which is reported with its op.
            for diagnostic in outcome.diagnostics:
                ctx.emit(diagnostic)
        if outcome.failed:
            raise FusedFailure(failures)

    def _manager(self, anchor: str, context: Any) -> CompiledPipeline:
        made = self._compiled.get(anchor)
        if made is None:
            text = f"{anchor}({self})"
            made = self._compiled[anchor] = compiled(
                self._bindings, context, text, verify=self._verify, locate=True
            )
        return made

    def _failures(
        self, operation: Any, outcome: Outcome
    ) -> Iterator[tuple[Step, Any, PassFailure | InvalidIR]]:
        """Yield what failed, in program order."""
        found = dict(outcome.dumps)
        top = _ancestors(operation)
        seen = False
        for path, op in _ops_with_paths(operation, top, found):
            step = self._step_named(found[path])
            seen = True
            yield step, op, self._reason(op)
        if not seen:
            yield self._step_named(""), operation.opview, PassFailure()

    def _reason(self, op: Any) -> PassFailure | InvalidIR:
        try:
            verify(self._bindings, op, recursive=True)
        except InvalidIR as error:
            return error
        return PassFailure(op=op)

    def _step_named(self, name: str) -> PassStep:
        """Return the first step for a pass of this name, or the first of all."""
        steps = list(_passes(self._steps))
        return next((step for step in steps if step.pass_.name == name), steps[0])


def _text(step: Step) -> str:
    if isinstance(step, PassStep):
        return step.pass_.to_text()
    return ",".join(map(str, step.pipelines))


def _passes(steps: Sequence[Step]) -> Iterator[PassStep]:
    for step in steps:
        if isinstance(step, PassStep):
            yield step
        else:
            for pipeline in step.pipelines:
                yield from _passes(pipeline.steps)


def _ops_with_paths(
    operation: Any, path: tuple[str, ...], wanted: dict[tuple[str, ...], str]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the ops whose path is wanted, outermost first, the first one of each path."""
    left = set(wanted)
    stack = [(path, operation)]
    while stack:
        here, op = stack.pop()
        if here in left:
            left.discard(here)
            yield here, op.opview
        depth = len(here)
        if not any(each[:depth] == here for each in left):
            continue
        children = [child for region in op.regions for block in region for child in block]
        stack += [((*here, _label(child.operation)), child.operation) for child in children[::-1]]


def _ancestors(operation: Any) -> tuple[str, ...]:
    labels: list[str] = []
    place = operation
    while place is not None:
        labels.append(_label(place))
        place = parent_of(place)
    return tuple(reversed(labels))


def _label(operation: Any) -> str:
    """Return what MLIR's IR printer calls the directory of an op.

    Source: `getOpPath` in IRPrinting.cpp, MLIR 22.
    """
    attributes = operation.attributes
    symbol = attributes["sym_name"].value if "sym_name" in attributes else _NO_SYMBOL
    return re.sub(r"[./]", "_", f"{operation.name}_{symbol}")
