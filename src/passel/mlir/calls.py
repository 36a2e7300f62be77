"""Calls that may report diagnostics, which come as plain data from whatever thread.

The bindings keep the interpreter's lock while MLIR works, and make Python objects of a
diagnostic before they hold it: one from another of MLIR's threads ends the process, or waits
forever. Through the C API MLIR works without the lock, and whoever reports takes it first.
Builds that do not export the C API work on one thread.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from passel.mlir import capi
from passel.mlir.bindings_calls import BindingsCalls
from passel.mlir.library_calls import LibraryCalls

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings
    from passel.mlir.diagnostics import Report


class Calls(Protocol):
    """Calls into MLIR.

    Each call returns what was reported, first what was reported first. Only one works on a
    context at a time.

    Attributes:
        takes_bytecode: Whether `parse` takes bytecode as well.
    """

    takes_bytecode: bool

    def verify(self, operation: Any) -> tuple[bool, list[Report]]:
        """Verify an op; return whether it is valid."""
        ...

    def run(self, manager: Any, operation: Any) -> tuple[bool, list[Report]]:
        """Run a pass manager; return whether all passes succeeded."""
        ...

    def parse(self, context: Any, source: bytes, name: str) -> tuple[Any, list[Report]]:
        """Parse a text that is one op; return the op, or None."""
        ...

    def parse_module(self, context: Any, source: bytes) -> tuple[Any, list[Report]]:
        """Parse a module, or the ops of one, of text or bytecode; return its op, or None."""
        ...

    def parse_file(self, context: Any, path: str) -> tuple[Any, list[Report]]:
        """Parse a file that `parse_module` can parse."""
        ...


@cache
def calls_of(bindings: Bindings) -> Calls:
    """Return the safest way to call a build."""
    library = capi.load(bindings)
    return BindingsCalls(bindings) if library is None else LibraryCalls(bindings, library)
