"""Finding an order that fulfils demands, where these leave choices.

Which one of several a leaf is next to is chosen where the order so far breaks the demand: the
nearest one, for all demands at once and then for one after the other. On which side of a gap a
leaf is, an attempt decides, and is put right where it gets stuck. What leads nowhere is taken
back, until that has cost `MAX_EFFORT`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from passel.builder.emission import After, Attempt, Condition, Gap, Next, Units

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_EFFORT = 100_000
"""How many units are put into an order, in all attempts that choices make necessary."""

MIN_ATTEMPTS = 20
"""How many attempts are made at least."""


class OneOf(NamedTuple):
    """A leaf comes right after one of several others."""

    alternatives: tuple[Next, ...]


Demanded: TypeAlias = "Condition | OneOf"

Demand: TypeAlias = "list[Demanded]"
"""The demands of one constraint on an order: all of these."""

_Numbered: TypeAlias = "list[tuple[int, Condition]]"
"""Conditions, each with the number of the demand that it is part of."""


class TooManyAttemptsError(Exception):
    """No order was found at a cost of `MAX_EFFORT`, and it is not known that there is none."""


class Solver:
    """Finds orders that fulfil demands.

    Args:
        units: What is ordered.
        demands: The demands, known by their index.

    Attributes:
        core: After a failure, demands that cannot be fulfilled together; not the fewest.
        cycle: After a failure, pairs of units of a cycle with the demand behind each, -1 for a
            fixed order; empty if there is none, or it is no cycle that prevents an order.
    """

    def __init__(self, units: Units, demands: Sequence[Demand]) -> None:
        self._units = units
        self._demands = demands
        self._attempts = 0
        self._choices: list[tuple[int, OneOf]] = []
        self.core: set[int] = set()
        self.cycle: list[tuple[int, int, int]] = []

    def solve(self, chosen: Iterable[int] | None = None) -> list[int] | None:
        """Return all units in an order, blocks after what is inside; or None if there is none.

        Args:
            chosen: The demands that count, by default all.

        Raises:
            TooManyAttemptsError: It takes too long to find out.
        """
        self._attempts = 0
        self._choices = []
        self.core = set()
        self.cycle = []
        conditions: _Numbered = []
        for number in range(len(self._demands)) if chosen is None else chosen:
            for each in self._demands[number]:
                if not isinstance(each, OneOf):
                    conditions.append((number, each))
                elif len(each.alternatives) == 1:
                    conditions.append((number, each.alternatives[0]))
                else:
                    self._choices.append((number, each))
        return self._search(conditions)

    def _search(self, conditions: _Numbered) -> list[int] | None:
        """Return an order that fulfils conditions and all choices; else note why there is none."""
        is_first = not self._attempts
        attempt = self._attempt(conditions)
        if attempt.has_failed:
            gaps = attempt.gaps()
            if gaps:
                # What has no order even without gaps has none on any side of them.
                relaxed = self._attempt([c for c in conditions if not isinstance(c[1], Gap)])
                attempt = relaxed if relaxed.has_failed else attempt
                gaps = [] if relaxed.has_failed else gaps
            self.core |= attempt.core()
            if is_first:
                self.cycle = attempt.cycle()
            return self._change_sides(conditions, gaps)
        places = {unit: place for place, unit in enumerate(attempt.leaves())}
        broken = [
            (number, _nearest_first(choice, places))
            for number, choice in self._choices
            if not any(places[c.leaf] == places[c.first] + 1 for c in choice.alternatives)
        ]
        return self._choose(conditions, broken) if broken else attempt.order

    def _attempt(self, conditions: _Numbered) -> Attempt:
        self._attempts += 1
        effort = self._attempts * len(self._units.parents)
        if self._attempts > MIN_ATTEMPTS and effort > MAX_EFFORT:
            raise TooManyAttemptsError
        attempt = Attempt(self._units, conditions)
        attempt.run()
        return attempt

    def _change_sides(self, conditions: _Numbered, places: list[int]) -> list[int] | None:
        """Have one of the leaves that wait in a gap come before it: without that there is no order.

        Args:
            conditions: All conditions.
            places: Where among them the gaps are.
        """
        for changed in places:
            kept = set(places[: places.index(changed)])
            other: _Numbered = []
            for place, (number, condition) in enumerate(conditions):
                if isinstance(condition, Gap) and place == changed:
                    leaf = condition.leaf
                    other += ((number, After(each, (leaf,))) for each in condition.starts)
                elif isinstance(condition, Gap) and place in kept:
                    other += ((number, After(condition.leaf, (each,))) for each in condition.ends)
                else:
                    other.append((number, condition))
            if (order := self._search(other)) is not None:
                return order
        return None

    def _choose(
        self, conditions: _Numbered, broken: list[tuple[int, list[Next]]]
    ) -> list[int] | None:
        """Have leaves come right after others, all at once and then one of them."""
        if len(broken) > 1:
            guess: _Numbered = [(number, nearest[0]) for number, nearest in broken]
            if (order := self._search([*conditions, *guess])) is not None:
                return order
        number, alternatives = broken[0]
        for each in alternatives:
            if (order := self._search([*conditions, (number, each)])) is not None:
                return order
        self.core.add(number)
        return None


def _nearest_first(choice: OneOf, places: dict[int, int]) -> list[Next]:
    """Return alternatives, the nearest that comes before first, those that come after last."""

    def distance(condition: Next) -> tuple[bool, int]:
        gap = places[condition.leaf] - places[condition.first]
        return gap < 0, abs(gap)

    return sorted(choice.alternatives, key=distance)
