"""The base class of instrumentations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import refuse_cpp_names

if TYPE_CHECKING:
    from pathlib import Path

    from passel.errors import Failure
    from passel.hooks.observed_run import Run
    from passel.passes import PassContext
    from passel.passes.outcome import Outcome
    from passel.schedule import Pipeline, Step


class Ended(NamedTuple):
    """The result of an observed step, in `PassInstrumentation.ended`.

    Attributes:
        failed: Whether the step failed.
        failure: The failure of the step itself; None if only a nested pass failed.
        skipped: Whether a gate skipped the step.
        changed: Whether a successful pass changed the fingerprint of its op. False if no
            instrumentation sets `finds_changes`.
        outcome: The counts, reports and failures of the step; None if the event was not a step.
        context: The context of a step, with its claims and analyses; None if the event was not a
            step, or was interrupted.
    """

    failed: bool = False
    failure: Failure | None = None
    skipped: bool = False
    changed: bool = False
    outcome: Outcome | None = None
    context: PassContext[Any] | None = None


LOCK = "_PassInstrumentation__lock"
"""The attribute of an instrumentation that holds the lock of its hooks."""


class PassInstrumentation:
    """The base class of observers of runs. Override the hooks that you need.

    Each call of a `before_*` hook is followed by one call of its `after_*` hook, even after a
    failure or an interrupt. `before_*` hooks of several instrumentations are called in the order of
    registration, and `after_*` hooks in reverse. Hooks that are not overridden cost nothing. Two
    threads never call the hooks of one object at the same time.

    If a hook raises an exception, the exception is logged once, the instrumentation is not called
    again in this run, and the run continues. If a hook around a pass or an analysis raises a
    `PassFailure`, the pass fails.

    Attributes:
        run: The current run; the innermost run if passes start other runs.
        ended: The result of the step, in `after_*` hooks.
        timing: The value of `RunResult.timing`, if the instrumentation measures time.
        reproducer: The value of `PassFailedError.reproducer`, if the instrumentation writes a file.
        run_record: The value of `RunResult.record` and `PassFailedError.record`, if the
            instrumentation records runs.
        collects_statistics: Whether passes collect statistics that take time to count. Several of
            the IR's own passes may still run in one call.
        finds_changes: Whether `Ended.changed` is needed. For each pass that is not verified, this
            takes an additional fingerprint.
        finds_violations: Whether the run detects passes that change sibling ops, even if the
            adapter does not detect changes.
        flag: The flag of passel-opt that adds the instrumentation to a replay; empty if there is
            none.
        crosses: Whether the instrumentation also observes pipelines on ops of another IR inside
            passes. For these ops, it must use the adapter of the innermost run.

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

    Source: `mlir::PassInstrumentation`, MLIR 22, which skips `runAfterPipeline` after a failure,
    and has no hooks for runs and verification.
    """

    run: Run
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
        """Refuse hooks with MLIR's C++ names, which are never called."""
        super().__init_subclass__(**kwargs)
        refuse_cpp_names(cls)

    def split(self) -> PassInstrumentation | None:
        """Return an instrumentation for a part of a run in another process or thread.

        The result is pickled, observes its part of the run, and is pickled again to return it.
        `merge` receives the parts in program order. If the result is None, the default, the whole
        run uses only the current process and thread.
        """
        return None

    def merge(self, child: Any) -> None:
        """Add the observations of a part that `split` returned."""

    def __getstate__(self) -> dict[str, Any]:
        """Exclude the run and the lock from copies and pickles."""
        return {n: value for n, value in vars(self).items() if n not in {LOCK, "run", "ended"}}

    def before_run(self, run: Run) -> None:
        """Observe the start of a run, before passes are initialized."""

    def after_run(self, run: Run, *, failed: bool) -> None:
        """Observe the end of a run, even after an interrupt."""

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Observe the start of a nested pipeline on `op`; `parent` is the step that runs it."""

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Observe the end of a nested pipeline on `op`."""

    def before_pass(self, step: Step, op: Any) -> None:
        """Observe the start of a pass, or of a step that runs nested pipelines, on `op`."""

    def after_pass(self, step: Step, op: Any) -> None:
        """Observe that a step has succeeded, including verification, or that a gate skipped it."""

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Observe that a step has failed.

        Args:
            step: The step that failed.
            op: The op that the step ran on.
            failure: The failure; None if only a nested pass has failed. After an interrupt, the
                failure of the innermost step.
        """

    def before_verification(self, step: Step, op: Any) -> None:
        """Observe the start of verification after a step, unless it is skipped."""

    def after_verification(self, step: Step, op: Any) -> None:
        """Observe the end of verification, even if the op is invalid."""

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Observe the start of the computation of an analysis that is not cached."""

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Observe that an analysis was computed or has raised an exception."""

    def on_failure(self, failure: Failure) -> None:
        """Observe a failure when it is reported. Failures are reported in program order."""
