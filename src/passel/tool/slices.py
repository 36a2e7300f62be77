"""Some slices of a source, from text to text, and what passes have reported and counted on each."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.hooks import PassInstrumentation
from passel.schedule import PassStep
from passel.store import Report, looks_beside
from passel.tool.part import Part
from passel.tool.reports import PartReports

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure
    from passel.instruments.timing import Timing
    from passel.ir.frontend import SliceFrontend, SourcePart
    from passel.manager import PassManager
    from passel.schedule import Pipeline, Step
    from passel.tool.settings import Settings
    from passel.tool.shared import Shared

_ON_SLICES = 2
"""Steps around one that is a pass on a slice, with itself: the other one nests pipelines."""


class SliceResults(NamedTuple):
    """The results of some slices.

    Attributes:
        emitted: What their frontend emits.
        reports: What passes have reported and counted, by the numbers of the slices.
        seconds: The processor time that they took.
        timing: The times of their run, if they were measured.
        refusal: Why they cannot be kept; empty if they can.
    """

    emitted: bytes
    reports: Mapping[int, Report]
    seconds: float
    timing: Timing | None
    refusal: str


def process_slices(
    source: SourcePart, shared: Shared, frontend: SliceFrontend
) -> SliceResults | None:
    """Return the results of slices; None if there is something to report that is about none.

    Args:
        source: The whole source.
        shared: Services and settings of all parts of the input.
        frontend: The frontend that reads and prints the slices.
    """
    said: list[Diagnostic] = []
    observer = SliceObserver(frontend, counts=shared.settings.reports.mlir_pass_statistics)
    reports = SliceReports(shared.settings, observer)
    shared.reports.part = lambda: reports  # of this process, which does nothing else
    part = Part(source, replace(shared, jobs=1, progress=None, frontend=frontend), said.append)
    before = process_time()
    try:
        emitted = part.process()
    except Exception:  # noqa: BLE001 - it is raised again when the whole is processed
        return None
    if not isinstance(emitted, bytes) or len(said) != observer.count:
        return None
    seconds = process_time() - before
    return SliceResults(emitted, observer.reports, seconds, reports.timing, observer.refusal)


class SliceObserver(PassInstrumentation):
    """Takes what passes report and count on each slice, and holds them to their ops.

    Args:
        frontend: The frontend of the slices.
        counts: Whether statistics are asked for.

    Attributes:
        reports: What passes have reported and counted, by the numbers of the slices.
        count: How many diagnostics there were.
        refusal: Why results cannot be kept; empty if they can.
    """

    def __init__(self, frontend: SliceFrontend, *, counts: bool) -> None:
        self._frontend = frontend
        self.collects_statistics: bool = counts
        self.reports: dict[int, Report] = {}
        self.count: int = 0
        self.refusal: str = ""
        self._depth = 0
        self._nested = 0

    def before_pass(self, step: Step, op: Any) -> None:
        """Guard a pass."""
        self._depth += 1
        self._nested += self._depth < _ON_SLICES
        if self._depth == _ON_SLICES and step.pass_ is not None:
            self._frontend.guard.is_armed = looks_beside(step.pass_)

    def after_pass(self, step: Step, op: Any) -> None:
        """Take what it leads to."""
        guard, outcome = self._frontend.guard, self.ended.outcome
        if self._depth == _ON_SLICES and outcome is not None:
            guard.is_armed = False
            if guard.has_noticed and not self.refusal:
                self.refusal = f"pass '{step.title}' looks at more than its op"
            self._take(op, outcome.diagnostics, outcome.counts)
        self._depth -= 1

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Take what it leads to."""
        self.after_pass(step, op)

    def before_verification(self, step: Step, op: Any) -> None:
        """Let verification look at all ops."""
        self._armed, self._frontend.guard.is_armed = self._frontend.guard.is_armed, False

    def after_verification(self, step: Step, op: Any) -> None:
        """Go on as before."""
        self._frontend.guard.is_armed = self._armed

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Refuse the pipeline of a pass whose statistics would be reported below it."""
        if isinstance(parent, PassStep) and self.collects_statistics:
            self.refusal = f"pass '{parent.title}' runs a pipeline, which has statistics"

    def _take(self, op: Any, diagnostics: Any, counts: Mapping[tuple[str, str], int]) -> None:
        self.count += len(diagnostics)
        if diagnostics and self._nested > 1:
            self.refusal = "a nested pipeline that is not the first reports something"
        index = self._frontend.slice_of(op)
        if index is not None and (diagnostics or counts):
            known = self.reports.get(index, Report())
            both = Counter(known.counts)
            both.update(counts)
            self.reports[index] = Report((*known.diagnostics, *diagnostics), both)


class SliceReports(PartReports):
    """Observers of some slices, which report nothing themselves."""

    def __init__(self, settings: Settings, observer: SliceObserver) -> None:
        super().__init__(settings, sys.stderr, None, None)
        self._observer = observer
        self.writes_timing = False

    def observe(self, manager: PassManager) -> None:
        """Take what passes report, and how long they take."""
        manager.add_instrumentation(self._observer)
        if self.timing is not None:
            manager.add_instrumentation(self.timing)
