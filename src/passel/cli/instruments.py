"""From flags to what observes a run.

Source: `registerPassManagerCLOptions` and `registerDefaultTimingManagerCLOptions`, MLIR 22,
also for the order: the reproducer first, then the printer, then timing, so that a failed
pass's IR comes before the reproducer's error, and timing leaves out the printing.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING

from passel.cli.flags import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import TextIO

    from passel.cli.flags import Arguments
    from passel.instruments.ir_printing import PrintIR
    from passel.instruments.timing import Timing
    from passel.ir import PrintFlags
    from passel.manager import PassManager
    from passel.registry import PassRegistry


class Instruments(ExitStack):
    """What observes the processing of one part of the input; reports when it is left.

    Args:
        arguments: The command line.
        registry: The passes that flags may name.

    Raises:
        UsageError: A flag's value is wrong, or a file cannot be opened.
    """

    def __init__(self, arguments: Arguments, registry: PassRegistry) -> None:
        super().__init__()
        self._arguments = arguments
        self._registry = registry
        self._timing: Timing | None = None
        if arguments.flag("mlir-timing"):
            self._timing = self._make_timing()

    def scope(self, name: str) -> AbstractContextManager[object]:
        """Return what times a part of the work that is no pass."""
        return nullcontext() if self._timing is None else self._timing.scope(name)

    def observe(self, manager: PassManager) -> None:
        """Let a manager's runs be observed as the flags ask for."""
        arguments = self._arguments
        if path := arguments.text("mlir-pass-pipeline-crash-reproducer"):
            manager.enable_crash_reproducer(
                path, local=arguments.flag("mlir-pass-pipeline-local-reproducer")
            )
        if printer := self._printer():
            manager.add_instrumentation(printer)
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

    def _printer(self) -> PrintIR | None:
        arguments = self._arguments
        flags = [name for name in arguments.given if name.startswith("mlir-print-ir-")]
        if not flags:
            return None
        from passel.instruments.ir_printing import PrintIR

        return PrintIR(
            before=arguments.flag("mlir-print-ir-before-all") or self._passes("before"),
            after=arguments.flag("mlir-print-ir-after-all") or self._passes("after"),
            module_scope=arguments.flag("mlir-print-ir-module-scope"),
            only_on_change=arguments.flag("mlir-print-ir-after-change"),
            only_on_failure=arguments.flag("mlir-print-ir-after-failure"),
            directory=arguments.text("mlir-print-ir-tree-dir") or None,
            diff=arguments.flag("mlir-print-ir-diff"),
            symbol=arguments.text("mlir-print-ir-op").removeprefix("@"),
            flags=print_flags(arguments),
        )

    def _passes(self, when: str) -> tuple[str, ...]:
        """Return the passes before or after which the IR is printed."""
        flag = f"mlir-print-ir-{when}"
        names = _names(self._arguments.text(flag))
        for name in names:
            registry = self._registry
            if registry.lookup_pass(name) is None and registry.lookup_pipeline(name) is None:
                raise UsageError(f"for the --{flag} option: Cannot find option named '{name}'!")
        return names

    def _report_stream(self) -> TextIO:
        """Return where reports go."""
        return sys.stderr


def print_flags(arguments: Arguments) -> PrintFlags:
    """Return how the flags want IR to be printed.

    Raises:
        UsageError: A limit is not a number.
    """
    from passel.ir import PrintFlags

    return PrintFlags(
        generic=arguments.flag("mlir-print-op-generic"),
        debuginfo=arguments.flag("mlir-print-debuginfo"),
        local_scope=arguments.flag("mlir-print-local-scope"),
        elide_elements=_limit(arguments, "mlir-elide-elementsattrs-if-larger"),
        elide_resources=_limit(arguments, "mlir-elide-resource-strings-if-larger"),
    )


def _limit(arguments: Arguments, flag: str) -> int | None:
    text = arguments.text(flag)
    if not text:
        return None
    if not text.isdecimal():
        raise UsageError(f"'--{flag}' takes a number, not '{text}'")
    return int(text)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
