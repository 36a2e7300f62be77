"""Records compared: what got slower is found, and noise is no news."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from passel.search.comparing import PassFacts, chance, compare

if TYPE_CHECKING:
    from collections.abc import Sequence

PASSES = 40


def _run(numbers: random.Random, slow: int | None = None) -> dict[str, PassFacts]:
    """Return the facts of a run on a machine that is up to a tenth faster or slower each time."""
    machine = numbers.uniform(0.9, 1.1)
    times = [
        0.002 * (n + 1) * machine * numbers.lognormvariate(0, 0.02) * (1.1 if n == slow else 1)
        for n in range(PASSES)
    ]
    return {f"m/{n}:p": PassFacts(time, 100, 10, 0, {}) for n, time in enumerate(times)}


def _runs(numbers: random.Random, slow: int | None = None) -> Sequence[dict[str, PassFacts]]:
    return [_run(numbers, slow) for _ in range(10)]


def _seeds(count: int) -> Sequence[random.Random]:
    return [random.Random(seed) for seed in range(count)]  # noqa: S311 - repeatable


def test_one_pass_of_forty_that_got_a_tenth_slower_is_found() -> None:
    """With ten runs of each compiler, where times scatter by two percent."""
    found = 0
    for seed, numbers in enumerate(_seeds(100)):
        slow = seed % PASSES
        rows = compare(_runs(numbers), _runs(numbers, slow)).rows
        verdicts = {row.path: row.verdict for row in rows if row.verdict}
        found += verdicts == {f"m/{slow}:p": "slower"}
    assert found >= 97


def test_equal_compilers_differ_in_fewer_than_one_case_of_a_hundred() -> None:
    """No pass of forty is called slower or faster by chance."""
    alarms = sum(
        any(row.verdict for row in compare(_runs(numbers), _runs(numbers)).rows)
        for numbers in _seeds(300)
    )
    assert alarms < 3


def test_a_slow_machine_makes_no_pass_slower() -> None:
    """What all passes have in common is told apart."""
    old, new = _runs(_seeds(1)[0]), _runs(_seeds(2)[1])
    slow = [{p: f._replace(time=2 * f.time) for p, f in run.items()} for run in new]
    found = compare(old, slow)
    assert not found.is_slower
    assert found.machine == pytest.approx(2, rel=0.1)


def test_a_few_runs_prove_nothing() -> None:
    """Twice the time in one run of each may be chance."""
    numbers = _seeds(1)[0]
    old, new = _run(numbers), _run(numbers)
    new["m/3:p"] = new["m/3:p"]._replace(time=2 * new["m/3:p"].time)
    row = next(row for row in compare([old], [new]).rows if row.path == "m/3:p")
    assert row.verdict == ""
    assert row.ratio == pytest.approx(2, rel=0.2)


def test_what_a_pass_does_otherwise_is_told_in_words() -> None:
    """Ops, changes and statistics are compared; passes of one compiler are named."""
    old = {"m/0:a": PassFacts(1, 5, 2, 0, {"n": 3}), "m/1:b": PassFacts(1, 1, 0, 0, {})}
    new = {"m/0:a": PassFacts(1, 6, 2, 1, {"n": 4}), "m/1:c": PassFacts(1, 1, 0, 0, {})}
    rows = {row.path: row for row in compare([old], [new]).rows}
    assert rows["m/0:a"].differences == [
        "runs on 6 ops, not 5",
        "fails on 1 ops, not 0",
        "counts 4 n, not 3",
    ]
    assert (rows["m/1:b"].verdict, rows["m/1:c"].verdict) == ("removed", "added")


def test_a_pass_that_is_gone_is_removed_though_another_has_its_path() -> None:
    """Of two equal passes, the first one is gone, and the one behind it has moved up."""
    old, new = (
        {path: PassFacts(1, 1, 0, 0, {"n": n}) for n, path in enumerate(paths)}
        for paths in (["m/0:a", "m/1:a", "m/2:b"], ["m/0:a", "m/1:b"])
    )
    rows = [(row.path, row.verdict) for row in compare([old], [new]).rows]
    assert rows == [("m/0:a", ""), ("m/1:b", ""), ("m/0:a", "removed")]


def test_chance_is_that_of_mann_and_whitney() -> None:
    """Exact, as of tables: of 20 orders of three and three, one has all of one first."""
    assert chance([1, 2, 3], [4, 5, 6]) == pytest.approx(1 / 20)
    assert chance([1, 2, 4], [3, 5, 6]) == pytest.approx(2 / 20)
    assert chance([1, 3, 5], [2, 4, 6]) == pytest.approx(7 / 20)
