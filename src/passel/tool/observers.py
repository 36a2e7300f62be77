"""Instrumentations that flags select, such as timing, and their reports.

Source: `registerPassManagerCLOptions` and `registerDefaultTimingManagerCLOptions`, MLIR 22, which
also define the order of the instrumentations: reproducer, printer, timing. The IR of a failed pass
is therefore printed before the reproducer's error, and the times exclude printing. The flags for
actions are from `mlir::tracing::InstallDebugHandler` and `DebugCounter::registerCLOptions`.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from passel.diagnostics import suggest
from passel.frontend import UsageError
from passel.instruments.remarks import sifting_remarks
from passel.passes.remarks import remark_filter
from passel.tool.output import check_file_of_flag, report_file

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from contextlib import AbstractContextManager
    from typing import TextIO

    from passel.frontend import SourcePart
    from passel.hooks import PassInstrumentation
    from passel.instruments.actions import DebugCounter
    from passel.instruments.ir_printer import PrintIR
    from passel.instruments.timing import Timing
    from passel.instruments.trace import Trace
    from passel.ir import IRAdapter
    from passel.manager import PassManager
    from passel.record.recorder import Recorder
    from passel.tool.flags import Settings


class Observers(ExitStack):
    """The instrumentations that flags select. One object serves the runs on all parts of the input.

    The object is a context manager. When its `with` block ends, all reports have been written.

    Args:
        settings: The command-line settings.

    Raises:
        UsageError: If the value of a flag is invalid, or a file cannot be opened.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._printer: PrintIR | None = _make_printer(settings)
        self._counter: DebugCounter | None = _make_counter(settings)
        self._log: PassInstrumentation | None = self._make_log()
        self._trace: Trace | None = self._make_trace()
        self._recorder: Recorder | None = self._make_recorder()
        self.sifting_remarks: Callable[[Any], AbstractContextManager[Any]] = self._make_sifting()
        self._info: TextIO = self._open_info()
        self._observers: list[PassInstrumentation] = []
        self._timing: Timing | None = None
        if settings.mlir_print_debug_counter:
            self.callback(self._print_counters)

    @contextmanager
    def part(self) -> Generator[None]:
        """Create the instrumentations for a part of the input; on exit, print the timing report."""
        given = self._settings
        self._observers = [] if self._printer is None else [self._printer]
        with ExitStack() as stack:
            if given.mlir_pass_statistics:
                from passel.instruments.statistics_report import StatisticsReport

                display = given.mlir_pass_statistics_display
                self._observers.append(StatisticsReport(display, stream=self._info))
            if given.mlir_timing:
                from passel.instruments.timing import Timing

                self._timing = Timing(
                    display=given.mlir_timing_display, output_format=given.mlir_output_format
                )
                stack.callback(self._timing.write_report, self._info)
                self._observers.append(stack.enter_context(self._timing))
            yield

    def timed(self, name: str) -> AbstractContextManager[object]:
        """Return a context manager that times work outside passes, such as parsing."""
        return nullcontext() if self._timing is None else self._timing.scope(name)

    def record(
        self, manager: PassManager, adapter: IRAdapter, source: SourcePart, replay: Sequence[str]
    ) -> None:
        """Record the next run of a pass manager, if a flag requests a record.

        This method must be called before other instrumentations are added, so that the record
        includes the notes that other instrumentations attach to failures.
        """
        if (recorder := self._recorder) is not None:
            recorder.prepare(str(manager), source.name, replay)
            recorder.finds_changes = adapter.finds_changes
            manager.add_instrumentation(recorder)

    def observe(self, manager: PassManager) -> None:
        """Add the instrumentations to a pass manager. If flags require remarks, enable remarks."""
        if self._recorder is not None or self._wanted:
            manager.enable_remarks(".*")
        for instrumentation in (*self._observers, self._log, self._trace):
            if instrumentation is not None:
                manager.add_instrumentation(instrumentation)
        if self._counter is not None:
            manager.add_gate(self._counter)

    def _make_recorder(self) -> Recorder | None:
        if not (file := self._settings.record):
            return None
        check_file_of_flag(self._settings, "record", file)
        from passel.record.recorder import Recorder

        command = (self._settings.tool.name, *self._settings.words_without("record"))
        return Recorder(file, command_line=command)

    def _make_sifting(self) -> Callable[[Any], AbstractContextManager[Any]]:
        given, yaml = self._settings, None
        try:
            # In the order of declaration: the filter for all kinds, then one per kind.
            filters = (name for name in given.flags if name.startswith("remarks_filter"))
            self._wanted = remark_filter(*(getattr(given, name) for name in filters))
        except ValueError as error:
            raise UsageError(f"'--remarks-filter': {error}") from None
        if given.remark_format == "bitstream":
            hint = "convert --remark-format=yaml output with 'llvm-remarkutil yaml2bitstream'"
            raise UsageError(f"'--remark-format=bitstream' is not available: {hint}")
        if given.remark_format == "yaml":
            yaml = self._open("remarks-output-file", given.remarks_output_file)
        final = given.remark_policy == "final"
        return partial(sifting_remarks, wanted=self._wanted, final=final, yaml=yaml)

    def _make_log(self) -> PassInstrumentation | None:
        path = self._settings.log_actions_to
        places = self._settings.log_mlir_actions_filter
        if not path:
            if places:
                raise UsageError("'--log-mlir-actions-filter' needs --log-actions-to=<file>")
            return None
        from passel.instruments.actions import ActionLog, place_of

        try:
            chosen = [place_of(each.strip()) for each in places.split(",")] if places else []
        except ValueError as error:
            raise UsageError(f"'--log-mlir-actions-filter': {error}") from None
        return ActionLog(self._open("log-actions-to", path), places=chosen)

    def _make_trace(self) -> Trace | None:
        if not (path := self._settings.profile_actions_to):
            return None
        from passel.instruments.trace import Trace

        return self.enter_context(Trace(self._open("profile-actions-to", path)))

    def _open_info(self) -> TextIO:
        given = self._settings
        path = given.info_output_file
        if not path or not (given.mlir_timing or given.mlir_pass_statistics):
            return sys.stderr
        if path == "-" and sys.stdout is None:
            raise UsageError("'--info-output-file=-': standard output is closed")
        if path == "-":
            return sys.stdout
        return self._open("info-output-file", path, append=True)

    def _open(self, flag: str, path: str, *, append: bool = False) -> TextIO:
        if path == "-":
            return sys.stderr
        return self.enter_context(report_file(self._settings, flag, path, append=append))

    def _print_counters(self) -> None:
        from passel.instruments.actions import DebugCounter

        sys.stderr.write((self._counter or DebugCounter()).report() + "\n")


