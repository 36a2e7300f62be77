"""Settings for the runs of pass managers: checks, observers and limits."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Literal

from passel.passes.remarks import remark_filter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from passel.execution import PassGate
    from passel.hooks import PassInstrumentation
    from passel.passes.remarks import RemarkFilter


class RunSettings:
    """The base class of pass managers that can be run. It defines the settings of runs."""

    def __init__(self) -> None:
        self._verify: bool | Literal["always"] = True
        self._remarks: RemarkFilter | None = None
        self._instrumentations: list[PassInstrumentation] = []
        # The makers of enabled observers. Times exclude printing, as in MLIR; checkers come last,
        # so that others see all they report.
        self._enabled: dict[str, Callable[[], PassInstrumentation] | None] = dict.fromkeys(
            ("ir-printing", "statistics", "timing", "analyses", "isolation")
        )
        self._gates: list[PassGate] = []
        self._guard: frozenset[str] | None = None

    # -- Checks ---------------------------------------------------------------------------------

    def enable_verifier(self, enable: bool | Literal["always"] = True) -> None:
        """Set whether to verify the IR after each pass.

        Args:
            enable: True to verify after each pass that changed the fingerprint of its op,
                `"always"` to verify after each pass that did not preserve all analyses, or False to
                never verify. On MLIR, True means the same as `"always"`. After passes that
                preserved all analyses, the op is verified when the next other pass has run, or when
                the pipeline ends.

        Raises:
            ValueError: The argument is not True, False or `"always"`.
        """
        if enable not in (True, False, "always"):
            raise ValueError(f"enable_verifier takes True, False or 'always', not {enable!r}")
        self._verify = enable if enable == "always" else bool(enable)

    def enable_analysis_verifier(self, enable: bool = True) -> None:
        """Set whether to check the analyses that passes claim to preserve. The check is slow.

        After each pass, every preserved analysis whose class defines `__eq__` is computed again and
        compared with the preserved result. The pass fails if the results differ. A pass that claims
        to preserve all analyses also fails if it changed its op.

        Source: `-verify-analysis-invalidation` and the expensive checks of LLVM's pass manager.
        MLIR has no such checks.
        """
        from passel.instruments.analysis_check import AnalysisCheck  # noqa: PLC0415

        self._enabled["analyses"] = AnalysisCheck if enable else None

    def enable_isolation_check(self, enable: bool = True) -> None:
        """Set whether to check that passes change only their op. The check is slow.

        After each pass, the run checks the enclosing ops and the siblings of the op that the pass
        ran on. A pass that changed an enclosing op or a sibling fails. If an op has more than 32
        siblings, changes to the siblings are detected only after the pipeline has run on all of
        them, and the failure names all passes that may have made the changes. Without this setting,
        changes outside the op of a pass are detected only later in the run, and only if the
        adapter's `finds_changes` is True.
        """
        from passel.instruments.isolation_check import IsolationCheck  # noqa: PLC0415

        self._enabled["isolation"] = IsolationCheck if enable else None

    def restrict_effects(self, *allowed: str) -> None:
        """Reject passes whose effects outside the IR are not allowed.

        Use this setting for pipelines from untrusted files. The setting applies to passes at any
        depth: in nested pipelines, in options of passes, in pipelines on another IR, and in dynamic
        pipelines. Each pass declares its effects; see `Pass.effects`.

        Args:
            allowed: The allowed effects: any of `read-files`, `run-programs`, `write-files` and
                `unknown`. Third-party passes for xDSL or MLIR that do not declare their effects
                have the effect `unknown`.

        Raises:
            DefinitionError: An effect does not exist.
        """
        from passel.passes.definition import check_effects  # noqa: PLC0415

        self._guard = check_effects(allowed, "allowed effects")

    def enable_remarks(self, every: str = "", **by_kind: str) -> None:
        """Report optimization remarks as diagnostics.

        Args:
            every: A regular expression for categories, such as `.*`, which applies to all kinds of
                remarks. The expression must match the whole category.
            by_kind: Additional regular expressions, each for one kind of remarks: the keyword
                arguments `passed`, `missed`, `failed` and `analysis`.

        Raises:
            ValueError: A regular expression is invalid.

        Source: `mlir::remark::enableOptimizationRemarks`, MLIR 22.
        """
        self._remarks = remark_filter(every, **by_kind) or None

    # -- Gates and instrumentations -------------------------------------------------------------

    def add_gate(self, gate: PassGate) -> None:
        """Add a gate, a function that decides for each pass and op whether the pass runs.

        A pass runs if all gates allow it. If a gate skips a pass, instrumentations still observe
        the pass, but `run` is not called. Gates can also skip a whole nested pipeline.

        Source: `llvm::OptPassGate`, LLVM 22. MLIR has debug counters instead.
        """
        self._gates.append(gate)

    def add_instrumentation(self, instrumentation: PassInstrumentation) -> None:
        """Add an instrumentation, which observes the runs of this manager.

        Example:
            >>> from passel import PassManager
            >>> from passel.instruments import Timing
            >>> from passel.testing import ToyAdapter, parse_toy
            >>> pm = PassManager("toy.module", adapter=ToyAdapter())
            >>> pm.add_instrumentation(Timing())
            >>> pm.run(parse_toy("toy.module()")).timing.name
            'root'

        Raises:
            TypeError: The argument is a class instead of an instance.
        """
        if isinstance(instrumentation, type):
            name = instrumentation.__qualname__
            raise TypeError(f"expected an instrumentation, got the class {name}; write {name}()")
        self._instrumentations.append(instrumentation)

    def enable_timing(self, enable: bool = True) -> None:
        """Set whether each run prints the execution time of its passes to standard error.

        Source: `PassManager.enable_timing` of MLIR's bindings, MLIR 22. MLIR prints the times when
        the pass manager is destroyed.
        """
        from passel.instruments.timing import Timing  # noqa: PLC0415 - loaded if it is used

        self._enabled["timing"] = (lambda: Timing(report=True)) if enable else None

    def enable_statistics(
        self, display_mode: Literal["pipeline", "list", "json"] | Enum = "pipeline"
    ) -> None:
        """Print the statistics of passes to standard error after each run.

        Args:
            display_mode: The layout of the report, as a string or a `PassDisplayMode` of MLIR's
                bindings.

        Raises:
            ValueError: The layout is unknown.

        Source: `PassManager.enable_statistics` of MLIR's bindings.
        """
        from passel.instruments.statistics_report import StatisticsReport  # noqa: PLC0415

        mode: Any = display_mode.name.lower() if isinstance(display_mode, Enum) else display_mode
        StatisticsReport(mode)  # rejects an unknown layout here, not in the run
        self._enabled["statistics"] = lambda: StatisticsReport(mode)

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
        """Print the IR to standard error before and after passes.

        Args:
            print_before_all: Whether to print the IR before each pass.
            print_after_all: Whether to print the IR after each pass.
            print_module_scope: Whether to print the top-level op instead of the op of the pass.
            print_after_change: Whether to print the IR only after passes that changed the op.
            print_after_failure: Whether to print the IR only after passes that failed.
            large_elements_limit: The maximum number of elements in a printed attribute; None for no
                limit. Larger attributes are elided.
            large_resource_limit: The maximum number of characters in a printed resource; None for
                no limit. Longer resources are elided.
            enable_debug_info: Whether to print locations.
            print_generic_op_form: Whether to print ops in generic form.
            tree_printing_dir_path: The directory in which each dump is written to a separate file;
                None to print to standard error.

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
        self._enabled["ir-printing"] = lambda: PrintIR(
            before=print_before_all,
            after=print_after_all,
            module_scope=print_module_scope,
            only_on_change=print_after_change,
            only_on_failure=print_after_failure,
            flags=flags,
            directory=tree_printing_dir_path,
        )
