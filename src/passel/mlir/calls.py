"""Safe calls to MLIR functions that may report diagnostics from any thread.

The bindings hold Python's interpreter lock while MLIR runs, but create the Python objects for a
diagnostic without the lock. A diagnostic from one of MLIR's threads therefore crashes or deadlocks
the process. Through the C API, MLIR runs without the interpreter lock, and a thread acquires the
lock only to report a diagnostic. With builds that do not export the C API, MLIR runs on one thread.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from passel.diagnostics import Diagnostic, Severity
from passel.mlir import capi
from passel.mlir.bindings import context_lock, has_no_threads, on_threads
from passel.mlir.diagnostics import convert_diagnostic, convert_location, decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from passel.mlir.bindings import Bindings
    from passel.mlir.capi import Library

Calls: TypeAlias = "LibraryCalls | BindingsCalls"
"""The two implementations, with the same methods. Calls in one context never overlap."""

OP, MODULE = "mlirOperationCreateParse", "mlirModuleCreateParse"
FILE = "mlirModuleCreateParseFromFile"
"""The C API functions that parse the text of an op, a module, or the file of a module."""

RUN = "mlirPassManagerRunOnOp"
"""The C API function that runs a pass manager on an op."""

Report: TypeAlias = "Callable[[Diagnostic], bool | None]"
"""A function that takes a diagnostic, and returns false to pass it on to other handlers."""

Runner: TypeAlias = "Callable[[Any], tuple[bool, list[Diagnostic]]]"
"""A function that runs a pass manager on an op.

The function returns whether all passes succeeded, and the reported diagnostics.
"""


@cache
def calls_of(bindings: Bindings) -> Calls:
    """Return `LibraryCalls` for a build that exports the C API, or `BindingsCalls` otherwise."""
    library = capi.load(bindings)
    return BindingsCalls(bindings) if library is None else LibraryCalls(bindings, library)


class BindingsCalls:
    """Calls to MLIR through its Python bindings.

    During these calls, MLIR uses a single thread.

    Args:
        bindings: The build of MLIR's Python bindings.
    """

    def __init__(self, bindings: Bindings) -> None:
        self._ir = bindings.ir

    def verify(self, operation: Any) -> tuple[bool, list[Diagnostic]]:
        """Verify an op, and return its validity and the diagnostics that MLIR reports."""
        found, reports = self._call(operation.context, operation.verify)
        return bool(found), reports

    def runner(self, manager: Any) -> Runner:
        """Return a function that runs the pass manager `manager` on an op."""

        def run(operation: Any) -> tuple[bool, list[Diagnostic]]:
            found, reports = self._call(operation.context, lambda: manager.run(operation) or True)
            return bool(found), reports

        return run

    def parse(self, context: Any, name: str, *words: bytes) -> tuple[Any, list[Diagnostic]]:
        """Parse a source through the bindings. The arguments are those of `LibraryCalls.parse`."""
        ir, (source, *place) = self._ir, [each.decode(errors="surrogateescape") for each in words]
        parsers: dict[str, Callable[[], Any]] = {
            OP: lambda: ir.Operation.parse(source, source_name=place[0], context=context),
            MODULE: lambda: ir.Module.parse(words[0], context=context),
            FILE: lambda: ir.Module.parseFile(source, context),
        }
        found, reports = self._call(context, parsers[name])
        return (None if found is None else found.operation), reports

    def _call(self, context: Any, action: Callable[[], Any]) -> tuple[Any, list[Diagnostic]]:
        reports: list[Diagnostic] = []
        # Handlers get errors. Left alone, the bindings keep them to raise them, which ends the
        # process if a pass reports one and then succeeds. Old builds cannot tell.
        emits = getattr(context, "emit_error_diagnostics", False)
        with (
            context_lock(context),
            on_threads(context, 1),
            self.reporting(context, reports.append),
        ):
            context.emit_error_diagnostics = True
            try:
                return action(), reports
            except self._ir.MLIRError as error:
                return None, [*reports, *map(convert_diagnostic, error.error_diagnostics)]
            finally:
                context.emit_error_diagnostics = emits

    def reporting(self, context: Any, report: Report) -> AbstractContextManager[None]:
        """Forward the calling thread's diagnostics to `report`."""
        info, here = self._ir.DiagnosticInfo, threading.get_ident()

        def take(diagnostic: Any) -> bool:
            is_ours = threading.get_ident() == here
            return is_ours and report(convert_diagnostic(info(diagnostic))) is not False

        return context.attach_diagnostic_handler(take)


_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE, Severity.REMARK)


