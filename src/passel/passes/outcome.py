"""Outcomes of steps and pipelines. Adding outcomes combines them into one outcome.

An outcome contains no ops and can be pickled. A record collects the reports of a pass until the
pass ends.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from passel.analysis import EVERYTHING, in_common

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure

Counts: TypeAlias = Mapping[tuple[str, str], int]
"""The value of each statistic, by the path of the pass and the name of the statistic."""

NO_COUNTS: Counts = MappingProxyType({})


class Outcome(NamedTuple):
    """The outcome of running a step or pipeline on an op.

    To combine outcomes, add them in program order.

    Attributes:
        changed: Whether the op changed; None if unknown.
        failures: All failures, in program order.
        diagnostics: All diagnostics, including the diagnostics of the failures.
        counts: A dict from `(path of the pass, name of the statistic)` to the value of the
            statistic.
        preserved: The classes of the analyses that all dynamic pipelines preserved; `EVERYTHING` if
            no dynamic pipeline ran. Unpickling leaves out classes that the process has not
            imported, and so has not cached, and classes inside a function or another class.

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
        """Return the counts as `{path of the pass: {name of the statistic: count}}`."""
        found: dict[str, dict[str, int]] = {}
        for (path, name), amount in self.counts.items():
            found.setdefault(path, {})[name] = amount
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        names = [(e.__module__, e.__qualname__) for e in self.preserved if hasattr(e, "__name__")]
        return _unpickled, (*self[:3], dict(self.counts), names)


def _unpickled(*others: Any) -> Outcome:
    *fields, names = others
    found = {getattr(sys.modules.get(module), name, None) for module, name in names}
    return Outcome._make([*fields, frozenset(found - {None})])


UNCHANGED = Outcome()
"""The outcome of a successful step that did not change the op."""

CHANGED = Outcome(changed=True)
"""The outcome of a successful step that changed the op."""

UNKNOWN = Outcome(changed=None)
"""The outcome of a successful step that may have changed the op."""

PLAIN: dict[bool | None, Outcome] = {False: UNCHANGED, True: CHANGED, None: UNKNOWN}
"""The outcomes of successful steps, by the value of `changed`."""


def sum_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Combine outcomes, given in program order, into one outcome."""
    changed: bool | None = False
    failures: list[Failure] = []
    diagnostics: list[Diagnostic] = []
    counts: Counter[tuple[str, str]] = Counter()
    preserved = EVERYTHING
    for outcome in outcomes:
        if outcome is UNCHANGED or (outcome is UNKNOWN and changed is None):
            continue  # most outcomes are
        if not changed and outcome.changed is not False:
            changed = outcome.changed
        failures += outcome.failures
        diagnostics += outcome.diagnostics
        counts.update(outcome.counts)
        preserved = in_common(preserved, outcome.preserved)
    if failures or diagnostics or counts or preserved is not EVERYTHING:
        return Outcome(changed, tuple(failures), tuple(diagnostics), counts, preserved)
    return PLAIN[changed]


class PipelineRun:
    """The result of a dynamic pipeline. The result is truthy if the pipeline succeeded.

    Attributes:
        failures: The failures of the pipeline, in program order. They have already been reported.
        changed: Whether the IR changed; None if unknown.
    """

    # No tuple: type checkers would take it for always true.
    def __init__(self, failures: tuple[Failure, ...], changed: bool | None) -> None:
        self.failures: Final = failures
        self.changed: Final = changed

    def __bool__(self) -> bool:
        return not self.failures


class Record:
    """The counts and reports of a running pass.

    Attributes:
        outcome: The outcome of the pass so far, including the dynamic pipelines that the pass ran.
        diagnostics: The diagnostics to report when the pass ends.
        counts: The counts that have not been added to the outcome yet.
    """

    def __init__(self) -> None:
        self.outcome: Outcome = UNCHANGED
        self.diagnostics: list[Diagnostic] = []
        self.counts: Counter[tuple[str, str]] = Counter()
