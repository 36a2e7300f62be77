"""The context of the passes of one pipeline on one op, as the run loop fills it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from passel.analysis import AnalysisManager
from passel.diagnostics import Diagnostic
from passel.execution.op_state import OpState
from passel.execution.reports import Record
from passel.passes import PassContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.analysis.manager import A, AnalysisClass
    from passel.errors import Failure
    from passel.execution.analyses import AnalysisRunner
    from passel.execution.isolation import SiblingStates
    from passel.execution.outcome import Outcome
    from passel.execution.plans import Planner
    from passel.execution.services import RunServices
    from passel.hooks import Bracket, Measured
    from passel.ir import IRAdapter
    from passel.passes import Pass, PipelineRun, Statistic
    from passel.passes.context import PipelineTree
    from passel.schedule import Step


class Runner(Protocol):
    """Runs pipelines on ops.

    Attributes:
        services: What the run's parts share.
        planner: Decides which pipeline runs on which op.
        analyzer: Computes analyses.
    """

    services: RunServices
    planner: Planner
    analyzer: AnalysisRunner

    def branch(self, services: RunServices) -> Runner:
        """Return one for another thread."""
        ...

    def run_between_hooks(self, parent: Step, ctx: OpContext) -> Outcome:
        """Run the pipeline of a context, between its hooks."""
        ...

    def run_dynamic(self, ctx: OpContext, pipeline: PipelineTree, op: Any) -> PipelineRun:
        """Run a pipeline on the context's op, or on one inside."""
        ...

    def run_elsewhere(
        self, ctx: OpContext, pipeline: PipelineTree, op: Any, compiler: Any
    ) -> PipelineRun:
        """Run a pipeline on an op of another IR."""
        ...


