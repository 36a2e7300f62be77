"""From flags to what logs, counts and traces the executions of passes, over all of the input.

Source: `mlir::tracing::InstallDebugHandler` and `DebugCounter::registerCLOptions`, MLIR 22.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from passel.diagnostics import suggest
from passel.ir.frontend import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from passel.instruments.debug_counter import DebugCounter
    from passel.instruments.hooks import PassInstrumentation
    from passel.instruments.trace import Trace
    from passel.manager import PassManager
    from passel.passes import PassRegistry
    from passel.tool.settings import Settings


class Actions(ExitStack):
    """What the flags of the group "Actions" ask for; reports when it is left.

    Args:
        settings: What the command line says.
        registry: The passes that counters may be of.

    Raises:
        UsageError: A flag's value is wrong, or a file cannot be opened.
    """

    def __init__(self, settings: Settings, registry: PassRegistry) -> None:
        super().__init__()
        self._settings = settings.actions
        self._instrumentations: list[PassInstrumentation] = []
        self._trace: Trace | None = None
        self._counter: DebugCounter | None = None
        if text := self._settings.mlir_debug_counter:
            self._counter = _make_counter(text, registry)
        self._make_log()
        if path := self._settings.profile_actions_to:
            from passel.instruments.trace import Trace

            self._trace = Trace(sys.stderr if path == "-" else _writable(path))
            self._instrumentations.append(self._trace)
        if self._settings.mlir_print_debug_counter:
            self.callback(self._print_counters)

    def scope(self, name: str) -> AbstractContextManager[object]:
        """Return what traces a part of the work that is no pass."""
        return nullcontext() if self._trace is None else self._trace.scope(name)

    def observe(self, manager: PassManager) -> None:
        """Let a manager's runs be observed."""
        for instrumentation in self._instrumentations:
            manager.add_instrumentation(instrumentation)
        if self._counter is not None:
            manager.add_gate(self._counter)

    def _make_log(self) -> None:
        path = self._settings.log_actions_to
        places = self._settings.log_mlir_actions_filter
        if not path:
            if places:
                raise UsageError(
                    "'--log-mlir-actions-filter' selects what --log-actions-to=<file> logs, "
                    "which is missing"
                )
            return
        from passel.instruments.actions import ActionLog, Place

        try:
            chosen = [Place.parse(each.strip()) for each in places.split(",")] if places else []
        except ValueError as error:
            raise UsageError(f"'--log-mlir-actions-filter': {error}") from None
        stream: TextIO = sys.stderr
        if path != "-":
            stream = self.enter_context(_writable(path).open("w", encoding="utf-8"))
        self._instrumentations.append(ActionLog(stream, places=chosen))

    def _print_counters(self) -> None:
        from passel.instruments.debug_counter import DebugCounter

        sys.stderr.write((self._counter or DebugCounter()).report() + "\n")


def _make_counter(text: str, registry: PassRegistry) -> DebugCounter:
    from passel.instruments.debug_counter import EVERY, DebugCounter

    try:
        counter = DebugCounter(text)
    except ValueError as error:
        raise UsageError(f"'--mlir-debug-counter': {error}") from None
    known = [EVERY, *(info.name for info in registry.passes())]
    for name in counter.names:
        if name not in known:
            hint = suggest(name, known)
            raise UsageError(
                f"'--mlir-debug-counter': '{name}' is neither '{EVERY}' nor a pass{hint}"
            )
    return counter


def _writable(name: str) -> Path:
    """Return the path of a file that can be written, and is empty."""
    try:
        with Path(name).open("w", encoding="utf-8"):
            return Path(name)
    except OSError as error:
        raise UsageError(f"cannot open output file '{name}': {error.strerror}") from None
