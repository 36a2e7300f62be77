"""Diagnostics about ops, with the location of the op."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from passel.diagnostics import UNKNOWN, Diagnostic, Severity
from passel.ir import PrintFlags, outwards

if TYPE_CHECKING:
    from passel.diagnostics import Location
    from passel.ir import InvalidIR, IRAdapter

_FOR_DIAGNOSTICS = PrintFlags(generic=True, local_scope=True)
"""The flags with which diagnostics print their op.

Source: `adjustPrintingFlags` of `lib/IR/Diagnostics.cpp`, MLIR 22.
"""


def op_diagnostic(adapter: IRAdapter, severity: Severity, message: str, op: Any) -> Diagnostic:
    """Return a diagnostic about an op. For its location, see `location_near`."""
    location = location_near(adapter, op)
    printer = partial(adapter.print_op, op, _FOR_DIAGNOSTICS)
    return Diagnostic(severity, message, location, print_op=printer)


def location_near(adapter: IRAdapter, op: Any) -> Location:
    """Return the location of an op or, if it has none, of the nearest enclosing op that has one."""
    locations = (adapter.location(each) for each in outwards(adapter, op))
    return next((each for each in locations if each != UNKNOWN), UNKNOWN)


def invalid_diagnostic(adapter: IRAdapter, error: InvalidIR) -> Diagnostic:
    """Convert an error of the verifier to a diagnostic about the invalid op."""
    message = f"'{adapter.kind_of(error.op).name}' op {error.message}"
    diagnostic = op_diagnostic(adapter, Severity.ERROR, message, error.op)
    for place, note in error.notes:
        diagnostic.attach_note(note, place)
    return diagnostic
