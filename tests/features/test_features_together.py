"""Features of the tool that work alone work together: pairs on both IRs, triples in a sweep."""

from __future__ import annotations

from itertools import chain, combinations
from typing import TYPE_CHECKING

import pytest
from features import FEATURES, KEPT, RECORD, REPRODUCER, Case, done_to, unmet
from sweeps import STEP

from passel.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tool_fixtures import Tool


def cases(sizes: range) -> Iterator[Case]:
    """Yield the cases with so many features, wrappers in both orders."""
    for ir in ("xdsl", "mlir"):
        for names in chain.from_iterable(combinations(FEATURES, size) for size in sizes):
            yield Case(ir, tuple(FEATURES[name] for name in names))
            if {"crossing", "dynamic"} <= {*names}:
                yield Case(ir, tuple(FEATURES[name] for name in reversed(names)))


def check(case: Case, tool: Tool) -> None:
    """Assert that the outcome is as expected, and that a failure can be replayed."""
    case.write_files()
    outcome = tool(*case.arguments)
    shown = f"{' '.join(case.arguments)}\n{case.source}\n{outcome.out}\n{outcome.err}"
    assert [*unmet(outcome, case.expected)] == [], shown
    if case.has("record"):
        record = Record.open(RECORD)
        assert record.info.is_complete
        runs = [run for run in record.info.runs if run.outer is None and not run.failures]
        texts = [record.readable(run.after or "", run=run.number) for run in runs]
        recorded, written = done_to("\n// -----\n".join(texts)), done_to(outcome.out)
        assert [*filter(None, recorded)] == [*filter(None, written)], shown
    if case.has("failure"):
        again = tool(*case.settings, "--run-reproducer", REPRODUCER)
        assert again.code == 1, shown + again.err
        assert "failed: not wanted" in again.err, shown + again.err
    elif case.has("kept"):
        again = tool(*case.settings, "--run-reproducer", KEPT)
        assert again.code == 0, shown + again.err
        (functions,) = done_to(again.out)
        assert functions.keys() == {*case.functions[0]}, shown + again.out
        assert all(functions.values()), shown + again.out


@pytest.mark.parametrize("case", [*cases(range(1, 3))], ids=str)
def test_pairs(case: Case, tool: Tool) -> None:
    """Two features together do what each of them does alone."""
    check(case, tool)


@pytest.mark.sweep
@pytest.mark.parametrize("case", [*cases(range(3, 4))][:: min(STEP, 3)], ids=str)
def test_triples(case: Case, tool: Tool) -> None:
    """Three features together do what each of them does alone."""
    check(case, tool)
