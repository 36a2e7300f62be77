"""What a pass may touch while it runs: one `PassContext` per pipeline and op."""
# pyright: reportPrivateUsage=false
# ruff: noqa: SLF001
# Contexts and analysis managers of the ops around each other look into each other, for speed.

from __future__ import annotations

import typing
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, cast

from passel.analysis import AnalysisManager
from passel.analysis.manager import AnalysisServices
from passel.diagnostics import UNKNOWN, Diagnostic, Severity
from passel.ir import PrintFlags

if TYPE_CHECKING:
    from collections.abc import Generator

    # Only for its default: a plain `PassContext` is that of a pass without state.
    from typing_extensions import TypeVar

    from passel.analysis import AnalysisClass
    from passel.analysis.manager import A
    from passel.errors import Failure
    from passel.ir import IRAdapter
    from passel.passes.statistics import Statistic

    StateT = TypeVar("StateT", default=None)
else:
    StateT = typing.TypeVar("StateT")


_FOR_DIAGNOSTICS = PrintFlags(generic=True, local_scope=True)
"""How ops are printed that diagnostics are about.

Source: `adjustPrintingFlags` of `lib/IR/Diagnostics.cpp`, MLIR 22.
"""


class RunningStep(Protocol):
    """What a context knows of the step that it serves."""

    @property
    def path(self) -> str:
        """The step's path in the pipeline."""
        ...


class PipelineTree(Protocol):
    """A pass manager, as far as a pass that runs it is concerned."""

    @property
    def anchor(self) -> str:
        """The op name it runs on, or `any`."""
        ...


class RunServices(AnalysisServices, Protocol):
    """What a context asks of the run that it belongs to."""

    ir_context: Any
    hooks: Any
    counts: dict[tuple[str, str], int]
    collects_statistics: bool
    states: dict[Any, Any]

    def emit(self, diagnostic: Diagnostic, /) -> None:
        """Report a diagnostic."""
        ...

    def run_elsewhere(
        self, ctx: PassContext[Any], pipeline: PipelineTree, op: Any, scheduler: Any
    ) -> PipelineRun:
        """Run a pipeline on an op of another IR."""
        ...

    def run_dynamic(self, ctx: PassContext[Any], pipeline: PipelineTree, op: Any) -> PipelineRun:
        """Run a pipeline on the context's op, or on one inside."""
        ...


@dataclass(frozen=True, slots=True)
class PipelineRun:
    """How a dynamic pipeline went; true if it succeeded.

    Attributes:
        failures: What failed, in program order; already reported.
        changed: Whether the IR changed; None if nobody had to know.
    """

    failures: tuple[Failure, ...]
    changed: bool | None

    def __bool__(self) -> bool:
        return not self.failures


