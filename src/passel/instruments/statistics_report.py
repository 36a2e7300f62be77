"""The report of a run's statistics.

Source: `mlir/lib/Pass/PassStatistics.cpp`, MLIR 22.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from passel.hooks import PassInstrumentation
from passel.instruments.timing_report import header
from passel.schedule import PassStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TextIO

    from passel.hooks import Run
    from passel.passes import Statistic
    from passel.schedule import Pipeline, Step


Display: TypeAlias = Literal["pipeline", "list", "json"]


class _Count(NamedTuple):
    """A statistic with its value."""

    name: str
    value: int
    description: str


class StatisticsReport(PassInstrumentation):
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
    crosses = True  # it does not look at ops

    def __init__(
        self,
        display: Display = "pipeline",
        *,
        stream: TextIO | None = None,
    ) -> None:
        if display not in ("pipeline", "list", "json"):
            raise ValueError(f"no such display of statistics: '{display}'")
        self._display: Display = display
        self._stream = stream
        self._prints = True
        # By the path of a pass and their text: a pass may build an equal pipeline for each op.
        self._dynamic: dict[str, dict[str, Pipeline]] = {}

    def before_run(self, run: Run) -> None:
        """Forget the last run's pipelines."""
        if run.outer is None:
            self._dynamic.clear()

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Remember a pipeline that a pass runs, which the run's own pipeline lacks."""
        if isinstance(parent, PassStep):
            self._dynamic.setdefault(parent.path, {})[str(pipeline)] = pipeline

    def split(self) -> StatisticsReport:
        """Return what remembers such pipelines elsewhere."""
        part = StatisticsReport(self._display)
        part._prints = False
        return part

    def merge(self, child: PassInstrumentation) -> None:
        """Remember them here."""
        assert isinstance(child, StatisticsReport)  # noqa: S101 - the contract
        for path, pipelines in child._dynamic.items():
            self._dynamic.setdefault(path, {}).update(pipelines)

    def after_run(self, run: Run, *, failed: bool) -> None:
        """Print the report."""
        if run.outer is None and self._prints:
            self.write(run.pipeline, run.outcome.counts)

    def write(self, pipeline: Pipeline, counts: Mapping[tuple[str, str], int]) -> None:
        """Print a report.

        Args:
            pipeline: The pipeline.
            counts: What was counted, by the pass's path and the statistic's name.
        """
        stream = sys.stderr if self._stream is None else self._stream
        if self._display == "pipeline":
            lines = _Outline(counts, self._dynamic).steps(pipeline.steps)
        elif self._display == "list":
            lines = _list(self._passes(pipeline), counts)
        else:
            stream.write(_json(self._passes(pipeline), counts))
            return
        text = "".join(f"{line}\n" for line in lines)
        stream.write(f"{header('Pass statistics report')}{text}\n")

    def _passes(self, pipeline: Pipeline) -> Iterator[PassStep]:
        """Yield all passes, each with those that it has run after it, each path once."""
        seen: set[str] = set()
        waiting = [pipeline]
        while waiting:
            for step in passes_of(waiting.pop(0)):
                if step.path not in seen:
                    seen.add(step.path)
                    yield step
                    waiting += self._dynamic.get(step.path, {}).values()


class _Outline:
    """The lines of the report that is laid out like the pipeline.

    Args:
        counts: The statistics.
        dynamic: By path, the pipelines that a pass has run.
    """

    def __init__(
        self,
        counts: Mapping[tuple[str, str], int],
        dynamic: Mapping[str, Mapping[str, Pipeline]],
    ) -> None:
        self._counts = counts
        self._dynamic = dynamic
        self._seen: set[str] = set()

    def steps(self, steps: Iterable[Step], indent: str = "") -> Iterator[str]:
        """Yield the lines of steps, without passes that several dynamic pipelines share."""
        for step in steps:
            if isinstance(step, PassStep):
                yield from self._pass(step, indent)
            elif len(step.pipelines) == 1:
                yield from self._pipelines(step.pipelines, indent)
            else:
                yield f"{indent}{step.display_name}"
                yield from self._pipelines(step.pipelines, f"{indent}  ")

    def _pass(self, step: PassStep, indent: str) -> Iterator[str]:
        if step.path not in self._seen:
            self._seen.add(step.path)
            yield f"{indent}{step.display_name}"
            indent += "  "
            yield from _lines(_counts(step, self._counts), indent)
            yield from self._pipelines(self._dynamic.get(step.path, {}).values(), indent)

    def _pipelines(self, pipelines: Iterable[Pipeline], indent: str) -> Iterator[str]:
        for pipeline in pipelines:
            paths = {step.path for step in passes_of(pipeline)}
            if not paths or not paths <= self._seen:
                yield f"{indent}'{pipeline.anchor}' Pipeline"
                yield from self.steps(pipeline.steps, f"{indent}  ")


def _counts(step: PassStep, counts: Mapping[tuple[str, str], int]) -> list[_Count]:
    """Return a pass's statistics, sorted by name."""
    declared: tuple[Statistic, ...] = step.pass_.statistics()
    values = (_Count(s.name, counts.get((step.path, s.name), 0), s.description) for s in declared)
    return sorted(values, key=lambda count: count.name)


def _lines(counts: list[_Count], indent: str) -> Iterator[str]:
    digits = max((len(str(count.value)) for count in counts), default=0)
    width = max((len(count.name) for count in counts), default=0)
    for count in counts:
        yield f"{indent}(S) {count.value:{digits}} {count.name:{width}} - {count.description}"


def _list(steps: Iterable[PassStep], counts: Mapping[tuple[str, str], int]) -> Iterator[str]:
    sums: dict[str, dict[str, _Count]] = {}
    for step in steps:
        for count in _counts(step, counts):
            known = sums.setdefault(step.display_name, {})
            value = count.value + (known[count.name].value if count.name in known else 0)
            known[count.name] = count._replace(value=value)
    for name in sorted(sums):
        yield f"  {name}"
        yield from _lines(sorted(sums[name].values()), "    ")


def _json(steps: Iterable[PassStep], counts: Mapping[tuple[str, str], int]) -> str:
    found = [
        {
            "path": step.path,
            "name": step.pass_.name,
            "display_name": step.display_name,
            "statistics": [count._asdict() for count in _counts(step, counts)],
        }
        for step in steps
        if step.pass_.statistics()
    ]
    return json.dumps(found, indent=2) + "\n"
