"""Outcomes: what running a step, a pipeline or siblings leads to, as a value.

What runs a step returns its outcome, and what runs several merges theirs in program order.
An outcome holds no ops and can be pickled.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passel.errors import Portable
from passel.passes.preservation import EVERYTHING, in_common

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.diagnostics import Diagnostic
    from passel.errors import Failure

Counts: TypeAlias = Mapping[tuple[str, str], int]
"""Statistics by the pass's path and the statistic's name."""


class Outcome(NamedTuple):
    """How it went.

    Attributes:
        changed: Whether the op changed; None if that is not known.
        failures: Every failure, in program order. An interrupt is one.
        diagnostics: All that was reported, those of the failures included, in program order.
        counts: What passes counted.
        interrupt: What ends the whole run, such as a `KeyboardInterrupt`.
        kept: Analyses that all pipelines preserve which passes have run. Their classes may be
            unknown in another process, so that what is pickled preserves all of them or none.
    """

    changed: bool | None = False
    failures: tuple[Failure, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    counts: Counts = MappingProxyType({})
    interrupt: BaseException | None = None
    kept: frozenset[type] = EVERYTHING

    def statistics(self) -> dict[str, dict[str, int]]:
        """Return what passes counted, by the pass's path and then by the statistic's name."""
        found: dict[str, dict[str, int]] = {}
        for (path, name), amount in self.counts.items():
            found.setdefault(path, {})[name] = amount
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle an interrupt as far as it can be, with its traceback as text."""
        parts = (self.changed, self.failures, self.diagnostics, dict(self.counts))
        return _outcome, (*parts, Portable.of(self.interrupt), self.kept == EVERYTHING)


def _outcome(*fields: Any) -> Outcome:
    *plain, interrupt, keeps = fields
    kept = EVERYTHING if keeps else frozenset[type]()
    values: Any = (*plain, interrupt and interrupt.error(), kept)
    return Outcome(*values)


UNCHANGED = Outcome()
"""The outcome of what succeeds and changes nothing."""

CHANGED = Outcome(changed=True)
"""The outcome of what succeeds and changes the op."""

UNKNOWN = Outcome(changed=None)
"""The outcome of what succeeds, where it is not known whether it changes the op."""

_PLAIN = {False: UNCHANGED, True: CHANGED, None: UNKNOWN}


def plain(changed: bool | None) -> Outcome:
    """Return the outcome of a success with nothing to tell."""
    return _PLAIN[changed]


def merge(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the outcome of several things that were run, given in program order.

    Example:
        >>> merge([UNCHANGED, UNKNOWN]).changed, merge([UNKNOWN, CHANGED]).changed
        (None, True)
    """
    if len(outcomes) <= 1:
        return outcomes[0] if outcomes else UNCHANGED
    changed: bool | None = False
    failures: list[Failure] = []
    diagnostics: list[Diagnostic] = []
    counts: dict[tuple[str, str], int] = {}
    interrupt: BaseException | None = None
    kept = EVERYTHING
    for outcome in outcomes:
        if outcome is UNCHANGED or (outcome is UNKNOWN and changed is None):
            continue  # most are
        if not changed and outcome.changed is not False:
            changed = outcome.changed
        failures += outcome.failures
        diagnostics += outcome.diagnostics
        for key, amount in outcome.counts.items():
            counts[key] = counts.get(key, 0) + amount
        interrupt = interrupt or outcome.interrupt
        kept = in_common(kept, outcome.kept)
    if not (failures or diagnostics or counts or interrupt) and kept is EVERYTHING:
        return _PLAIN[changed]
    return Outcome(changed, tuple(failures), tuple(diagnostics), counts, interrupt, kept)
