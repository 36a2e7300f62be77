"""Contracts: requirements of passes on earlier passes, checked when a pipeline is compiled.

A pass declares the analyses that it produces, requires and preserves, and the dialects that it
requires, makes legal and makes illegal. Each pass between a producer and its consumer has to
preserve the analysis. The check visits the passes in the order in which they run, and runs none
of them. As in a run, a nested pipeline's end drops the analyses of its op, and nested passes
invalidate analyses of the enclosing op.

Source: the schedule discipline of NVIDIA's tileiras, which holds it for one region at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from passel.analysis import analysis_name
from passel.errors import ContractError, Problem
from passel.ir import ANY
from passel.passes.op_pass_manager import OpPassManager
from passel.passes.reachable import preserves, run_by
from passel.schedule.merging import merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.schedule.model import PassStep, Pipeline


class Region(NamedTuple):
    """A part of a builder's pipeline in which every pass has to preserve some analyses.

    A region starts after a start pass and ends before the next end pass.

    Attributes:
        title: The name of the region in messages.
        starts: The labels of the start passes.
        ends: The labels of the end passes.
        preserves: The analyses that every pass of the region has to preserve.
    """

    title: str
    starts: frozenset[str]
    ends: frozenset[str]
    preserves: tuple[type, ...]


class Named(NamedTuple):
    """The name that a pipeline builder gives a pass.

    Attributes:
        label: The label of the pass in the builder.
        by: The code that added the pass, as in `, added at a.py:3`.
    """

    label: str = ""
    by: str = ""


def check_contracts(
    pipeline: Pipeline, regions: Iterable[Region] = (), named: Iterable[Named] = ()
) -> None:
    """Reject a pipeline in which the requirements of a pass are not met.

    Args:
        pipeline: The pipeline.
        regions: Regions in which passes must preserve analyses, in addition to their requirements.
        named: The builder's names of the passes, in order, if a builder made the pipeline.

    Raises:
        ContractError: A pass requires an analysis or a dialect that is not available there.
    """
    problems = _Walk(tuple(regions), iter(named)).problems(pipeline)
    if problems:
        raise ContractError(*problems)


class _Place(NamedTuple):
    """A pass at its place. Passes that another pass runs have the name of that pass."""

    step: PassStep
    named: Named

    def __str__(self) -> str:
        pass_ = self.step.pass_
        return f"'{pass_.name or pass_.display_name}' [{self.step.path}{self.named.by}]"


_Key: TypeAlias = tuple[type, Region | None]
"""An analysis, and the region that requires it; None for requirements of passes."""


@dataclass(slots=True, eq=False)
class _Fact:
    """An analysis that a pass produced, and the later passes that do not preserve it."""

    producer: _Place
    broken: list[_Place] = field(default_factory=list[_Place])


@dataclass(slots=True, eq=False)
class _Level:
    """The state of the op that a pipeline runs on.

    Attributes:
        scope: The enclosing anchors; equal scopes mean the same ops.
        facts: The analyses of the op.
    """

    scope: tuple[object, ...]
    facts: dict[_Key, _Fact] = field(default_factory=dict[_Key, _Fact])

    def inside(self, anchor: str = ANY) -> _Level:
        """Return a level for nested ops; two `any` pipelines may have different ops."""
        return _Level((*self.scope, object() if anchor == ANY else anchor))


class _Walk:
    """One walk through one pipeline."""

    def __init__(self, regions: tuple[Region, ...], named: Iterator[Named]) -> None:
        self._regions = regions
        self._named = named
        self._levels: list[_Level] = []
        self._holder: _Place | None = None  # the pass that runs what the walk is in
        self._last: dict[_Key, _Place] = {}  # the last producer of each, at whatever level
        self._open: dict[_Key, _Place] = {}
        self._unopened: dict[_Key, _Place] = {}
        self._illegal: dict[str, list[tuple[tuple[object, ...], _Place]]] = {}
        self._found: list[Problem] = []

    def problems(self, pipeline: Pipeline) -> list[Problem]:
        """Return a problem for each contract that a pipeline breaks."""
        self._pipeline(pipeline, [_Level((pipeline.anchor,))])
        for key, start in self._open.items():
            why = f"is left open: it starts after {start}, and no later pass ends it"
            self._half(key, start, why)
        for key, end in self._unopened.items():
            if key not in self._last:
                why = f"never starts: it ends before {end}, and no earlier pass starts it"
                self._half(key, end, why)
        return self._found

    def _half(self, key: _Key, place: _Place, why: str) -> None:
        kind, region = key
        name = f"{region.title if region else ''} for {analysis_name(kind)}"
        message = f"the region {name} {why}; add that pass, or remove the region"
        self._report(place, message)

    def _report(self, place: _Place, message: str) -> None:
        self._found.append(Problem(message, place.step.span))

    # -- The pipeline -----------------------------------------------------------------------

    def _pipeline(self, pipeline: Pipeline, levels: list[_Level]) -> None:
        """Visit passes in the order in which they were added, since siblings run in any order."""
        places = sorted(_placed(pipeline, levels), key=lambda found: found[0].number)
        for step, self._levels in places:
            self._pass(step)

    def _pass(self, step: PassStep) -> None:
        holder = self._holder
        place = _Place(step, holder.named if holder else next(self._named, Named()))
        self._require(place)
        self._run_inside(place)
        for level in self._levels:
            for (kind, _), fact in level.facts.items():
                if not preserves(step.pass_.preserves, kind):
                    fact.broken.append(place)
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

    # -- What a pass requires, and what it leaves behind ---------------------------------------

    def _require(self, place: _Place) -> None:
        for what in place.step.pass_.requires:
            if isinstance(what, str):
                self._require_dialect(what, place)
            else:
                self._require_analysis((what, None), place)
        for region in self._regions_with(place, "ends"):
            for kind in region.preserves:
                if self._open.pop((kind, region), None) is not None:
                    self._require_analysis((kind, region), place)
                else:
                    self._unopened.setdefault((kind, region), place)

    def _require_analysis(self, key: _Key, place: _Place) -> None:
        name = analysis_name(key[0])
        facts = [level.facts[key] for level in reversed(self._levels) if key in level.facts]
        if facts and all(fact.broken for fact in facts):
            for offender in facts[0].broken:
                self._report(offender, _not_preserved(name, offender, facts[0].producer, place))
            facts[0].broken.clear()
        elif not facts and (producer := self._last.get(key)):
            self._report(
                producer,
                f"the {name} of pass {producer} is lost when its nested pipeline ends, so {place} "
                "does not get it; put both into one nested pipeline, or move the first to the "
                "enclosing pipeline",
            )
        elif not facts:
            self._report(
                place,
                f"pass {place} requires {name}, which no earlier pass produces; add a pass that "
                "produces it",
            )

    def _require_dialect(self, dialect: str, place: _Place) -> None:
        scope = self._levels[-1].scope
        by = next(
            (by for outer, by in self._illegal.get(dialect, ()) if scope[: len(outer)] == outer),
            None,
        )
        if by is not None:
            self._report(
                place,
                f"pass {place} requires dialect '{dialect}', which {by} made illegal, and which no "
                "later pass made legal again; move it before that pass",
            )

    def _produce(self, place: _Place) -> None:
        keys: list[_Key] = [(kind, None) for kind in place.step.pass_.produces]
        for region in self._regions_with(place, "starts"):
            opened: list[_Key] = [(kind, region) for kind in region.preserves]
            self._open.update(dict.fromkeys(opened, place))
            keys += opened
        for key in keys:
            self._levels[-1].facts[key], self._last[key] = _Fact(place), place
        for dialect in place.step.pass_.makes_legal:
            self._illegal.pop(dialect, None)  # for all ops, as it may come to be anywhere
        if self._holder is None:  # else it may not be run
            for dialect in place.step.pass_.makes_illegal:
                found = self._illegal.setdefault(dialect, [])
                found.append((self._levels[-1].scope, place))

    def _regions_with(self, place: _Place, end: str) -> list[Region]:
        """Return the regions that a pass starts or ends; passes run by other passes do neither."""
        regions = self._regions if self._holder is None else ()
        return [region for region in regions if place.named.label in getattr(region, end)]


def _placed(pipeline: Pipeline, levels: list[_Level]) -> Iterator[tuple[PassStep, list[_Level]]]:
    """Yield all passes of a pipeline, each with its level and the enclosing ones."""
    for step in pipeline.steps:
        for inner in step.pipelines:
            yield from _placed(inner, [*levels, levels[-1].inside(inner.anchor)])
        if step.pass_ is not None:
            yield step, levels


def _not_preserved(name: str, offender: _Place, producer: _Place, consumer: _Place) -> str:
    """Return the message for a pass that does not preserve an analysis between two others."""
    pass_ = offender.step.pass_
    where = f"a subclass of {type(pass_).__name__}" if pass_.ir else type(pass_).__name__
    way_out = f"if it does, declare preserves = ({name},) in {where}"
    return (
        f"pass {offender} between {producer} and {consumer} does not preserve {name}; {way_out}, "
        "otherwise move it elsewhere"
    )
