"""Passes that need not run again: what consecutive bundles and extensions both asked for.

A pass that is declared idempotent, and a bundle of such passes, is dropped where an equal one ran
before and nothing but passes that preserve everything has run since. What one call has added
stays: who asks for a pass twice gets it twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from passel.analysis import AllAnalyses
from passel.builder.finishing import Remark
from passel.builder.sequence import Group, Nest, Step
from passel.passes.preservation import preserved_by, preserves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.declarations import DeclarationTable
    from passel.builder.sequence import Container, Sequence

Run: TypeAlias = "list[Step]"
"""Consecutive steps that are dropped together or not at all."""


def drop_duplicates(sequence: Sequence, declarations: DeclarationTable) -> Iterator[Remark]:
    """Drop what would change nothing, and yield what was dropped.

    Args:
        sequence: The sequence, which is changed.
        declarations: What is declared of passes.
    """
    for by_bundle in (True, False):
        for nest in list(_nests(sequence.root)):
            before: list[Run] = []  # what may still make a run unnecessary
            for run in list(_runs(nest, by_bundle=by_bundle)):
                first = next(
                    (each for each in before if _is_repeated(each, run, declarations)), None
                )
                if first is not None:
                    yield Remark("dropped", run[0].label, _message(first, run))
                    for step in run:
                        sequence.unlink(step)
                elif run and _changes_nothing(run, declarations):
                    before.append(run)
                else:
                    before = [run] if run else []


def _changes_nothing(run: Run, declarations: DeclarationTable) -> bool:
    """Return whether passes only look at the IR, whatever their options run."""
    passes = [step.pass_ for step in run]
    return preserves(preserved_by(passes, declarations), AllAnalyses)


def _is_repeated(before: Run, run: Run, declarations: DeclarationTable) -> bool:
    """Return whether a run changes nothing after the one before, and was not asked for twice."""
    if [step.pass_ for step in before] != [step.pass_ for step in run]:
        return False
    first, second = before[0], run[0]
    if len(run) > 1 or (first.bundles and second.bundles):
        was_asked_twice = first.bundles[0] is second.bundles[0]
    else:
        was_asked_twice = first.call == second.call
    if was_asked_twice:
        return False
    declared = second.bundles[0].bundle.idempotent if len(run) > 1 else None
    if declared is not None:
        return declared
    return all(declarations.of(step.pass_).idempotent for step in run)


def _message(before: Run, run: Run) -> str:
    bundles = run[0].bundles
    what = f"bundle '{bundles[0].bundle.name}'" if len(run) > 1 else f"'{run[0].pass_}'"
    by = f", added by {run[0].origin}," if run[0].origin.extension else ""
    return f"{what}{by} changes nothing after '{before[-1].label}'"


def _runs(nest: Nest, *, by_bundle: bool) -> Iterator[Run]:
    """Yield the steps of a nest in runs: all of a bundle, or each alone; none for a nest inside."""
    run: Run = []
    for item in _flat(nest):
        if isinstance(item, Nest):
            yield run
            run = []
        elif run and by_bundle and item.bundles and item.bundles[:1] == run[-1].bundles[:1]:
            run.append(item)
        else:
            yield run
            run = [item]
    yield run


def _flat(container: Container) -> Iterator[Step | Nest]:
    for item in container.items:
        if isinstance(item, Group):
            yield from _flat(item)
        else:
            yield item


def _nests(container: Container) -> Iterator[Nest]:
    if isinstance(container, Nest):
        yield container
    for item in container.items:
        if not isinstance(item, Step):
            yield from _nests(item)
