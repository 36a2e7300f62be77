"""Records compared: which passes take longer, or do something else.

Times of repeated runs scatter, so two samples of them are compared: a difference counts if it is
larger than a threshold and would be rare among runs of equal compilers. How slow the machine was
in each run is found as the median over all passes, and left out.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import cache
from itertools import chain
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passel.record import Execution

_NUMBER = re.compile(r"\b\d+:")

_GONE = "-"
"""Before the path of an old pass that is gone, where another one has that path now."""

_ALPHA = 0.0025
"""How often equal compilers may differ in any pass, in each direction."""


class PassFacts(NamedTuple):
    """Facts about a pass in one record.

    Attributes:
        time: Seconds of CPU time that it took by itself.
        ops: How many ops it ran on.
        changed: How many of these it changed.
        failed: On how many it failed.
        counts: Its statistics.
    """

    time: float
    ops: int
    changed: int
    failed: int
    counts: Mapping[str, int]


def facts_of(executions: Sequence[Execution]) -> dict[str, PassFacts]:
    """Return the facts about all passes of a record, by their paths."""
    found: dict[str, PassFacts] = {}
    for each in executions:
        if each.status == "skipped":
            continue
        old = found.get(each.path, PassFacts(0.0, 0, 0, 0, {}))
        names = chain(old.counts, (name for name in each.counts if name not in old.counts))
        found[each.path] = PassFacts(
            old.time + each.cpu_time,
            old.ops + 1,
            old.changed + (each.status == "changed"),
            old.failed + (each.status == "failed"),
            {name: old.counts.get(name, 0) + each.counts.get(name, 0) for name in names},
        )
    return found


class Row(NamedTuple):
    """A pass in both compilers.

    Attributes:
        path: Its path.
        old: Facts about it in each record of the old compiler; none if the pass is new.
        new: The same of the new one.
        ratio: How many times longer it takes, the machine's speed left out; None if it is in one
            compiler alone.
        verdict: `slower`, `faster`, `added` or `removed`; empty if times do not differ.
        differences: What it does otherwise, in words, such as `changes 3 ops, not 5`.
    """

    path: str
    old: Sequence[PassFacts]
    new: Sequence[PassFacts]
    ratio: float | None
    verdict: str
    differences: Sequence[str]

    @staticmethod
    def time(facts: Sequence[PassFacts]) -> float:
        """Return the median of the times."""
        return median(each.time for each in facts) if facts else 0.0

    @staticmethod
    def spread(facts: Sequence[PassFacts]) -> float:
        """Return how far times are from their median, which half of them exceed."""
        middle = Row.time(facts)
        return median(abs(each.time - middle) for each in facts) if facts else 0.0


class Comparison(NamedTuple):
    """The comparison of two compilers.

    Attributes:
        rows: The passes, in the order of the new pipeline, then those that it lacks.
        machine: How many times longer everything takes.
        threshold: The ratio from which on a pass is slower.
    """

    rows: Sequence[Row]
    machine: float
    threshold: float

    @property
    def is_slower(self) -> bool:
        """Whether a pass is slower, or all of them."""
        return any(row.verdict == "slower" for row in self.rows)


def compare(
    old: Sequence[Mapping[str, PassFacts]],
    new: Sequence[Mapping[str, PassFacts]],
    *,
    threshold: float = 1.05,
    least: float = 0.0005,
) -> Comparison:
    """Compare records of two compilers on the same input.

    Passes are matched by their paths without numbers, and by their order.

    Args:
        old: The facts of each record of the old compiler.
        new: The same of the new one.
        threshold: The ratio of times from which on a pass is slower or, inverted, faster.
        least: Seconds below which the times of a pass are not compared.

    Returns:
        The comparison. From a few records of each, a difference cannot be told from chance, and no
        pass is called slower or faster: for forty passes there must be nine.

    Example:
        >>> def run(time):
        ...     times = {"m/0:cse": time, "m/1:dce": 1.0, "m/2:licm": 2.0}
        ...     return {path: PassFacts(time, 1, 1, 0, {}) for path, time in times.items()}
        >>> old, new = ([run(time + n / 100) for n in range(9)] for time in (1.0, 1.5))
        >>> [(row.path, row.verdict) for row in compare(old, new).rows if row.verdict]
        [('m/0:cse', 'slower')]
    """
    names = _matched(*(list(dict.fromkeys(chain.from_iterable(runs))) for runs in (old, new)))
    old = [{names.get(path, path): facts for path, facts in run.items()} for run in old]
    paths = list(dict.fromkeys(path for run in (*new, *old) for path in run))
    usual = {path: median(run[path].time for run in (*old, *new) if path in run) for path in paths}
    compared = {path: time for path, time in usual.items() if time >= least}
    before, after = ([_Evened(run, compared) for run in runs] for runs in (old, new))
    rows = [
        _row(
            path.removeprefix(_GONE),
            *([run[path] for run in runs if path in run] for runs in (old, new)),
        )
        for path in paths
    ]
    limit = _ALPHA / max(len(compared), 1)
    for index, row in enumerate(rows):
        if row.path in compared and not row.verdict:
            one, other = (
                [each.times[row.path] for each in runs if row.path in each.times]
                for runs in (before, after)
            )
            ratio = median(other) / median(one)
            low, high, verdict = (one, other, "slower") if ratio > 1 else (other, one, "faster")
            is_small = 1 / threshold < ratio < threshold
            is_news = not is_small and chance(low, high) <= limit
            rows[index] = row._replace(ratio=ratio, verdict=verdict if is_news else "")
    machine = median(each.speed for each in after) / median(each.speed for each in before)
    return Comparison(rows, machine, threshold)


def _matched(old: Sequence[str], new: Sequence[str]) -> Mapping[str, str]:
    """Return the new path of each old one whose pass has moved, as others came or went."""
    texts = ([_NUMBER.sub("", path) for path in paths] for paths in (old, new))
    found = SequenceMatcher(None, *texts, autojunk=False).get_matching_blocks()
    moved = {old[i + n]: new[j + n] for i, j, size in found for n in range(size)}
    return {path: f"{_GONE}{path}" for path in moved.values()} | moved


class _Evened:
    """Times of a run as they would be if the machine was as fast as usual.

    Attributes:
        speed: How many times longer than usual most passes took.
        times: The times by path.
    """

    def __init__(self, run: Mapping[str, PassFacts], usual: Mapping[str, float]) -> None:
        ratios = {path: run[path].time / time for path, time in usual.items() if path in run}
        self.speed: float = median(ratios.values()) if ratios else 1.0
        self.times: Mapping[str, float] = {
            path: ratio * usual[path] / self.speed for path, ratio in ratios.items()
        }


def _row(path: str, old: Sequence[PassFacts], new: Sequence[PassFacts]) -> Row:
    verdict = "" if old and new else "added" if new else "removed"
    return Row(path, old, new, None, verdict, _differences(old, new))


def chance(low: Sequence[float], high: Sequence[float]) -> float:
    """Return how likely it is that samples of one distribution are as far apart.

    Args:
        low: The sample that seems lower.
        high: The sample that seems higher.

    Example:
        >>> chance([1, 2, 3], [4, 5, 6])
        0.05

    Source: H. B. Mann and D. R. Whitney, "On a Test of Whether one of Two Random Variables is
    Stochastically Larger than the Other", Annals of Mathematical Statistics 18(1), 1947.
    """
    swaps = sum(a > b for a in low for b in high) + sum(a == b for a in low for b in high) / 2
    n, m = len(low), len(high)
    ways = [_orders(n, m, count) for count in range(n * m + 1)]
    return sum(ways[: int(swaps + 0.5) + 1]) / sum(ways)


@cache
def _orders(low: int, high: int, swaps: int) -> int:
    """Return in how many orders of two samples so many pairs are swapped."""
    if swaps < 0:
        return 0
    if not low or not high:
        return int(swaps == 0)
    return _orders(low - 1, high, swaps - high) + _orders(low, high - 1, swaps)


def _differences(old: Sequence[PassFacts], new: Sequence[PassFacts]) -> Sequence[str]:
    """Return what a pass does otherwise, judged by the last record of each compiler."""
    if not old or not new:
        return ()
    before, after = old[-1], new[-1]
    facts = [
        ("runs on", "ops", before.ops, after.ops),
        ("changes", "ops", before.changed, after.changed),
        ("fails on", "ops", before.failed, after.failed),
    ]
    names = dict.fromkeys([*before.counts, *after.counts])
    facts += [("counts", n, before.counts.get(n, 0), after.counts.get(n, 0)) for n in names]
    return [f"{verb} {b} {what}, not {a}" for verb, what, a, b in facts if a != b]