class OpContext(PassContext[Any]):
    """The context of all passes of one pipeline on one op, one after the other.

    Its fields are the run loop's, which writes them for each pass and op: a method call each
    would cost as much as all of the rest.

    Args:
        runner: The run that it belongs to.
        op: The op.
        place: Where the op stands, as the IR's lifetime policy says.
        plan: The pipeline that is to run.
        parent: The context of the enclosing op; None at the top, and for dynamic pipelines.
        number: The op's number among the ops of the enclosing one.
        analyses: The op's analyses, for a dynamic pipeline.
        runs_for: The context of the pass that runs a dynamic pipeline, on the op of that pass.

    Attributes:
        runner: The run that it belongs to.
        runs_for: The context of the pass that runs the pipeline on its own op; None for others.
        parent: The context of the enclosing op.
        place: Where the op stands.
        plan: The pipeline that is running.
        number: The op's number among its siblings.
        step: The step that is running.
        preserved: Analyses that the pass preserves.
        preserves_all: Whether the pass says that it preserves everything.
        cached: The op's analyses, once one has been asked for.
        is_dynamic: Whether a pass runs the pipeline, rather than the schedule.
        record: What the pass has told; None if nothing.
        bracket: The hooks around the step that is running; None if nothing listens.
        failure: Why the step itself has failed, rather than a pass nested in it.
        op_state: What is known of the op's validity.
        siblings: States of the ops inside while nested pipelines run on them.
    """

    __slots__ = (
        "bracket",
        "cached",
        "failure",
        "is_dynamic",
        "number",
        "op_state",
        "parent",
        "place",
        "plan",
        "preserved",
        "preserves_all",
        "record",
        "runner",
        "runs_for",
        "siblings",
        "step",
    )

    def __init__(
        self,
        runner: Runner,
        op: Any,
        place: object,
        plan: Any,
        parent: OpContext | None = None,
        number: int = 0,
        analyses: AnalysisManager | None = None,
        runs_for: OpContext | None = None,
    ) -> None:
        self.op = op
        self.runs_for: OpContext | None = runs_for
        self.runner: Runner = runner
        self.parent: OpContext | None = parent
        self.place: object = place
        self.plan: Any = plan
        self.number: int = number
        self.step: Any = None
        self.preserved: set[object] | None = None
        self.preserves_all: bool = False
        self.record: Record | None = None
        self.bracket: Bracket | None = None
        self.failure: Failure | None = None
        self.op_state: OpState = OpState()
        self.siblings: SiblingStates | None = None
        self.cached: AnalysisManager | None = analyses
        self.is_dynamic: bool = analyses is not None
        if parent is not None and parent.cached is not None:
            # Enclosing passes may have asked for analyses of this op already.
            self.cached = parent.cached.known_child(op)

    @property
    def adapter(self) -> IRAdapter:
        """The adapter of the IR."""
        return self.runner.services.adapter

    @property
    def ir_context(self) -> Any:
        """The IR's own context."""
        return self.runner.services.compiler.context

    @property
    def path(self) -> str:
        """The path of the step that is running."""
        return self.step.path if self.step is not None else ""

    @property
    def state(self) -> Any:
        """Return value of the pass's `initialize` for this schedule."""
        return self.runner.services.states.get(self.step)

    @property
    def analyses(self) -> AnalysisManager:
        """The analyses of the op, with those of enclosing and nested ops."""
        if self.cached is None:
            if self.parent is None:
                self.cached = AnalysisManager(self.op, self.runner.analyzer)
            else:
                self.cached = self.parent.analyses.child(self.op, self.runner.analyzer)
        return self.cached

    def analysis(self, kind: AnalysisClass[A]) -> A:
        """Return an analysis of the op, computed now if it is not cached."""
        analyses = self.cached or self.analyses
        try:
            return analyses.results[kind]  # a cached analysis costs one lookup
        except KeyError:
            pass
        return analyses.analysis(kind)

    def cached_analysis(self, kind: AnalysisClass[A]) -> A | None:
        """Return an analysis of the op if it is cached."""
        return None if self.cached is None else self.cached.cached_analysis(kind)

    def preserve(self, *kinds: type) -> None:
        """State that these analyses of the op, and of ops inside, are still valid."""
        for kind in kinds:
            if not isinstance(kind, type):  # pyright: ignore[reportUnnecessaryIsInstance] - a stranger's
                raise TypeError(f"preserve takes the classes of analyses, not {kind!r}")
        self.preserved = (self.preserved or set()) | set(kinds)

    def preserve_all(self) -> None:
        """State that the pass changed nothing on this op."""
        self.preserves_all = True

    def answer_for_changes_outside(self) -> None:
        """Declare an intended change of the enclosing op."""
        self.op_state.last_valid = None
        if self.runs_for is not None:
            self.runs_for.answer_for_changes_outside()
        elif self.parent is not None and self.parent.siblings is not None:
            self.parent.siblings.accept_enclosing()

    def run_pipeline(self, pipeline: PipelineTree, op: Any = None) -> PipelineRun:
        """Run a pipeline on the pass's op, or on one inside of it, now."""
        if isinstance(pipeline, str):
            msg = "run_pipeline takes a pass manager, such as PassManager.parse(text), not text"
            raise TypeError(msg)
        return self.runner.run_dynamic(self, pipeline, self.op if op is None else op)

    def run_elsewhere(self, pipeline: PipelineTree, op: Any, compiler: Any) -> PipelineRun:
        """Run a pipeline on an op of another IR, which the pass has made from its own."""
        return self.runner.run_elsewhere(self, pipeline, op, compiler)

    @property
    def collects_statistics(self) -> bool:
        """Whether statistics were asked for, so that counting may cost time."""
        return self.runner.services.hooks.collects_statistics

    @property
    def measures(self) -> bool:
        """Whether the times of what the IR runs by itself are asked for."""
        return bool(self.runner.services.hooks.measures)

    def add_measured(self, times: Sequence[Measured]) -> None:
        """Tell the times of what the IR has run by itself for the step."""
        self.runner.services.hooks.on_measured(times)

    def count_by_name(self, name: str, amount: int) -> None:
        """Add to a statistic of the pass, which the IR has counted."""
        self.pending_reports().count((self.step.path, name), amount)

    def count(self, statistic: Statistic, amount: int = 1) -> None:
        """Add to one of the pass's statistics."""
        pass_: Pass[Any, Any] = self.step.pass_
        declared = pass_.statistics()
        if statistic not in declared or amount < 0:
            raise ValueError(_miscount(pass_, statistic, amount, declared))
        self.pending_reports().count((self.step.path, statistic.name), amount)

    def emit(self, diagnostic: Diagnostic) -> None:
        """Report a diagnostic when the pass ends, with the notes that it has then."""
        if not isinstance(diagnostic, Diagnostic):  # pyright: ignore[reportUnnecessaryIsInstance] - a stranger's
            msg = f"emit takes a Diagnostic, not {diagnostic!r}; emit_error and its kin take text"
            raise TypeError(msg)
        self.pending_reports().diagnostics.append(diagnostic)

    def pending_reports(self) -> Record:
        """Return the record of what the pass has told, to add to it."""
        if self.record is None:
            self.record = Record()
        return self.record


def _miscount(
    pass_: Any, statistic: Statistic, amount: int, declared: tuple[Statistic, ...]
) -> str:
    if statistic in declared:
        return f"statistic '{statistic.name}' cannot grow by {amount}: amounts are not negative"
    names = ", ".join(f"'{each.name}'" for each in declared) or "none"
    return (
        f"pass '{pass_.name or pass_.display_name}' does not declare statistic "
        f"'{getattr(statistic, 'name', statistic)}' (it declares {names}); declare it in the "
        "class body"
    )
