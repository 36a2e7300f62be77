"""Verification by MLIR itself, with the op that is to blame found afterwards.

MLIR verifies everything inside of an op, in parallel, and reports a place and a text; which op
it means is found by these. Only invalid IR costs that. No op is verified by itself while what
encloses it may be broken: MLIR never does, and some verifiers would end the process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.diagnostics import SEEN, Severity
from passel.ir import InvalidIR
from passel.mlir.bindings import on_threads, parent_of
from passel.mlir.calls import calls_of
from passel.mlir.diagnostics import Report

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings


def verify(bindings: Bindings, op: Any) -> None:
    """Verify an op and all that is nested in it, which MLIR knows no way to leave out.

    Nor could it be: what is wrong with an enclosing op is often reported at an op nested in it,
    such as a call whose callee another one has replaced.

    Raises:
        InvalidIR: For the first op that is invalid.
    """
    error = _first_error(bindings, op)
    if error is None:
        return
    with on_threads(op.operation.context, 1):  # of siblings, the first one is to blame
        blamed, error = _emitter(bindings, op, _first_error(bindings, op) or error)
    name, message = _split(error.message)
    if name not in ("", blamed.operation.name):
        message = error.message
    notes = [
        (_op_at(bindings, blamed, note.location), note.message)
        for note in error.notes
        if not note.message.startswith(SEEN)
    ]
    raise InvalidIR(blamed.operation.opview, message, notes)


def is_valid(bindings: Bindings, op: Any) -> bool:
    """Return whether an op is valid; what MLIR reports is dropped."""
    return calls_of(bindings).verify(op.operation)[0]


def _first_error(bindings: Bindings, op: Any) -> Report | None:
    operation = op.operation
    is_valid, reports = calls_of(bindings).verify(operation)
    if is_valid:
        return None
    errors = (report for report in reports if report.severity is Severity.ERROR)
    return next(errors, Report(Severity.ERROR, "failed to verify", operation.location))


def _emitter(bindings: Bindings, op: Any, error: Report) -> tuple[Any, Report]:
    """Return the op that an error is about, and the error.

    Ops that share their name and location are told apart by giving each a location of its own
    while MLIR is asked again.
    """
    name, _ = _split(error.message)
    named = [
        inner
        for inner in bindings.walk(op)
        if inner.operation.location == error.location and name in ("", inner.operation.name)
    ]
    if len(named) < 2:  # noqa: PLR2004
        return (named[0] if named else op), error
    location = bindings.ir.Location
    places = [
        location.name(f"candidate {number}", childLoc=error.location, context=op.operation.context)
        for number in range(len(named))
    ]
    try:
        for candidate, place in zip(named, places, strict=True):
            candidate.operation.location = place
        again = _first_error(bindings, op)
    finally:
        for candidate in named:
            candidate.operation.location = error.location
    for candidate, place in zip(named, places, strict=True):
        if again is not None and again.location == place:
            return candidate, again
    return named[0], error


def _op_at(bindings: Bindings, blamed: Any, location: Any) -> Any:
    """Return the op that a note is about, as far as its place tells; else the blamed one."""
    top = blamed.operation
    while (parent := parent_of(top)) is not None:
        top = parent
    ops = bindings.walk(top)
    found = next((op for op in ops if op.operation.location == location), blamed)
    return found.operation.opview


def _split(message: str) -> tuple[str, str]:
    """Split `'x.y' op message` into the op's name, which may be missing, and the rest."""
    if message.startswith("'"):
        name, found, rest = message[1:].partition("' op ")
        if found and "'" not in name:
            return name, rest
    return "", message