def _make_counter(settings: Settings) -> DebugCounter | None:
    if not (text := settings.mlir_debug_counter):
        return None
    from passel.instruments.actions import EVERY, DebugCounter

    try:
        counter = DebugCounter(text)
    except ValueError as error:
        raise UsageError(f"'--mlir-debug-counter': {error}") from None
    registry = settings.registry
    for name in counter.names:
        if name != EVERY and registry.lookup_pass(name) is None:
            hint = suggest(name, [EVERY, *(info.name for info in registry.passes())])
            raise UsageError(
                f"'--mlir-debug-counter': '{name}' is neither '{EVERY}' nor a pass{hint}"
            )
    return counter


def _make_printer(settings: Settings) -> PrintIR | None:
    named = {"before": settings.mlir_print_ir_before, "after": settings.mlir_print_ir_after}
    for when, names in named.items():
        for name in names:
            if name not in settings.registry:
                hint = settings.registry.suggest(name)
                raise UsageError(f"'--mlir-print-ir-{when}': there is no pass '{name}'{hint}")
    kinds: dict[str, Any] = {
        "before": settings.mlir_print_ir_before_all or settings.mlir_print_ir_before,
        "after": settings.mlir_print_ir_after_all or settings.mlir_print_ir_after,
        "only_on_failure": settings.mlir_print_ir_after_failure,
        "diff": settings.mlir_print_ir_diff,
    }
    if not any(kinds.values()):
        return None
    from passel.instruments.ir_printer import PrintIR

    return PrintIR(
        **kinds,
        module_scope=settings.mlir_print_ir_module_scope,
        only_on_change=settings.mlir_print_ir_after_change,
        flags=settings.print_flags,
        directory=settings.mlir_print_ir_tree_dir or None,
    )
