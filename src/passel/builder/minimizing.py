"""Reducing demands that contradict each other to as few as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passel.builder.scheduling import Demand, Solver

_MAX_MEMBERS = 200
"""Up to how many demands around a cycle are looked at for a part that suffices."""


def minimal_conflict(solver: Solver, demands: list[Demand]) -> list[int]:
    """Return demands that contradict each other, any of which can be dropped to resolve it.

    Args:
        solver: The solver that has just failed.
        demands: All demands, by their index.

    Raises:
        TooManyAttemptsError: It takes too long to find out.
    """
    around = list(dict.fromkeys(number for _, _, number in solver.cycle if number >= 0))
    if around:
        edges = sum(number >= 0 for _, _, number in solver.cycle)
        conditions = sum(len(demands[number]) for number in around)
        # Where each demands nothing beside the cycle, nothing of the cycle can be missing.
        if conditions == edges or len(around) > _MAX_MEMBERS:
            return around
        return quick_explanation(solver, around)
    return quick_explanation(solver, sorted(solver.core))


def quick_explanation(solver: Solver, suspects: list[int]) -> list[int]:
    """Return a part of demands that contradict each other of which none can be left out.

    Source: Junker, "QuickXplain: Preferred explanations and relaxations for over-constrained
    problems", 2004.
    """

    def reduce(known: list[int], has_changed: bool, left: list[int]) -> list[int]:
        if has_changed and solver.solve(known) is None:
            return []
        if len(left) == 1:
            return left
        half = len(left) // 2
        second = reduce(known + left[:half], half > 0, left[half:])
        first = reduce(known + second, bool(second), left[:half])
        return first + second

    return sorted(reduce([], has_changed=False, left=suspects))
