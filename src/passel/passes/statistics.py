"""Statistics: named counters that passes declare.

Passes are immutable, so the counts are stored in the run rather than in the pass.
"""

from __future__ import annotations

from functools import cache
from typing import Any


class Statistic:
    """A counter that is declared in the body of a pass class.

    Args:
        description: A noun phrase that says what is counted, such as "Operations erased".
        name: The name in reports; by default the name of the attribute, with dashes instead of
            underscores.

    Attributes:
        name: The name in reports.
        description: A noun phrase that says what is counted.

    Example:
        >>> from passel import Pass
        >>> class Sweep(Pass):
        ...     name = "sweep"
        ...     erased = Statistic("Operations erased")
        >>> Sweep.erased.name
        'erased'

    Source: `mlir::Pass::Statistic`, MLIR 22.
    """

    def __init__(self, description: str, *, name: str = "") -> None:
        self.description: str = description
        self.name: str = name

    def __set_name__(self, owner: type, attribute: str) -> None:
        if not self.name:
            self.name = attribute.replace("_", "-")

    def __repr__(self) -> str:
        return f"Statistic({self.name or self.description!r})"


@cache  # called whenever a pass counts
def statistics_of(owner: type[Any]) -> tuple[Statistic, ...]:
    """Return the statistics that a class and its base classes declare, base classes first."""
    found = {
        attribute: value
        for base in reversed(owner.__mro__)
        for attribute, value in vars(base).items()
        if isinstance(value, Statistic)
    }
    return tuple(found.values())
