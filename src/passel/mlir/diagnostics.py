"""MLIR's diagnostics and locations as passel's."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from passel.diagnostics import UNKNOWN, Diagnostic, Location, Severity
from passel.errors import PasselError
from passel.mlir.bindings import bindings_of

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

SEEN = "see current operation"
"""How the note begins that MLIR attaches to errors about an op, and passel's tools as well."""

_FILE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')


class ParseError(PasselError, ValueError):
    """A source is no valid MLIR; MLIR verifies what it parses.

    Attributes:
        diagnostics: What MLIR reported, at least one error, with places and notes.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)


def convert_location(location: Any) -> Location:
    """Return a location of the bindings as MLIR's tools show it.

    A fused location is its first part that names a file, a call site is its callee with the
    caller as a note.
    """
    queries = bindings_of(location).abilities.location_queries
    match location_kind(location) if queries else "":
        case "file":
            return Location(location.filename, location.start_line, location.start_col)
        case "name":
            inner = convert_location(location.child_loc)
            return inner if inner.file else Location(label=f'loc("{location.name_str}")')
        case "fused":
            parts = (convert_location(part) for part in location.locations)
            return next((part for part in parts if part.file), UNKNOWN)
        case "callsite":
            callee = convert_location(location.callee)
            return callee._replace(caller=convert_location(location.caller))
        case _:
            # Unknown, or not of its class: later releases forget it for those of diagnostics.
            found = _FILE.search(str(location))
            return Location(found[1], int(found[2]), int(found[3])) if found else UNKNOWN


_CLASSES = {
    "FileLineColLoc": "file",
    "NameLoc": "name",
    "FusedLoc": "fused",
    "CallSiteLoc": "callsite",
}


def location_kind(location: Any) -> str:
    """Return `file`, `name`, `fused`, `callsite`, or an empty string for other locations.

    Later releases of the bindings have a class for each, earlier ones are asked.
    """
    if not hasattr(location, "is_a_file"):
        return _CLASSES.get(type(location).__name__, "")
    kinds = ("file", "name", "fused", "callsite")
    return next((kind for kind in kinds if getattr(location, f"is_a_{kind}")()), "")


def convert_diagnostic(found: Any) -> Diagnostic:
    """Return a diagnostic of the bindings, without the note that shows the current op."""
    diagnostic = Diagnostic(
        Severity(found.severity.name.lower()), found.message, convert_location(found.location)
    )
    diagnostic.notes = [
        convert_diagnostic(note) for note in found.notes if not note.message.startswith(SEEN)
    ]
    return diagnostic


@contextmanager
def captured(context: Any, *, errors_only: bool = False) -> Generator[list[Any]]:
    """Keep what MLIR reports on this thread from everybody else, and collect it.

    Args:
        context: The bindings' context.
        errors_only: Leave warnings and remarks to whoever else wants them.

    Returns:
        A list of the bindings' `DiagnosticInfo`, filled as they come. Errors that the bindings
        themselves turn into an `MLIRError` are not in it.
    """
    info = bindings_of(context).ir.DiagnosticInfo
    thread = threading.get_ident()
    found: list[Any] = []

    def take(diagnostic: Any) -> bool:
        if threading.get_ident() != thread:
            return False  # another thread uses the context
        if errors_only and diagnostic.severity.name != "ERROR":
            return False
        found.append(info(diagnostic))
        return True

    with context.attach_diagnostic_handler(take):
        yield found
