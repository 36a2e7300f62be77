"""The context of a pass: all that a pass may ask of the run, and tell it."""

from __future__ import annotations

import typing
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol

from passel.diagnostics import UNKNOWN, Diagnostic, Severity
from passel.ir import PrintFlags, outwards

if TYPE_CHECKING:
    # Only for its default: a plain `PassContext` is that of a pass without state.
    from typing_extensions import TypeVar

    from passel.analysis import AnalysisClass, AnalysisManager
    from passel.analysis.manager import A
    from passel.diagnostics import Location
    from passel.errors import Failure
    from passel.ir import InvalidIR, IRAdapter
    from passel.passes.statistics import Statistic

    StateT = TypeVar("StateT", default=None)
else:
    StateT = typing.TypeVar("StateT")


_FOR_DIAGNOSTICS = PrintFlags(generic=True, local_scope=True)
"""How ops are printed that diagnostics are about.

Source: `adjustPrintingFlags` of `lib/IR/Diagnostics.cpp`, MLIR 22.
"""


class PipelineTree(Protocol):
    """A pass manager, as far as a pass that runs it is concerned."""

    @property
    def anchor(self) -> str:
        """The op name it runs on, or `any`."""
        ...


class PipelineRun:
    """How a dynamic pipeline went; true if it succeeded.

    Attributes:
        failures: What failed, in program order; already reported.
        changed: Whether the IR changed; None if the run had no need to know.
    """

    __slots__ = ("changed", "failures")

    def __init__(self, failures: tuple[Failure, ...], changed: bool | None) -> None:
        self.failures: Final[tuple[Failure, ...]] = failures
        self.changed: Final[bool | None] = changed

    def __bool__(self) -> bool:
        return not self.failures

    def __repr__(self) -> str:
        return f"PipelineRun(failures={self.failures!r}, changed={self.changed!r})"


class OpFacts:
    """Answers to what can be asked about an op without knowing its IR.

    They are those of the moment at which they are asked for.

    Args:
        adapter: The adapter of the IR.
        op: The op.

    Attributes:
        op: The op.
    """

    __slots__ = ("_adapter", "op")

    def __init__(self, adapter: IRAdapter, op: Any) -> None:
        self._adapter = adapter
        self.op: Any = op

    @property
    def name(self) -> str:
        """The full name, such as `func.func`."""
        return self._adapter.kind_of(self.op).name

    @property
    def symbol(self) -> str | None:
        """The name that the op defines as a symbol, such as `main`; None if it defines none."""
        return self._adapter.symbol_name(self.op)

    @property
    def parent(self) -> Any:
        """The enclosing op; None at the top."""
        return self._adapter.parent(self.op)

    @property
    def isolated(self) -> bool:
        """Whether it is `IsolatedFromAbove`: nothing inside uses values from outside."""
        return self._adapter.kind_of(self.op).isolated

    @property
    def registered(self) -> bool:
        """Whether a dialect defines the op."""
        return self._adapter.kind_of(self.op).registered

    @property
    def location(self) -> Location:
        """Where the op comes from, or `UNKNOWN`."""
        return self._adapter.location(self.op)

    @property
    def text(self) -> str:
        """The op with all that is inside, in the form in which its IR prints it."""
        return self._adapter.print_op(self.op, PrintFlags())


