"""Preservation of analyses by passes, as far as it is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from passel.analysis import AllAnalyses
from passel.passes.walking import walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from passel.passes.base import Pass
    from passel.passes.op_pass_manager import OpPassManager

EVERYTHING: Final[frozenset[type]] = frozenset({AllAnalyses})
"""The analyses that are preserved where nothing runs."""


def preserves(kinds: Collection[type], kind: type) -> bool:
    """Return whether an analysis is among those that are preserved."""
    return kind in kinds or AllAnalyses in kinds


def in_common(some: frozenset[type], others: frozenset[type]) -> frozenset[type]:
    """Return the analyses that are in two sets, each of which may stand for every one."""
    if AllAnalyses in some:
        return others
    return some if AllAnalyses in others else some & others


def preserved_by(items: Iterable[Pass[Any, Any] | OpPassManager]) -> frozenset[type]:
    """Return the analyses that all of several passes and pipelines preserve.

    What a pass may run counts like the pass itself. Nothing preserves everything.
    """
    kept = EVERYTHING
    for item in items:
        for visit in walk(item):
            kept = in_common(kept, frozenset(visit.pass_.contract.preserves))
    return kept
