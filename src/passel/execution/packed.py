"""Effects of tasks on ops, as they come back from another process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet


class Packed(NamedTuple):
    """The effect of a task on its op in another process.

    Attributes:
        contents: What has changed in the op, or all that it holds now; None if nothing has.
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
        encode: Returns from the op, and from what is known of it, what is to be sent back.
        known: What is known of the op.
        names: The names in it.
    """

    encode: Callable[[Any, Any], bytes]
    known: Any
    names: Sequence[Any]
