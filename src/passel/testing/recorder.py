"""A recorder of hooks, for tests of passes and instrumentations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.hooks import PassInstrumentation
from passel.schedule import PassStep

if TYPE_CHECKING:
    from passel.errors import Failure
    from passel.hooks import Run
    from passel.schedule import Pipeline, Step


class EventRecorder(PassInstrumentation):
    """Records hooks as lines of text, such as `before-pass cse @f`.

    Those of pipelines, passes and analyses; `FullEventRecorder` records all.

    Attributes:
        events: The lines so far.
    """

    def __init__(self) -> None:
        self.events: list[str] = []

    def _record(self, event: str, what: str, op: Any) -> None:
        adapter = self.run.adapter
        symbol = adapter.symbol_name(op)
        name = f"@{symbol}" if symbol else adapter.kind_of(op).name
        self.events.append(f"{event} {what} {name}")

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Record it."""
        self._record("before-pipeline", pipeline.anchor, op)

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Record it."""
        self._record("after-pipeline" + "-failed" * failed, pipeline.anchor, op)

    def before_pass(self, step: Step, op: Any) -> None:
        """Record it."""
        self._record("before-pass", _name(step), op)

    def after_pass(self, step: Step, op: Any) -> None:
        """Record it."""
        self._record("after-pass", _name(step), op)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Record it."""
        self._record("after-pass-failed", _name(step), op)

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Record it."""
        self._record("before-analysis", name, op)

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Record it."""
        self._record("after-analysis", name, op)


class FullEventRecorder(EventRecorder):
    """Records the hooks of runs, verification, change and skipped steps as well."""

    def before_run(self, run: Run) -> None:
        """Record it."""
        self._record("before-run", run.pipeline.anchor, run.op)

    def after_run(self, run: Run, *, failed: bool) -> None:
        """Record it."""
        self._record("after-run" + "-failed" * failed, run.pipeline.anchor, run.op)

    finds_changes = True

    def after_pass(self, step: Step, op: Any) -> None:
        """Record it, and whether it was skipped or has changed the op."""
        if self.ended.skipped:
            self._record("pass-skipped", _name(step), op)
        elif self.ended.changed:
            self._record("after-change", _name(step), op)
        super().after_pass(step, op)

    def before_verification(self, step: Step, op: Any) -> None:
        """Record it."""
        self._record("before-verification", _name(step), op)

    def after_verification(self, step: Step, op: Any) -> None:
        """Record it."""
        self._record("after-verification", _name(step), op)


def _name(step: Step) -> str:
    if isinstance(step, PassStep):
        return step.pass_.name
    return f"[{','.join(pipeline.anchor for pipeline in step.pipelines)}]"
