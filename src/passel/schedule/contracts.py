"""Contracts: the requirements of passes on earlier passes, checked when a pipeline is compiled.

A pass declares the analyses that it produces, requires and preserves. Each pass between the
producer and the consumer of an analysis must preserve the analysis. The check visits the passes in
execution order without running them. As in a run, the analyses of an op are dropped when the
pipeline on that op ends. A pass on a nested op also invalidates analyses of the enclosing ops,
unless the pass preserves them.

Source: NVIDIA's compiler `tileiras`, in which passes must preserve a schedule within a region.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from passel.analysis import AllAnalyses, analysis_name
from passel.errors import ContractError, Problem
from passel.passes.op_pass_manager import OpPassManager
from passel.passes.reachable import run_by
from passel.schedule.model import merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.schedule.model import PassStep, Pipeline


class Region(NamedTuple):
    """Consecutive passes of a builder's pipeline, all of which must preserve certain analyses.

    A region starts after a pass whose label is in `starts`, and ends before the next pass whose
    label is in `ends`.

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
    """The label that a pipeline builder gives to a pass, and the origin of the pass.

    Attributes:
        label: The label of the pass; an empty string if no builder was used.
        by: A phrase for messages that says which code added the pass, such as `, added at a.py:3`.
    """

    label: str = ""
    by: str = ""


def check_contracts(
    pipeline: Pipeline, regions: Iterable[Region] = (), named: Iterable[Named] = ()
) -> None:
    """Reject a pipeline in which the requirements of a pass or a region are not met.

    Args:
        pipeline: The pipeline to check.
        regions: The regions in which passes must preserve certain analyses.
        named: The labels and origins of the passes, in the order in which a builder added the
            passes; empty if no builder was used.

    Raises:
        ContractError: A requirement of a pass or a region is not met, or a region never ends.
    """
    checker, names = _Checker(tuple(regions)), iter(named)

    def visit(pipeline: Pipeline, levels: list[_Level], holder: _Place | None = None) -> None:
        # Passes are visited in the order in which they were added: siblings run in any order.
        for step, around in sorted(_steps(pipeline, levels), key=lambda found: found[0].number):
            # Regions start and end at passes of the builder, not at passes that passes run.
            own = holder.named._replace(label="") if holder else next(names, Named())
            place = _Place(step, around, own)
            checker.enter(place)
            for item in run_by(step.pass_):
                tree = item if isinstance(item, OpPassManager) else OpPassManager().add(item)
                inner: list[_Level] = [*around, {}]
                if step.pass_.takes_elements:  # its passes run on an op of another IR
                    inner = inner[-1:]
                visit(merged(tree, step.path, step.span), inner, holder or place)
            checker.leave(place)

    visit(pipeline, [{}])
    if problems := checker.problems():
        raise ContractError(*problems)


_Key: TypeAlias = tuple[type, Region | None]
"""An analysis, and the region that requires it; None for requirements of passes."""


_Level: TypeAlias = "dict[_Key, list[_Place]]"
"""The analyses of the op that a pipeline runs on.

Each entry lists the pass that produced the analysis, followed by the later passes that do not
preserve the analysis.
"""


class _Place(NamedTuple):
    """A pass at its place.

    Attributes:
        step: The pass.
        levels: The level of the pass, after the enclosing levels on the same IR.
        named: The name of the pass. For a pass that another pass runs, the origin of the other.
    """

    step: PassStep
    levels: list[_Level]
    named: Named

    def __str__(self) -> str:
        pass_ = self.step.pass_
        return f"'{pass_.short_name}' [{self.step.path}{self.named.by}]"


def _steps(pipeline: Pipeline, levels: list[_Level]) -> Iterator[tuple[PassStep, list[_Level]]]:
    """Yield all passes of a pipeline, each with its level and the enclosing levels."""
    for step in pipeline.steps:
        for inner in step.pipelines:
            yield from _steps(inner, [*levels, {}])
        if step.pass_ is not None:
            yield step, levels


class _Checker:
    """A checker of the contracts of passes and regions, which passes enter and leave in order."""

    def __init__(self, regions: tuple[Region, ...]) -> None:
        self._regions = regions
        self._open: dict[_Key, _Place] = {}
        self._found: list[Problem] = []

    def problems(self) -> list[Problem]:
        """Return a problem for each contract that the pipeline breaks."""
        for (kind, region), start in self._open.items():
            name = f"{region.title if region else ''} for {analysis_name(kind)}"
            message = (
                f"the region {name} never ends: it starts after {start}, and no later pass matches "
                "its end; add such a pass, or remove the region"
            )
            self._found.append(Problem(message, start.step.span))
        return self._found

    def enter(self, place: _Place) -> None:
        """Check the requirements of a pass, and of the regions that end before the pass."""
        for kind in place.step.pass_.requires:
            self._require((kind, None), place)
        for key in self._keys_of_regions(place, "ends"):
            if self._open.pop(key, None) is not None:
                self._require(key, place)

    def _require(self, key: _Key, place: _Place) -> None:
        name = analysis_name(key[0])
        facts = [level[key] for level in reversed(place.levels) if key in level]
        if not facts:
            message = (
                f"pass {place} requires {name}, which no earlier pass on the same op or an "
                "enclosing op produces; add a pass that produces it"
            )
            self._found.append(Problem(message, place.step.span))
        elif all(fact[1:] for fact in facts):
            producer, *offenders = facts[0]
            for offender in offenders:
                pass_ = offender.step.pass_
                where = f"{'a subclass of ' if pass_.ir else ''}{type(pass_).__name__}"
                message = (
                    f"pass {offender} between {producer} and {place} does not claim to preserve "
                    f"{name}; if it actually does, declare preserves = ({name},) in {where}, "
                    "otherwise move the pass elsewhere"
                )
                self._found.append(Problem(message, offender.step.span))
            del facts[0][1:]

    def leave(self, place: _Place) -> None:
        """Record the analyses that a pass preserves and produces."""
        pass_ = place.step.pass_
        for level in place.levels:
            for (kind, _), fact in level.items():
                if {kind, AllAnalyses}.isdisjoint(pass_.preserves):
                    fact.append(place)
        opened = self._keys_of_regions(place, "starts")
        self._open.update(dict.fromkeys(opened, place))
        for key in (*((kind, None) for kind in pass_.produces), *opened):
            place.levels[-1][key] = [place]

    def _keys_of_regions(self, place: _Place, end: str) -> list[_Key]:
        """Return the analyses of the regions that a pass starts or ends."""
        return [
            (kind, region)
            for region in self._regions
            if place.named.label in getattr(region, end)
            for kind in region.preserves
        ]
