"""Calls of MLIR through the C API, which leave the interpreter to other threads meanwhile."""

from __future__ import annotations

import os
import threading
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from passel.diagnostics import Severity
from passel.mlir import capi
from passel.mlir.contexts import at_once, context_lock, has_no_threads
from passel.mlir.diagnostics import Report, decoded

if TYPE_CHECKING:
    from threading import RLock

    from passel.mlir.bindings import Bindings
    from passel.mlir.capi import Handle, Library, Text
    from passel.mlir.contexts import Caller

_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE, Severity.REMARK)


class LibraryCalls:
    """Calls through the C API.

    Each returns what was reported, first what was reported first.

    Args:
        bindings: The build.
        library: Its library.
    """

    def __init__(self, bindings: Bindings, library: Library) -> None:
        self._ir = bindings.ir
        self._free, self._held = library
        self._attach = self._held.mlirContextAttachDiagnosticHandler
        self._detach = self._held.mlirContextDetachDiagnosticHandler
        self._contexts: WeakKeyDictionary[Any, tuple[Handle, RLock]] = WeakKeyDictionary()
        self._at_work: dict[int, _Collector] = {}
        self._tokens = count(1)  # as user data, 0 comes back as None
        self._handler = capi.HANDLER(self._take)  # kept: MLIR has its address

    def verify(self, operation: Any) -> tuple[bool, list[Report]]:
        """Verify an op; return whether it is valid."""
        return self._call(operation.context, "mlirOperationVerify", capi.handle(operation))

    def run(self, manager: Any, operation: Any, by: Caller = at_once) -> tuple[bool, list[Report]]:
        """Run a pass manager; return whether all passes succeeded."""
        handles = capi.handle(manager), capi.handle(operation)
        result, reports = self._call(operation.context, "mlirPassManagerRunOnOp", *handles, by=by)
        return bool(result.value), reports

    def parse(self, context: Any, source: bytes, name: str) -> tuple[Any, list[Report]]:
        """Parse a text, or bytecode, that is one op; return the op, or None."""
        place = name.encode(errors="surrogateescape")
        texts = capi.text(source), capi.text(place)
        return self._parsed(context, "mlirOperationCreateParse", *texts)

    def parse_module(self, context: Any, source: bytes) -> tuple[Any, list[Report]]:
        """Parse a module, or the ops of one, of text or bytecode; return its op, or None."""
        return self._parsed(context, "mlirModuleCreateParse", capi.text(source))

    def parse_file(self, context: Any, path: str) -> tuple[Any, list[Report]]:
        """Parse a file that `parse_module` can parse."""
        place = os.fsencode(path)
        return self._parsed(context, "mlirModuleCreateParseFromFile", capi.text(place))

    def _parsed(self, context: Any, function: str, *texts: Text) -> tuple[Any, list[Report]]:
        found, reports = self._call(context, function, capi.handle(context), *texts)
        return (self._top(found, context) if found.ptr else None), reports

    def _top(self, found: Handle, context: Any) -> Any:
        """Return an op that no other encloses, such that it lives as long as its Python object."""
        module = self._held.mlirModuleFromOperation(found)
        if module.ptr:
            return capi.imported(self._ir.Module, module, context).operation
        # The bindings take it for one that the enclosing op frees.
        return capi.imported(self._ir.Operation, found, context).detach_from_parent().operation

    def _call(
        self, context: Any, function: str, *arguments: Any, by: Caller = at_once
    ) -> tuple[Any, list[Report]]:
        known = self._contexts.get(context)
        if known is None:
            known = self._contexts[context] = capi.handle(context), context_lock(context)
        handle, lock = known
        library = self._held if has_no_threads(context) else self._free
        token, collector = next(self._tokens), _Collector(context)

        def call() -> Any:
            collector.thread = threading.get_ident()
            return getattr(library, function)(*arguments)

        with lock:
            self._at_work[token] = collector
            attached = self._attach(handle, self._handler, token, None)
            try:
                result = by(call)
            finally:
                self._detach(handle, attached)
                del self._at_work[token]
        if collector.raised is not None:
            raise collector.raised
        return result, [*collector.reports, *collector.from_elsewhere]

    def _take(self, diagnostic: int, token: int) -> int:
        """Take a diagnostic; return 0 for one that another handler is to get."""
        collector = self._at_work[token]
        try:
            reports = collector.reports_of(threading.get_ident())
            if reports is None:
                return 0
            reports.append(self._report(capi.Handle(diagnostic), collector.context))
        except BaseException as error:  # noqa: BLE001 - raised when MLIR has returned
            collector.raised = error
        return 1

    def _report(self, diagnostic: Handle, context: Any) -> Report:
        library, pieces = self._held, list[bytes]()

        def write(piece: Any, _: Any) -> None:
            pieces.append(capi.read(piece))

        library.mlirDiagnosticPrint(diagnostic, capi.WRITER(write), None)
        place = library.mlirDiagnosticGetLocation(diagnostic)
        notes = range(library.mlirDiagnosticGetNumNotes(diagnostic))
        return Report(
            _SEVERITIES[library.mlirDiagnosticGetSeverity(diagnostic)],
            decoded(b"".join(pieces)),
            capi.imported(self._ir.Location, place, context),
            tuple(
                self._report(library.mlirDiagnosticGetNote(diagnostic, number), context)
                for number in notes
            ),
        )


class _Collector:
    """Keeps what is reported during one call.

    MLIR passes on what its threads report in program order, on the caller's thread. Only from
    threads of threads some comes at once, each op's later than what was kept of it.

    Attributes:
        reports: What came on the thread that calls.
        from_elsewhere: What came on MLIR's threads.
        thread: The thread that calls.

    Source: `ParallelDiagnosticHandler` and `llvm::StdThreadPool::wait`, LLVM 22: a thread that
    waits for threads may do another's work meanwhile, and is then no longer known to the handler.
    """

    __slots__ = ("context", "from_elsewhere", "raised", "reports", "thread")

    def __init__(self, context: Any) -> None:
        self.context = context
        self.reports: list[Report] = []
        self.from_elsewhere: list[Report] = []
        self.raised: BaseException | None = None
        self.thread = threading.get_ident()

    def reports_of(self, thread: int) -> list[Report] | None:
        """Return where a thread's reports go; None for another thread of Python's."""
        if thread == self.thread:
            return self.reports
        if any(each.ident == thread for each in threading.enumerate()):
            return None
        return self.from_elsewhere
