"""Places where siblings are processed, and which of them are allowed."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Place(Enum):
    """Where siblings are processed."""

    HERE = "this thread"
    THREADS = "threads"
    COPIES = "forked copies of this process"
    PROCESSES = "processes that know nothing of the run"


class Placement(NamedTuple):
    """Where the ops of one nested step may be processed.

    Attributes:
        obstacles: Why they may not be, by place; no entry where they may.
        automatic: Why they are shared out only on request; empty if by `jobs="auto"` as well.
        parent_may_help: Whether the parent process may run tasks beside its workers.
        is_native: Whether all passes are native code with threads of its own.
    """

    obstacles: Mapping[Place, str]
    automatic: str
    parent_may_help: bool
    is_native: bool

    def allows(self, place: Place) -> bool:
        """Return whether ops may be processed in a place."""
        return place not in self.obstacles
