"""Whether ops of a run were shared with workers, and why not."""

from __future__ import annotations


class Sharing:
    """Counts ops of nested pipelines that workers could have processed, and that they have.

    Attributes:
        where: The workers, as messages name them.
        ops: How many ops there were.
        shared: How many of these workers have processed.
        reasons: Why not all, each once.

    Example:
        >>> sharing = Sharing("worker processes")
        >>> sharing.ops = 8
        >>> sharing.keep("that would not save time")
        >>> print(sharing)
        Shared with worker processes: 0 of 8 ops; that would not save time
    """

    def __init__(self, where: str) -> None:
        self.where: str = where
        self.ops: int = 0
        self.shared: int = 0
        self.reasons: dict[str, None] = {}

    def keep(self, why: str) -> None:
        """Take note that some ops are not shared, and why."""
        self.reasons[why] = None

    def __str__(self) -> str:
        if not (self.ops or self.reasons):
            return ""
        numbers = f"{self.shared} of {self.ops} ops" if self.ops else "no ops"
        return "; ".join([f"Shared with {self.where}: {numbers}", *self.reasons])
