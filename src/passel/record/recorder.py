"""An instrumentation that records runs."""

from __future__ import annotations

from copy import copy
from time import perf_counter
from typing import TYPE_CHECKING, Any

from passel.hooks import PassInstrumentation
from passel.instruments.reproducer import replay_command
from passel.record.model import StepInfo, diagnostic_data, failure_data
from passel.record.reader import Record
from passel.record.recorded_run import Frame, RecordedRun
from passel.record.writer import PartLog, RecordFile
from passel.schedule import PassStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from passel.errors import Failure
    from passel.hooks import ObservedRun
    from passel.passes.outcome import Outcome
    from passel.record.writer import Log, RecordedOp
    from passel.schedule import Step


class Recorder(PassInstrumentation):
    """An instrumentation that records runs in a file, which `Record` reads.

    The start and the end of each execution of a pass are written immediately. Executions in a
    worker are written when the worker returns its results. The text of an op is written whenever
    the op has changed.

    Args:
        path: The path of the file, which is overwritten if it exists.
        command_line: The command and its arguments; by default, the command line of the process.

    Attributes:
        finds_changes: Whether to detect changes by fingerprints. If false, the op is printed after
            each pass that does not report whether the op changed. For some IRs, printing is as fast
            as computing fingerprints.
    """

    crosses = True  # hooks refer to the innermost run
    finds_changes = True

    def __init__(self, path: str | Path, *, command_line: Sequence[str] | None = None) -> None:
        self._start(RecordFile(path, command_line))

    def _start(self, log: Log) -> None:
        self._log: Log = log
        self._pipeline = self._source = ""
        self._replay: Sequence[str] = ()
        self._runs: list[RecordedRun] = []
        self._spent = 0.0  # the seconds that recording took
        self._steps: dict[Step, StepInfo] = {}
        self._part_of: Frame | None = None
        self._told: set[int] = set()

    # -- Public methods ----------------------------------------------------------------------

    @property
    def run_record(self) -> Record | None:
        """The record of the runs; None in a worker. The file is read on first use of the record."""
        return Record(self._log.path) if isinstance(self._log, RecordFile) else None

    def prepare(self, pipeline: str, source: str, replay: Sequence[str]) -> None:
        """Describe the top-level runs that follow this call.

        Args:
            pipeline: The text of the pipeline, as the user wrote it.
            source: The name of the input.
            replay: The command to which the flags for a replay are added; see `RunInfo.replay`.
        """
        self._pipeline, self._source, self._replay = pipeline, source, replay

    # -- Workers in other threads and processes -------------------------------------------------

    def split(self) -> Recorder:
        """Create a recorder for the part of the run that a worker executes."""
        child = copy(self)
        child._start(PartLog())
        frame = self._runs[-1].frames[-1]
        child._part_of = Frame(frame.at_work, frame.lists_ops)
        return child

    def merge(self, child: Recorder) -> None:
        """Add the executions that a worker recorded."""
        assert isinstance(child._log, PartLog)  # noqa: S101 - a worker has it
        for digest, content in child._log.texts.items():
            self._log.text(digest, content)
        depth = 0
        for event in child._log.events:
            depth += ("begin" in event) - ("total" in event)
            is_outermost = "total" in event and depth == 0
            self._log.write({**event, "apart": 1} if is_outermost else event)

    # -- Hooks -----------------------------------------------------------------------------------

    def before_run(self, run: ObservedRun) -> None:
        """Record the pipeline and the top-level op of the run."""
        share = None if self._runs else self._part_of
        recorded = RecordedRun(run, self._log.text, share or Frame())
        if share is None:
            self._log.write({"run": self._run_facts(run, recorded)})
        self._runs.append(recorded)

    def after_run(self, run: ObservedRun, *, failed: bool) -> None:
        """Record the end of the run, with its failures."""
        self._runs.pop()
        self._steps.clear()
        if not self._runs:
            self._told.clear()
        if self._runs or self._part_of is None:
            failures = [*map(failure_data, run.outcome.failures)]
            self._log.write({"end": failures, "notes": run.notes})

    def before_pass(self, step: Step, op: Any) -> None:
        """Record the start of a pass on an op."""
        run, started = self._runs[-1], self._now()
        outer, facts = run.frames[-1], run.facts_of(op)
        if outer.at_work is not None or (isinstance(step, PassStep) and not outer.lists_ops):
            self._changed(run, facts, op)
        amid = None if outer.at_work == facts.ordinals else outer.at_work
        if isinstance(step, PassStep):
            known = self._steps.get(step) or self._steps.setdefault(step, _facts_of(step))
            self._log.write({"begin": known, "of": facts} | ({"amid": 1} if amid else {}))
            frame = Frame(amid or facts.ordinals, place=run.place_of(op), started=started)
        else:
            frame = Frame(amid, run.is_apart(op))
        run.frames.append(frame)
        self._go_on(started)

    def after_pass(self, step: Step, op: Any) -> None:
        """Record the end of a pass on an op, with its changes to the op."""
        self.after_pass_failed(step, op, None)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Record the end of a pass that failed, with its changes to the op."""
        run, now = self._runs[-1], self._now()
        frame, outcome = run.frames.pop(), self.ended.outcome
        if isinstance(step, PassStep):
            self._end(run, step, op, now - frame.started, frame.place)
        elif not frame.lists_ops and (outcome is None or outcome.changed is not False):
            self._changed(run, run.facts_of(op), op)
        self._go_on(now)

    def _end(self, run: RecordedRun, step: Step, op: Any, total: float, place: object) -> None:
        ended, outcome = self.ended, self.ended.outcome
        data: dict[str, Any] = {"total": round(total, 7)}
        if ended.skipped:
            data["status"] = "skipped"
        if outcome is not None:
            data |= self._reports(step, outcome)
        if ended.failure is not None:
            data["failure"] = failure_data(ended.failure)
        if ended.failed or ended.changed or (outcome and outcome.changed is None):
            # Without a status, readers see from the text whether the op has changed.
            data["after"] = run.text_of(op) if run.place_of(op) == place else None
            if ended.failed or ended.changed:
                data["status"] = "failed" if ended.failed else "changed"
        self._log.write(data)

    def _now(self) -> float:
        """Return the time in seconds on a clock that stands still while the recorder works."""
        return perf_counter() - self._spent

    def _go_on(self, now: float) -> None:
        """Let the clock go on from a time at which it stood still."""
        self._spent = perf_counter() - now

    def _changed(self, run: RecordedRun, facts: RecordedOp, op: Any) -> None:
        self._log.write({"state": facts.ordinals, "after": run.text_of(op)})

    # -- Recorded facts --------------------------------------------------------------------------

    def _run_facts(self, run: ObservedRun, recorded: RecordedRun) -> dict[str, Any]:
        schedule, steps = str(run.pipeline), [*passes_of(run.pipeline)]
        is_outer = not self._runs
        return {
            "ir": run.adapter.build_name(),
            "version": dict(run.adapter.versions()),
            "pipeline": (is_outer and self._pipeline) or schedule,
            "schedule": schedule,
            "steps": [*map(_facts_of, steps)],
            "source": self._source if is_outer else "",
            "replay": replay_command(run, steps, self._replay) if is_outer else (),
            "before": recorded.text_of(run.op),
        }

    def _reports(self, step: Step, outcome: Outcome) -> dict[str, Any]:
        """Return the statistics and diagnostics of a pass, without those of passes that it ran."""
        data: dict[str, Any] = {}
        if counts := {name: n for (path, name), n in outcome.counts.items() if path == step.path}:
            data["counts"] = counts
        if told := [each for each in outcome.diagnostics if id(each) not in self._told]:
            self._told.update(map(id, told))
            data["diagnostics"] = [diagnostic_data(each) for each in told]
        return data


def _facts_of(step: PassStep) -> StepInfo:
    return StepInfo(step.path, step.pass_.name, step.title)
