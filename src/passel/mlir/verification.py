"""Verification by MLIR, and a search for the invalid op.

MLIR verifies an op and all nested ops in parallel, and reports a location and a message. If the IR
is invalid, passel uses the location and the message to find the invalid op. Like MLIR, the search
never verifies a nested op whose enclosing op may be invalid, because some verifiers would crash the
process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.diagnostics import SEEN, Diagnostic, Severity
from passel.ir import InvalidIR
from passel.mlir.bindings import on_threads
from passel.mlir.calls import calls_of
from passel.mlir.diagnostics import convert_location

if TYPE_CHECKING:
    from passel.diagnostics import Location
    from passel.mlir.bindings import Bindings


def verify(bindings: Bindings, op: Any, *, recursive: bool) -> None:
    """Verify an op and its nested ops.

    When the verifier of an op fails, MLIR often reports the error at a nested op. For example, if a
    called function does not exist, the verifier of the module reports the error at the call.

    Args:
        bindings: The build of MLIR's Python bindings.
        op: The op.
        recursive: Whether to verify nested ops that are isolated from above.

    Raises:
        InvalidIR: If an op is invalid. The error names the first invalid op.
    """
    if not recursive and _is_valid_around(bindings, op.operation):
        return
    error = _first_error(bindings, op)
    if error is None:
        return
    with on_threads(op.operation.context, 1):  # so that the error is in the first sibling
        error = _first_error(bindings, op) or error
        blamed = _emitter(bindings, op, error)
    name, message = _split(error.message)
    if name not in ("", blamed.operation.name):
        message = error.message
    notes = [
        (note.location, note.message) for note in error.notes if not note.message.startswith(SEEN)
    ]
    raise InvalidIR(blamed.operation.opview, message, notes)


def _is_valid_around(bindings: Bindings, operation: Any) -> bool:
    """Return whether an op is valid, apart from nested ops that are isolated from above.

    The only way to skip isolated ops is to run a nested pipeline that matches no op.

    Source: `OpToOpPassAdaptor::run`, MLIR 22.
    """
    parse = bindings.passmanager.PassManager.parse
    try:
        manager = parse(f"{operation.name}(no.such(cse))", operation.context)
    except ValueError:  # a build without `cse`
        return False
    return calls_of(bindings).runner(manager)(operation)[0]


def _first_error(bindings: Bindings, op: Any) -> Diagnostic | None:
    is_valid, reports = calls_of(bindings).verify(op.operation)
    if is_valid:
        return None
    errors = (report for report in reports if report.severity is Severity.ERROR)
    return next(errors, Diagnostic(Severity.ERROR, "failed to verify", _place_of(op)))


def _emitter(bindings: Bindings, op: Any, error: Diagnostic) -> Any:
    """Return the op that an error is about.

    If several ops have the same name and location, the function gives each op a unique location,
    verifies again, and restores the locations.
    """
    name, _ = _split(error.message)
    named = [
        inner
        for inner in bindings.walk(op)
        if name in ("", inner.operation.name) and _place_of(inner) == error.location
    ]
    if len(named) < 2:  # noqa: PLR2004
        return named[0] if named else op
    known = [candidate.operation.location for candidate in named]
    try:
        for number, candidate in enumerate(named):
            place = bindings.ir.Location.file("", number, 0, context=op.operation.context)
            candidate.operation.location = place
        again = _first_error(bindings, op)
        blamed = [each for each in named if again and _place_of(each) == again.location]
    finally:
        for candidate, place in zip(named, known, strict=True):
            candidate.operation.location = place
    return (blamed or named)[0]


def _place_of(op: Any) -> Location:
    return convert_location(op.operation.location)


def _split(message: str) -> tuple[str, str]:
    """Split `'x.y' op message` into the op name, or an empty string, and the rest."""
    if message.startswith("'"):
        name, found, rest = message[1:].partition("' op ")
        if found and "'" not in name:
            return name, rest
    return "", message
