"""The report of a run's statistics.

Source: `mlir/lib/Pass/PassStatistics.cpp`, MLIR 22.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from passel.hooks import PassInstrumentation
from passel.instruments.report import header
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TextIO

    from passel.hooks import Run
    from passel.passes import Statistic
    from passel.schedule import Pipeline, Step


class _Count(NamedTuple):
    """A statistic with its value."""

    name: str
    value: int
    description: str


class _Row(NamedTuple):
    """A pass in a report, as plain data, which any process can send.

    Attributes:
        path: The pass's path.
        name: Its textual name.
        display_name: Its name in reports.
        declared: Names and descriptions of its statistics.
    """

    path: str
    name: str
    display_name: str
    declared: tuple[tuple[str, str], ...]


class _Rows(NamedTuple):
    """A pipeline in a report.

    Attributes:
        anchor: The anchor.
        path: Its path.
        steps: Passes, and steps that run nested pipelines.
    """

    anchor: str
    path: str
    steps: tuple[_Row | _NestedRows, ...]

    def passes(self) -> Iterator[_Row]:
        """Yield all passes, depth first, in the order in which they run."""
        for step in self.steps:
            if isinstance(step, _Row):
                yield step
            else:
                for nested in step.pipelines:
                    yield from nested.passes()


class _NestedRows(NamedTuple):
    """Nested pipelines in a report.

    Attributes:
        display_name: The name of their step.
        pipelines: The pipelines.
    """

    display_name: str
    pipelines: tuple[_Rows, ...]


def _rows_of(pipeline: Pipeline) -> _Rows:
    return _Rows(pipeline.anchor, pipeline.path, tuple(map(_row_of, pipeline.steps)))


def _row_of(step: Step) -> _Row | _NestedRows:
    if not isinstance(step, PassStep):
        return _NestedRows(step.display_name, tuple(map(_rows_of, step.pipelines)))
    statistics: tuple[Statistic, ...] = step.pass_.statistics()
    declared = tuple((each.name, each.description) for each in statistics)
    return _Row(step.path, step.pass_.name, step.display_name, declared)


class _DynamicPipelines(PassInstrumentation):
    """A record of the pipelines that passes run, which the run's own pipeline lacks.

    Attributes:
        found: The pipelines, by the path of the pass.
    """

    crosses = True  # it does not look at ops

    def __init__(self) -> None:
        # A pass may build an equal pipeline for each op, so each is there once.
        self.found: dict[str, dict[_Rows, None]] = {}

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Remember a pipeline that a pass runs."""
        if isinstance(parent, PassStep):
            self.found.setdefault(parent.path, {})[_rows_of(pipeline)] = None

    def split(self) -> PassInstrumentation:
        """Return a part for another process or thread."""
        return _DynamicPipelines()

    def merge(self, child: PassInstrumentation) -> None:
        """Remember the pipelines of a part here as well."""
        assert isinstance(child, _DynamicPipelines)  # noqa: S101 - the contract
        for path, pipelines in child.found.items():
            self.found.setdefault(path, {}).update(pipelines)


class StatisticsReport(_DynamicPipelines):
    """A report of what passes have counted, printed at the end of each run, also of one that fails.

    The numbers are those of that run. Unlike in MLIR, pipelines that a pass has run count
    too, and stand below that pass.

    Args:
        display: Like the `pipeline`; a `list` of pass names, in which the instances of a pass
            are added up, sorted; or `json`: an array with one object for each pass that has
            statistics: its `path`, `name`, `display_name`, and `statistics`, an array of
            objects with `name`, `value` and `description`.
        stream: Where to; the standard error by default.

    Raises:
        ValueError: There is no such display.

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
        >>> with pm.instrument(StatisticsReport("list", stream=sys.stdout)):
        ...     result = pm.run(parse_toy("toy.module(toy.func @f)"))
        ===-------------------------------------------------------------------------===
                                 ... Pass statistics report ...
        ===-------------------------------------------------------------------------===
          Count
            (S) 1 ops - Ops seen
        <BLANKLINE>

    Source: `PassManager::enableStatistics`, MLIR 22, where nested pipelines' numbers are lost
    and a second run of a manager prints sums.
    """

    collects_statistics = True

    def __init__(
        self,
        display: Literal["pipeline", "list", "json"] = "pipeline",
        *,
        stream: TextIO | None = None,
    ) -> None:
        if display not in ("pipeline", "list", "json"):
            raise ValueError(f"no such display of statistics: '{display}'")
        super().__init__()
        self._display = display
        self._stream = stream

    def before_run(self, run: Run) -> None:
        """Forget the last run's pipelines."""
        if run.outer is None:
            self.found.clear()

    def after_run(self, run: Run, *, failed: bool) -> None:
        """Print the report."""
        if run.outer is not None:
            return
        stream = sys.stderr if self._stream is None else self._stream
        rows = _rows_of(run.pipeline)
        if self._display == "pipeline":
            lines = _Outline(run.counts, self.found).steps(rows.steps)
        elif self._display == "list":
            lines = _list(self._passes(rows), run.counts)
        else:
            stream.write(_json(self._passes(rows), run.counts))
            return
        text = "".join(f"{line}\n" for line in lines)
        stream.write(f"{header('Pass statistics report')}{text}\n")

    def _passes(self, pipeline: _Rows) -> Iterator[_Row]:
        """Yield all passes, each with those that it has run after it, each path once."""
        seen: set[str] = set()
        waiting = [pipeline]
        while waiting:
            for row in waiting.pop(0).passes():
                if row.path not in seen:
                    seen.add(row.path)
                    yield row
                    waiting += self.found.get(row.path, ())


