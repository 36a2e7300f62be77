"""Pass managers that can be run, and the results of runs.

A run compiles the pipeline to a schedule and never changes the manager.
"""

from __future__ import annotations

from copy import copy
from operator import call, is_
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from passel.diagnostics import logger
from passel.errors import AdapterError, PassFailedError
from passel.execution import Run
from passel.execution.strategies import Jobs, own_threads, strategy_for
from passel.hooks import Instrumentor
from passel.ir import ANY, adapter_for
from passel.ir.adapters import entered_context, running_on
from passel.manager.settings import RunSettings
from passel.passes.op_pass_manager import Nesting, OpPassManager
from passel.passes.resolution import names_for
from passel.pipeline import parse_pipeline
from passel.schedule import passes_of
from passel.schedule.compiler import PipelineCompiler

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Executor

    from passel.diagnostics import Diagnostic, OptimizationRemark
    from passel.instruments.timing import Timer
    from passel.ir import IRAdapter
    from passel.passes import Pass, PassRegistry
    from passel.record import Record
    from passel.schedule import Pipeline


class PassManager(RunSettings, OpPassManager):
    """A pass manager with an IR context and with settings for its runs.

    Args:
        anchor: The anchor of the pipeline: an op name, an op class, or `any`.
        context: The context of the IR. The default is the current context, such as the one that
            `with mlir.ir.Context():` enters. If there is no current context, the default is the
            context of the op that the pipeline runs on. If the op has none, the default is a new
            context.
        adapter: The adapter of the IR. The argument is required only if no installed package
            registers an adapter for the IR.
        registry: The registry that resolves pass names; by default `default_registry()`.
        nesting: How to treat passes whose anchor differs from the manager's anchor.
        check: Whether unmet requirements of passes (`Pass.requires`) are errors when the pipeline
            is compiled. Set `check` to False if the manager will be added to a larger pipeline, in
            which other passes may meet the requirements.

    Example:
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> module = parse_toy("toy.module(toy.func @f)")
        >>> PassManager("toy.module", adapter=ToyAdapter()).run(module).changed
        False

    Source: `mlir::PassManager`, MLIR 22. Methods have the same names as in MLIR's Python bindings.
    """

    def __init__(
        self,
        anchor: str | type = ANY,
        context: Any = None,
        *,
        adapter: IRAdapter | None = None,
        registry: PassRegistry | None = None,
        nesting: Nesting = Nesting.EXPLICIT,
        check: bool = True,
    ) -> None:
        OpPassManager.__init__(self, anchor, nesting=nesting)
        RunSettings.__init__(self)
        self._checks = check
        self.context: Any = entered_context(adapter) if context is None else context
        self._adapter = adapter
        self.registry: PassRegistry | None = names_for(adapter, self.context, registry)
        self._compiler: PipelineCompiler | None = None

    def _empty_copy(self) -> Self:
        other = type(self)(self.anchor, self.context, adapter=self._adapter, nesting=self.nesting)
        other.registry = self.registry
        other._checks = self._checks
        for name in vars(RunSettings()):
            setattr(other, name, copy(getattr(self, name)))
        return other

    @classmethod
    def parse(
        cls,
        text: str,
        context: Any = None,
        *,
        registry: PassRegistry | None = None,
        adapter: IRAdapter | None = None,
        flat_anchor: str | None = None,
        name: str = "<pass-pipeline>",
        check: bool = True,
    ) -> Self:
        """Parse the text of a pipeline, and return a manager for the pipeline.

        Args:
            text: The text of a pipeline, such as `builtin.module(func.func(cse))`.
            context: The context of the IR; see `PassManager`.
            registry: The registry that resolves pass names; by default `default_registry()`.
            adapter: The adapter of the IR; see `PassManager`.
            flat_anchor: The anchor to use if the text has none, as in `cse,canonicalize`; by
                default, text without an anchor is an error.
            name: The name of the text in error messages.
            check: Whether unmet requirements of passes are errors; see `PassManager`.

        Raises:
            PipelineError: The text is invalid. The attribute `problems` of the error lists the
                mistakes, each with its span in the text.

        Source: `mlir::parsePassPipeline`, MLIR 22.
        """
        node = parse_pipeline(text, name=name, flat_anchor=flat_anchor)
        manager = cls(node.anchor, context, adapter=adapter, registry=registry, check=check)
        return manager.add(*node.elements)

    def check(self, adapter: IRAdapter | None = None) -> None:
        """Check the pipeline without running it. `run` also performs these checks.

        This method accepts the name of an unregistered op as the anchor of this manager, since
        `run` accepts unregistered ops. Only `run` compares the anchor with the name of an op.

        Args:
            adapter: The adapter of the IR; by default the adapter of the manager or of its context.

        Raises:
            AnchorError: A pass cannot run on the anchor of its manager, an anchor is not isolated
                from above, the anchor of a nested pipeline is unknown, or a pass is for another
                IR.
            EffectsError: A pass has an effect that is not allowed.
            ContractError: A requirement of a pass is not met.
            AdapterError: The manager has neither an adapter nor a context.
        """
        self._compiled(adapter)

    def passes_by_path(self, adapter: IRAdapter | None = None) -> Mapping[str, Pass[Any]]:
        """Return a mapping from paths to passes, in execution order.

        Reports, statistics and records identify passes by their paths. Passes of dynamic pipelines
        are not included, since they have paths only while the dynamic pipelines run.

        Args:
            adapter: The adapter of the IR; see `check`.

        Raises:
            PasselError: The pipeline is invalid; see `check`.

        Example:
            >>> from passel.manager.combinators import CompositeFixedPoint
            >>> from passel.testing import ToyAdapter
            >>> pm = PassManager("toy.module", adapter=ToyAdapter()).add(CompositeFixedPoint())
            >>> list(pm.passes_by_path())
            ['toy.module/0:composite-fixed-point-pass']
        """
        return {step.path: step.pass_ for step in passes_of(self._compiled(adapter))}

    def _compiled(self, adapter: IRAdapter | None) -> Pipeline:
        chosen = adapter or self._adapter
        if chosen is None and self.context is None:
            raise AdapterError(
                "cannot check a pipeline without knowing its IR: call check(adapter), or create "
                "the manager with a context of the IR, PassManager(anchor, context)"
            )
        chosen = chosen or adapter_for(self.context)
        return self._compiler_for(chosen).schedule(self)

    def run(
        self,
        op: Any,
        *,
        on_diagnostic: Callable[[Diagnostic], None] | None = None,
        jobs: Jobs | None = None,
        executor: Executor | None = None,
    ) -> RunResult:
        """Run the pipeline on `op`, which the passes change in place.

        Args:
            op: A valid op that matches the anchor.
            on_diagnostic: A function that receives every diagnostic as soon as it is reported. By
                default, the logger `passel` logs the diagnostics after the run, except those that
                the raised error already shows.
            jobs: The maximum number of processes for nested pipelines, and of threads for MLIR's
                own passes; `"auto"` for the number of processors. The default is the value of the
                environment variable `PASSEL_JOBS`. If this variable is not set, nested pipelines
                run in one process, and MLIR's threads are not limited. Ops that cannot be sent to
                a worker process stay in the current process. In worker processes, changes that
                passes make outside the IR are lost.
            executor: An executor that runs nested pipelines, such as a `ThreadPoolExecutor`. With
                an executor, the ops that nested pipelines run on are divided among `jobs` workers.

        Raises:
            AnchorError: The name of `op` differs from the anchor of this manager, or `check` would
                raise an `AnchorError`. No pass has run.
            ContractError: A requirement of a pass is not met. No pass has run.
            PassFailedError: A pass failed. The changes of all passes that ran remain in the IR.
        """
        __tracebackhide__ = True  # in tracebacks that pytest and IPython show
        adapter = self._adapter or adapter_for(op)
        compiler = self._compiler_for(adapter, op)
        compiler.check_fits(self, adapter.kind_of(op))
        strategy = strategy_for(jobs, executor)
        makers = filter(None, self._enabled.values())
        with adapter.alone_in(compiler.context, own_threads(jobs) if executor is None else None):
            run = Run(
                compiler,
                Instrumentor([*self._instrumentations, *map(call, makers)]),
                on_diagnostic,
                verify=self._verify,
                remarks=self._remarks,
                gates=self._gates,
                strategy=strategy,
            )
            try:
                with running_on(adapter, compiler.context):
                    run.run(compiler.schedule(self), adapter.op_of(op))
                return _result(run)
            except BaseException as error:  # also an interrupt
                for note in run.notes:
                    error.add_note(note)
                raise
            finally:
                if on_diagnostic is None and run.outcome.diagnostics:
                    _log(run)

    def _compiler_for(self, adapter: IRAdapter, op: Any = None) -> PipelineCompiler:
        """Return the compiler, which caches schedules, for the context of an op or the manager."""
        context = None if op is None else adapter.context_of(op)
        if context is None and self.context is None:
            self.context = adapter.create_context()
        context = self.context if context is None else context
        known, needed = self._compiler, (adapter, context, self._guard)
        if known is None or not all(map(is_, needed, (known.adapter, known.context, known.guard))):
            self._compiler = known = PipelineCompiler(*needed, checks=self._checks)
        return known


