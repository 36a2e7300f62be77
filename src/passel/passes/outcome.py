"""Outcomes of steps, pipelines and siblings, which are values that can be added.

An outcome contains no ops and can be pickled. A record collects a pass's reports until it ends.
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
"""Counts by the pass's path and the statistic's name."""

NO_COUNTS: Counts = MappingProxyType({})


class Outcome(NamedTuple):
    """The outcome of a step or pipeline. Outcomes are added in program order.

    Attributes:
        changed: Whether the op changed; None if unknown.
        failures: Every failure.
        diagnostics: All diagnostics, including those of failures.
        counts: The counts of passes.
        preserved: The analyses that all dynamic pipelines preserve. A pickled outcome preserves all
            or none, since another process may not know the classes.

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
        """Return the counts by the pass's path, then by the statistic's name."""
        found: dict[str, dict[str, int]] = {}
        for (path, name), amount in self.counts.items():
            found.setdefault(path, {})[name] = amount
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        preserved = EVERYTHING if self.preserved == EVERYTHING else frozenset[type]()
        return Outcome, (*self[:3], dict(self.counts), preserved)


UNCHANGED = Outcome()
"""The outcome of a success that changed nothing."""

CHANGED = Outcome(changed=True)
"""The outcome of a success that changed the op."""

UNKNOWN = Outcome(changed=None)
"""The outcome of a success that may have changed the op."""

PLAIN: dict[bool | None, Outcome] = {False: UNCHANGED, True: CHANGED, None: UNKNOWN}
"""Outcomes of success, by their `changed`."""


def sum_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the sum of outcomes, given in program order."""
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
    """The result of a dynamic pipeline; it is true if the pipeline succeeded.

    Attributes:
        failures: The failures, in program order. These failures have already been reported.
        changed: Whether the IR changed; None if the run did not determine it.
    """

    def __init__(self, failures: tuple[Failure, ...], changed: bool | None) -> None:
        self.failures: Final = failures
        self.changed: Final = changed

    def __bool__(self) -> bool:
        return not self.failures


class Record:
    """The counts and reports of a running pass.

    Attributes:
        outcome: The outcome so far, including the outcomes of dynamic pipelines.
        diagnostics: The diagnostics to report when the pass ends.
        counts: The counts that are not in the outcome yet.
    """

    def __init__(self) -> None:
        self.outcome: Outcome = UNCHANGED
        self.diagnostics: list[Diagnostic] = []
        self.counts: dict[tuple[str, str], int] = {}
