"""Policies of a run that differ between IRs: finding changes, noticing lost ops.

`IRAdapter.policies` answers them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class SiblingWatch(Protocol):
    """How a run knows, while pipelines run on the ops inside of an op, that others are gone."""

    def is_in_place(self, number: int, place: object) -> bool:
        """Return whether a child is where it was; asked in program order, before its turn.

        Args:
            number: Which child.
            place: What `Lifetime.place_of` said of it when the watch began.
        """
        ...

    def are_all_in_place(self) -> bool:
        """Return whether the ops inside are those that they were, after all had their turn.

        What a pass on an op did to that op itself does not count.
        """
        ...


class Lifetime(Protocol):
    """How a run knows that an op is gone, before it touches the op.

    Attributes:
        survives_loss: Whether what is known of other ops still holds when one is gone.
    """

    survives_loss: bool

    @property
    def place_of(self) -> Callable[[Any], object]:
        """A function from an op to its place: equal as long as the op is neither moved nor erased.

        It is asked once per pass and op, so it should be as cheap as an attribute. It must not
        raise for an erased op.
        """
        ...

    def watch(self, op: Any, children: Sequence[Any]) -> SiblingWatch:
        """Begin to watch the ops immediately inside of `op`."""
        ...


class RunPolicies(NamedTuple):
    """How runs treat the ops of an IR.

    Attributes:
        finds_changes: Whether a run looks for changes by fingerprint, to verify only what
            changed. Not worthwhile for an IR whose own verifier takes less time.
        lifetime: How the run knows that an op is gone.
    """

    finds_changes: bool
    lifetime: Lifetime


class PlaceLifetime:
    """Lifetime by where ops say that they are.

    Args:
        place_of: Returns where an op stands, such as its parent.
    """

    survives_loss = True

    def __init__(self, place_of: Callable[[Any], object]) -> None:
        self.place_of: Callable[[Any], object] = place_of

    def watch(self, op: Any, children: Sequence[Any]) -> SiblingWatch:
        """Begin to watch the ops immediately inside of `op`."""
        return _PlaceWatch(self.place_of, children)


class _PlaceWatch:
    """Compares places."""

    def __init__(self, place_of: Callable[[Any], object], children: Sequence[Any]) -> None:
        self._place_of = place_of
        self._children = children

    def is_in_place(self, number: int, place: object) -> bool:
        now = self._place_of(self._children[number])
        return now is place or now == place

    def are_all_in_place(self) -> bool:
        return True  # those that had a turn were in place then, and fingerprints tell the rest
