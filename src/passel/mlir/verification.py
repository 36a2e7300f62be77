"""Verification by MLIR itself, with the op that is to blame found afterwards.

MLIR verifies everything inside of an op, in parallel, and reports a place and a text; which op
it means is found by these. Only invalid IR costs that. No op is verified by itself while what
is around it may be broken: MLIR never does, and some verifiers would end the process.
"""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.ir import InvalidIR
from passel.mlir.bindings import parent_of
from passel.mlir.diagnostics import SEEN, captured

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from passel.mlir.bindings import Bindings


class _Reported(NamedTuple):
    """What MLIR said first.

    Attributes:
        message: The text, with the op's name.
        location: The place, as the bindings have it.
        notes: Text and place of each note.
    """

    message: str
    location: Any
    notes: tuple[tuple[str, Any], ...]


def verify(bindings: Bindings, op: Any, *, recursive: bool) -> None:
    """Verify an op and what is inside of it.

    MLIR cannot verify an op without what is inside. If not `recursive`, an error inside is
    passed over; it hides what is wrong with the op itself only where MLIR checks that after
    the ops inside.

    Raises:
        InvalidIR: For the first op that is invalid.
    """
    error = _first_error(bindings, op)
    if error is None:
        return
    blamed, error = _emitter(bindings, op, error)
    if not recursive and blamed.operation != op.operation:
        return
    blamed, error = _earliest(bindings, op, blamed, error)
    name, message = _split(error.message)
    if name not in ("", blamed.operation.name):
        message = error.message
    notes = [(_op_at(bindings, blamed, place), text) for text, place in error.notes]
    raise InvalidIR(blamed.operation.opview, message, notes)


def is_valid(bindings: Bindings, op: Any) -> bool:
    """Tell whether an op is valid, without a word to anybody."""
    operation = op.operation
    with _captured(operation.context):
        try:
            return bool(operation.verify())
        except bindings.ir.MLIRError:
            return False


def _first_error(bindings: Bindings, op: Any) -> _Reported | None:
    operation = op.operation
    raised: list[Any] = []
    with _captured(operation.context) as reported:
        try:
            if operation.verify():
                return None
        except bindings.ir.MLIRError as error:
            raised = error.error_diagnostics
    found = [*reported, *raised]
    if not found:
        return _Reported("failed to verify", operation.location, ())
    notes = ((note.message, note.location) for note in found[0].notes)
    return _Reported(
        found[0].message,
        found[0].location,
        tuple((text, place) for text, place in notes if not text.startswith(SEEN)),
    )


def _captured(context: Any) -> AbstractContextManager[list[Any]]:
    """Collect errors that the bindings do not raise, if the context is told to emit them."""
    if getattr(context, "emit_error_diagnostics", False):
        return captured(context, errors_only=True)
    return nullcontext([])  # a handler costs more than verifying a small op


def _emitter(bindings: Bindings, op: Any, error: _Reported) -> tuple[Any, _Reported]:
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


def _earliest(bindings: Bindings, op: Any, blamed: Any, error: _Reported) -> tuple[Any, _Reported]:
    """Return the first of several invalid ops: MLIR reports any one of isolated siblings."""
    while True:
        for sibling in _before(bindings, op, blamed):
            found = _first_error(bindings, sibling)
            if found is not None:
                op = sibling
                blamed, error = _emitter(bindings, sibling, found)
                break
        else:
            return blamed, error


def _before(bindings: Bindings, op: Any, blamed: Any) -> Iterator[Any]:
    """Yield what stands before `blamed` and before what is around it, inside of `op`.

    All of it is in ops whose own rules hold, or MLIR would not have come to `blamed`.
    """
    path = [blamed.operation]
    while path[-1] != op.operation:
        path.append(parent_of(path[-1]))
    path.reverse()
    for outer, inner in pairwise(path):
        for child in bindings.children(outer):
            if child.operation == inner:
                break
            yield child


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
