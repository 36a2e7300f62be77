"""Hooks: how one watches a run without taking part in it."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from passel.diagnostics import log_exception

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.ir import IRAdapter
    from passel.schedule import PassStep, Pipeline, Step


class Run(Protocol):
    """What an instrumentation may ask of the run that it observes.

    Attributes:
        adapter: Answers for the IR.
        ir_context: The IR's own context.
        op: What the pipeline runs on.
        pipeline: The pipeline as it runs, adjacent nested pipelines merged.
        outer: The run whose pass this run is a part of, on ops of another IR; else None.
        verifies: Whether the IR is verified after passes.
        counts: Statistics so far, by the pass's path and the statistic's name.
        failures: Every failure so far that fails the run.
    """

    adapter: IRAdapter
    ir_context: Any
    op: Any
    pipeline: Pipeline
    outer: Run | None
    verifies: bool
    counts: Mapping[tuple[str, str], int]
    failures: Sequence[Failure]

    def emit(self, diagnostic: Diagnostic, /) -> None:
        """Report a diagnostic."""
        ...

    def note(self, text: str, /) -> None:
        """Add a note to the exception that the run will raise."""
        ...


class PassInstrumentation:
    """Base class of what observes runs; override the hooks that you need.

    Every `before_*` is followed by exactly one of its `after_*`, also on failure and when an
    interrupt ends the run. With several instrumentations, before-hooks run in the order of
    registration and after-hooks in reverse. Hooks that are not overridden cost nothing. Hooks
    of one object never overlap, whatever threads they are called from. An instrumentation that
    raises is reported once in the log `passel` and not called again; the run goes on.

    Attributes:
        timing: What `RunResult.timing` is to be, of an instrumentation that measures time.
        reproducer: What `PassFailedError.reproducer` is to be, of one that writes a file.
        collects_statistics: Whether passes are to count also what costs time to count.
        overlaps: Whether its hooks may be called while another thread is in one of them, which
            spares a lock.
        crosses: Whether it also observes what passes run on ops of another IR. It has to ask
            the adapter of the innermost run about them, or nothing at all.
        watches_passes: Whether it has to see each pass. If no instrumentation does, an IR may
            run several passes as one, which its hooks then see as one.

    Source: `mlir::PassInstrumentation`, MLIR 22, where `runAfterPipeline` is skipped on
    failure, and which has no hooks for runs, verification and change.
    """

    timing: Any = None
    reproducer: Path | None = None
    collects_statistics: bool = False
    overlaps: bool = False
    crosses: bool = False
    watches_passes: bool = True

    def split(self) -> PassInstrumentation | None:
        """Return what observes a part of a run in another process.

        It is pickled, sees the hooks of that part, is pickled back and given to `merge`,
        parts in program order. None, the default, leaves that part unobserved.
        """
        return None

    def merge(self, child: PassInstrumentation) -> None:
        """Take over what the result of `split` has observed, as if it had happened now."""

    def __getstate__(self) -> dict[str, Any]:
        """Leave the lock that hooks share behind when it is copied or pickled."""
        return {name: value for name, value in vars(self).items() if name != _LOCK}

    def before_run(self, run: Run) -> None:
        """Called first, before passes are initialized."""

    def after_run(self, run: Run, *, failed: bool) -> None:
        """Called last, also when an interrupt ends the run."""

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Called before a nested pipeline starts on `op`; `parent` is the step that runs it."""

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Called when a nested pipeline ends on `op`."""

    def before_pass(self, step: Step, op: Any) -> None:
        """Called before a pass, or a step that runs nested pipelines, starts on `op`."""

    def after_pass(self, step: Step, op: Any) -> None:
        """Called when it has succeeded, verification included."""

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Called when it has failed.

        Args:
            step: What has failed.
            op: On what.
            failure: Why; None if only a nested pass has failed. An interrupt is the failure of
                all steps that it ends.
        """

    def pass_skipped(self, step: Step, op: Any) -> None:
        """Called between the hooks of a step that a gate keeps from running."""

    def after_change(self, step: PassStep, op: Any) -> None:
        """Called before `after_pass` if the pass has changed the op, found by fingerprint."""

    def before_verification(self, step: Step, op: Any) -> None:
        """Called before the op is verified after a step; not when that is skipped."""

    def after_verification(self, step: Step, op: Any) -> None:
        """Called when it has been verified, whatever the outcome."""

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Called before an analysis is computed; not when it is found in the cache."""

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Called when it has been computed, or has raised."""

    def before_scope(self, name: str) -> None:
        """Called before a part of a pass that the pass has named."""

    def after_scope(self, name: str) -> None:
        """Called after it."""


