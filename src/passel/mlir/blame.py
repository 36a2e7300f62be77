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
from passel.ir import InvalidIR
from passel.mlir.bindings import parent_of
from passel.mlir.diagnostics import convert_location, value_of
from passel.mlir.native import can_fail
from passel.mlir.verification import verify
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.diagnostics import Diagnostic, Location
    from passel.mlir.bindings import Bindings
    from passel.mlir.kinds import Kinds
    from passel.mlir.pipelines import Outcome
    from passel.schedule import Step

_NO_SYMBOL = "no-symbol-name"
_FILE_NAME = re.compile(r"[\w$-]{1,200}", re.ASCII)


class _Visit(NamedTuple):
    """An op that passes ran on; its path is that of its dumps."""

    path: tuple[str, ...]
    op: Any
    passes: tuple[PassStep, ...]


class Blamer:
    """Finds out what failed in one call.

    Args:
        bindings: The build.
        kinds: What is known of ops.
        operation: The op that passes ran on.
        outcome: How that went.
    """

    def __init__(self, bindings: Bindings, kinds: Kinds, operation: Any, outcome: Outcome) -> None:
        self._bindings = bindings
        self._kinds = kinds
        self._operation = operation
        self._dumps = dict(outcome.dumps)
        self._said = outcome.diagnostics
        self._errors: dict[Location, int] = {}  # the last of each place
        for index, each in enumerate(self._said):
            if each.severity is Severity.ERROR and each.location != UNKNOWN:
                self._errors[each.location] = index

    def failure(self, steps: Sequence[Step], *, verified: bool) -> FusedFailure:
        """Return what failed.

        Args:
            steps: What ran as one.
            verified: Whether MLIR verified after each pass.
        """
        failures: list[Inside] = []
        start = 0
        for step, op in self._failed(steps):
            last = max((self._errors[place] for place in self._places(op)), default=-1)
            said, start = self._said[start : last + 1], max(start, last + 1)
            reason = self._invalid(op, said) if verified else None
            if reason is not None:
                # What the verifier said is the failure itself.
                said = [each for each in said if not each.message.endswith(reason.message)]
            failures.append(Inside(step, op.opview, reason or PassFailure(op=op.opview), said))
        return FusedFailure(failures, self._said[start:])

    def _failed(self, steps: Sequence[Step]) -> Iterator[tuple[Step, Any]]:
        visits = [each for each in self._visits(steps) if each.passes]
        times = Counter(each.path for each in visits)
        is_sure = {path for path in self._dumps if times[path] == 1}
        unnamed = self._dumps.keys() - is_sure
        found: list[_Visit] = []
        for visit in visits:
            path = visit.path
            doubtful = path in unnamed or not _FILE_NAME.fullmatch(_symbol(visit.op))
            if path in is_sure or (doubtful and self._places(visit.op)):
                found.append(visit)
        if not found and not self._dumps and self._says_invalid(self._operation):
            # No pass of MLIR's failed: the op is invalid after those on ops nested in it.
            nested = (step for step in steps if not isinstance(step, PassStep))
            yield next(nested, steps[0]), self._operation
            return
        if not found:
            found = [each for each in visits if each.path in unnamed][:1] or visits[:1]
        for visit in found:
            yield self._culprit(visit), visit.op

    def _culprit(self, visit: _Visit) -> PassStep:
        """Return the pass that a dump of the op names, or without one that of another op."""
        for names in (self._dumps.get(visit.path, ""),), tuple(self._dumps.values()):
            for step in visit.passes:
                if step.pass_.name in names:
                    return step
        return next((step for step in visit.passes if can_fail(step.pass_)), visit.passes[0])

    def _visits(self, steps: Sequence[Step]) -> Iterator[_Visit]:
        """Yield the ops that steps run on, outermost first."""
        operation = self._operation
        stack = [(_path(operation), operation, tuple(steps))]
        while stack:
            path, op, steps = stack.pop()
            yield _Visit(path, op, tuple(step for step in steps if isinstance(step, PassStep)))
            nested = [step for step in steps if not isinstance(step, PassStep)]
            if not nested:
                continue
            for child in reversed(self._bindings.children(op)):
                inner = child.operation
                kind = self._kinds.kind(inner.context, inner.name)
                taken = filter(None, (step.select(kind) for step in nested))
                below = tuple(step for pipeline in taken for step in pipeline.steps)
                if below:
                    stack.append(((*path, _label(inner)), inner, below))

    def _places(self, op: Any) -> set[Location]:
        """Return the places of errors that are in an op."""
        if not self._errors:
            return set()
        places = (convert_location(inner.operation.location) for inner in self._bindings.walk(op))
        return self._errors.keys() & set(places)

    def _invalid(self, op: Any, said: Sequence[Diagnostic]) -> InvalidIR | None:
        """Return what MLIR's verifier said of the op, if it was the verifier that spoke."""
        try:
            verify(self._bindings, op)
        except InvalidIR as error:
            if any(each.message.endswith(error.message) for each in said):
                return error
        return None

    def _says_invalid(self, op: Any) -> bool:
        return self._invalid(op, self._said) is not None


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
