"""Calls into MLIR that may report diagnostics, from any thread, as plain data.

The bindings hold Python's lock while MLIR works, and create Python objects for a diagnostic without
it: a diagnostic from one of MLIR's threads crashes the process, or deadlocks. Through the C API,
MLIR works without the lock, and a thread takes it to report. Builds that do not export the C API
work on one thread.
"""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from passel.diagnostics import Diagnostic, Severity
from passel.mlir import capi
from passel.mlir.bindings import at_once, context_lock, has_no_threads, on_threads
from passel.mlir.diagnostics import convert_diagnostic, convert_location, decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from passel.mlir.bindings import Bindings, Caller
    from passel.mlir.capi import Handle, Library, Text

Calls: TypeAlias = "LibraryCalls | BindingsCalls"
"""Both have the same methods. Only one call works on a context at a time."""


@cache
def calls_of(bindings: Bindings) -> Calls:
    """Return the safest way to call a build."""
    library = capi.load(bindings)
    return BindingsCalls(bindings) if library is None else LibraryCalls(bindings, library)


class BindingsCalls:
    """Calls through the bindings, on one thread.

    Args:
        bindings: The build.
    """

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings
        self._ir = bindings.ir

    def verify(self, operation: Any) -> tuple[bool, list[Diagnostic]]:
        """Verify an op."""
        found, reports = self._call(operation.context, operation.verify)
        return bool(found), reports

    def run(
        self, manager: Any, operations: Sequence[Any], by: Caller = at_once
    ) -> tuple[bool, list[Diagnostic]]:
        """Run a pass manager on ops; return whether all passes succeeded."""
        calls = [
            self._call(each.context, lambda each=each: manager.run(each) or True, by)
            for each in operations
        ]
        return all(found for found, _ in calls), [each for _, found in calls for each in found]

    def parse(self, context: Any, source: bytes, name: str) -> tuple[Any, list[Diagnostic]]:
        """Parse the text of one op."""
        text, parse = source.decode(), self._ir.Operation.parse
        return self._parsed(context, lambda: parse(text, source_name=name, context=context))

    def parse_module(self, context: Any, source: bytes) -> tuple[Any, list[Diagnostic]]:
        """Parse a module, or the ops of one."""
        return self._parsed(context, lambda: self._ir.Module.parse(source, context=context))

    def parse_file(self, context: Any, path: str) -> tuple[Any, list[Diagnostic]]:
        """Parse a file."""
        return self._parsed(context, lambda: self._ir.Module.parseFile(path, context))

    def _parsed(self, context: Any, parse: Callable[[], Any]) -> tuple[Any, list[Diagnostic]]:
        found, reports = self._call(context, parse)
        return (None if found is None else found.operation), reports

    def _call(
        self, context: Any, action: Callable[[], Any], by: Caller = at_once
    ) -> tuple[Any, list[Diagnostic]]:
        raised: list[Any] = []
        result, threads = None, [threading.get_ident()]

        def call() -> Any:
            threads[:] = [threading.get_ident()]
            return action()

        with ExitStack() as stack:
            stack.enter_context(context_lock(context))
            stack.enter_context(on_threads(context, 1))
            # Handlers get errors. Left alone, the bindings keep them to raise them, which ends the
            # process if a pass reports one and then succeeds. Old builds cannot tell.
            emits = getattr(context, "emit_error_diagnostics", False)
            stack.callback(setattr, context, "emit_error_diagnostics", emits)
            context.emit_error_diagnostics = True
            reports: list[Diagnostic] = []
            handled = captured(self._bindings, context, reports.append, threads)
            stack.enter_context(handled)
            try:
                result = by(call)
            except self._ir.MLIRError as error:
                raised = error.error_diagnostics
        return result, [*reports, *map(convert_diagnostic, raised)]


@contextmanager
def captured(
    bindings: Bindings,
    context: Any,
    report: Callable[[Diagnostic], bool | None],
    threads: Sequence[int] = (),
) -> Generator[None]:
    """Pass MLIR's diagnostics on to `report`, through the bindings' handlers.

    Args:
        bindings: The build.
        context: The context.
        report: Takes a diagnostic; returns false to leave it to other handlers.
        threads: The thread whose diagnostics are passed on; by default this one.
    """
    info, threads = bindings.ir.DiagnosticInfo, threads or [threading.get_ident()]

    def take(diagnostic: Any) -> bool:
        return (
            threading.get_ident() in threads
            and report(convert_diagnostic(info(diagnostic))) is not False
        )

    with context.attach_diagnostic_handler(take):
        yield


_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE, Severity.REMARK)


