"""The context of a pass: the interface through which the pass accesses the run."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any, Generic, Protocol

from passel.analysis import EVERYTHING, AnalysisManager
from passel.diagnostics import Diagnostic, Severity
from passel.passes.outcome import PipelineRun, Record
from passel.passes.remarks import RemarkEmitter, op_diagnostic

if TYPE_CHECKING:
    # Only for its default: a plain `PassContext` is that of a pass without state.
    from typing_extensions import TypeVar

    from passel.analysis.manager import A, AnalysisClass
    from passel.errors import Failure
    from passel.ir import IRAdapter
    from passel.passes.statistics import Statistic

    StateT = TypeVar("StateT", default=None)
else:
    StateT = typing.TypeVar("StateT")


class PipelineTree(Protocol):
    """The protocol of pass managers that a pass can run as dynamic pipelines."""

    @property
    def anchor(self) -> str:
        """The name of the ops that the pipeline runs on, or `any`."""
        ...


class PassContext(Generic[StateT]):
    """The context of a running pass: the object through which the pass accesses the run.

    The context is valid only during `Pass.run`; do not keep a reference to it.

    All passes that a pipeline runs on one op share one context. Of the attributes below, passes use
    only `op`. The run uses and changes the others.

    Attributes:
        op: The op that the pass runs on.
        run: The current run, a `passel.execution.Run`.
        plan: The plan for running the pipeline on the op. The plan lists the steps that can run on
            the op.
        parent: The context of the enclosing op; None for the op on which a run or a dynamic
            pipeline starts.
        number: The index of the op among its siblings, starting at 0.
        place: The result of `IRAdapter.place_of` for the op, computed before the pipeline ran.
        step: The step of the pipeline that is running: a `PassStep` or a `NestedStep`.
        preserved: The classes of the analyses that the pass has marked as preserved; the object
            `EVERYTHING` after `preserve_all`.
        is_verified: Whether the op needs no verification after the pass, because the pass itself
            has verified the op, or because the run verifies nothing.
        valid_state: The fingerprint that the op had when it was last valid; None if unknown.
        deferred: The steps after which verification was deferred, because their passes claimed to
            preserve all analyses.
        record: The counts and reports of the pass; None if the pass has not reported anything.
        failure: The failure of the running step itself, as opposed to the failure of a nested pass;
            None if the step itself has not failed.
        cached: The analyses of the op; None until a pass requests an analysis.
        siblings: While nested pipelines run, the ops that they run on, as a `Siblings` object;
            otherwise None.

    Source: `mlir::detail::PassExecutionState`, MLIR 22.
    """

    # Defaults of the class, since a run creates a context for each op.
    step: Any = None
    preserved: frozenset[type] = frozenset()
    is_verified: bool = False
    valid_state: object = None
    record: Record | None = None
    failure: Failure | None = None
    siblings: Any = None

    def __init__(
        self, run: Any, op: Any, plan: Any, parent: PassContext[Any] | None = None, number: int = 0
    ) -> None:
        self.op: Any = op
        self.run: Any = run
        self.place: object = run.adapter.place_of(op)
        self.plan: Any = plan
        self.parent: PassContext[Any] | None = parent
        self.number: int = number
        self.deferred: list[Any] = []
        # Enclosing passes may have requested analyses of this op already.
        known = None if parent is None else parent.cached
        self.cached: AnalysisManager | None = None if known is None else known.known_child(op)

    @property
    def adapter(self) -> IRAdapter:
        """The adapter of the op's IR."""
        return self.run.adapter

    @property
    def ir_context(self) -> Any:
        """The context of the IR, such as `xdsl.context.Context` or `mlir.ir.Context`."""
        return self.run.ir_context

    @property
    def path(self) -> str:
        """The path of the pass in the pipeline, such as `builtin.module/func.func/0:cse`."""
        return self.step.path

    @property
    def state(self) -> StateT:
        """The state that the pass's `initialize` returned."""
        return self.step.state

    # -- Analyses ---------------------------------------------------------------------------

    @property
    def analyses(self) -> AnalysisManager:
        """The op's analysis manager, which also finds analyses of enclosing and nested ops."""
        if self.cached is None:
            if self.parent is None:
                self.cached = AnalysisManager(self.op, self.adapter, self.run.compute)
            else:
                self.cached = self.parent.analyses.child(self.op, self.run.compute)
        return self.cached

    def analysis(self, kind: AnalysisClass[A]) -> A:
        """Return an analysis of the op, computing the analysis if it is not cached.

        Args:
            kind: The class of the analysis, whose constructor takes `(op)` or `(op, analyses)`.

        Source: `mlir::Pass::getAnalysis`, MLIR 22.
        """
        return self.analyses.analysis(kind)

    def cached_analysis(self, kind: AnalysisClass[A]) -> A | None:
        """Return the cached analysis of the op, or None if the analysis is not cached.

        Source: `mlir::Pass::getCachedAnalysis`, MLIR 22.
        """
        return None if self.cached is None else self.cached.cached_analysis(kind)

    def parent_analysis(self, kind: AnalysisClass[A], op: Any = None) -> A | None:
        """Return the cached analysis of an enclosing op, or None if the analysis is not cached.

        The analysis may be stale, since passes may have changed ops in the enclosing op.

        Args:
            kind: The class of the analysis.
            op: The enclosing op; by default the immediately enclosing op.

        Source: `mlir::Pass::getCachedParentAnalysis`, MLIR 22.
        """
        return self.analyses.parent_analysis(kind, op)

    def child_analysis(self, kind: AnalysisClass[A], op: Any) -> A:
        """Return an analysis of a nested op, computing the analysis if it is not cached.

        Raises:
            ValueError: `op` is not nested in the op of the pass.

        Source: `mlir::Pass::getChildAnalysis`, MLIR 22.
        """
        return self.analyses.child_analysis(kind, op)

    def cached_child_analysis(self, kind: AnalysisClass[A], op: Any) -> A | None:
        """Return the cached analysis of an immediately nested op, or None if none is cached.

        Source: `mlir::Pass::getCachedChildAnalysis`, MLIR 22.
        """
        return self.analyses.cached_child_analysis(kind, op)

    def preserve(self, *kinds: type) -> None:
        """Mark analyses of the given classes as preserved, for the op and its nested ops.

        Source: `mlir::Pass::markAnalysesPreserved`, MLIR 22.
        """
        if self.preserved is not EVERYTHING:
            self.preserved |= set(kinds)

    def preserve_all(self) -> None:
        """Claim that the pass did not change the op, and mark all analyses as preserved.

        All analyses remain cached, and verification is deferred until the pipeline on the op ends.
        `PassManager.enable_analysis_verifier` makes the run check the claim.

        Source: `mlir::Pass::markAllAnalysesPreserved`, MLIR 22.
        """
        self.preserved = EVERYTHING

    def fingerprint(self) -> object:
        """Return a fingerprint of the op. The fingerprint stays equal until the op changes.

        Source: `mlir::OperationFingerPrint`, MLIR 22.
        """
        return self.adapter.fingerprint(self.op)

    # -- Dynamic pipelines ------------------------------------------------------------------

    def run_pipeline(self, pipeline: PipelineTree, op: Any = None) -> PipelineRun:
        """Run a pipeline on the op of the pass or on a nested op.

        Hooks, statistics and verification work as for a nested pipeline. If the pipeline runs on
        the op of the pass, it uses and invalidates the cached analyses of that op. After the
        pipeline has run, only analyses that every pass of the pipeline lists in `preserves` remain
        cached. A failure of the pipeline is reported, but does not make the calling pass fail. The
        requirements of passes (`Pass.requires`) are not checked.

        Args:
            pipeline: The `OpPassManager` to run. The manager is compiled again only if it has
                changed since its last run.
            op: The op to run the pipeline on; by default the op of the pass.

        Returns:
            The result, which is truthy if the pipeline succeeded. The pipeline fails without
            running if `op` is not nested in the op of the pass.

        Raises:
            TypeError: `pipeline` is not a pass manager, but for example text.
            AnchorError: The anchor of the pipeline does not match `op`, a pass cannot run on the
                anchor of its manager, or a pass is for another IR.
            EffectsError: A pass of the pipeline has an effect that the run does not allow.
            DefinitionError: The class of a pass in the pipeline is incomplete; see
                `Pass.check_complete`. If the pipeline was parsed from text, the error is a
                `PipelineError` instead.

        Source: `mlir::Pass::runPipeline`, MLIR 22.
        """
        return self.run.run_dynamic(self, pipeline, self.op if op is None else op)

    # -- Reports ----------------------------------------------------------------------------

    @property
    def collects_statistics(self) -> bool:
        """Whether the run collects statistics; if not, passes may skip expensive counting."""
        return self.run.hooks.collects_statistics

    def count(self, statistic: Statistic, amount: int = 1) -> None:
        """Increase a statistic of the pass.

        Args:
            statistic: A statistic that the class of the pass declares.
            amount: The amount to add, which must not be negative.

        Raises:
            ValueError: The pass does not declare the statistic, or the amount is negative.
        """
        pass_ = self.step.pass_
        if statistic not in pass_.statistics():
            raise ValueError(f"{statistic!r} is not declared in the class of '{pass_.short_name}'")
        if amount < 0:
            raise ValueError(f"statistic '{statistic.name}' cannot be increased by {amount}")
        self.recorded().counts[self.step.path, statistic.name] += amount

    @property
    def remark(self) -> RemarkEmitter:
        """The emitter of optimization remarks. The emitter is falsy if remarks are disabled.

        Example: `ctx.remark.missed("vectorized", loop, reason="a call inside")`.
        """
        return RemarkEmitter(self)

    def emit(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic from another source, such as another compiler."""
        if not isinstance(diagnostic, Diagnostic):  # pyright: ignore[reportUnnecessaryIsInstance] - authors err
            msg = f"emit takes a Diagnostic, not {diagnostic!r}; to report text, use emit_error"
            raise TypeError(msg)
        self.recorded().diagnostics.append(diagnostic)

    def recorded(self) -> Record:
        """Return the pass's record, to which callers add counts and reports."""
        if self.record is None:
            self.record = Record()
        return self.record

    def emit_error(self, message: str, op: Any = None) -> Diagnostic:
        """Report an error about `op`, by default the op of the pass.

        The error does not make the pass fail. To fail, raise `PassFailure`.

        Returns:
            The diagnostic, which is reported when the pass ends. Until then, notes can be attached
            to the diagnostic.
        """
        return self._report(Severity.ERROR, message, op)

    def emit_warning(self, message: str, op: Any = None) -> Diagnostic:
        """Report a warning about `op`, by default the op of the pass."""
        return self._report(Severity.WARNING, message, op)

    def emit_remark(self, message: str, op: Any = None) -> Diagnostic:
        """Report a remark about `op`, by default the op of the pass."""
        return self._report(Severity.REMARK, message, op)

    def _report(self, severity: Severity, message: str, op: Any) -> Diagnostic:
        about = self.op if op is None else op
        diagnostic = op_diagnostic(self.adapter, severity, message, about)
        self.emit(diagnostic)
        return diagnostic
