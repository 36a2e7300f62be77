"""Hooks: how one watches a run without taking part in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from passel.diagnostics import log_exception

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from passel.errors import Failure
    from passel.schedule import Pipeline, Step


class PassInstrumentation:
    """Base class of what observes runs; override the hooks that you need.

    Every `before_*` is followed by exactly one of its `after_*`, also on failure. With
    several instrumentations, before-hooks run in the order of registration and after-hooks
    in reverse. Hooks that are not overridden cost nothing. An instrumentation that raises is
    reported once in the log `passel` and not called again; the run goes on.

    Source: `mlir::PassInstrumentation`, MLIR 22, where `runAfterPipeline` is skipped on
    failure.
    """

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Called before a nested pipeline starts on `op`; `parent` is the step that runs it."""

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Called when a nested pipeline ends on `op`."""

    def before_pass(self, step: Step, op: Any) -> None:
        """Called before a pass, or a step that runs nested pipelines, starts on `op`."""

    def after_pass(self, step: Step, op: Any) -> None:
        """Called when it has succeeded, verification included."""

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Called when it has failed; `failure` is None if only a nested pass did."""

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Called before an analysis is computed; not when it is found in the cache."""

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Called when it has been computed, or has raised."""


Hooks: TypeAlias = "tuple[Callable[..., None], ...]"


class Instrumentor:
    """The hooks of several instrumentations, one tuple of callables per hook."""

    def __init__(self, instrumentations: Iterable[PassInstrumentation] = ()) -> None:
        ordered = tuple(instrumentations)
        self._broken: set[int] = set()
        self.before_pipeline: Hooks = self._hooks(ordered, "before_pipeline")
        self.before_pass: Hooks = self._hooks(ordered, "before_pass")
        self.before_analysis: Hooks = self._hooks(ordered, "before_analysis")
        self.after_analysis: Hooks = self._hooks(ordered[::-1], "after_analysis")
        self.after_pipeline: Hooks = self._hooks(ordered[::-1], "after_pipeline")
        self.after_pass: Hooks = self._hooks(ordered[::-1], "after_pass")
        self.after_pass_failed: Hooks = self._hooks(ordered[::-1], "after_pass_failed")

    def _hooks(self, instrumentations: Iterable[PassInstrumentation], name: str) -> Hooks:
        default = getattr(PassInstrumentation, name)
        return tuple(
            self._guarded(instrumentation, getattr(instrumentation, name))
            for instrumentation in instrumentations
            if getattr(type(instrumentation), name) is not default
        )

    def _guarded(
        self, instrumentation: PassInstrumentation, hook: Callable[..., None]
    ) -> Callable[..., None]:
        def call(*args: Any, **kwargs: Any) -> None:
            if id(instrumentation) in self._broken:
                return
            try:
                hook(*args, **kwargs)
            except Exception:  # noqa: BLE001 - observing never changes how a run goes
                self._broken.add(id(instrumentation))
                name = type(instrumentation).__name__
                log_exception(f"instrumentation {name} raised and is disabled for this run")

        return call
