"""Features of the tool that work alone work together: pairs on both IRs, triples in a sweep."""

from __future__ import annotations

import re
from itertools import chain, combinations
from typing import TYPE_CHECKING

import pytest
from features import FEATURES, KEPT, RECORD, REPRODUCER, Case, DrawnError, done_to, unmet
from terminals import screen
from tool_fixtures import Outcome

from passel.instruments.progress import StatusLine
from passel.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tool_fixtures import Tool


def cases(sizes: range) -> Iterator[Case]:
    """Yield the cases with so many features, wrappers in both orders."""
    for ir in ("xdsl", "mlir"):
        for names in chain.from_iterable(combinations(FEATURES, size) for size in sizes):
            yield Case(ir, tuple(FEATURES[name] for name in names))
            if {"crossing", "dynamic"} <= {*names}:
                yield Case(ir, tuple(FEATURES[name] for name in reversed(names)))


def draw_at_once(line: StatusLine, text: Callable[[], str], delay: float) -> None:
    """Draw a line, however long it should wait."""
    line.draw(text())


@pytest.fixture
def run(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> Callable[[Case], Outcome]:
    """Runs the tool, on a terminal whose line appears at once if that is a feature."""

    def run_case(case: Case) -> Outcome:
        case.write_files()
        if not any(feature.drawn for feature in case.features):
            return tool(*case.arguments)
        stream = DrawnError()
        with monkeypatch.context() as patched:
            patched.setattr(StatusLine, "show", draw_at_once)
            patched.setattr("sys.stderr", stream)
            patched.setenv("TERM", "xterm")
            patched.setenv("COLUMNS", "80")
            outcome = tool(*case.arguments)
        drawn = stream.getvalue()
        # Where an IR runs several passes as one, there is no line, which would keep it from that.
        assert bool(re.search(r"\(\d+\.\d s\)", drawn)) == (case.ir == "xdsl")
        return Outcome(outcome.code, outcome.out, screen(drawn.replace("\n", "\r\n")))

    return run_case


def check(case: Case, outcome: Outcome, tool: Tool) -> None:
    """Assert that the outcome is as expected, and that a failure can be replayed."""
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
def test_pairs(case: Case, run: Callable[[Case], Outcome], tool: Tool) -> None:
    """Two features together do what each of them does alone."""
    check(case, run(case), tool)


@pytest.mark.sweep
@pytest.mark.parametrize("case", [*cases(range(3, 4))], ids=str)
def test_triples(case: Case, run: Callable[[Case], Outcome], tool: Tool) -> None:
    """Three features together do what each of them does alone."""
    check(case, run(case), tool)
