"""Measure the time of passes, nested pipelines and analyses.

Source: `mlir/lib/Pass/PassTiming.cpp` and `mlir/lib/Support/Timing.cpp`, MLIR 22.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from threading import get_ident
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from passel.analysis import analysis_name
from passel.hooks import PassInstrumentation
from passel.instruments.timing_report import Display, Timer, timing_report
from passel.schedule import NestedStep, PassStep, Pipeline, passes_of

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import TextIO

    from passel.errors import Failure
    from passel.hooks import ObservedRun
    from passel.schedule import Step

__all__ = ["Timer", "Timing"]

_MOST_ALIASES = 4096

_Worker: TypeAlias = tuple[int, int]
"""The identifiers of a process and of one of its threads."""


class _Open:
    """A row that is being measured.

    Attributes:
        row: The row.
        start: The time at which the measurement began.
        workers: The measurements of each worker.
        added: The user time of the workers, less the time of waiting for the workers.
    """

    __slots__ = ("added", "row", "start", "workers")

    def __init__(self, row: Timer) -> None:
        self.row = row
        self.added = 0.0
        self.workers: dict[_Worker, Timer] | None = None  # most rows have none
        self.start = perf_counter()

    def close(self) -> None:
        """Add the time since the start to the row."""
        seconds = perf_counter() - self.start
        if self.workers is not None:
            everyone = Timer("root")
            for measured in self.workers.values():
                everyone.absorb(measured)
            self.row.absorb_children(everyone, at_once=False)
            self.added += everyone.user - everyone.wall
        self.row.wall += seconds
        self.row.user += seconds + self.added
        self.row.count += 1

    def merge(self, worker: _Worker, measured: Timer) -> None:
        """Add the measurements of a worker to the row."""
        self.workers = self.workers or {}
        self.workers.setdefault(worker, Timer("root")).absorb(measured, at_once=False)


class Timing(PassInstrumentation):
    """An instrumentation that measures the time of passes, nested pipelines and analyses.

    In the report, the row of a pass covers all ops on which the pass ran. The times of several runs
    are added up, and passes with equal paths share a row. Runs that take place at the same time on
    several threads need separate `Timing` objects.

    Args:
        display: The layout of the report. `tree` nests the rows as in the pipeline. `list` has a
            row for each name, sorted by time.
        output_format: Whether the report is text or JSON; see `timing_report`.
        report: The stream to which the report is printed at the end of each run. True means
            standard error, and False means that no report is printed. The report covers this run
            and all previous runs.

    Raises:
        ValueError: If the layout or the format is unknown.

    Example:
        >>> from passel import PassManager
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> pm = PassManager("toy.module", adapter=ToyAdapter())
        >>> timing = Timing()
        >>> pm.add_instrumentation(timing)
        >>> with timing.scope("Warming up"):
        ...     result = pm.run(parse_toy("toy.module()"))
        >>> print(*(timer.name for timer in timing.timing.walk()), sep=", ")
        root, Warming up

    Source: `mlir::PassTiming` and `mlir::DefaultTimingManager`, MLIR 22, where dynamic pipelines
    are not nested below the pass that runs them.
    """

    crosses = True  # it does not look at ops

    def __init__(
        self,
        *,
        display: Display = "tree",
        output_format: Literal["text", "json"] = "text",
        report: bool | TextIO = False,
    ) -> None:
        if display not in ("tree", "list") or output_format not in ("text", "json"):
            raise ValueError(
                f"unknown timing display '{display}' or format '{output_format}': expected the "
                "display 'tree' or 'list', and the format 'text' or 'json'"
            )
        self._display: Display = display
        self._format: Literal["text", "json"] = output_format
        self._report = report
        self._root = Timer("root")
        self._open: list[_Open] = []  # a nested `with` repeats the innermost
        self._worker: _Worker = 0, 0
        # By the enclosing row and the object that runs, for speed. A pass may build an equal
        # pipeline anew for each op: its steps are then new objects with the same rows.
        self._rows: dict[tuple[int, Any], Timer] = {}

    # -- What users call ---------------------------------------------------------------------

    @property
    def timing(self) -> Timer:
        """The root of the tree of timers. The `wall` of the root is the total time so far."""
        total = Timer("root")
        total.absorb(self._root)
        return total

    @contextmanager
    def scope(self, name: str) -> Generator[None]:
        """Measure the time of the body of a `with` statement, as a separate row of the report."""
        with self:
            self._begin(name)
            try:
                yield
            finally:
                self._end()

    def __enter__(self) -> Self:
        """Add the time of the body of a `with` statement to the total time."""
        self._worker = os.getpid(), get_ident()
        self._open.append(self._open[-1] if self._open else _Open(self._root))
        return self

    def __exit__(self, *_: object) -> None:
        ended = self._open.pop()
        if not self._open:
            ended.close()

    def write_report(self, stream: TextIO) -> None:
        """Write the report of all measurements so far to a stream."""
        report = timing_report(self.timing, display=self._display, output_format=self._format)
        stream.write(report)

    # -- Parts of a run in other processes ---------------------------------------------------

    def split(self) -> Timing:
        """Return an instrumentation that measures the part of the run that a worker executes."""
        return Timing()

    def merge(self, child: Timing) -> None:
        """Add the measurements of a worker as rows below the row that is being measured.

        The wall time of an added row is the time of the slowest worker. The user time is the sum
        over all workers.
        """
        self._open[-1].merge(child._worker, child._root)

    def __getstate__(self) -> dict[str, Any]:
        """Copy or pickle the measurements so far, without the stream of the report."""
        return super().__getstate__() | {"_open": [], "_rows": {}, "_report": False}

    # -- Hooks: short, because their time counts as the passes' time ----------------------------

    def before_run(self, run: ObservedRun) -> None:
        """Start measuring the total time."""
        self.__enter__()

    def after_run(self, run: ObservedRun, *, failed: bool) -> None:
        """Stop measuring the total time, and print the report if it is enabled."""
        self.__exit__()
        if self._report is not False and not self._open:
            self.write_report(sys.stderr if self._report is True else self._report)

    def before_pass(self, step: Step, op: Any) -> None:
        """Start measuring the time of the pass."""
        self._begin(step)

    def after_pass(self, step: Step, op: Any) -> None:
        """Stop measuring the time of the pass."""
        self._end()

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Stop measuring the time of the pass."""
        self._end()

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Start measuring the time of the nested pipeline."""
        self._begin(pipeline)

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Stop measuring the time of the nested pipeline."""
        self._end()

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Start measuring the time of the analysis."""
        self._begin(kind)

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Stop measuring the time of the analysis."""
        self._end()

    def _begin(self, what: Any) -> None:
        above = self._open[-1].row
        row = self._rows.get((id(above), what))
        if row is None:
            if len(self._rows) >= _MOST_ALIASES:
                self._rows.clear()  # most are of objects that ran once, such as dynamic pipelines
            row = self._rows[id(above), what] = above.child(_row_of(what))
        self._open.append(_Open(row))

    def _end(self) -> None:
        ended = self._open.pop()
        ended.close()
        self._open[-1].added += ended.added


def _row_of(what: Any) -> Timer:
    """Return an empty row for a step, a pipeline, an analysis, or the name of a scope."""
    if isinstance(what, PassStep):
        return Timer(what.display_name, what.path, key=("pass", what.path))
    if isinstance(what, NestedStep):
        # Several nested pipelines share the path of the enclosing op; their first passes differ.
        passes = (next(passes_of(pipeline), None) for pipeline in what.pipelines)
        paths = (step.path for step in passes if step is not None)
        key = ("collection", what.display_name, *paths)
        return Timer(what.display_name, hidden=len(what.pipelines) == 1, key=key)
    if isinstance(what, Pipeline):
        return Timer(f"'{what.anchor}' Pipeline", what.path, key=("pipeline", what.anchor))
    if isinstance(what, str):
        return Timer(what, key=("scope", what))
    name = f"(A) {analysis_name(what)}"
    return Timer(name, key=("analysis", name))
