"""Facts about ops, independent of their IR."""

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


class OpFacts:
    """Facts about an op in a form that does not depend on its IR, computed on access.

    Args:
        adapter: The adapter of the IR.
        op: The op.

    Attributes:
        op: The op.
    """

    def __init__(self, adapter: IRAdapter, op: Any) -> None:
        self._adapter = adapter
        self.op: Any = op

    @property
    def name(self) -> str:
        """The full name, such as `func.func`."""
        return self._adapter.kind_of(self.op).name

    @property
    def symbol(self) -> str | None:
        """The symbol that the op defines, such as `main`; None if it defines none."""
        return self._adapter.symbol_name(self.op)

    @property
    def parent(self) -> Any:
        """The enclosing op; None at the top."""
        return self._adapter.parent(self.op)

    @property
    def isolated(self) -> bool:
        """Whether the op is `IsolatedFromAbove`: its regions use no values from outside."""
        return self._adapter.kind_of(self.op).isolated

    @property
    def registered(self) -> bool:
        """Whether a dialect defines the op."""
        return self._adapter.kind_of(self.op).registered

    @property
    def location(self) -> Location:
        """The location of the op, or `UNKNOWN`."""
        return self._adapter.location(self.op)

    @property
    def text(self) -> str:
        """The op and its regions, as its IR prints them."""
        return self._adapter.print_op(self.op, PrintFlags())


def op_diagnostic(adapter: IRAdapter, severity: Severity, message: str, op: Any) -> Diagnostic:
    """Return a diagnostic about an op, located at the op or the nearest enclosing op."""
    location = location_near(adapter, op)
    printer = partial(adapter.print_op, op, _FOR_DIAGNOSTICS)
    return Diagnostic(severity, message, location, print_op=printer)


def location_near(adapter: IRAdapter, op: Any) -> Location:
    """Return the location of an op, or of the nearest enclosing op that has one."""
    locations = (adapter.location(each) for each in outwards(adapter, op))
    return next((each for each in locations if each != UNKNOWN), UNKNOWN)


def invalid_diagnostic(adapter: IRAdapter, error: InvalidIR) -> Diagnostic:
    """Return a verifier's error as a diagnostic about its op."""
    message = f"'{adapter.kind_of(error.op).name}' op {error.message}"
    diagnostic = op_diagnostic(adapter, Severity.ERROR, message, error.op)
    for place, note in error.notes:
        diagnostic.attach_note(note, adapter.location(place))
    return diagnostic
