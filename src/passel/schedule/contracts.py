"""Contracts: the requirements of passes on earlier passes, checked when a pipeline is compiled.

A pass declares the analyses that it produces, requires and preserves, and the dialects that it
requires, makes legal and makes illegal. Each pass between a producer and its consumer has to
preserve the analysis. The check visits the passes in execution order without running them. As in a
run, the analyses of an op are dropped at the end of its pipeline, and nested passes invalidate
analyses of the enclosing op.

Source: NVIDIA's tileiras, which requires that passes preserve a schedule within a region.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from passel.analysis import analysis_name
from passel.errors import ContractError, Problem
from passel.ir import ANY
from passel.passes.op_pass_manager import OpPassManager
from passel.passes.reachable import preserves, run_by
from passel.schedule.model import merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.schedule.model import PassStep, Pipeline


class Region(NamedTuple):
    """A part of a builder's pipeline in which every pass must preserve some analyses.

    A region starts after a pass with a start label, and ends before the next pass with an end
    label.

    Attributes:
        title: The name of the region in messages.
        starts: The labels of the passes that start the region.
        ends: The labels of the passes that end the region.
        preserves: The analyses that every pass of the region must preserve.
    """

    title: str
    starts: frozenset[str]
    ends: frozenset[str]
    preserves: tuple[type, ...]


class Named(NamedTuple):
    """The name that a pipeline builder gives to a pass.

    Attributes:
        label: The label of the pass in the builder.
        by: A phrase that names the code that added the pass, such as `, added at a.py:3`.
    """

    label: str = ""
    by: str = ""


def check_contracts(
    pipeline: Pipeline, regions: Iterable[Region] = (), named: Iterable[Named] = ()
) -> None:
    """Reject a pipeline in which the requirements of a pass or a region are not met.

    Args:
        pipeline: The pipeline to check.
        regions: The regions in which passes must preserve analyses.
        named: The names that a builder gave to the passes, in the order of addition; empty without
            a builder.

    Raises:
        ContractError: A requirement of a pass or a region is not met, or a region has no start or
            no end.
    """
    problems = _Walk(tuple(regions), iter(named)).problems(pipeline)
    if problems:
        raise ContractError(*problems)


class _Place(NamedTuple):
    """A pass at its place, with its name or the name of the pass that runs it."""

    step: PassStep
    named: Named

    def __str__(self) -> str:
        pass_ = self.step.pass_
        return f"'{pass_.short_name}' [{self.step.path}{self.named.by}]"


_Key: TypeAlias = "tuple[type, Region | None]"
"""An analysis, and the region that requires it; None for requirements of passes."""


class _Level(NamedTuple):
    """The state of the op that a pipeline runs on.

    Attributes:
        scope: The enclosing anchors. Levels with equal scopes describe the same ops.
        facts: The analyses of the op. Each entry lists the pass that produced the analysis,
            followed by the later passes that do not preserve the analysis.
    """

    scope: tuple[object, ...]
    facts: dict[_Key, list[_Place]]

    def inside(self, anchor: str = ANY) -> _Level:
        """Return a level for nested ops. Two `any` pipelines may match different ops."""
        return _Level((*self.scope, object() if anchor == ANY else anchor), {})


class _Walk:
    """A single walk over a pipeline."""

    def __init__(self, regions: tuple[Region, ...], named: Iterator[Named]) -> None:
        self._regions = regions
        self._named = named
        self._levels: list[_Level] = []
        self._holder: _Place | None = None  # the pass that runs the visited pipeline
        self._last: dict[_Key, _Place] = {}  # the last producer of each, at any level
        self._open: dict[_Key, _Place] = {}
        self._unopened: dict[_Key, _Place] = {}
        self._illegal: dict[str, list[tuple[tuple[object, ...], _Place]]] = {}
        self._found: list[Problem] = []

    def problems(self, pipeline: Pipeline) -> list[Problem]:
        """Return a problem for each contract that a pipeline breaks."""
        self._pipeline(pipeline, [_Level((pipeline.anchor,), {})])
        for key, start in self._open.items():
            why = f"never ends: it starts after {start}, and no later pass matches its end"
            self._report_region(key, start, why)
        for key, end in self._unopened.items():
            if key not in self._last:
                why = f"never starts: it ends before {end}, and no earlier pass matches its start"
                self._report_region(key, end, why)
        return self._found

    def _report_region(self, key: _Key, place: _Place, why: str) -> None:
        name = f"{key[1].title if key[1] else ''} for {analysis_name(key[0])}"
        self._report(place, f"the region {name} {why}; add such a pass, or remove the region")

    def _report(self, place: _Place, message: str) -> None:
        self._found.append(Problem(message, place.step.span))

    # -- The pipeline -----------------------------------------------------------------------

    def _pipeline(self, pipeline: Pipeline, levels: list[_Level]) -> None:
        """Visit passes in the order in which they were added, since siblings run in any order."""
        places = sorted(_placed(pipeline, levels), key=lambda found: found[0].number)
        for step, self._levels in places:
            holder = self._holder
            place = _Place(step, holder.named if holder else next(self._named, Named()))
            self._require(place)
            self._run_inside(place)
            for level in self._levels:
                for (kind, _), fact in level.facts.items():
                    if not preserves(step.pass_.preserves, kind):
                        fact.append(place)
            self._produce(place)

    def _run_inside(self, place: _Place) -> None:
        """Visit the passes and pipelines that a pass may run."""
        levels, holder, last = self._levels, self._holder, self._last
        self._holder = holder or place
        for item in run_by(place.step.pass_):
            tree = item if isinstance(item, OpPassManager) else OpPassManager().add(item)
            inner = [*levels, levels[-1].inside()]
            if place.step.pass_.takes_elements:  # they run on an op of another IR
                inner, self._last = inner[-1:], {}
            self._pipeline(merged(tree, place.step.path, place.step.span), inner)
        self._levels, self._holder, self._last = levels, holder, last

    # -- The requirements of a pass, and its effects -----------------------------------------

    def _require(self, place: _Place) -> None:
        for required in place.step.pass_.requires:
            if isinstance(required, str):
                self._require_dialect(required, place)
            else:
                self._require_analysis((required, None), place)
        for region in self._regions_with(place, "ends"):
            for kind in region.preserves:
                if self._open.pop((kind, region), None) is not None:
                    self._require_analysis((kind, region), place)
                else:
                    self._unopened.setdefault((kind, region), place)

    def _require_analysis(self, key: _Key, place: _Place) -> None:
        name, producer = analysis_name(key[0]), self._last.get(key)
        facts = [level.facts[key] for level in reversed(self._levels) if key in level.facts]
        if facts and all(fact[1:] for fact in facts):
            for offender in facts[0][1:]:
                self._report(offender, _not_preserved(name, offender, facts[0][0], place))
            del facts[0][1:]
        elif not facts and producer:
            self._report(
                producer,
                f"the {name} from pass {producer} is lost when its nested pipeline ends, so "
                f"{place} cannot use it; put both passes into one nested pipeline, or move "
                f"{producer} to the enclosing pipeline",
            )
        elif not facts:
            self._report(
                place,
                f"pass {place} requires {name}, which no earlier pass produces; add a pass that "
                "produces it",
            )

    def _require_dialect(self, dialect: str, place: _Place) -> None:
        scope = self._levels[-1].scope
        for outer, by in self._illegal.get(dialect, ()):
            if scope[: len(outer)] == outer:
                message = (
                    f"pass {place} requires dialect '{dialect}', which pass {by} makes illegal "
                    f"and no pass in between makes legal again; move the pass before {by}"
                )
                self._report(place, message)
                break

    def _produce(self, place: _Place) -> None:
        pass_, level = place.step.pass_, self._levels[-1]
        keys: list[_Key] = [(kind, None) for kind in pass_.produces]
        for region in self._regions_with(place, "starts"):
            opened: list[_Key] = [(kind, region) for kind in region.preserves]
            self._open.update(dict.fromkeys(opened, place))
            keys += opened
        for key in keys:
            level.facts[key], self._last[key] = [place], place
        for dialect in pass_.makes_legal:
            self._illegal.pop(dialect, None)  # on all ops, since ops may move
        if self._holder is None:  # else the pass might not run
            for dialect in pass_.makes_illegal:
                self._illegal.setdefault(dialect, []).append((level.scope, place))

    def _regions_with(self, place: _Place, end: str) -> list[Region]:
        """Return the regions that a pass starts or ends, unless another pass runs the pass."""
        regions = self._regions if self._holder is None else ()
        return [region for region in regions if place.named.label in getattr(region, end)]


def _placed(pipeline: Pipeline, levels: list[_Level]) -> Iterator[tuple[PassStep, list[_Level]]]:
    """Yield all passes of a pipeline, each with its level and the enclosing levels."""
    for step in pipeline.steps:
        for inner in step.pipelines:
            yield from _placed(inner, [*levels, levels[-1].inside(inner.anchor)])
        if step.pass_ is not None:
            yield step, levels


def _not_preserved(name: str, offender: _Place, producer: _Place, consumer: _Place) -> str:
    """Return the message for a pass that does not preserve an analysis between two others."""
    pass_ = offender.step.pass_
    where = f"a subclass of {type(pass_).__name__}" if pass_.ir else type(pass_).__name__
    way_out = f"if it actually does, declare preserves = ({name},) in {where}"
    return (
        f"pass {offender} between {producer} and {consumer} does not claim to preserve {name}; "
        f"{way_out}, otherwise move the pass elsewhere"
    )
