"""Effects of tasks on ops, as they come back from another process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet


class Packed(NamedTuple):
    """The effect of a task on its op in another process.

    Attributes:
        contents: What the op holds now; None if it has not changed.
        claims: Whether passes have stated that they changed nothing.
        matched: Keys of nested pipelines that have run on some op there.
        names: The names in the op if these alone have changed.
    """

    contents: bytes | None
    claims: bool
    matched: AbstractSet[str]
    names: Sequence[Any] | None = None


class Noted(NamedTuple):
    """The state of a task's op before the task is done elsewhere.

    Attributes:
        known: Parts of the op that need not be sent back.
        names: The names in it.
    """

    known: Sequence[Any]
    names: Sequence[Any]
