"""Which of MLIR's passes failed on which ops, after several ran as one call.

MLIR says it in the names of the files that its IR printer writes, which have the symbols of
the ops around. Ops of equal names, or of names that are none for a file, are told apart by the
places of what MLIR reported.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import UNKNOWN, Severity
from passel.errors import PassFailure
from passel.execution import FusedFailure, Inside
from passel.ir import ANY, InvalidIR
from passel.mlir.bindings import parent_of
from passel.mlir.diagnostics import convert_location, value_of
from passel.mlir.native import can_fail
from passel.mlir.verification import verify
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.diagnostics import Diagnostic, Location
    from passel.mlir.bindings import Bindings
    from passel.mlir.pipelines import Outcome
    from passel.schedule import Step

_NO_SYMBOL = "no-symbol-name"
_FILE_NAME = re.compile(r"[\w$-]{1,200}", re.ASCII)


class _Visit(NamedTuple):
    """An op that passes ran on; its path is that of its dumps."""

    path: tuple[str, ...]
    op: Any
    passes: tuple[PassStep, ...]


def blame(
    bindings: Bindings, steps: Sequence[Step], operation: Any, outcome: Outcome, *, verified: bool
) -> FusedFailure:
    """Return what failed.

    Args:
        bindings: The build.
        steps: What ran as one.
        operation: The op that it ran on.
        outcome: How that went.
        verified: Whether MLIR verified after each pass.
    """
    left = list(outcome.diagnostics)
    failures: list[Inside] = []
    errors = {each.location for each in left if each.severity is Severity.ERROR} - {UNKNOWN}
    for step, op in _failed(bindings, steps, operation, dict(outcome.dumps), errors):
        places = _places(bindings, op, errors)
        own = [index for index, each in enumerate(left) if each.location in places]
        said = left[: own[-1] + 1] if own else []
        del left[: len(said)]
        reason = _invalid(bindings, op, said) if verified else None
        if reason is not None:
            # What the verifier said is the failure itself.
            said = [each for each in said if not each.message.endswith(reason.message)]
        failures.append(Inside(step, op.opview, reason or PassFailure(op=op.opview), said))
    return FusedFailure(failures, left)


def _failed(
    bindings: Bindings,
    steps: Sequence[Step],
    operation: Any,
    dumps: dict[tuple[str, ...], str],
    errors: set[Location],
) -> Iterator[tuple[PassStep, Any]]:
    visits = [each for each in _visits(bindings, operation, steps) if each.passes]
    times = Counter(each.path for each in visits)
    is_sure = {path for path in dumps if times[path] == 1}
    unnamed = dumps.keys() - is_sure
    found: list[_Visit] = []
    for visit in visits:
        path = visit.path
        doubtful = path in unnamed or not _FILE_NAME.fullmatch(_symbol(visit.op))
        if path in is_sure or (doubtful and _places(bindings, visit.op, errors)):
            found.append(visit)
    if not found:
        found = [each for each in visits if each.path in unnamed][:1] or visits[:1]
    for visit in found:
        yield _culprit(visit, dumps), visit.op


def _culprit(visit: _Visit, dumps: dict[tuple[str, ...], str]) -> PassStep:
    """Return the pass that a dump of the op names, or without one that of another op."""
    for names in (dumps.get(visit.path, ""),), tuple(dumps.values()):
        for step in visit.passes:
            if step.pass_.name in names:
                return step
    return next((step for step in visit.passes if can_fail(step.pass_)), visit.passes[0])


def _visits(bindings: Bindings, operation: Any, steps: Sequence[Step]) -> Iterator[_Visit]:
    """Yield the ops that steps run on, outermost first."""
    stack = [(_path(operation), operation, tuple(steps))]
    while stack:
        path, op, steps = stack.pop()
        yield _Visit(path, op, tuple(step for step in steps if isinstance(step, PassStep)))
        pipelines = [
            pipeline
            for step in steps
            if not isinstance(step, PassStep)
            for pipeline in step.pipelines
        ]
        if not pipelines:
            continue
        for child in reversed(bindings.children(op)):
            inner = child.operation
            taken = [each for each in pipelines if each.anchor in (ANY, inner.name)]
            if taken:
                below = tuple(step for pipeline in taken for step in pipeline.steps)
                stack.append(((*path, _label(inner)), inner, below))


def _places(bindings: Bindings, op: Any, errors: set[Location]) -> set[Location]:
    """Return those of some places that are in an op."""
    if not errors:
        return set()
    return errors & {convert_location(inner.operation.location) for inner in bindings.walk(op)}


def _invalid(bindings: Bindings, op: Any, said: Sequence[Diagnostic]) -> InvalidIR | None:
    """Return what MLIR's verifier said of the op, if it was the verifier that spoke."""
    try:
        verify(bindings, op)
    except InvalidIR as error:
        if any(each.message.endswith(error.message) for each in said):
            return error
    return None


def _path(operation: Any) -> tuple[str, ...]:
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
    return re.sub(r"[./]", "_", f"{operation.name}_{_symbol(operation)}")


def _symbol(operation: Any) -> str:
    attributes = operation.attributes
    return value_of(attributes["sym_name"]) if "sym_name" in attributes else _NO_SYMBOL
