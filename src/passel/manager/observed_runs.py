"""Settings of a manager about what observes its runs."""

from __future__ import annotations

from contextlib import contextmanager
from copy import copy
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from passel.execution import RunOptions
    from passel.hooks import PassInstrumentation


class ObservedRuns:
    """Base of managers whose runs can be observed."""

    _instrumentations: list[PassInstrumentation]
    _enabled: dict[str, Callable[[], PassInstrumentation]]
    _options: RunOptions

    def add_instrumentation(self, instrumentation: PassInstrumentation) -> None:
        """Let something observe the runs of this manager.

        Raises:
            TypeError: It is a class, not an object.
        """
        if isinstance(instrumentation, type):
            name = instrumentation.__qualname__
            raise TypeError(f"expected an instrumentation, got the class {name}; write {name}()")
        self._instrumentations.append(instrumentation)

    def enable_timing(self, enable: bool = True) -> None:
        """Set whether each run prints how long its passes took to the standard error.

        Source: `PassManager.enable_timing` of MLIR's bindings, which prints in the end.
        """
        from passel.instruments.timing import Timing  # noqa: PLC0415 - loaded if it is used

        self._enable("timing", lambda: Timing(report=True), enable=enable)

    def enable_statistics(
        self, display_mode: Literal["pipeline", "list", "json"] | Enum = "pipeline"
    ) -> None:
        """Let each run print the statistics of its passes to the standard error.

        Args:
            display_mode: The layout; `PassDisplayMode` of MLIR's bindings will do as well.

        Raises:
            ValueError: There is no such layout.

        Source: `PassManager.enable_statistics` of MLIR's bindings.
        """
        from passel.instruments.statistics_report import StatisticsReport  # noqa: PLC0415

        mode: Any = display_mode.name.lower() if isinstance(display_mode, Enum) else display_mode
        StatisticsReport(mode)  # refuses it now rather than in the run
        self._enable("statistics", lambda: StatisticsReport(mode))

    def enable_ir_printing(  # noqa: PLR0913, PLR0917 - the arguments of MLIR's bindings
        self,
        print_before_all: bool = False,
        print_after_all: bool = True,
        print_module_scope: bool = False,
        print_after_change: bool = False,
        print_after_failure: bool = False,
        large_elements_limit: int | None = None,
        large_resource_limit: int | None = None,
        enable_debug_info: bool = False,
        print_generic_op_form: bool = False,
        tree_printing_dir_path: str | Path | None = None,
    ) -> None:
        """Let each run print the IR before and after passes, to the standard error.

        Args:
            print_before_all: Print before each pass.
            print_after_all: Print after each pass.
            print_module_scope: Print the op at the top instead of the one that a pass ran on.
            print_after_change: Print after those passes only that changed something.
            print_after_failure: Print after those passes only that failed.
            large_elements_limit: Elide attributes with more elements than this.
            large_resource_limit: Elide resources with more characters than this.
            enable_debug_info: Print locations.
            print_generic_op_form: Print operations in generic form.
            tree_printing_dir_path: Where to write one file for each dump instead.

        Source: `PassManager.enable_ir_printing` of MLIR's bindings, MLIR 22.
        """
        from passel.instruments.ir_printer import PrintIR  # noqa: PLC0415
        from passel.ir import PrintFlags  # noqa: PLC0415

        flags = PrintFlags(
            generic=print_generic_op_form,
            debuginfo=enable_debug_info,
            elide_elements=large_elements_limit,
            elide_resources=large_resource_limit,
        )
        self._enable(
            "ir-printing",
            lambda: PrintIR(
                before=print_before_all,
                after=print_after_all,
                module_scope=print_module_scope,
                only_on_change=print_after_change,
                only_on_failure=print_after_failure,
                flags=flags,
                directory=tree_printing_dir_path,
            ),
        )

    def enable_crash_reproducer(self, path: str | Path, *, local: bool = False) -> None:
        """Let a run that fails leave a file behind with which the failure can be replayed.

        Args:
            path: The file.
            local: Write the IR before the pass that failed and that pass alone, instead of
                the IR before the run and the whole pipeline.

        Raises:
            OSError: The file cannot be written.
            ValueError: No file can have this name.

        Source: `mlir::PassManager::enableCrashReproducerGeneration`, MLIR 22.
        """
        from passel.instruments.reproducer import CrashReproducer  # noqa: PLC0415

        made = CrashReproducer(path, local=local)  # refuses it now rather than in the run
        self._enable("reproducer", lambda: copy(made))

    def enable_recording(self, path: str | Path) -> None:
        """Let each run leave a record of all that its passes do, in place of that of the last one.

        `RunResult.record` and `PassFailedError.record` read it; see `passel.record.Record`. What
        cannot be written is said once, and the run goes on.

        Args:
            path: The file.
        """
        from passel.record.recorder import Recorder  # noqa: PLC0415 - loaded if it is used

        def make() -> Recorder:
            return Recorder(path, pipeline=str(self))

        self._enable("record", make)

    def enable_progress(self, enable: bool = True) -> None:
        """Set whether a run that takes longer than a second shows how far it is.

        It does in one line of a notebook, or of a terminal that the standard error is, which is
        removed in the end. Elsewhere nothing is written. It is not for passes that print there.
        """
        from passel.instruments.progress import shown_progress  # noqa: PLC0415 - loaded if used

        self._enable("progress", shown_progress, enable=enable)

    def _enable(
        self, what: str, make: Callable[[], PassInstrumentation], *, enable: bool = True
    ) -> None:
        """Observe each run with a new instrumentation, instead of the one of this kind so far."""
        self._enabled.pop(what, None)
        if enable:
            self._enabled[what] = make

    @contextmanager
    def instrument(self, *instrumentations: PassInstrumentation) -> Generator[Self]:
        """Let instrumentations observe the runs of a `with` statement.

        Example:
            >>> from passel import PassManager
            >>> from passel.instruments import Timing
            >>> from passel.testing import ToyAdapter, parse_toy
            >>> pm = PassManager("toy.module", adapter=ToyAdapter())
            >>> with pm.instrument(Timing()):
            ...     result = pm.run(parse_toy("toy.module()"))
            >>> result.timing.name
            'root'
        """
        before = self._instrumentations
        self._instrumentations = [*before, *instrumentations]
        try:
            yield self
        finally:
            self._instrumentations = before

    def _observers(self) -> list[PassInstrumentation]:
        """Return what observes a run, those that were enabled made for it."""
        enabled = [make() for make in self._enabled.values()]
        if self._options.isolation:
            from passel.instruments.isolation_check import IsolationCheck  # noqa: PLC0415

            enabled.append(IsolationCheck())
        return [*self._instrumentations, *enabled]
