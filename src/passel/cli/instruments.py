"""From flags to what observes a run.

Source: `registerPassManagerCLOptions` and `registerDefaultTimingManagerCLOptions`, MLIR 22,
also for the order: the reproducer first, then the printer, then timing, so that a failed
pass's IR comes before the reproducer's error, and timing leaves out the printing.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import TextIO

    from passel.cli.flags import Arguments
    from passel.instruments.ir_printing import PrintIR
    from passel.instruments.timing import Timing
    from passel.manager import PassManager


class Instruments(ExitStack):
    """What observes the processing of one part of the input; reports when it is left.

    Args:
        arguments: The command line.
        printer: What prints the IR, of all parts of the input.

    Raises:
        UsageError: A flag's value is wrong, or a file cannot be opened.
    """

    def __init__(self, arguments: Arguments, printer: PrintIR | None) -> None:
        super().__init__()
        self._arguments = arguments
        self._printer = printer
        self._timing: Timing | None = None
        if arguments.flag("mlir-timing"):
            self._timing = self._make_timing()

    def scope(self, name: str) -> AbstractContextManager[object]:
        """Return what times a part of the work that is no pass."""
        return nullcontext() if self._timing is None else self._timing.scope(name)

    def observe(self, manager: PassManager) -> None:
        """Let a manager's runs be observed as the flags ask for."""
        arguments = self._arguments
        if self._printer is not None:
            manager.add_instrumentation(self._printer)
            self.callback(self._printer.forget)
        if arguments.flag("mlir-pass-statistics"):
            from passel.instruments.statistics_report import StatisticsReport

            display = arguments.text("mlir-pass-statistics-display")
            manager.add_instrumentation(StatisticsReport(display, stream=self._report_stream()))
        if self._timing is not None:
            manager.add_instrumentation(self._timing)

    def _make_timing(self) -> Timing:
        from passel.instruments.timing import Timing

        arguments = self._arguments
        timing = Timing(
            display=arguments.text("mlir-timing-display"),
            output_format=arguments.text("mlir-output-format"),
            columns=_names(arguments.text("mlir-timing-columns")),
        )
        self.callback(lambda: timing.write_report(self._report_stream()))
        return timing

    def _report_stream(self) -> TextIO:
        """Return where reports go."""
        return sys.stderr


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
