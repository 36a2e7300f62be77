"""Calls that may report diagnostics, which come as plain data from whatever thread.

The bindings keep the interpreter's lock while MLIR works, and make Python objects of a
diagnostic before they hold it: one from another of MLIR's threads ends the process, or waits
forever. Through the C API MLIR works without the lock, and a thread that reports takes it first.
Builds that do not export the C API work on one thread.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from passel.mlir import capi
from passel.mlir.bindings_calls import BindingsCalls
from passel.mlir.library_calls import LibraryCalls

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings

Calls: TypeAlias = LibraryCalls | BindingsCalls
"""Both have the same methods; see there. Only one call works on a context at a time."""


@cache
def calls_of(bindings: Bindings) -> Calls:
    """Return the safest way to call a build."""
    library = capi.load(bindings)
    return BindingsCalls(bindings) if library is None else LibraryCalls(bindings, library)
