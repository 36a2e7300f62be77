"""Calls into MLIR that may report diagnostics, from any thread, as plain data.

The bindings hold Python's lock while MLIR works, and create Python objects for a diagnostic without
it: a diagnostic from one of MLIR's threads crashes the process, or deadlocks. Through the C API,
MLIR works without the lock, and a thread takes it to report. With builds that do not export the C
API, MLIR works on one thread.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from passel.diagnostics import Diagnostic, Severity
from passel.mlir import capi
from passel.mlir.bindings import context_lock, has_no_threads, on_threads
from passel.mlir.diagnostics import convert_diagnostic, convert_location, decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from passel.mlir.bindings import Bindings, Caller
    from passel.mlir.capi import Library

Calls: TypeAlias = "LibraryCalls | BindingsCalls"
"""Both have the same methods. Only one call works on a context at a time."""

OP, MODULE = "mlirOperationCreateParse", "mlirModuleCreateParse"
FILE = "mlirModuleCreateParseFromFile"
"""The functions that parse one op, a module, or the file of a module."""

Report: TypeAlias = "Callable[[Diagnostic], bool | None]"
"""Takes a diagnostic; returns false to leave it to other handlers."""

Runner: TypeAlias = "Callable[..., tuple[bool, list[Diagnostic]]]"
"""Runs a pass manager on ops, `by` a `Caller`; returns whether all passes succeeded."""


@cache
def calls_of(bindings: Bindings) -> Calls:
    """Return the safest implementation of calls into a build."""
    library = capi.load(bindings)
    return BindingsCalls(bindings) if library is None else LibraryCalls(bindings, library)


class BindingsCalls:
    """Calls through the bindings, on one thread.

    Args:
        bindings: The build.
    """

    def __init__(self, bindings: Bindings) -> None:
        self._ir = bindings.ir

    def verify(self, operation: Any) -> tuple[bool, list[Diagnostic]]:
        """Verify an op."""
        found, reports = self._call(operation.context, operation.verify)
        return bool(found), reports

    def runner(self, manager: Any) -> Runner:
        """Return a function that runs a pass manager on ops."""

        def run(
            operations: Sequence[Any], by: Caller | None = None
        ) -> tuple[bool, list[Diagnostic]]:
            calls = [
                self._call(each.context, lambda each=each: manager.run(each) or True, by)
                for each in operations
            ]
            reports = [report for _, found in calls for report in found]
            return all(is_good for is_good, _ in calls), reports

        return run

    def parse(self, context: Any, name: str, *words: bytes) -> tuple[Any, list[Diagnostic]]:
        """Parse a source as `LibraryCalls.parse` does."""
        ir, (source, *place) = self._ir, [each.decode(errors="surrogateescape") for each in words]
        parsers: dict[str, Callable[[], Any]] = {
            OP: lambda: ir.Operation.parse(source, source_name=place[0], context=context),
            MODULE: lambda: ir.Module.parse(words[0], context=context),
            FILE: lambda: ir.Module.parseFile(source, context),
        }
        found, reports = self._call(context, parsers[name])
        return (None if found is None else found.operation), reports

    def _call(
        self, context: Any, action: Callable[[], Any], by: Caller | None = None
    ) -> tuple[Any, list[Diagnostic]]:
        reports: list[Diagnostic] = []
        threads = [threading.get_ident()]

        def call() -> Any:
            threads[:] = [threading.get_ident()]
            return action()

        # Handlers get errors. Left alone, the bindings keep them to raise them, which ends the
        # process if a pass reports one and then succeeds. Old builds cannot tell.
        emits = getattr(context, "emit_error_diagnostics", False)
        with (
            context_lock(context),
            on_threads(context, 1),
            self.reporting(context, reports.append, threads),
        ):
            context.emit_error_diagnostics = True
            try:
                return by(call) if by else call(), reports
            except self._ir.MLIRError as error:
                return None, [*reports, *map(convert_diagnostic, error.error_diagnostics)]
            finally:
                context.emit_error_diagnostics = emits

    def reporting(
        self, context: Any, report: Report, threads: Sequence[int] = ()
    ) -> AbstractContextManager[None]:
        """Forward the diagnostics of some threads, by default the calling thread, to `report`."""
        info, here = self._ir.DiagnosticInfo, threads or [threading.get_ident()]

        def take(diagnostic: Any) -> bool:
            is_ours = threading.get_ident() in here
            return is_ours and report(convert_diagnostic(info(diagnostic))) is not False

        return context.attach_diagnostic_handler(take)


_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE, Severity.REMARK)


class LibraryCalls:
    """Calls through the C API. Each method returns the reported diagnostics, in order.

    Args:
        bindings: The build.
        library: Its library.
    """

    def __init__(self, bindings: Bindings, library: Library) -> None:
        self._ir = bindings.ir
        self._free, self._held = library
        self._listeners: dict[int, _Listener] = {}
        self._latest: dict[Any, _Listener] = {}
        self._tokens = count(1)  # as user data, 0 comes back as None
        self._handler = capi.HANDLER(self._take)  # kept: MLIR has its address

    def verify(self, operation: Any) -> tuple[bool, list[Diagnostic]]:
        """Verify an op; return whether it is valid."""
        arguments = [(capi.address(operation),)]
        (found,), reports = self._call(operation.context, "mlirOperationVerify", arguments)
        return found, reports

    def runner(self, manager: Any) -> Runner:
        """Return a function that runs a pass manager on ops.

        The manager must outlive the function.
        """
        native = capi.address(manager)

        def run(
            operations: Sequence[Any], by: Caller | None = None
        ) -> tuple[bool, list[Diagnostic]]:
            handles = [(native, capi.address(each)) for each in operations]
            context = operations[0].context
            found, reports = self._call(context, "mlirPassManagerRunOnOp", handles, by)
            return all(found), reports

        return run

    def parse(self, context: Any, name: str, *words: bytes) -> tuple[Any, list[Diagnostic]]:
        """Parse with a function of the C API; return the op, or None.

        Args:
            context: The context.
            name: The function.
            words: Text of one op and the source's name, text or bytecode of a module, or a path.
        """
        arguments = (capi.address(context), *map(capi.text, words))
        (found,), reports = self._call(context, name, [arguments])
        return (self._top(found, context) if found else None), reports

    @contextmanager
    def reporting(self, context: Any, report: Report) -> Generator[None]:
        """Forward the diagnostics of the calling thread to `report`, except diagnostics of calls.

        MLIR's handlers are attached once for all calls in the `with` block.
        """
        with context_lock(context):
            token, handle = next(self._tokens), capi.address(context)
            outer = self._latest.get(context)
            listener = self._listeners[token] = self._latest[context] = _Listener(context, report)
            attached = self._held.mlirContextAttachDiagnosticHandler(
                handle, self._handler, token, None
            )
            try:
                yield
            finally:
                self._held.mlirContextDetachDiagnosticHandler(handle, attached)
                del self._listeners[token], self._latest[context]
                if outer is not None:
                    self._latest[context] = outer
        listener.raise_error()

    def _top(self, found: int, context: Any) -> Any:
        """Return a top-level op that lives as long as its Python object."""
        module = self._held.mlirModuleFromOperation(found)
        if module:
            return capi.imported(self._ir.Module, module, context).operation
        # The bindings take it for one that the enclosing op frees.
        return capi.imported(self._ir.Operation, found, context).detach_from_parent().operation

    def _call(
        self,
        context: Any,
        name: str,
        arguments: Sequence[tuple[Any, ...]],
        by: Caller | None = None,
    ) -> tuple[list[Any], list[Diagnostic]]:
        """Call a function once for each tuple of arguments."""
        listener = self._latest.get(context)
        if listener is None or listener.thread != threading.get_ident():
            with self.reporting(context, bool):
                return self._call(context, name, arguments, by)
        function = getattr(self._held if has_no_threads(context) else self._free, name)
        try:
            listener.reports, listener.from_elsewhere = reports, elsewhere = [], []
            call = partial(listener.on_thread, function, arguments)
            found = call() if by is None else by(call)
        finally:
            listener.reports = None
        listener.raise_error()
        return found, [*reports, *elsewhere]

    def _take(self, diagnostic: int, token: int) -> int:
        """Take a diagnostic; return 0 to leave it to other handlers."""
        listener = self._listeners[token]
        try:
            report = listener.report_on(threading.get_ident())
            if report is None:
                return 0
            return report(self._report(diagnostic, listener.context)) is not False
        except BaseException as error:  # noqa: BLE001 - raised when MLIR has returned
            listener.raised = error
        return 1

    def _report(self, diagnostic: int, context: Any) -> Diagnostic:
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


class _Listener:
    """Receives the diagnostics of a context while a thread works on it.

    MLIR reports the diagnostics of its threads in program order on the caller's thread. Only those
    from nested parallel work may arrive on other threads.

    Attributes:
        context: The context.
        thread: The thread.
        reports: The diagnostics of the current call on the thread; None between calls.
        from_elsewhere: Those on MLIR's threads.
        raised: An error that was raised while a diagnostic arrived.

    Source: `ParallelDiagnosticHandler` and `llvm::StdThreadPool::wait`, LLVM 22: a thread
    that waits for others may take over their work, and the handler then no longer knows it.
    """

    def __init__(self, context: Any, report: Report) -> None:
        self.context = context
        self.thread = threading.get_ident()
        self.reports: list[Diagnostic] | None = None
        self.from_elsewhere: list[Diagnostic] = []
        self.raised: BaseException | None = None
        self._report = report

    def on_thread(self, function: Any, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a function on the current thread."""
        home, self.thread = self.thread, threading.get_ident()
        try:
            return [function(*each) for each in arguments]
        finally:
            self.thread = home

    def report_on(self, thread: int) -> Report | None:
        """Return the function for a thread's diagnostics; None for another Python thread."""
        if thread == self.thread:
            return self._report if self.reports is None else self.reports.append
        is_other = self.reports is None or any(
            each.ident == thread for each in threading.enumerate()
        )
        return None if is_other else self.from_elsewhere.append

    def raise_error(self) -> None:
        """Raise the error that was raised while a diagnostic arrived, if there is one."""
        error, self.raised = self.raised, None
        if error is not None:
            raise error