class PassContext(ABC, Generic[StateT]):
    """All state of one execution of a pass; the pass itself is frozen and has none.

    A context is valid during `Pass.run` only: don't keep it.

    Attributes:
        op: The op that the pass runs on.

    Source: `mlir::detail::PassExecutionState`, MLIR 22.
    """

    __slots__ = ("op",)

    op: Any

    @property
    @abstractmethod
    def adapter(self) -> IRAdapter:
        """The adapter of the IR that the op belongs to."""

    @property
    @abstractmethod
    def ir_context(self) -> Any:
        """The IR's own context: `xdsl.context.Context`, `mlir.ir.Context`."""

    @property
    @abstractmethod
    def path(self) -> str:
        """The pass's path in the pipeline, such as `builtin.module/func.func/0:cse`."""

    @property
    @abstractmethod
    def state(self) -> StateT:
        """Return value of the pass's `initialize` for this schedule."""

    def about(self, op: Any = None) -> OpFacts:
        """Return what any IR can tell about an op, by default the one that the pass runs on.

        Example:
            >>> from passel import Pass, PassManager
            >>> from passel.testing import ToyAdapter, parse_toy
            >>> class Show(Pass):
            ...     def run(self, op, ctx):
            ...         about = ctx.about()
            ...         print(about.name, about.symbol, about.location, about.text)
            >>> pm = PassManager("toy.module", adapter=ToyAdapter())
            >>> _ = pm.nest("toy.func").add(Show())
            >>> _ = pm.run(parse_toy("toy.module(toy.func @f(toy.op))"))
            toy.func f <unknown>:0 toy.func @f(toy.op)
        """
        return OpFacts(self.adapter, self.op if op is None else op)

    # -- Analyses ---------------------------------------------------------------------------

    @property
    @abstractmethod
    def analyses(self) -> AnalysisManager:
        """The analyses of the op, with those of enclosing and nested ops."""

    def analysis(self, kind: AnalysisClass[A]) -> A:
        """Return an analysis of the op, computed now if it is not cached.

        Args:
            kind: A class that is constructed from `(op)` or `(op, analyses)`.

        Source: `mlir::Pass::getAnalysis`, MLIR 22.
        """
        return self.analyses.analysis(kind)

    def cached_analysis(self, kind: AnalysisClass[A]) -> A | None:
        """Return an analysis of the op if it is cached.

        Source: `mlir::Pass::getCachedAnalysis`, MLIR 22.
        """
        return self.analyses.cached_analysis(kind)

    def parent_analysis(self, kind: AnalysisClass[A], op: Any = None) -> A | None:
        """Return an analysis of an enclosing op, if it is cached; it may be stale.

        Args:
            kind: The analysis.
            op: The ancestor; by default the immediately enclosing op.

        Source: `mlir::Pass::getCachedParentAnalysis`, MLIR 22.
        """
        return self.analyses.parent_analysis(kind, op)

    def child_analysis(self, kind: AnalysisClass[A], op: Any) -> A:
        """Return an analysis of an op inside, computed now if it is not cached.

        Raises:
            ValueError: `op` is not inside of the pass's op.

        Source: `mlir::Pass::getChildAnalysis`, MLIR 22.
        """
        return self.analyses.child_analysis(kind, op)

    def cached_child_analysis(self, kind: AnalysisClass[A], op: Any) -> A | None:
        """Return an analysis of an op immediately inside, if it is cached.

        Source: `mlir::Pass::getCachedChildAnalysis`, MLIR 22.
        """
        return self.analyses.cached_child_analysis(kind, op)

    @abstractmethod
    def preserve(self, *kinds: type) -> None:
        """State that these analyses of the op, and of ops inside, are still valid.

        Source: `mlir::Pass::markAnalysesPreserved`, MLIR 22.
        """

    @abstractmethod
    def preserve_all(self) -> None:
        """State that the pass changed nothing on this op.

        All analyses stay, and verification is put off to the end of the op's pipeline, so say
        it only if it is true: `enable_analysis_verifier` finds out whether it is.

        Source: `mlir::Pass::markAllAnalysesPreserved`, MLIR 22.
        """

    @abstractmethod
    def answer_for_changes_outside(self) -> None:
        """State that the pass has changed the enclosing op, and answers for it.

        A pass must not do so: ops beside its own may be processed at the same time. For a
        compiler whose passes add symbols beside their op all the same: what the enclosing op
        consists of now is what changes by other passes are compared with, and the op counts
        as changed.
        """

    def fingerprint(self) -> object:
        """Return what the op consists of now; equal to a later one if nothing changed since.

        Example: run a pipeline until `ctx.fingerprint()` stays the same.

        Source: `mlir::OperationFingerPrint`, MLIR 22.
        """
        return self.adapter.fingerprint(self.op)

    # -- Dynamic pipelines ------------------------------------------------------------------

    @abstractmethod
    def run_pipeline(self, pipeline: PipelineTree, op: Any = None) -> PipelineRun:
        """Run a pipeline on the pass's op, or on one inside of it, now.

        It takes part in the run like a nested pipeline: hooks, statistics, verification. On
        the pass's own op it sees and invalidates the pass's analyses, and at its end they are
        dropped, but those that all its passes preserve by their classes. Its failure is
        reported, but whether the pass fails is for the pass to decide.

        Args:
            pipeline: An `OpPassManager`; compiled once while it is unchanged.
            op: The op, by default the pass's own.

        Returns:
            How it went; true if it succeeded.

        Raises:
            AnchorError: The pipeline is for ops of another name, or cannot be scheduled.

        Source: `mlir::Pass::runPipeline`, MLIR 22.
        """

    @abstractmethod
    def run_elsewhere(self, pipeline: PipelineTree, op: Any, compiler: Any) -> PipelineRun:
        """Run a pipeline on an op of another IR, which the pass has made from its own.

        Its statistics count, it is verified as this run is, and those instrumentations see it
        that can (`PassInstrumentation.crosses`). Whether the pass fails is for it to decide.

        Args:
            pipeline: An `OpPassManager`.
            op: The op.
            compiler: A `PipelineCompiler` for the other IR and context, kept for a whole run.

        Returns:
            How it went; true if it succeeded.

        Raises:
            AnchorError: The pipeline cannot be scheduled.
        """

    # -- What the pass tells ----------------------------------------------------------------

    @property
    @abstractmethod
    def collects_statistics(self) -> bool:
        """Whether the run collects statistics, so that counting may cost time."""

    @abstractmethod
    def count(self, statistic: Statistic, amount: int = 1) -> None:
        """Add to one of the pass's statistics.

        Args:
            statistic: As declared in the pass's class body.
            amount: How much to add, not negative.

        Raises:
            ValueError: The pass does not declare the statistic, or the amount is negative.
        """

    @abstractmethod
    def emit(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic that came from elsewhere, such as another compiler."""

    def emit_error(self, message: str, op: Any = None) -> Diagnostic:
        """Report an error about `op` (by default the one that the pass runs on).

        The pass does not fail by it; raise `PassFailure` for that.

        Returns:
            The diagnostic, to attach notes to while the pass runs: it is reported when the
            pass has ended.
        """
        return self._report(Severity.ERROR, message, op)

    def emit_warning(self, message: str, op: Any = None) -> Diagnostic:
        """Report a warning about `op` (by default the one that the pass runs on)."""
        return self._report(Severity.WARNING, message, op)

    def emit_remark(self, message: str, op: Any = None) -> Diagnostic:
        """Report a remark about `op` (by default the one that the pass runs on)."""
        return self._report(Severity.REMARK, message, op)

    def _report(self, severity: Severity, message: str, op: Any) -> Diagnostic:
        about = self.op if op is None else op
        diagnostic = op_diagnostic(self.adapter, severity, message, about)
        self.emit(diagnostic)
        return diagnostic


def op_diagnostic(adapter: IRAdapter, severity: Severity, message: str, op: Any) -> Diagnostic:
    """Return a diagnostic about an op, located at the op or the nearest enclosing op."""
    locations = (adapter.location(each) for each in outwards(adapter, op))
    location = next((each for each in locations if each != UNKNOWN), UNKNOWN)
    return Diagnostic(
        severity,
        message,
        location,
        print_op=lambda: adapter.print_op(op, _FOR_DIAGNOSTICS),
    )


def invalid_diagnostic(adapter: IRAdapter, error: InvalidIR) -> Diagnostic:
    """Return what a verifier has found, as a diagnostic about its op."""
    message = f"'{adapter.kind_of(error.op).name}' op {error.message}"
    diagnostic = op_diagnostic(adapter, Severity.ERROR, message, error.op)
    for place, note in error.notes:
        diagnostic.attach_note(note, adapter.location(place))
    return diagnostic
