"""Contracts of random pipelines: against every pair of passes, and against what runs keep."""

from __future__ import annotations

import re
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from passel import ContractError, OpPassManager, Pass, PassContext, PassManager
from passel.schedule.compiler import PipelineCompiler
from passel.schedule.contracts import check_contracts
from passel.schedule.model import NestedStep, Pipeline, merged
from passel.testing import ToyAdapter, parse_toy

if TYPE_CHECKING:
    from collections.abc import Iterator

SERVED: list[tuple[int, bool]] = []
"""For each execution of a consumer, its number, and whether what it needs was there."""


class One:
    """An analysis."""

    def __init__(self, op: Any) -> None: ...


class Two(One):
    """Another one."""


class Numbered(Pass):
    """A pass that can be told from all others."""

    name = "numbered"
    number: int = 0

    def run(self, op: Any, ctx: PassContext) -> None:
        """Use and produce what is declared."""
        for kind in self.requires:
            manager: Any = ctx.analyses
            while manager is not None and manager.cached_analysis(kind) is None:
                manager = manager._parent
            SERVED.append((self.number, manager is not None))
        for kind in self.produces:
            ctx.analyses.results.pop(kind, None)  # what is produced is new
            ctx.analysis(kind)


_NUMBERS = count()
_SOME = [(), (One,), (Two,), (One, Two)]


@st.composite
def passes(draw: st.DrawFn) -> Pass[Any]:
    """Passes that preserve much, and produce and require little."""
    body: dict[str, Any] = {
        "preserves": draw(st.sampled_from([*_SOME, (One, Two), (One, Two)])),
        "produces": draw(st.sampled_from([(), (), *_SOME])),
        "requires": draw(st.sampled_from([(), *_SOME])),
    }
    number = next(_NUMBERS)
    return type("Made", (Numbered,), body | {"name": f"p{number}"})(number=number)


def pipelines(
    depth: int, anchor: str = "toy.module", inside: tuple[str, ...] = ("toy.func", "toy.module")
) -> st.SearchStrategy[OpPassManager]:
    """Pipelines of passes and nested pipelines."""
    entries: st.SearchStrategy[Any] = passes()
    if depth:
        nested = [pipelines(depth - 1, each, inside) for each in inside]
        entries = st.one_of(passes(), passes(), *nested)
    return st.lists(entries, max_size=6).map(lambda found: OpPassManager(anchor).add(*found))


Found = set[tuple[int, int, type]]
"""Who breaks which analysis, and for whom it does so first; the same number if it is missing."""


def scopes_of(
    pipeline: Pipeline, enclosing: tuple[int, ...] = ()
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the number of each pass, and the compiled pipelines around it."""
    scope = (*enclosing, id(pipeline))
    for step in pipeline.steps:
        if isinstance(step, NestedStep):
            for inner in step.pipelines:
                yield from scopes_of(inner, scope)
        else:
            assert isinstance(step.pass_, Numbered)
            yield step.pass_.number, scope


def in_order(tree: Any) -> Iterator[Numbered]:
    """Yield the passes as they are written."""
    for entry in tree:
        yield from in_order(entry) if isinstance(entry, OpPassManager) else [entry]


def brute_force(pm: PassManager) -> Found:
    """Look from each consumer back for its producer, and at all that is in between."""
    scopes = dict(scopes_of(PipelineCompiler(ToyAdapter(), set()).schedule(pm)))
    written, found = list(in_order(pm)), Found()

    def is_inside(passes: Numbered, of: Numbered) -> bool:
        """Return whether one pass runs on the op of another one, or inside of it."""
        outer = scopes[of.number]
        return scopes[passes.number][: len(outer)] == outer

    for index, consumer in enumerate(written):
        for kind in consumer.requires:
            offenders = [
                {
                    each.number
                    for each in written[start + 1 : index]
                    if kind not in each.preserves and is_inside(each, producer)
                }
                for start, producer in enumerate(written[:index])
                if kind in producer.produces and is_inside(consumer, producer)
            ]
            if not offenders:
                found.add((consumer.number, consumer.number, kind))
            elif all(offenders):
                found |= {(number, consumer.number, kind) for number in offenders[-1]}
    return found


def problems(pm: OpPassManager) -> list[str]:
    """Return what the check finds."""
    try:
        check_contracts(merged(pm))
    except ContractError as error:
        return [problem.message for problem in error.problems]
    return []


def found_by_walk(pm: PassManager) -> Found:
    """Return who breaks what in the messages: the first pass that each names."""
    found = Found()
    for message in problems(pm):
        numbers = [int(number) for number in re.findall(r"'p(\d+)'", message.partition(";")[0])]
        kind = One if " One" in message else Two
        found.add((numbers[0], numbers[-1], kind))
    return found


@given(pipelines(2))
def test_the_check_finds_what_looking_at_all_pairs_finds(tree: OpPassManager) -> None:
    """Each offender is reported for the first consumer that it harms, and nothing else is."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(*tree)
    expected, found = brute_force(pm), found_by_walk(pm)
    assert found <= expected
    assert {(who, kind) for who, _, kind in found} == {(who, kind) for who, _, kind in expected}


@cache
def _silent(kind: type[Numbered]) -> type[Numbered]:
    return type("Silent", (kind,), {"requires": ()})


def only(tree: OpPassManager, number: int) -> OpPassManager:
    """Return an equal pipeline in which only one of the passes requires anything."""
    made = OpPassManager(tree.anchor)
    for entry in tree:
        if isinstance(entry, OpPassManager):
            made.add(only(entry, number))
        else:
            assert isinstance(entry, Numbered)
            silent = _silent(type(entry))(number=entry.number)
            made.add(entry if entry.number == number else silent)
    return made


def is_accepted(pm: PassManager, number: int) -> bool:
    """Return whether a pass gets all that it requires, as far as the check knows."""
    return not problems(only(pm, number))


@given(pipelines(2, inside=("toy.func", "toy.module", "any")))
def test_what_the_check_accepts_is_there_in_the_run(tree: OpPassManager) -> None:
    """No consumer that is accepted finds what it requires gone."""
    pm = PassManager("toy.module", adapter=ToyAdapter(), check=False).add(*tree)
    SERVED.clear()
    pm.run(parse_toy("toy.module(toy.func @f(toy.func @h),toy.module @m(toy.func @g),toy.func @i)"))
    assert not [n for n in {n for n, there in SERVED if not there} if is_accepted(pm, n)]