class LibraryCalls:
    """Calls to MLIR through its C API.

    During these calls, MLIR may use several threads.

    Args:
        bindings: The build of MLIR's Python bindings.
        library: The shared library of the build, with its C functions.
    """

    def __init__(self, bindings: Bindings, library: Library) -> None:
        self._ir = bindings.ir
        self._free, self._held = library
        self._listeners: dict[int, _Listener] = {}
        self._latest: dict[Any, _Listener] = {}
        self._tokens = count(1)  # as user data, 0 comes back as None
        self._handler = capi.HANDLER(self._take)  # kept: MLIR has its address

    def verify(self, operation: Any) -> tuple[bool, list[Diagnostic]]:
        """Verify an op, and return its validity and the diagnostics that MLIR reports."""
        return self._call(operation.context, "mlirOperationVerify", capi.address(operation))

    def runner(self, manager: Any) -> Runner:
        """Return a function that runs the pass manager `manager` on an op."""
        handle = capi.address(manager)

        def run(operation: Any, _kept: Any = manager) -> tuple[bool, list[Diagnostic]]:
            return self._call(operation.context, RUN, handle, capi.address(operation))

        return run

    def parse(self, context: Any, name: str, *words: bytes) -> tuple[Any, list[Diagnostic]]:
        """Parse a source with a function of the C API.

        Args:
            context: The context in which MLIR creates the op.
            name: The name of the C API function, which is `OP`, `MODULE` or `FILE`.
            words: For `OP`, the text of the op and the name of the source. For `MODULE`, the text
                or bytecode of the module. For `FILE`, the path.

        Returns:
            A tuple of the parsed op and the reported diagnostics. After an error, the op is None.
        """
        found, reports = self._call(context, name, capi.address(context), *map(capi.text, words))
        return (self._top(found, context) if found else None), reports

    @contextmanager
    def reporting(self, context: Any, report: Report) -> Generator[None]:
        """Forward the calling thread's diagnostics to `report`.

        Diagnostics that a method of this class returns are not forwarded. All calls inside the
        `with` block share one diagnostic handler.
        """
        with context_lock(context):
            token, handle = next(self._tokens), capi.address(context)
            outer = self._latest.get(context)
            listener = self._listeners[token] = self._latest[context] = _Listener(context, report)
            attach = self._held.mlirContextAttachDiagnosticHandler
            attached = attach(handle, self._handler, token, None)
            try:
                yield
            finally:
                self._held.mlirContextDetachDiagnosticHandler(handle, attached)
                del self._listeners[token], self._latest[context]
                if outer is not None:
                    self._latest[context] = outer
        listener.raise_error()

    def _top(self, found: int, context: Any) -> Any:
        """Return a parsed top-level op, which is freed together with its Python object."""
        module = self._held.mlirModuleFromOperation(found)
        if module:
            return capi.imported(self._ir.Module, module, context).operation
        # The bindings assume that an enclosing op frees it.
        return capi.imported(self._ir.Operation, found, context).detach_from_parent().operation

    def _call(self, context: Any, name: str, *arguments: Any) -> tuple[Any, list[Diagnostic]]:
        """Call a C API function, and return its result and the reported diagnostics."""
        listener = self._latest.get(context)
        if listener is None or listener.thread != threading.get_ident():
            with self.reporting(context, bool):
                return self._call(context, name, *arguments)
        function = getattr(self._held if has_no_threads(context) else self._free, name)
        listener.is_calling = True
        try:
            found = function(*arguments)
        finally:
            listener.is_calling = False
        return found, listener.taken() if listener.has_news else []

    def _take(self, diagnostic: int, token: int) -> int:
        """Handle a diagnostic, or return 0 to pass the diagnostic on to other handlers."""
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
    """A receiver for the diagnostics of a context while a thread uses the context.

    MLIR reports the diagnostics of its threads in program order on the calling thread. Only
    diagnostics from nested parallel work may be reported on other threads.

    Attributes:
        context: The context.
        thread: The identifier of the Python thread that uses the context.
        is_calling: Whether the thread is inside a call of MLIR.
        raised: An exception from the handling of a diagnostic, or None.
        has_news: Whether a diagnostic came since `taken` was last called.

    Source: `ParallelDiagnosticHandler` and `llvm::StdThreadPool::wait`, LLVM 22: a thread that
    waits for other threads may take over their work, and the handler then does not recognize the
    thread.
    """

    def __init__(self, context: Any, report: Report) -> None:
        self.context = context
        self.thread = threading.get_ident()
        self.is_calling: bool = False
        self.raised: BaseException | None = None
        self.has_news: bool = False
        self._report = report
        self._reports: list[Diagnostic] = []
        self._from_elsewhere: list[Diagnostic] = []

    def report_on(self, thread: int) -> Report | None:
        """Return the handler for diagnostics of a thread, or None for another Python thread."""
        self.has_news = True
        if thread == self.thread:
            return self._reports.append if self.is_calling else self._report
        is_other = not self.is_calling or any(
            each.ident == thread for each in threading.enumerate()
        )
        return None if is_other else self._from_elsewhere.append

    def taken(self) -> list[Diagnostic]:
        """Return the diagnostics that a call reported, those of MLIR's threads last."""
        reports = self._reports + self._from_elsewhere
        self._reports, self._from_elsewhere, self.has_news = [], [], False
        self.raise_error()
        return reports

    def raise_error(self) -> None:
        """Raise the pending exception from the handling of a diagnostic, if any."""
        error, self.raised = self.raised, None
        if error is not None:
            raise error
