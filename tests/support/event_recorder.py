"""Instrumentations that record the calls to their hooks."""

# ruff: noqa: D102 - each method records the call

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.hooks import PassInstrumentation
from passel.schedule import PassStep

if TYPE_CHECKING:
    from passel.errors import Failure
    from passel.hooks import ObservedRun
    from passel.schedule import Pipeline, Step


class EventRecorder(PassInstrumentation):
    """An instrumentation that records calls to the hooks for pipelines, passes and analyses.

    The recorder appends a line such as `before-pass cse @f` for each call to a hook.
    `FullEventRecorder` records all hooks.

    Attributes:
        events: The recorded lines, in order.
    """

    def __init__(self) -> None:
        self.events: list[str] = []

    def _record(self, event: str, what: str, op: Any) -> None:
        adapter = self.run.adapter
        symbol = adapter.symbol_name(op)
        name = f"@{symbol}" if symbol else adapter.kind_of(op).name
        self.events.append(f"{event} {what} {name}")

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        self._record("before-pipeline", pipeline.anchor, op)

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        self._record("after-pipeline" + "-failed" * failed, pipeline.anchor, op)

    def before_pass(self, step: Step, op: Any) -> None:
        self._record("before-pass", _name(step), op)

    def after_pass(self, step: Step, op: Any) -> None:
        self._record("after-pass", _name(step), op)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        self._record("after-pass-failed", _name(step), op)

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        self._record("before-analysis", name, op)

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        self._record("after-analysis", name, op)


class FullEventRecorder(EventRecorder):
    """An event recorder that also records runs, verification, changes and skipped passes."""

    def before_run(self, run: ObservedRun) -> None:
        self._record("before-run", run.pipeline.anchor, run.op)

    def after_run(self, run: ObservedRun, *, failed: bool) -> None:
        self._record("after-run" + "-failed" * failed, run.pipeline.anchor, run.op)

    finds_changes = True

    def after_pass(self, step: Step, op: Any) -> None:
        """Record the call, and note if the pass was skipped or if the op changed."""
        if self.ended.skipped:
            self._record("pass-skipped", _name(step), op)
        elif self.ended.changed:
            self._record("after-change", _name(step), op)
        super().after_pass(step, op)

    def before_verification(self, step: Step, op: Any) -> None:
        self._record("before-verification", _name(step), op)

    def after_verification(self, step: Step, op: Any) -> None:
        self._record("after-verification", _name(step), op)


def _name(step: Step) -> str:
    if isinstance(step, PassStep):
        return step.pass_.name
    return f"[{','.join(pipeline.anchor for pipeline in step.pipelines)}]"
