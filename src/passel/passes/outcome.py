"""Outcomes: what running a step, a pipeline or siblings leads to, as a value that adds up.

An outcome holds no ops and can be pickled. A record gathers what becomes one while a pass runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from passel.analysis import EVERYTHING, in_common

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure

Counts: TypeAlias = Mapping[tuple[str, str], int]
"""Statistics by the pass's path and the statistic's name."""

NO_COUNTS: Counts = MappingProxyType({})


class Outcome(NamedTuple):
    """How it went. Outcomes are added in program order.

    Attributes:
        changed: Whether the op changed; None if that is not known.
        failures: Every failure.
        diagnostics: All diagnostics, including those of failures.
        counts: The counts of passes.
        preserved: The analyses that all pipelines preserve which passes have run themselves. Their
            classes may be unknown in another process: what is pickled preserves all or none.

    Example:
        >>> (UNCHANGED + UNKNOWN).changed, (UNKNOWN + CHANGED).changed
        (None, True)
    """

    changed: bool | None = False
    failures: tuple[Failure, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    counts: Counts = NO_COUNTS
    preserved: frozenset[type] = EVERYTHING

    def __add__(self, other: Outcome) -> Outcome:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self if other is UNCHANGED else other if self is UNCHANGED else sum_of((self, other))

    def statistics(self) -> dict[str, dict[str, int]]:
        """Return what passes counted, by the pass's path and then by the statistic's name."""
        found: dict[str, dict[str, int]] = {}
        for (path, name), amount in self.counts.items():
            found.setdefault(path, {})[name] = amount
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        preserved = EVERYTHING if self.preserved == EVERYTHING else frozenset[type]()
        return Outcome, (*self[:3], dict(self.counts), preserved)


UNCHANGED = Outcome()
"""The outcome of what succeeds and changes nothing."""

CHANGED = Outcome(changed=True)
"""The outcome of what succeeds and changes the op."""

UNKNOWN = Outcome(changed=None)
"""The outcome of what succeeds, where it is not known whether it changes the op."""

PLAIN: dict[bool | None, Outcome] = {False: UNCHANGED, True: CHANGED, None: UNKNOWN}
"""Outcomes of success, by whether the op changed."""


def sum_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of several things that were run, given in program order."""
    changed: bool | None = False
    failures: list[Failure] = []
    diagnostics: list[Diagnostic] = []
    counts: dict[tuple[str, str], int] = {}
    preserved = EVERYTHING
    for outcome in outcomes:
        if outcome is UNCHANGED or (outcome is UNKNOWN and changed is None):
            continue  # most are
        if not changed and outcome.changed is not False:
            changed = outcome.changed
        failures += outcome.failures
        diagnostics += outcome.diagnostics
        for key, amount in outcome.counts.items():
            counts[key] = counts.get(key, 0) + amount
        preserved = in_common(preserved, outcome.preserved)
    if failures or diagnostics or counts or preserved is not EVERYTHING:
        return Outcome(changed, tuple(failures), tuple(diagnostics), counts, preserved)
    return PLAIN[changed]


class PipelineRun:
    """How a dynamic pipeline went; true if it succeeded.

    Attributes:
        failures: The failures, in program order; already reported.
        changed: Whether the IR changed; None if the run had no need to know.
    """

    def __init__(self, failures: tuple[Failure, ...], changed: bool | None) -> None:
        self.failures: Final = failures
        self.changed: Final = changed

    def __bool__(self) -> bool:
        return not self.failures


class Record:
    """Report of a pass: most have nothing to say.

    Attributes:
        outcome: Earlier reports, including those of pipelines that the pass has run.
        diagnostics: Diagnostics to report when the pass ends.
        counts: The counts since then.
    """

    __slots__ = ("counts", "diagnostics", "outcome")

    def __init__(self) -> None:
        self.outcome: Outcome = UNCHANGED
        self.diagnostics: list[Diagnostic] = []
        self.counts: dict[tuple[str, str], int] = {}
