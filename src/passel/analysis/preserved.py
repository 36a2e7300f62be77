"""The analyses that a pass preserves."""

from __future__ import annotations

from typing import Final


class AllAnalyses:
    """A class that represents all analyses in the attribute `preserves` of a pass.

    `preserves = (AllAnalyses,)` in the class body of a pass declares that the pass never
    invalidates an analysis. Even with this declaration, a pass that has not changed the IR should
    call `ctx.preserve_all()`, so that the run does not verify the op.

    Source: `mlir::PreservedAnalyses::AllAnalysesType`, MLIR 22.
    """


EVERYTHING: Final[frozenset[type]] = frozenset({AllAnalyses})
"""The set that represents all analyses."""


def in_common(some: frozenset[type], others: frozenset[type]) -> frozenset[type]:
    """Return the intersection of two sets of analysis classes, which may contain `AllAnalyses`."""
    if AllAnalyses in some:
        return others
    return some if AllAnalyses in others else some & others


class PreservedAnalyses(set[object]):
    """The classes of the analyses of an op that are still valid after a pass.

    An analysis class can define `is_invalidated(self, preserved)`, which returns whether the pass
    has invalidated the analysis. Without `is_invalidated`, an analysis is invalidated unless the
    pass has preserved the analysis class.

    Source: `mlir::detail::PreservedAnalyses`, MLIR 22.
    """

    @property
    def all(self) -> bool:
        """Whether the pass preserved all analyses."""
        return AllAnalyses in self

    @property
    def none(self) -> bool:
        """Whether the pass preserved no analyses."""
        return not self

    def is_preserved(self, kind: object) -> bool:
        """Return whether the pass preserved an analysis that no manager has dropped since."""
        return self.all or kind in self