class RunResult(NamedTuple):
    """The result of a successful run.

    Attributes:
        changed: Whether any pass changed the IR; None if unknown. On MLIR, or if verification is
            disabled, the run does not detect changes.
        diagnostics: The diagnostics of all passes, in program order.
        statistics: The statistics that are not zero, as `{path of the pass: {name of the statistic:
            count}}`.
        timing: The tree of timers, if an instrumentation such as `Timing` observed the run;
            otherwise None.
        record: The record of the run, if an instrumentation such as `Recorder` observed the run;
            otherwise None.
    """

    changed: bool | None
    diagnostics: tuple[Diagnostic, ...]
    statistics: Mapping[str, Mapping[str, int]]
    timing: Timer | None = None
    record: Record | None = None

    @property
    def remarks(self) -> tuple[OptimizationRemark, ...]:
        """The optimization remarks among the diagnostics; see `PassManager.enable_remarks`."""
        return tuple(d.remark for d in self.diagnostics if d.remark is not None)


def _result(run: Run) -> RunResult:
    """Return the result of a run.

    Raises:
        PassFailedError: The run failed.
    """
    __tracebackhide__ = True
    outcome, statistics = run.outcome, run.outcome.statistics()
    record, timing = run.hooks.first("run_record"), run.hooks.first("timing")
    if outcome.failures:
        error = PassFailedError(outcome.failures, outcome.diagnostics)
        error.reproducer = run.hooks.first("reproducer")
        error.record, error.statistics, error.timing = record, statistics, timing
        raise error from outcome.failures[0].cause
    return RunResult(outcome.changed, outcome.diagnostics, statistics, timing, record)


def _log(run: Run) -> None:
    """Log the diagnostics that the error raised by a run does not show."""
    shown = {id(failure.diagnostic) for failure in run.outcome.failures}
    shown |= set(map(id, run.concluding))
    log = logger()
    for each in run.outcome.diagnostics:
        if id(each) not in shown:
            getattr(log, each.severity.value, log.info)("%s", each)  # info: remarks and notes
