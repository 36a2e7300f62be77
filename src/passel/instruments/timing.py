"""Timing: how long passes, nested pipelines and analyses take.

Source: `mlir/lib/Pass/PassTiming.cpp` and `mlir/lib/Support/Timing.cpp`, MLIR 22.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from threading import get_ident
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, Self

from passel.analysis import analysis_name
from passel.hooks import PassInstrumentation
from passel.instruments.timer import Timer
from passel.instruments.timing_report import check_columns, timing_report
from passel.instruments.timing_rows import Row, Threads
from passel.schedule import NestedStep, PassStep, Pipeline, passes_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from typing import TextIO

    from passel.errors import Failure
    from passel.hooks import Run
    from passel.schedule import Step

__all__ = ["Timer", "Timing"]

_MOST_ALIASES = 4096
_OUTERMOST = 2  # the depth of what is open on a thread while nothing else is


class Timing(PassInstrumentation):
    """A stopwatch for passes, nested pipelines and analyses.

    All ops that run a pass share its row. Several runs add up; passes with equal paths share
    a row. One object may observe runs of several threads at once.

    Args:
        display: A `tree` like the pipeline, or a `list` of all names, sorted by time.
        output_format: Of the report.
        columns: What the report shows of each row: any of `user`, `wall` and `self`. By
            default the wall time, and the user time if that is another.
        report: Print what was measured so far to this stream, or to the standard error, at the
            end of each run.

    Raises:
        ValueError: There is no such column, display or format.

    Example:
        >>> from passel import PassManager
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> pm = PassManager("toy.module", adapter=ToyAdapter())
        >>> timing = Timing()
        >>> with pm.instrument(timing), timing.scope("Warming up"):
        ...     result = pm.run(parse_toy("toy.module()"))
        >>> print(*(timer.name for timer in timing.timing.walk()), sep=", ")
        root, Warming up

    Source: `mlir::PassTiming` and `mlir::DefaultTimingManager`, MLIR 22, where pipelines that
    passes run are not below their pass.
    """

    one_by_one = True  # a row for each pass is what is asked for

    overlaps = True  # each thread has a tree of its own
    crosses = True  # it does not look at ops

    def __init__(
        self,
        *,
        display: Literal["tree", "list"] = "tree",
        output_format: Literal["text", "json"] = "text",
        columns: Iterable[str] = (),
        report: bool | TextIO = False,
    ) -> None:
        if display not in ("tree", "list") or output_format not in ("text", "json"):
            raise ValueError(
                f"there is no timing report '{display}' as '{output_format}', only 'tree' or "
                "'list' as 'text' or 'json'"
            )
        self._display: Literal["tree", "list"] = display
        self._format: Literal["text", "json"] = output_format
        self._columns = check_columns(columns)
        self._report = report
        self._start()

    def _start(self) -> None:
        self._threads = Threads()
        self._places: dict[Step, Row] = {}
        self._merged: dict[tuple[int, int], Timer] = {}
        self._plain = True

    # -- What users call ---------------------------------------------------------------------

    @property
    def timing(self) -> Timer:
        """The root of the tree of timers so far, whose `wall` is the total."""
        roots = [frames[0][1].timer() for frames in list(self._threads.values())]
        total, *others = roots or [Timer("root")]
        for other in others:
            total.absorb(other)
        return total

    @contextmanager
    def scope(self, name: str) -> Generator[None]:
        """Measure the body of a `with` statement: work that is no pass."""
        with self:
            self.before_pass(name, None)
            try:
                yield
            finally:
                self._close(name)

    def __enter__(self) -> Self:
        """Count all that follows, up to the end of the `with` statement, as total time."""
        frames = self._threads[get_ident()]
        frames.append((self, frames[-1][1], perf_counter()))
        return self

    def __exit__(self, *_: object) -> None:
        self._close(self)

    def write_report(self, stream: TextIO) -> None:
        """Print what was measured so far."""
        stream.write(
            timing_report(
                self.timing,
                display=self._display,
                output_format=self._format,
                columns=self._columns,
            )
        )

    # -- Parts of a run in other processes ---------------------------------------------------

    def split(self) -> Timing:
        """Return what measures a part of the run in another process."""
        return Timing(display=self._display, output_format=self._format, columns=self._columns)

    def merge(self, child: PassInstrumentation) -> None:
        """Add what a part has measured below the row that is open now.

        All parts that are merged while that is open count as having run at the same time.
        """
        if not isinstance(child, Timing):
            raise TypeError(f"not the result of split: {child!r}")
        ident = get_ident()
        frames = self._threads[ident]
        place = ident, len(frames)
        if len(frames) == 1:
            frames[-1][1].add(child.timing)
        elif place in self._merged:
            self._merged[place].absorb(child.timing)
        else:
            self._merged[place] = child.timing
        self._plain = False

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle what was measured so far, but not where it is reported."""
        names = ("_display", "_format", "_columns")
        return {name: getattr(self, name) for name in names} | {"timing": self.timing}

    def __setstate__(self, state: dict[str, Any]) -> None:
        measured = state.pop("timing")
        Timing.__init__(self)
        vars(self).update(state)
        self._start()
        self._threads[get_ident()][0][1].add(measured)

    # -- Hooks: short, because what they take counts as the passes' time -----------------------

    def before_run(self, run: Run) -> None:
        """Begin."""
        self.__enter__()

    def after_run(self, run: Run, *, failed: bool) -> None:
        """End, and print."""
        self._close(self)
        if self._report is not False and len(self._threads[get_ident()]) == 1:
            self.write_report(sys.stderr if self._report is True else self._report)

    def before_pass(self, step: Any, op: Any) -> None:
        """Start the clock."""
        frames = self._threads[get_ident()]
        above = frames[-1][1]
        row = above.nested.get(step) or self._row(above, step)
        frames.append((step, row, perf_counter()))

    def after_pass(self, step: Any, op: Any) -> None:
        """Stop the clock of what was started last: the common case of `_close`, made fast."""
        now = perf_counter()
        frames = self._threads[get_ident()]
        key, row, start = frames.pop()
        if key is step and self._plain:
            row.wall += now - start
            row.count += 1
        else:
            frames.append((key, row, start))
            self._close(step)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Stop the clock."""
        self._close(step)

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Start the clock."""
        frames = self._threads[get_ident()]
        if len(frames) == 1 and pipeline not in (root := frames[0][1]).nested:
            row = self._row(self._resume(root, parent), pipeline)
            self._forget_aliases(root)
            root.nested[pipeline] = row
        self.before_pass(pipeline, op)

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Stop the clock."""
        self.after_pass(pipeline, op)

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Start the clock."""
        self.before_pass(kind, op)

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Stop the clock."""
        self._close(kind)

    def before_scope(self, name: str) -> None:
        """Start the clock."""
        self.before_pass(name, None)

    def after_scope(self, name: str) -> None:
        """Stop the clock."""
        self._close(name)

    # -- Rows --------------------------------------------------------------------------------

    def _close(self, what: Any) -> None:
        """Stop the clock of what was opened last, or whatever an interrupt has left open."""
        now = perf_counter()
        ident = get_ident()
        frames = self._threads[ident]
        if not any(key is what for key, _, _ in frames):
            return
        key: Any = None
        while key is not what:
            depth = len(frames)
            key, row, start = frames.pop()
            if key is not self or depth == _OUTERMOST:
                row.wall += now - start
                row.count += 1
            merged = self._merged.pop((ident, depth), None)
            if merged is not None:
                row.add(merged)

    def _row(self, above: Row, what: Any) -> Row:
        """Return the row of what runs for the first time inside of another."""
        path, hidden = "", False
        if isinstance(what, PassStep):
            name, path = what.display_name, what.path
            key = ("pass", path)
        elif isinstance(what, NestedStep):
            name, hidden = what.display_name, len(what.pipelines) == 1
            # Its path is that of the op around: its first passes tell it from others there.
            passes = (next(passes_of(pipeline), None) for pipeline in what.pipelines)
            paths = (step.path for step in passes if step is not None)
            key = ("collection", name, *paths)
        elif isinstance(what, Pipeline):
            name, path = f"'{what.anchor}' Pipeline", what.path
            key = ("pipeline", what.anchor)
        elif isinstance(what, str):
            name, key = what, ("scope", what)
        else:
            name = f"(A) {analysis_name(what)}"
            key = ("analysis", name)
        self._forget_aliases(above)
        row = above.nested[what] = above.child(name, key, path, hidden=hidden)
        if isinstance(what, PassStep | NestedStep):
            self._places[what] = row
        return row

    def _forget_aliases(self, row: Row) -> None:
        """Keep what is run once, such as pipelines that passes build anew, from piling up."""
        if len(row.nested) >= _MOST_ALIASES:
            row.nested.clear()
            self._places.clear()

    def _resume(self, root: Row, parent: Step) -> Row:
        """Return the row in this thread's tree for a step that another thread runs."""
        place = self._places.get(parent)
        around: list[Row] = []
        while place is not None and place.above is not None:
            around.append(place)
            place = place.above
        row = root
        for other in reversed(around):
            row = row.child(other.name, other.key, other.path, hidden=other.hidden)
        return row