class PassContext(Generic[StateT]):
    """All state of one execution of a pass; the pass itself is frozen and has none.

    A context is valid during `Pass.run` only: don't keep it.

    Attributes:
        op: The op that the pass runs on.

    Source: `mlir::detail::PassExecutionState`, MLIR 22.
    """

    __slots__ = ("_analyses", "_parent", "_preserved", "_preserves_all", "_run", "_step", "op")

    def __init__(
        self,
        run: RunServices,
        op: Any,
        parent: PassContext[Any] | None = None,
        analyses: AnalysisManager | None = None,
    ) -> None:
        """Made by the run loop, not by users."""
        self.op: Any = op
        self._run = run
        self._parent = parent
        self._analyses = analyses
        self._step: RunningStep | None = None
        self._preserved: set[object] | None = None
        self._preserves_all = False
        if parent is not None and parent._analyses is not None:
            # Whoever runs around here may have asked for analyses of this op already.
            self._analyses = parent._analyses.known_child(op)

    @property
    def analyses(self) -> AnalysisManager:
        """The analyses of the op, with those of the ops around and inside."""
        if self._analyses is None:
            if self._parent is None:
                self._analyses = AnalysisManager(self.op, self._run)
            else:
                self._analyses = self._parent.analyses.child(self.op)
        return self._analyses

    @property
    def ir_context(self) -> Any:
        """The IR's own context: `xdsl.context.Context`, `mlir.ir.Context`."""
        return self._run.ir_context

    @property
    def path(self) -> str:
        """The pass's path in the pipeline, such as `builtin.module/func.func/0:cse`."""
        return self._step.path if self._step is not None else ""

    @property
    def state(self) -> StateT:
        """What the pass's `initialize` returned for this schedule."""
        return cast("StateT", self._run.states.get(self._step))

    def analysis(self, kind: AnalysisClass[A]) -> A:
        """Return an analysis of the op, computed now if it is not cached.

        Args:
            kind: A class that is constructed from `(op)` or `(op, analyses)`.

        Source: `mlir::Pass::getAnalysis`, MLIR 22.
        """
        analyses = self._analyses or self.analyses
        try:
            return analyses._results[kind]  # a cached analysis costs one lookup
        except KeyError:
            pass
        return analyses.analysis(kind)

    def cached_analysis(self, kind: AnalysisClass[A]) -> A | None:
        """Return an analysis of the op if it is cached.

        Source: `mlir::Pass::getCachedAnalysis`, MLIR 22.
        """
        return None if self._analyses is None else self._analyses.cached_analysis(kind)

    def parent_analysis(self, kind: AnalysisClass[A], op: Any = None) -> A | None:
        """Return an analysis of an op around, if it is cached; it may be stale.

        Args:
            kind: The analysis.
            op: The ancestor; by default the op immediately around.

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

    def preserve(self, *kinds: type) -> None:
        """State that these analyses of the op, and of ops inside, are still valid.

        Source: `mlir::Pass::markAnalysesPreserved`, MLIR 22.
        """
        self._preserved = (self._preserved or set()) | set(kinds)

    def preserve_all(self) -> None:
        """State that the pass changed nothing on this op.

        All analyses stay, and verification is skipped, so say it only if it is true: IR that
        a pass broke in spite of it goes unnoticed until a later pass.

        Source: `mlir::Pass::markAllAnalysesPreserved`, MLIR 22.
        """
        self._preserves_all = True

    def run_pipeline(self, pipeline: PipelineTree, op: Any = None) -> PipelineRun:
        """Run a pipeline on the pass's op, or on one inside of it, now.

        It takes part in the run like a nested pipeline: hooks, statistics, verification. On
        the pass's own op it sees and invalidates the pass's analyses, and at its end all of
        them are dropped. Its failure is reported, but whether the pass fails is for the pass
        to decide.

        Args:
            pipeline: An `OpPassManager`; compiled once while it is unchanged.
            op: The op, by default the pass's own.

        Returns:
            How it went; true if it succeeded.

        Raises:
            AnchorError: The pipeline is for ops of another name, or cannot be scheduled.

        Source: `mlir::Pass::runPipeline`, MLIR 22.
        """
        if isinstance(pipeline, str):
            msg = "run_pipeline takes a pass manager, such as PassManager.parse(text), not text"
            raise TypeError(msg)
        return self._run.run_dynamic(self, pipeline, self.op if op is None else op)

    def run_elsewhere(self, pipeline: PipelineTree, op: Any, scheduler: Any) -> PipelineRun:
        """Run a pipeline on an op of another IR, which the pass has made from its own.

        Its statistics count, it is verified as this run is, and those instrumentations see it
        that can (`PassInstrumentation.crosses`). Whether the pass fails is for it to decide.

        Args:
            pipeline: An `OpPassManager`.
            op: The op.
            scheduler: A `PipelineCompiler` for the other IR and context, kept for a whole run.

        Returns:
            How it went; true if it succeeded.

        Raises:
            AnchorError: The pipeline cannot be scheduled.
        """
        return self._run.run_elsewhere(self, pipeline, op, scheduler)

    def fingerprint(self) -> object:
        """Return what the op consists of now; equal to a later one if nothing changed since.

        Example: run a pipeline until `ctx.fingerprint()` stays the same.

        Source: `mlir::OperationFingerPrint`, MLIR 22.
        """
        return self._run.adapter.fingerprint(self.op)

    @property
    def collects_statistics(self) -> bool:
        """Whether somebody asked for statistics, so that counting may cost time."""
        return self._run.collects_statistics

    def count(self, statistic: Statistic, amount: int = 1) -> None:
        """Add to one of the pass's statistics.

        Args:
            statistic: As declared in the pass's class body.
            amount: How much to add.
        """
        counts, key = self._run.counts, (self.path, statistic.name)
        counts[key] = counts.get(key, 0) + amount

    @contextmanager
    def scope(self, name: str) -> Generator[None]:
        """Name what happens in a `with` statement, for reports of time and traces.

        Example: `with ctx.scope("Building the graph"): ...` is a row below the pass.
        """
        hooks = self._run.hooks
        for hook in hooks.before_scope:
            hook(name)
        try:
            yield
        finally:
            for hook in hooks.after_scope:
                hook(name)

    def emit_error(self, message: str, op: Any = None) -> Diagnostic:
        """Report an error about `op` (by default the one that the pass runs on).

        The pass does not fail by it; raise `PassFailure` for that.

        Returns:
            The diagnostic, to attach notes to.
        """
        return self._report(Severity.ERROR, message, op)

    def emit_warning(self, message: str, op: Any = None) -> Diagnostic:
        """Report a warning about `op` (by default the one that the pass runs on)."""
        return self._report(Severity.WARNING, message, op)

    def emit_remark(self, message: str, op: Any = None) -> Diagnostic:
        """Report a remark about `op` (by default the one that the pass runs on)."""
        return self._report(Severity.REMARK, message, op)

    def emit(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic that came from elsewhere, such as another compiler."""
        self._run.emit(diagnostic)

    def _report(self, severity: Severity, message: str, op: Any) -> Diagnostic:
        about = self.op if op is None else op
        diagnostic = op_diagnostic(self._run.adapter, severity, message, about)
        self._run.emit(diagnostic)
        return diagnostic


def op_diagnostic(adapter: IRAdapter, severity: Severity, message: str, op: Any) -> Diagnostic:
    """Return a diagnostic about an op, located at the op or the nearest op around it."""
    location, place = UNKNOWN, op
    while place is not None and location == UNKNOWN:
        location, place = adapter.location(place), adapter.parent(place)
    return Diagnostic(
        severity,
        message,
        location,
        op=op,
        print_op=lambda: adapter.print_op(op, _FOR_DIAGNOSTICS),
    )
