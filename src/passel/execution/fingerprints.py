"""Fingerprints of ops, in parts where pipelines run on the ops inside."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar

from passel.ir import RenewsFingerprints, ability_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.ir import IRAdapter


class PartedFingerprint:
    """The fingerprint of an op, in parts.

    While pipelines run on the ops inside, it is known of each of these by itself. So what passes
    on the op leave behind need not be looked at again when the pipelines begin, nor what these
    leave behind when they end.

    Args:
        own: The fingerprint of the op's own parts.
        inside: Those of the ops immediately inside.

    Attributes:
        own: The fingerprint of the op's own parts.
        inside: Those of the ops immediately inside.
    """

    __slots__ = ("inside", "own")
    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def __init__(self, own: object, inside: Sequence[object]) -> None:
        self.own: object = own
        self.inside: Sequence[object] = inside

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartedFingerprint):
            return NotImplemented
        return self.own == other.own and self.inside == other.inside


class Fingerprinter:
    """Takes fingerprints of ops.

    Args:
        adapter: The adapter of the IR.

    Attributes:
        take: A function from an op to its fingerprint.
        renew_whole: A function from an op and its last fingerprint to that itself if nothing has
            changed since then, else to a new one; not for fingerprints in parts.
    """

    def __init__(self, adapter: IRAdapter) -> None:
        self.take: Callable[[Any], object] = adapter.fingerprint
        self._adapter = adapter
        able = ability_of(adapter, RenewsFingerprints)
        self.renew_whole: Callable[[Any, Any], object] = (
            able.renew_fingerprint
            if able is not None and _renews_what_it_takes(type(adapter))
            else self._compare
        )

    def take_own(self, op: Any) -> object:
        """Return the fingerprint of an op's own parts."""
        return self._adapter.fingerprint(op, recursive=False)

    def take_parted(self, op: Any) -> PartedFingerprint:
        """Return the fingerprint of an op in parts."""
        children = self._adapter.children(op)
        return PartedFingerprint(self.take_own(op), [*map(self.take, children)])

    def renew(self, op: Any, last: object) -> object:
        """Return `last` itself if nothing in an op has changed since then, else a new one.

        It is in parts if the last one is.
        """
        if type(last) is not PartedFingerprint:
            return self.renew_whole(op, last)
        if self.take_own(op) != last.own:
            return self.take_parted(op)
        inside = [*map(self.renew, self._adapter.children(op), last.inside)]
        if all(map(is_, inside, last.inside)):
            return last
        return PartedFingerprint(last.own, inside)

    def _compare(self, op: Any, last: object) -> object:
        now = self.take(op)
        return last if now == last else now


def _renews_what_it_takes(adapter_class: type) -> bool:
    """Whether no subclass has fingerprints of its own without renewing these as well."""
    for each in adapter_class.__mro__:
        if "renew_fingerprint" in vars(each):
            return True
        if "fingerprint" in vars(each):
            return False
    return True