_LOCK = "_PassInstrumentation__lock"

Hooks: TypeAlias = "tuple[Callable[..., None], ...]"


class Instrumentor:
    """The hooks of several instrumentations, one tuple of callables per hook."""

    def __init__(self, instrumentations: Iterable[PassInstrumentation] = ()) -> None:
        ordered = tuple(instrumentations)
        inward, outward = ordered, ordered[::-1]
        self.watches_passes: bool = any(
            each.watches_passes and _has_pass_hooks(each) for each in ordered
        )
        self._all = ordered
        self._broken: set[int] = set()
        self.collects_statistics: bool = any(each.collects_statistics for each in ordered)
        self.before_run: Hooks = self._hooks(inward, "before_run")
        self.before_pipeline: Hooks = self._hooks(inward, "before_pipeline")
        self.before_pass: Hooks = self._hooks(inward, "before_pass")
        self.pass_skipped: Hooks = self._hooks(inward, "pass_skipped")
        self.before_verification: Hooks = self._hooks(inward, "before_verification")
        self.before_analysis: Hooks = self._hooks(inward, "before_analysis")
        self.before_scope: Hooks = self._hooks(inward, "before_scope")
        self.after_scope: Hooks = self._hooks(outward, "after_scope")
        self.after_analysis: Hooks = self._hooks(outward, "after_analysis")
        self.after_verification: Hooks = self._hooks(outward, "after_verification")
        self.after_change: Hooks = self._hooks(outward, "after_change")
        self.after_pass: Hooks = self._hooks(outward, "after_pass")
        self.after_pass_failed: Hooks = self._hooks(outward, "after_pass_failed")
        self.after_pipeline: Hooks = self._hooks(outward, "after_pipeline")
        self.after_run: Hooks = self._hooks(outward, "after_run")

    def crossing(self) -> Instrumentor:
        """Return the hooks for a run on ops of another IR, inside of a pass."""
        return Instrumentor(
            each for each in self._all if each.crosses and id(each) not in self._broken
        )

    def _hooks(self, instrumentations: Sequence[PassInstrumentation], name: str) -> Hooks:
        if not instrumentations:
            return ()  # most runs are short, and not watched
        default = getattr(PassInstrumentation, name)
        return tuple(
            self._guarded(instrumentation, name)
            for instrumentation in instrumentations
            if getattr(type(instrumentation), name) is not default
        )

    def _guarded(self, instrumentation: PassInstrumentation, name: str) -> Callable[..., None]:
        broken, key = self._broken, id(instrumentation)
        hook: Callable[..., None] = getattr(instrumentation, name)

        def disable() -> None:
            broken.add(key)
            what = type(instrumentation).__name__
            log_exception(f"instrumentation {what} raised and is disabled for this run")

        def call_for_pass(step: Step, op: Any) -> None:
            if broken and key in broken:
                return
            try:
                hook(step, op)
            except Exception:  # noqa: BLE001 - observing never changes how a run goes
                disable()

        def call(*args: Any, **kwargs: Any) -> None:
            if key in broken:
                return
            try:
                hook(*args, **kwargs)
            except Exception:  # noqa: BLE001 - observing never changes how a run goes
                disable()

        if instrumentation.overlaps:
            # The hooks that are called most often are to be as fast as can be.
            return call_for_pass if name in ("before_pass", "after_pass") else call
        lock = _lock_of(instrumentation)

        def call_alone(*args: Any, **kwargs: Any) -> None:
            with lock:
                call(*args, **kwargs)

        return call_alone


def _has_pass_hooks(instrumentation: PassInstrumentation) -> bool:
    """Tell whether any hook but those around the run is overridden."""
    kind = type(instrumentation)
    return any(
        getattr(kind, name) is not getattr(PassInstrumentation, name)
        for name in vars(PassInstrumentation)
        if name.startswith(("before_", "after_")) and not name.endswith("_run")
    )


def _lock_of(instrumentation: PassInstrumentation) -> AbstractContextManager[object]:
    """Return the lock of an object, the same in all runs that it observes.

    Reentrant: what a hook calls may call another hook.
    """
    return vars(instrumentation).setdefault(_LOCK, RLock())
