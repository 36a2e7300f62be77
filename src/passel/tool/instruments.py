"""From flags to what observes a run.

Source: `registerPassManagerCLOptions` and `registerDefaultTimingManagerCLOptions`, MLIR 22,
also for the order: the reproducer first, then the printer, then timing, so that a failed
pass's IR comes before the reproducer's error, and timing leaves out the printing.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, nullcontext
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from passel.diagnostics import file_problem
from passel.ir.frontend import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import TextIO

    from passel.instruments.ir_printing import PrintIR
    from passel.instruments.timing import Timing
    from passel.manager import PassManager
    from passel.tool.settings import ReportFlags, Settings


class Instruments(ExitStack):
    """What observes the processing of one part of the input; reports when it is left.

    Args:
        settings: What the command line says.
        printer: What prints the IR, of all parts of the input.

    Raises:
        UsageError: A flag's value is wrong, or a file cannot be opened.
    """

    def __init__(self, settings: Settings, printer: PrintIR | None) -> None:
        super().__init__()
        self._settings: ReportFlags = settings.reports
        self._printer = printer
        self._stream = self._report_stream()
        self._timing: Timing | None = None
        if self._settings.mlir_timing:
            self._timing = self._make_timing()

    def scope(self, name: str) -> AbstractContextManager[object]:
        """Return what times a part of the work that is no pass."""
        return nullcontext() if self._timing is None else self._timing.scope(name)

    def observe(self, manager: PassManager) -> None:
        """Let a manager's runs be observed as the flags ask for."""
        if self._printer is not None:
            manager.add_instrumentation(self._printer)
            self.callback(self._printer.forget)
        if self._settings.mlir_pass_statistics:
            from passel.instruments.statistics_report import StatisticsReport

            display = self._settings.mlir_pass_statistics_display
            manager.add_instrumentation(StatisticsReport(display, stream=self._stream))
        if self._timing is not None:
            manager.add_instrumentation(self._timing)

    def _make_timing(self) -> Timing:
        from passel.instruments.timing import Timing

        given = self._settings
        timing = Timing(
            display=given.mlir_timing_display,
            output_format=given.mlir_output_format,
            columns=given.mlir_timing_columns,
        )
        self.callback(timing.write_report, self._stream)
        return self.enter_context(timing)

    def _report_stream(self) -> TextIO:
        """Return where reports go: to a file, they go in the end."""
        path = _info_file(self._settings)
        if not path:
            return sys.stderr
        text = StringIO()
        self.callback(lambda: _append(path, text.getvalue()))
        return text


def check_reports(settings: Settings) -> None:
    """Find what is wrong with the flags for timing and statistics before any work.

    Raises:
        UsageError: There is no such column, or the file cannot be written.
    """
    if columns := settings.reports.mlir_timing_columns:
        from passel.instruments.timing_report import check_columns

        try:
            check_columns(columns)
        except ValueError as error:
            raise UsageError(f"for the --mlir-timing-columns option: {error}") from None
    if path := _info_file(settings.reports):
        _append(path, "")


def _info_file(given: ReportFlags) -> str:
    """Return where reports are added; empty if there are none, or they go to stderr."""
    return given.info_output_file if given.mlir_timing or given.mlir_pass_statistics else ""


def _append(path: str, text: str) -> None:
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot write to info file '{path}': {file_problem(error)}") from None
