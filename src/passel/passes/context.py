"""The context of a pass: its interface to the run."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any, Generic, Protocol

from passel.analysis import AnalysisManager
from passel.diagnostics import Diagnostic, Severity
from passel.passes.op_facts import OpFacts, op_diagnostic
from passel.passes.outcome import PipelineRun, Record
from passel.passes.remarks import RemarkEmitter

if TYPE_CHECKING:
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


_NOTHING: frozenset[type] = frozenset()


class PipelineTree(Protocol):
    """A pass manager that a pass can run."""

    @property
    def anchor(self) -> str:
        """The name of the ops that the pipeline runs on, or `any`."""
        ...


class PassContext(Generic[StateT]):
    """The interface of a pass to the run.

    The context is valid only during `Pass.run`; do not keep a reference to it.

    All passes of a pipeline on one op share a context. The run sets every attribute except `op`.

    Attributes:
        op: The op that the pass runs on.
        run: The run, a `passel.execution.Run`.
        plan: The part of the pipeline that runs on ops of this kind.
        parent: The context of the enclosing op; None at the top and for dynamic pipelines.
        number: The number of the op among its siblings.
        place: The place of the op, as the IR's lifetime policy defines it.
        step: The current step.
        preserved: The analyses that the pass preserves.
        preserves_all: Whether the pass claims to preserve everything.
        is_verified: Whether the pass verified the op.
        valid_state: The op's fingerprint when it was last valid; None if not known.
        deferred: The steps since then, whose claims to preserve everything are not verified yet.
        record: The pass's counts and reports; None if there are none.
        failure: The failure of the step itself, as opposed to a pass nested in it.
        cached: The op's analyses; None until a pass requests one.
        caller: The context of the pass that runs the pipeline; None if it is not dynamic.
        level: The nested ops, while nested pipelines run on them.

    Source: `mlir::detail::PassExecutionState`, MLIR 22.
    """

    def __init__(
        self,
        run: Any,
        op: Any,
        place: object,
        plan: Any,
        parent: PassContext[Any] | None = None,
        number: int = 0,
    ) -> None:
        self.op: Any = op
        self.run: Any = run
        self.place: object = place
        self.plan: Any = plan
        self.parent: PassContext[Any] | None = parent
        self.number: int = number
        self.step: Any = None
        self.preserved: frozenset[type] = _NOTHING
        self.preserves_all: bool = False
        self.is_verified: bool = False
        self.valid_state: object = None
        self.deferred: list[Any] = []
        self.record: Record | None = None
        self.failure: Failure | None = None
        self.caller: PassContext[Any] | None = None
        self.level: Any = None
        # Enclosing passes may have asked for analyses of this op already.
        known = None if parent is None else parent.cached
        self.cached: AnalysisManager | None = None if known is None else known.known_child(op)

    @property
    def adapter(self) -> IRAdapter:
        """The adapter of the op's IR."""
        return self.run.adapter

    @property
    def ir_context(self) -> Any:
        """The IR's own context: `xdsl.context.Context`, `mlir.ir.Context`."""
        return self.run.ir_context

    @property
    def path(self) -> str:
        """The pass's path in the pipeline, such as `builtin.module/func.func/0:cse`."""
        return self.step.path

    @property
    def state(self) -> StateT:
        """The result of the pass's `initialize` for this schedule."""
        return self.run.states.get(self.step)

    def about(self, op: Any = None) -> OpFacts:
        """Return facts about an op, by default the pass's own, in the same form for every IR.

        Example:
            >>> from passel import Pass, PassManager
            >>> from passel.testing import ToyAdapter, parse_toy
            >>> class Show(Pass):
            ...     def run(self, op, ctx):
            ...         about = ctx.about()
            ...         print(about.name, about.symbol, about.location, about.text)
            >>> pm = PassManager("toy.func", adapter=ToyAdapter()).add(Show())
            >>> _ = pm.run(parse_toy("toy.func @f(toy.op)"))
            toy.func f <unknown>:0 toy.func @f(toy.op)
        """
        return OpFacts(self.adapter, self.op if op is None else op)

    # -- Analyses ---------------------------------------------------------------------------

    @property
    def analyses(self) -> AnalysisManager:
        """The analyses of the op, with those of enclosing and nested ops."""
        if self.cached is None:
            if self.parent is None:
                self.cached = AnalysisManager(self.op, self.adapter, self.run.compute)
            else:
                self.cached = self.parent.analyses.child(self.op, self.run.compute)
        return self.cached

    def analysis(self, kind: AnalysisClass[A]) -> A:
        """Return an analysis of the op; compute it if it is not cached.

        Args:
            kind: A class that is constructed from `(op)` or `(op, analyses)`.

        Source: `mlir::Pass::getAnalysis`, MLIR 22.
        """
        return self.analyses.analysis(kind)

    def cached_analysis(self, kind: AnalysisClass[A]) -> A | None:
        """Return an analysis of the op if it is cached.

        Source: `mlir::Pass::getCachedAnalysis`, MLIR 22.
        """
        return None if self.cached is None else self.cached.cached_analysis(kind)

    def parent_analysis(self, kind: AnalysisClass[A], op: Any = None) -> A | None:
        """Return an analysis of an enclosing op if it is cached. The analysis may be stale.

        Args:
            kind: The analysis.
            op: The ancestor; by default the immediately enclosing op.

        Source: `mlir::Pass::getCachedParentAnalysis`, MLIR 22.
        """
        return self.analyses.parent_analysis(kind, op)

    def child_analysis(self, kind: AnalysisClass[A], op: Any) -> A:
        """Return an analysis of a nested op; compute it if it is not cached.

        Raises:
            ValueError: `op` is not nested in the pass's op.

        Source: `mlir::Pass::getChildAnalysis`, MLIR 22.
        """
        return self.analyses.child_analysis(kind, op)

    def cached_child_analysis(self, kind: AnalysisClass[A], op: Any) -> A | None:
        """Return an analysis of an immediately nested op, if it is cached.

        Source: `mlir::Pass::getCachedChildAnalysis`, MLIR 22.
        """
        return self.analyses.cached_child_analysis(kind, op)

    def preserve(self, *kinds: type) -> None:
        """Mark analyses of the op and of nested ops as preserved.

        Source: `mlir::Pass::markAnalysesPreserved`, MLIR 22.
        """
        for kind in kinds:
            if not isinstance(kind, type):  # pyright: ignore[reportUnnecessaryIsInstance] - a stranger's
                raise TypeError(f"preserve takes analysis classes, not {kind!r}")
        self.preserved |= set(kinds)

    def preserve_all(self) -> None:
        """Mark all analyses as preserved, because the pass did not change the op.

        All analyses remain cached, and verification is deferred to the end of the op's pipeline.
        `PassManager.enable_analysis_verifier` checks the claim.

        Source: `mlir::Pass::markAllAnalysesPreserved`, MLIR 22.
        """
        self.preserves_all = True

    def answer_for_changes_outside(self) -> None:
        """Declare that the pass changed the enclosing op intentionally.

        A pass must call this method if it adds symbols next to its op, which is otherwise
        forbidden. The enclosing op counts as changed, and later changes are detected relative to
        its current state.
        """
        self.valid_state = None
        if self.caller is not None and self.caller.op == self.op:
            self.caller.answer_for_changes_outside()
        elif self.parent is not None and self.parent.level is not None:
            self.parent.level.accept_enclosing()

    def fingerprint(self) -> object:
        """Return a fingerprint of the op, which stays the same until the op changes.

        Source: `mlir::OperationFingerPrint`, MLIR 22.
        """
        return self.adapter.fingerprint(self.op)

    # -- Dynamic pipelines ------------------------------------------------------------------

    def run_pipeline(self, pipeline: PipelineTree, op: Any = None) -> PipelineRun:
        """Run a pipeline on the pass's op, or on a nested op.

        Hooks, statistics and verification work as for a nested pipeline. On the pass's own op, the
        pipeline uses and invalidates the pass's analyses. When the pipeline ends, only analyses
        that the classes of all its passes preserve remain cached. A failure of the pipeline is
        reported, but does not fail the pass.

        Args:
            pipeline: An `OpPassManager`, which is compiled again only after it has changed.
            op: The op, by default the pass's own.

        Returns:
            The result, which is true if the pipeline succeeded.

        Raises:
            AnchorError: The pipeline has another anchor, or cannot be scheduled.

        Source: `mlir::Pass::runPipeline`, MLIR 22.
        """
        if isinstance(pipeline, str):
            msg = "run_pipeline takes a pass manager, such as PassManager.parse(text), not text"
            raise TypeError(msg)
        return self.run.run_dynamic(self, pipeline, self.op if op is None else op)

    # -- Reports ----------------------------------------------------------------------------

    @property
    def collects_statistics(self) -> bool:
        """Whether the run collects statistics; if not, passes may skip expensive counting."""
        return self.run.hooks.collects_statistics

    def count(self, statistic: Statistic, amount: int = 1) -> None:
        """Add to one of the pass's statistics.

        Args:
            statistic: A statistic that the pass's class body declares.
            amount: The amount to add, not negative.

        Raises:
            ValueError: The pass does not declare the statistic, or the amount is negative.
        """
        pass_ = self.step.pass_
        if statistic not in pass_.statistics():
            names = ", ".join(f"'{each.name}'" for each in pass_.statistics()) or "none"
            raise ValueError(
                f"pass '{pass_.short_name}' does not declare statistic "
                f"'{getattr(statistic, 'name', statistic)}' (it declares {names}); declare it in "
                "the class body"
            )
        if amount < 0:
            raise ValueError(f"statistic '{statistic.name}' cannot be increased by {amount}")
        self.count_by_name(statistic.name, amount)

    def count_by_name(self, name: str, amount: int) -> None:
        """Add to a statistic that the IR's own pass counted."""
        counts, key = self.recorded().counts, (self.step.path, name)
        counts[key] = counts.get(key, 0) + amount

    @property
    def remark(self) -> RemarkEmitter:
        """The emitter of optimization remarks, which is false if remarks are disabled.

        Example: `ctx.remark.missed("vectorized", loop, reason="a call inside")`.
        """
        return RemarkEmitter(self)

    def emit(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic from another source, such as another compiler."""
        if not isinstance(diagnostic, Diagnostic):  # pyright: ignore[reportUnnecessaryIsInstance] - a stranger's
            msg = f"emit takes a Diagnostic, not {diagnostic!r}; emit_error and others take text"
            raise TypeError(msg)
        self.recorded().diagnostics.append(diagnostic)

    def recorded(self) -> Record:
        """Return the counts and reports of the pass, which callers add to."""
        if self.record is None:
            self.record = Record()
        return self.record

    def emit_error(self, message: str, op: Any = None) -> Diagnostic:
        """Report an error about `op` (by default the pass's own).

        The pass does not fail. To fail it, raise `PassFailure`.

        Returns:
            The diagnostic. The error is reported when the pass ends, and notes can be attached
            until then.
        """
        return self._report(Severity.ERROR, message, op)

    def emit_warning(self, message: str, op: Any = None) -> Diagnostic:
        """Report a warning about `op` (by default the pass's own)."""
        return self._report(Severity.WARNING, message, op)

    def emit_remark(self, message: str, op: Any = None) -> Diagnostic:
        """Report a remark about `op` (by default the pass's own)."""
        return self._report(Severity.REMARK, message, op)

    def _report(self, severity: Severity, message: str, op: Any) -> Diagnostic:
        about = self.op if op is None else op
        diagnostic = op_diagnostic(self.adapter, severity, message, about)
        self.emit(diagnostic)
        return diagnostic