class _Outline:
    """The lines of the report that is laid out like the pipeline.

    Args:
        counts: The statistics.
        dynamic: By path, the pipelines that a pass has run.
    """

    def __init__(
        self,
        counts: Mapping[tuple[str, str], int],
        dynamic: Mapping[str, Iterable[_Rows]],
    ) -> None:
        self._counts = counts
        self._dynamic = dynamic
        self._seen: set[str] = set()

    def steps(self, steps: Iterable[_Row | _NestedRows], indent: str = "") -> Iterator[str]:
        """Yield the lines of steps, without passes that several dynamic pipelines share."""
        for step in steps:
            if isinstance(step, _Row):
                yield from self._pass(step, indent)
            elif len(step.pipelines) == 1:
                yield from self._pipelines(step.pipelines, indent)
            else:
                yield f"{indent}{step.display_name}"
                yield from self._pipelines(step.pipelines, f"{indent}  ")

    def _pass(self, row: _Row, indent: str) -> Iterator[str]:
        if row.path not in self._seen:
            self._seen.add(row.path)
            yield f"{indent}{row.display_name}"
            indent += "  "
            yield from _lines(_counts(row, self._counts), indent)
            yield from self._pipelines(self._dynamic.get(row.path, ()), indent)

    def _pipelines(self, pipelines: Iterable[_Rows], indent: str) -> Iterator[str]:
        for pipeline in pipelines:
            paths = {row.path for row in pipeline.passes()}
            if not paths or not paths <= self._seen:
                yield f"{indent}'{pipeline.anchor}' Pipeline"
                yield from self.steps(pipeline.steps, f"{indent}  ")


def _counts(row: _Row, counts: Mapping[tuple[str, str], int]) -> list[_Count]:
    """Return a pass's statistics, sorted by name."""
    values = (_Count(name, counts.get((row.path, name), 0), said) for name, said in row.declared)
    return sorted(values, key=lambda count: count.name)


def _lines(counts: list[_Count], indent: str) -> Iterator[str]:
    digits = max((len(str(count.value)) for count in counts), default=0)
    width = max((len(count.name) for count in counts), default=0)
    for count in counts:
        yield f"{indent}(S) {count.value:{digits}} {count.name:{width}} - {count.description}"


def _list(rows: Iterable[_Row], counts: Mapping[tuple[str, str], int]) -> Iterator[str]:
    sums: dict[str, dict[str, _Count]] = {}
    for row in rows:
        for count in _counts(row, counts):
            known = sums.setdefault(row.display_name, {})
            value = count.value + (known[count.name].value if count.name in known else 0)
            known[count.name] = count._replace(value=value)
    for name in sorted(sums):
        yield f"  {name}"
        yield from _lines(sorted(sums[name].values()), "    ")


def _json(rows: Iterable[_Row], counts: Mapping[tuple[str, str], int]) -> str:
    found = [
        {
            "path": row.path,
            "name": row.name,
            "display_name": row.display_name,
            "statistics": [count._asdict() for count in _counts(row, counts)],
        }
        for row in rows
        if row.declared
    ]
    return json.dumps(found, indent=2) + "\n"
