"""The analyses that a pass preserves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


class AllAnalyses:
    """A marker for all analyses in a declaration of preserved analyses.

    `preserves = (AllAnalyses,)` in a class body declares that the pass changes no property that an
    analysis depends on. Passes that change nothing should also call `ctx.preserve_all()`, which
    avoids verification.

    Source: `mlir::PreservedAnalyses::AllAnalysesType`, MLIR 22.
    """


EVERYTHING: Final[frozenset[type]] = frozenset({AllAnalyses})
"""The set of all analyses."""


def in_common(some: frozenset[type], others: frozenset[type]) -> frozenset[type]:
    """Return the analyses that are in both sets. Each set may contain `AllAnalyses`."""
    if AllAnalyses in some:
        return others
    return some if AllAnalyses in others else some & others


class PreservedAnalyses:
    """The analyses of the op that are still valid after a pass.

    An analysis can define `is_invalidated(self, preserved)` to decide whether it is invalid.
    Otherwise, an analysis is invalid unless the pass preserved it.

    Source: `mlir::detail::PreservedAnalyses`, MLIR 22.
    """

    __slots__ = ("_all", "_kinds")

    def __init__(self, kinds: Iterable[object] = (), *, all_preserved: bool = False) -> None:
        self._kinds = set(kinds)
        self._all = all_preserved or AllAnalyses in self._kinds

    @property
    def all(self) -> bool:
        """Whether the pass preserved all analyses."""
        return self._all

    @property
    def none(self) -> bool:
        """Whether the pass preserved no analysis."""
        return not self._all and not self._kinds

    def is_preserved(self, kind: object) -> bool:
        """Return whether an analysis was preserved and its dependencies were not dropped."""
        return self._all or kind in self._kinds

    def __copy__(self) -> PreservedAnalyses:
        return PreservedAnalyses(self._kinds, all_preserved=self._all)

    def _drop(self, kind: object) -> None:
        self._kinds.discard(kind)
