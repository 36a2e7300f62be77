"""Report the statistics of passes.

Source: `mlir/lib/Pass/PassStatistics.cpp`, MLIR 22.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from passel.hooks import PassInstrumentation
from passel.instruments.timing_report import header
from passel.schedule import PassStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TextIO

    from passel.hooks import ObservedRun
    from passel.passes import Statistic
    from passel.passes.outcome import Counts
    from passel.schedule import Pipeline, Step


Display: TypeAlias = Literal["pipeline", "list", "json"]


_Row: TypeAlias = "tuple[str, str, PassStep | None]"
"""The indentation and the title of a pass or pipeline, and the step if it is a pass."""

_Counts: TypeAlias = "Mapping[tuple[str, str], int]"
"""The values of statistics by their names and descriptions."""


class StatisticsReport(PassInstrumentation):
    """An instrumentation that prints the statistics of passes at the end of each run.

    The report is printed even if the run fails.

    The report contains only the values of the current run. The passes of a dynamic pipeline are
    listed below the pass that ran the pipeline.

    Args:
        display: The layout of the report. `pipeline` nests the passes as in the pipeline. `list`
            sorts the passes by name, and sums the values over all instances of a pass. `json`
            prints an array with an object for each pass that has statistics. Each object has the
            keys `path`, `name`, `display_name` and `statistics`. The value of `statistics` is an
            array of objects with the keys `name`, `value` and `description`.
        stream: The stream to print to; by default, standard error.

    Raises:
        ValueError: If the layout is unknown.

    Example:
        >>> import sys
        >>> from passel import Pass, PassContext, PassManager, Statistic
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> class Count(Pass):
        ...     name = "count"
        ...     ops = Statistic("Ops seen")
        ...
        ...     def run(self, op, ctx: PassContext) -> None:
        ...         ctx.count(self.ops, len(op.body))
        >>> pm = PassManager("toy.module", adapter=ToyAdapter()).add(Count())
        >>> pm.add_instrumentation(StatisticsReport("list", stream=sys.stdout))
        >>> result = pm.run(parse_toy("toy.module(toy.func @f)"))
        ===-------------------------------------------------------------------------===
                                 ... Pass statistics report ...
        ===-------------------------------------------------------------------------===
          Count
            (S) 1 ops - Ops seen
        <BLANKLINE>

    Source: `PassManager::enableStatistics`, MLIR 22. In MLIR, the statistics of dynamic pipelines
    are lost, and the second run of a pass manager reports the sums over both runs.
    """

    collects_statistics = True
    crosses = True  # it does not look at ops

    def __init__(self, display: Display = "pipeline", *, stream: TextIO | None = None) -> None:
        if display not in ("pipeline", "list", "json"):
            raise ValueError(
                f"unknown statistics display '{display}': expected 'pipeline', 'list' or 'json'"
            )
        self._display: Display = display
        self._stream = stream
        self._prints = True
        # By the path of a pass and the text: a pass may build an equal pipeline for each op.
        self._dynamic: dict[str, dict[str, Pipeline]] = {}

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Store a dynamic pipeline, so that the report includes its statistics."""
        if isinstance(parent, PassStep):
            self._dynamic.setdefault(parent.path, {})[str(pipeline)] = pipeline

    def split(self) -> StatisticsReport:
        """Return an instrumentation that stores the dynamic pipelines of a worker."""
        part = StatisticsReport(self._display)
        part._prints = False
        return part

    def merge(self, child: StatisticsReport) -> None:
        """Add the dynamic pipelines that a worker stored."""
        for path, pipelines in child._dynamic.items():
            self._dynamic.setdefault(path, {}).update(pipelines)

    def after_run(self, run: ObservedRun, *, failed: bool) -> None:
        """Print the report, and discard the stored dynamic pipelines."""
        if run.outer is None and self._prints:
            stream = sys.stderr if self._stream is None else self._stream
            rows, counts = list(self._rows(run.pipeline.steps, set())), run.outcome.counts
            self._dynamic.clear()
            if self._display == "json":
                stream.write(_json(rows, counts))
                return
            shown = [(indent, title, _counts(step, counts)) for indent, title, step in rows]
            shown = _summed(shown) if self._display == "list" else shown
            text = "".join(f"{line}\n" for row in shown for line in _lines(*row))
            stream.write(f"{header('Pass statistics report')}{text}\n")

    def _rows(self, steps: Iterable[Step], seen: set[str], indent: str = "") -> Iterator[_Row]:
        """Yield the nested rows; a pass that several dynamic pipelines share appears once."""
        for step in steps:
            inside = f"{indent}  "
            if isinstance(step, PassStep):
                if step.path in seen:
                    continue
                seen.add(step.path)
                pipelines = [*self._dynamic.get(step.path, {}).values()]
                yield indent, step.display_name, step
            else:
                pipelines = step.pipelines
                if len(pipelines) == 1:
                    inside = indent
                else:
                    yield indent, step.display_name, None
            for each in pipelines:
                paths = {step.path for step in passes_of(each)}
                if not paths or not paths <= seen:
                    yield inside, f"'{each.anchor}' Pipeline", None
                    yield from self._rows(each.steps, seen, f"{inside}  ")


def _counts(step: PassStep | None, counts: Counts) -> _Counts:
    """Return the values of a pass's statistics."""
    if step is None:
        return {}
    declared: Iterable[Statistic] = step.pass_.statistics()
    return {
        (each.name, each.description): counts.get((step.path, each.name), 0) for each in declared
    }


def _summed(rows: Iterable[tuple[str, str, _Counts]]) -> list[tuple[str, str, _Counts]]:
    """Return the sums over the passes with statistics, by name."""
    sums: dict[str, Counter[tuple[str, str]]] = {}
    for _, title, counts in rows:
        if counts:
            sums.setdefault(title, Counter()).update(counts)
    return [("  ", title, sums[title]) for title in sorted(sums)]


def _lines(indent: str, title: str, counts: _Counts) -> Iterator[str]:
    """Yield the lines of a row: its title, and its statistics in the order of their names."""
    yield f"{indent}{title}"
    digits = max((len(str(value)) for value in counts.values()), default=0)
    width = max((len(name) for name, _ in counts), default=0)
    for (name, description), value in sorted(counts.items()):
        yield f"{indent}  (S) {value:{digits}} {name:{width}} - {description}"


def _json(rows: Iterable[_Row], counts: Counts) -> str:
    found = [
        {
            "path": step.path,
            "name": step.pass_.name,
            "display_name": step.display_name,
            "statistics": [
                {"name": name, "value": value, "description": description}
                for (name, description), value in sorted(_counts(step, counts).items())
            ],
        }
        for _, _, step in rows
        if step is not None and step.pass_.statistics()
    ]
    return json.dumps(found, indent=2) + "\n"
