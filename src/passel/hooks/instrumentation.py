"""The base class of instrumentations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import refuse_cpp_names

if TYPE_CHECKING:
    from pathlib import Path

    from passel.errors import Failure
    from passel.hooks.observed_run import ObservedRun
    from passel.passes import PassContext
    from passel.passes.outcome import Outcome
    from passel.schedule import Pipeline, Step


class Ended(NamedTuple):
    """The result of an observed event, such as a step.

    Hooks find the result in `PassInstrumentation.ended`.

    Attributes:
        failed: Whether the event failed.
        failure: The failure of the step itself; None if only a pass in a nested pipeline failed.
            After an interrupt, the failure of the pass that was interrupted.
        skipped: Whether a gate skipped the step.
        changed: Whether a successful pass changed the fingerprint of its op. The value is reliable
            only if an instrumentation sets `finds_changes`; otherwise, it is False for each op
            whose fingerprints were not compared.
        outcome: The statistics, diagnostics and failures of the step; None if the event is not a
            step.
        context: The `PassContext` of the step, which contains the preserved analyses; None after an
            interrupt, or if the event is not a step.
    """

    failed: bool = False
    failure: Failure | None = None
    skipped: bool = False
    changed: bool = False
    outcome: Outcome | None = None
    context: PassContext[Any] | None = None


LOCK = "_PassInstrumentation__lock"
"""The name of the attribute that stores the lock of an instrumentation."""


class PassInstrumentation:
    """The base class of instrumentations. A subclass overrides the hooks that it needs.

    Each call to a `before_*` hook is followed by one call to the corresponding `after_*` hook, even
    after a failure or an interrupt. The `before_*` hooks of several instrumentations are called in
    the order of registration, and the `after_*` hooks in reverse order. Hooks that are not
    overridden cost nothing. Two threads never call hooks of the same instrumentation at the same
    time.

    If a hook raises an exception, the exception is logged once, the instrumentation is disabled for
    the rest of the run, and the run continues. However, if a hook around a pass or an analysis
    raises a `PassFailure`, the pass fails.

    Attributes:
        run: The current run; the innermost run if passes start other runs.
        ended: The result of the event that has ended, for use in `after_*` hooks.
        timing: The value of `RunResult.timing`; None if the instrumentation measures no time.
        reproducer: The value of `PassFailedError.reproducer`; None if the instrumentation has
            written no reproducer.
        run_record: The value of `RunResult.record` and `PassFailedError.record`; None if the
            instrumentation records no runs.
        collects_statistics: Whether passes collect statistics that are expensive to compute. The
            adapter may still run several of the IR's own passes in one call.
        finds_changes: Whether the run determines which passes changed their op, and sets
            `Ended.changed`. This costs an additional fingerprint of the op after each pass that is
            not followed by verification.
        finds_violations: Whether the run detects a pass that changes siblings of its op. If true,
            this detection works even if the adapter disables the detection of changes.
        flag: The passel-opt flag that adds the instrumentation to a replay; an empty string if
            passel-opt has no such flag.
        crosses: Whether the instrumentation also observes pipelines that passes run on ops of
            another IR. In hooks for ops of another IR, the instrumentation must use the adapter of
            `run`, which is then the run on that IR.

    Example:
        >>> from passel import PassManager
        >>> from passel.manager.combinators import register
        >>> from passel.passes import PassRegistry
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> class Outline(PassInstrumentation):
        ...     depth = 0
        ...
        ...     def before_pass(self, step, op):
        ...         print("  " * self.depth + step.title)
        ...         self.depth += 1
        ...
        ...     def after_pass(self, step, op):
        ...         self.depth -= 1
        ...
        ...     def after_pass_failed(self, step, op, failure):
        ...         self.depth -= 1
        >>> registry = PassRegistry()
        >>> register(registry)
        >>> pipeline = "toy.module(toy.func(composite-fixed-point-pass))"
        >>> pm = PassManager.parse(pipeline, registry=registry, adapter=ToyAdapter())
        >>> pm.add_instrumentation(Outline())
        >>> _ = pm.run(parse_toy("toy.module(toy.func @f)"))
        toy.module
          composite-fixed-point-pass

    Source: `mlir::PassInstrumentation`, MLIR 22. MLIR does not call `runAfterPipeline` after a
        failure, and has no hooks for runs and verification.
    """

    run: ObservedRun
    ended: Ended
    timing: Any = None
    reproducer: Path | None = None
    run_record: Any = None
    collects_statistics: bool = False
    finds_changes: bool = False
    finds_violations: bool = False
    flag: str = ""
    crosses: bool = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Reject hooks with MLIR's C++ names, which passel never calls."""
        super().__init_subclass__(**kwargs)
        hooks = [e for e in vars(PassInstrumentation) if e.startswith(("before_", "after_"))]
        refuse_cpp_names(cls, {f"run{hook.title().replace('_', '')}": hook for hook in hooks})

    def split(self) -> PassInstrumentation | None:
        """Return a new instrumentation that observes the part of the run that a worker executes.

        The new instrumentation must be picklable, so that a worker process can send it back. Later,
        `merge` is called for each new instrumentation, in program order. If `split` returns None,
        which is the default, the run uses no workers.
        """
        return None

    def merge(self, child: Any) -> None:
        """Add the observations of `child`, an instrumentation that `split` returned."""

    def __getstate__(self) -> dict[str, Any]:
        """Exclude the run, the last result and the lock from copies and pickles."""
        return {n: value for n, value in vars(self).items() if n not in {LOCK, "run", "ended"}}

    def before_run(self, run: ObservedRun) -> None:
        """Observe the start of a run, before the passes are initialized."""

    def after_run(self, run: ObservedRun, *, failed: bool) -> None:
        """Observe the end of a run, even if the run was interrupted."""

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Observe that the step `parent` starts to run a nested pipeline on `op`."""

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Observe that the step `parent` has finished running a nested pipeline on `op`."""

    def before_pass(self, step: Step, op: Any) -> None:
        """Observe that a step, which runs a pass or nested pipelines, starts to run on `op`."""

    def after_pass(self, step: Step, op: Any) -> None:
        """Observe that a step and its verification succeeded, or that a gate skipped the step."""

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Observe that a step on `op` has failed.

        Args:
            step: The step that failed.
            op: The op that the step ran on.
            failure: The failure of the step; None if only a pass in a nested pipeline has failed.
                After an interrupt, `failure` is the failure of the innermost step.
        """

    def before_verification(self, step: Step, op: Any) -> None:
        """Observe the start of the verification of `op` after a step."""

    def after_verification(self, step: Step, op: Any) -> None:
        """Observe the end of the verification of `op`, whether `op` is valid or not."""

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Observe that the run starts to compute an analysis that is not cached."""

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Observe that an analysis was computed, or that the computation raised an exception."""
