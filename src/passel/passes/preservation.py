"""Preservation of analyses by passes, as far as it is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.analysis import EVERYTHING, AllAnalyses, in_common
from passel.passes.walking import walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from passel.passes.base import Pass
    from passel.passes.op_pass_manager import OpPassManager


def preserves(kinds: Collection[type], kind: type) -> bool:
    """Return whether an analysis is among those that are preserved."""
    return kind in kinds or AllAnalyses in kinds


def preserved_by(items: Iterable[Pass[Any, Any] | OpPassManager]) -> frozenset[type]:
    """Return the analyses that all of several passes and pipelines preserve.

    What a pass may run counts like the pass itself. Nothing preserves everything.
    """
    kept = EVERYTHING
    for item in items:
        for visit in walk(item):
            kept = in_common(kept, frozenset(visit.pass_.preserves))
    return kept