class LibraryCalls:
    """Calls through the C API.

    Each returns the reported diagnostics, in order.

    Args:
        bindings: The build.
        library: Its library.
    """

    def __init__(self, bindings: Bindings, library: Library) -> None:
        self._ir = bindings.ir
        self._free, self._held = library
        self._at_work: dict[int, _Collector] = {}
        self._tokens = count(1)  # as user data, 0 comes back as None
        self._handler = capi.HANDLER(self._take)  # kept: MLIR has its address

    def verify(self, operation: Any) -> tuple[bool, list[Diagnostic]]:
        """Verify an op; return whether it is valid."""
        handle = capi.handle(operation)
        (found,), reports = self._call(operation.context, "mlirOperationVerify", (handle,))
        return found, reports

    def run(
        self, manager: Any, operations: Sequence[Any], by: Caller = at_once
    ) -> tuple[bool, list[Diagnostic]]:
        """Run a pass manager on ops; return whether all passes succeeded."""
        run, native = "mlirPassManagerRunOnOp", capi.handle(manager)
        handles = ((native, capi.handle(each)) for each in operations)
        found, reports = self._call(operations[0].context, run, *handles, by=by)
        return all(each.value for each in found), reports

    def parse(self, context: Any, source: bytes, name: str) -> tuple[Any, list[Diagnostic]]:
        """Parse the text of one op; return the op, or None."""
        place = name.encode(errors="surrogateescape")
        texts = capi.text(source), capi.text(place)
        return self._parsed(context, "mlirOperationCreateParse", *texts)

    def parse_module(self, context: Any, source: bytes) -> tuple[Any, list[Diagnostic]]:
        """Parse a module, or the ops of a module, from text or bytecode; return the op, or None."""
        return self._parsed(context, "mlirModuleCreateParse", capi.text(source))

    def parse_file(self, context: Any, path: str) -> tuple[Any, list[Diagnostic]]:
        """Parse a file in a form that `parse_module` accepts."""
        place = os.fsencode(path)
        return self._parsed(context, "mlirModuleCreateParseFromFile", capi.text(place))

    def _parsed(self, context: Any, function: str, *texts: Text) -> tuple[Any, list[Diagnostic]]:
        (found,), reports = self._call(context, function, (capi.handle(context), *texts))
        return (self._top(found, context) if found.ptr else None), reports

    def _top(self, found: Handle, context: Any) -> Any:
        """Return a top-level op that lives as long as its Python object."""
        module = self._held.mlirModuleFromOperation(found)
        if module.ptr:
            return capi.imported(self._ir.Module, module, context).operation
        # The bindings take it for one that the enclosing op frees.
        return capi.imported(self._ir.Operation, found, context).detach_from_parent().operation

    def _call(
        self, context: Any, function: str, *arguments: tuple[Any, ...], by: Caller = at_once
    ) -> tuple[list[Any], list[Diagnostic]]:
        handle = capi.handle(context)
        library = self._held if has_no_threads(context) else self._free
        token, collector = next(self._tokens), _Collector(context)

        def call() -> Any:
            collector.thread = threading.get_ident()
            return [getattr(library, function)(*each) for each in arguments]

        with context_lock(context):
            self._at_work[token] = collector
            attached = self._held.mlirContextAttachDiagnosticHandler(
                handle, self._handler, token, None
            )
            try:
                result = by(call)
            finally:
                self._held.mlirContextDetachDiagnosticHandler(handle, attached)
                del self._at_work[token]
        if collector.raised is not None:
            raise collector.raised
        return result, [*collector.reports, *collector.from_elsewhere]

    def _take(self, diagnostic: int, token: int) -> int:
        """Take a diagnostic; return 0 to leave it to other handlers."""
        collector = self._at_work[token]
        try:
            reports = collector.reports_of(threading.get_ident())
            if reports is None:
                return 0
            reports.append(self._report(capi.Handle(diagnostic), collector.context))
        except BaseException as error:  # noqa: BLE001 - raised when MLIR has returned
            collector.raised = error
        return 1

    def _report(self, diagnostic: Handle, context: Any) -> Diagnostic:
        library, pieces = self._held, list[bytes]()

        def write(piece: Any, _: Any) -> None:
            pieces.append(capi.read(piece))

        library.mlirDiagnosticPrint(diagnostic, capi.WRITER(write), None)
        place = library.mlirDiagnosticGetLocation(diagnostic)
        number = range(library.mlirDiagnosticGetNumNotes(diagnostic))
        notes = (library.mlirDiagnosticGetNote(diagnostic, each) for each in number)
        severity: int = library.mlirDiagnosticGetSeverity(diagnostic)
        return Diagnostic(
            _SEVERITIES[severity],
            decoded(b"".join(pieces)),
            convert_location(capi.imported(self._ir.Location, place, context)),
            (self._report(each, context) for each in notes),
        )


class _Collector:
    """Collects the diagnostics of one call.

    MLIR reports the diagnostics of its threads in program order on the caller's thread. Only those
    from nested parallel work may arrive on other threads.

    Attributes:
        reports: The diagnostics on the calling thread.
        from_elsewhere: The diagnostics on MLIR's threads.
        thread: The calling thread.

    Source: `ParallelDiagnosticHandler` and `llvm::StdThreadPool::wait`, LLVM 22: a thread
    that waits for others may take over their work, and the handler then no longer knows it.
    """

    def __init__(self, context: Any) -> None:
        self.context = context
        self.reports: list[Diagnostic] = []
        self.from_elsewhere: list[Diagnostic] = []
        self.raised: BaseException | None = None
        self.thread = threading.get_ident()

    def reports_of(self, thread: int) -> list[Diagnostic] | None:
        """Return the list for a thread's diagnostics; None for another Python thread."""
        if thread == self.thread:
            return self.reports
        if any(each.ident == thread for each in threading.enumerate()):
            return None
        return self.from_elsewhere
