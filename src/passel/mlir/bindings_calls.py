"""Calls of MLIR through the bindings alone, which work on one thread."""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from passel.mlir.bindings import MAGIC
from passel.mlir.contexts import at_once, context_lock, on_threads
from passel.mlir.diagnostics import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from passel.mlir.bindings import Bindings
    from passel.mlir.contexts import Caller


class BindingsCalls:
    """Calls through the bindings alone, on one thread.

    Args:
        bindings: The build.
    """

    def __init__(self, bindings: Bindings) -> None:
        self._bindings = bindings
        self._ir = bindings.ir

    def verify(self, operation: Any) -> tuple[bool, list[Report]]:
        """Verify an op."""
        found, reports = self._call(operation.context, operation.verify)
        return bool(found), reports

    def run(self, manager: Any, operation: Any, by: Caller = at_once) -> tuple[bool, list[Report]]:
        """Run a pass manager."""

        def run() -> bool:
            manager.run(operation)
            return True

        found, reports = self._call(operation.context, run, by)
        return bool(found), reports

    def parse(self, context: Any, source: bytes, name: str) -> tuple[Any, list[Report]]:
        """Parse a text that is one op, or the bytecode of a module."""
        if source.startswith(MAGIC):
            return self.parse_module(context, source)
        parse, text = self._ir.Operation.parse, source.decode()
        return self._parsed(context, lambda: parse(text, source_name=name, context=context))

    def parse_module(self, context: Any, source: bytes) -> tuple[Any, list[Report]]:
        """Parse a module, or the ops of one."""
        return self._parsed(context, lambda: self._ir.Module.parse(source, context=context))

    def parse_file(self, context: Any, path: str) -> tuple[Any, list[Report]]:
        """Parse a file."""
        return self._parsed(context, lambda: self._ir.Module.parseFile(path, context))

    def _parsed(self, context: Any, parse: Callable[[], Any]) -> tuple[Any, list[Report]]:
        found, reports = self._call(context, parse)
        return (None if found is None else found.operation), reports

    def _call(
        self, context: Any, action: Callable[[], Any], by: Caller = at_once
    ) -> tuple[Any, list[Report]]:
        raised: list[Any] = []
        result, threads = None, [threading.get_ident()]

        def call() -> Any:
            threads[:] = [threading.get_ident()]
            return action()

        with ExitStack() as stack:
            stack.enter_context(context_lock(context))
            stack.enter_context(on_threads(context, 1))
            stack.enter_context(_emitting(context))
            reports = stack.enter_context(captured(self._bindings, context, threads))
            try:
                result = by(call)
            except self._ir.MLIRError as error:
                raised = error.error_diagnostics
        return result, [*reports, *map(Report.of, raised)]


@contextmanager
def captured(
    bindings: Bindings, context: Any, threads: Sequence[int] = ()
) -> Generator[list[Report]]:
    """Collect what MLIR reports, by the bindings, and keep it from others.

    Args:
        bindings: The build.
        context: The context.
        threads: The thread on which; this one by default.
    """
    info, threads = bindings.ir.DiagnosticInfo, threads or [threading.get_ident()]
    reports: list[Report] = []

    def take(diagnostic: Any) -> bool:
        if threading.get_ident() not in threads:
            return False
        reports.append(Report.of(info(diagnostic)))
        return True

    with context.attach_diagnostic_handler(take):
        yield reports


@contextmanager
def _emitting(context: Any) -> Generator[None]:
    """Let handlers have errors; left alone, the bindings keep them to raise them.

    If a pass reports one and then succeeds, that ends the process.
    """
    before = context.emit_error_diagnostics
    context.emit_error_diagnostics = True
    try:
        yield
    finally:
        context.emit_error_diagnostics = before
