"""Conversion of MLIR's diagnostics and locations to passel's classes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from passel.diagnostics import UNKNOWN, Diagnostic, Location, Severity
from passel.errors import PasselError
from passel.frontend.resources import unescaped

if TYPE_CHECKING:
    from collections.abc import Sequence

_FILE = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')


class ParseError(PasselError, ValueError):
    """The error for source text or bytecode that MLIR's parser or verifier rejects.

    Attributes:
        diagnostics: MLIR's diagnostics, with locations and notes. At least one of the diagnostics
            is an error.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)


def decoded(text: bytes) -> str:
    r"""Decode UTF-8 text from MLIR, and write invalid bytes as escapes such as `\xff`."""
    return text.decode(errors="backslashreplace")


def convert_location(location: Any) -> Location:
    """Convert a location of the bindings to the `Location` that MLIR's tools print for it.

    For a fused location, the result is the first of its component locations that names a file. For
    a call site, the result is the callee's location, whose field `caller` is the caller's location.
    """
    match location_kind(location) if has_plain_names(location) else "":
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
            # Unknown, or without a class: later releases lose it for diagnostics' locations.
            found = _FILE.search(str(location))
            if found is None:
                return UNKNOWN
            return Location(decoded(unescaped(found[1])), int(found[2]), int(found[3]))


def has_plain_names(location: Any) -> bool:
    """Return whether the bindings can read the names in a location without crashing.

    Reading a name that is not UTF-8 would crash the process. If the text of the location contains
    escapes, the function assumes that a name is not UTF-8.
    """
    return "\\" not in str(location)


_CLASSES = {
    "FileLineColLoc": "file",
    "NameLoc": "name",
    "FusedLoc": "fused",
    "CallSiteLoc": "callsite",
}


def location_kind(location: Any) -> str:
    """Return the kind of a location: `file`, `name`, `fused`, `callsite`, or an empty string.

    Newer releases of the bindings have a class for each of these kinds. Older releases have methods
    such as `is_a_file` instead.
    """
    if hasattr(location, "is_a_file"):
        kinds = _CLASSES.values()
        return next((kind for kind in kinds if getattr(location, f"is_a_{kind}")()), "")
    return _CLASSES.get(type(location).__name__, "")


def convert_diagnostic(found: Any) -> Diagnostic:
    """Convert a `DiagnosticInfo` of the bindings, including its notes, to a `Diagnostic`."""
    severity, place = Severity(found.severity.name.lower()), convert_location(found.location)
    return Diagnostic(severity, found.message, place, map(convert_diagnostic, found.notes))
