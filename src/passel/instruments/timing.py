"""Timing: how long passes, nested pipelines and analyses take.

Source: `mlir/lib/Pass/PassTiming.cpp` and `mlir/lib/Support/Timing.cpp`, MLIR 22.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import get_ident
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from passel.analysis import analysis_name
from passel.hooks import PassInstrumentation
from passel.instruments.events import PassExecution, execution_of
from passel.instruments.timing_report import Display, Timer, slowest, timing_report
from passel.notebooks import bundle
from passel.schedule import NestedStep, PassStep, Pipeline, passes_of

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import TextIO

    from passel.errors import Failure
    from passel.hooks import Run
    from passel.schedule import Step

__all__ = ["Timer", "Timing"]

_MOST_ALIASES = 4096


_Worker: TypeAlias = tuple[bytes, int, int]
"""The identity of a thread of a process, of any machine."""

_ORIGIN = os.urandom(8)  # forked processes have it from one, which may be on another machine


def this_worker() -> _Worker:
    """Return the identity of this thread."""
    return _ORIGIN, os.getpid(), get_ident()


@dataclass(slots=True, eq=False)
class _Row(Timer):
    """A row of the tree of one thread.

    Attributes:
        nested: The rows inside by whatever is run, for speed: the steps of a pipeline that a
            pass builds anew for each op are other objects, but the same rows.
        mark: The time until which it is known what this thread did in it.
        waited: For how long this thread has waited for others, since it is measured.
        workers: The trees of these others.
        added: The user time of others that is to be added to it, less the time of waiting for them.
    """

    nested: dict[Any, _Row] = field(default_factory=dict[Any, "_Row"])
    mark: float = 0.0
    waited: float = 0.0
    workers: dict[_Worker, Timer] = field(default_factory=dict[_Worker, Timer])
    added: float = 0.0

    def stop(self, seconds: float, above: _Row | None = None) -> None:
        """Add a time for which the row was measured, and the user time of others to all above."""
        self.add(seconds)
        if self.workers:
            self._take_workers()
        if self.added:
            self.user += self.added
            if above is not None:
                above.added += self.added
            self.added = 0.0

    def merge(self, worker: _Worker, measured: Timer) -> None:
        """Take over what a worker has measured, for which this thread has waited until now."""
        self.workers.setdefault(worker, Timer("root")).absorb(measured, at_once=False)
        now = perf_counter()
        self.waited += now - self.mark
        self.mark = now

    def _take_workers(self) -> None:
        """Add rows of workers: the wall time of the slowest, and the user time of all."""
        slowest, everyone = 0.0, Timer("root")
        for tree in self.workers.values():
            slowest = max(slowest, sum(each.wall for each in tree.children))
            everyone.absorb(tree)
        if slowest > self.waited:  # this thread has worked as well
            for timer in everyone.walk():
                timer.wall *= self.waited / slowest
        self.absorb_children(everyone, at_once=False)
        waiting = self.child("Waiting for workers", ("waiting",), "", hidden=False)
        waiting.wall += max(0.0, self.waited - slowest)
        waiting.count += 1
        self.added += sum(each.user for each in everyone.children) - self.waited
        self.waited = 0.0
        self.workers.clear()


class _ThreadTimer:
    """The tree of one thread while it measures.

    Attributes:
        root: Its root.
        row: The innermost row that is measured now; the root if there is none.
        open: The rows around those that are measured now, each with the time at which that began.
        running: How many enclosing `with` statements measure the total time.
    """

    def __init__(self) -> None:
        self.root: _Row = _Row("root")
        self.row: _Row = self.root
        self.open: list[tuple[_Row, float]] = []
        self.running: int = 0
        self._start = 0.0
        self._begun = perf_counter(), process_time()

    def start(self) -> None:
        """Measure the total time, unless it is measured already."""
        if not self.running:
            self._start = perf_counter()
        self.running += 1

    def stop(self) -> None:
        """Measure it no more, unless it is measured by an enclosing `with` statement."""
        self.running -= 1
        if not self.running:
            self.root.stop(perf_counter() - self._start)

    def processor_share(self) -> float:
        """Return the part of the time since it began for which this process had a processor."""
        elapsed, used = perf_counter() - self._begun[0], process_time() - self._begun[1]
        return min(1.0, used / elapsed) if elapsed else 1.0


class Timing(PassInstrumentation):
    """A stopwatch for passes, nested pipelines and analyses.

    All ops that run a pass share its row. Several runs add up; passes with equal paths share
    a row. One object may observe runs of several threads at once.

    Args:
        display: A `tree` like the pipeline, a `list` of all names, sorted by time, or, sorted as
            well, the pairs of a pass and one of the `ops` that it ran on which took longest.
        output_format: Of the report.
        report: Print what was measured so far to this stream, or to the standard error, at the
            end of each run.

    Raises:
        ValueError: There is no such display or format.

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

    crosses = True  # it does not look at ops

    def __init__(
        self,
        *,
        display: Display = "tree",
        output_format: Literal["text", "json"] = "text",
        report: bool | TextIO = False,
    ) -> None:
        if display not in ("tree", "list", "ops") or output_format not in ("text", "json"):
            raise ValueError(
                f"there is no timing report '{display}' as '{output_format}', only 'tree', "
                "'list' or 'ops' as 'text' or 'json'"
            )
        self._display: Display = display
        self._format: Literal["text", "json"] = output_format
        self._report = report
        self._is_part = False
        self._threads: dict[int, _ThreadTimer] = {}
        self._worker = this_worker()
        self._pairs: dict[PassExecution, float] = {}

    # -- What users call ---------------------------------------------------------------------

    @property
    def timing(self) -> Timer:
        """The root of the tree of timers so far, whose `wall` is the total."""
        total = Timer("root")
        for thread in list(self._threads.values()):
            total.absorb(thread.root)
        return total

    @contextmanager
    def scope(self, name: str) -> Generator[None]:
        """Measure the body of a `with` statement: work that is not a pass."""
        with self:
            self._begin(name)
            try:
                yield
            finally:
                self._end()

    def __enter__(self) -> Self:
        """Count all that follows, up to the end of the `with` statement, as total time."""
        self._worker = this_worker()
        self._thread().start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread().stop()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show what was measured so far, in notebooks."""
        return bundle(self.timing)

    def write_report(self, stream: TextIO) -> None:
        """Print what was measured so far."""
        root = self.timing
        if self._display == "ops":
            root.children = list(slowest(self._pairs))
        stream.write(
            timing_report(
                root,
                display=self._display,
                output_format=self._format,
            )
        )

    # -- Parts of a run in other processes ---------------------------------------------------

    def split(self) -> Timing:
        """Return what measures a part of the run in another process."""
        part = Timing(display=self._display, output_format=self._format)
        part._is_part = True
        return part

    def merge(self, child: PassInstrumentation) -> None:
        """Add what a part has measured below the row that is open now.

        Of the workers that have measured parts while that is open, the wall time of the slowest
        counts, and the user time of all: of worker processes, that of the processor.
        """
        assert isinstance(child, Timing)  # noqa: S101 - the contract
        self._thread().row.merge(child._worker, child.timing)
        for pair, seconds in child._pairs.items():
            self._add(pair, seconds)

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle what was measured so far, but not where it is reported."""
        names = ("_display", "_format", "_worker", "_pairs")
        measured = self.timing
        if self._is_part:  # there may be more workers than processors
            share = self._thread().processor_share()
            for each in measured.walk():
                each.user *= share
        return {name: getattr(self, name) for name in names} | {"timing": measured}

    def __setstate__(self, state: dict[str, Any]) -> None:
        measured = state.pop("timing")
        Timing.__init__(self)
        vars(self).update(state)
        self._thread().root.absorb_children(measured, at_once=False)

    # -- Hooks: short, because what they take counts as the passes' time -----------------------

    def before_run(self, run: Run) -> None:
        """Measure the total time."""
        self.__enter__()

    def after_run(self, run: Run, *, failed: bool) -> None:
        """Print."""
        self.__exit__()
        if self._report is not False and not self._thread().running:
            self.write_report(sys.stderr if self._report is True else self._report)

    def before_pass(self, step: Step, op: Any) -> None:
        """Measure the pass."""
        self._begin(step)

    def after_pass(self, step: Step, op: Any) -> None:
        """Measure it no more."""
        seconds = self._end()
        if self._display == "ops" and isinstance(step, PassStep):
            self._add(execution_of(self.run, step, op), seconds)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Measure it no more."""
        self._end()

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Measure the pipeline."""
        self._begin(pipeline)

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Measure it no more."""
        self._end()

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Measure the analysis."""
        self._begin(kind)

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Measure it no more."""
        self._end()

    def _add(self, pair: PassExecution, seconds: float) -> None:
        self._pairs[pair] = self._pairs.get(pair, 0.0) + seconds

    def _begin(self, what: Any) -> None:
        thread = self._threads.get(get_ident()) or self._thread()
        above = thread.row
        row = above.nested.get(what) or self._row(above, what)
        thread.open.append((above, perf_counter()))
        thread.row, row.mark = row, thread.open[-1][1]

    def _end(self) -> float:
        """Add the time of what has begun last to its row, and return it."""
        thread = self._threads[get_ident()]
        above, start = thread.open.pop()
        above.mark = perf_counter()
        thread.row.stop(above.mark - start, above)
        thread.row = above
        return above.mark - start

    # -- Rows --------------------------------------------------------------------------------

    def _thread(self) -> _ThreadTimer:
        return self._threads.setdefault(get_ident(), _ThreadTimer())

    def _row(self, above: _Row, what: Any) -> _Row:
        """Return the row of what runs for the first time inside of another."""
        path, hidden = "", False
        if isinstance(what, PassStep):
            name, path = what.display_name, what.path
            key = ("pass", path)
        elif isinstance(what, NestedStep):
            name, hidden = what.display_name, len(what.pipelines) == 1
            # Its path is that of the enclosing op: its first passes tell it from others there.
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
        if len(above.nested) >= _MOST_ALIASES:
            above.nested.clear()  # what is run once, such as pipelines that passes build anew
        above.nested[what] = above.child(name, key, path, hidden=hidden)
        return above.nested[what]
