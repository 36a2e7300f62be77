"""Texts of ops during a run; an unchanged op is not printed again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from passel.ir import PrintFlags, ability_of
from passel.record.texts import HOLE, Outline, digest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from passel.ir import IRAdapter

EXACT = PrintFlags(generic=True, debuginfo=True, local_scope=True)
"""How an op is printed so that a run can continue from its text."""


@runtime_checkable
class PrintsApart(Protocol):
    """Optional ability of an adapter: the ops inside some ops are printed separately.

    A record then stores such an op as its outline, `print_op` with `skip_regions`, and the texts
    of the ops inside. If one of many has changed, only that one is printed again.
    """

    def prints_apart(self, op: Any) -> bool:
        """Return whether the ops inside mean the same when printed separately.

        The generic form of `op`, apart from names of values, is then its outline with the texts
        inside in place of `{...}`. It has one region with one block without arguments.
        """
        ...


class _Known(NamedTuple):
    """The last text of a separately printed op, and the op's fingerprint at that time."""

    digest: str
    fingerprint: object


class Snapshots:
    """Texts of the ops of a run.

    Args:
        adapter: The IR's adapter.
        add: Records a text, unless its digest is known.
    """

    def __init__(self, adapter: IRAdapter, add: Callable[[str, str], None]) -> None:
        self._adapter = adapter
        self._add = add
        self._apart: Callable[[Any], bool] | None = None
        if (ability := ability_of(adapter, PrintsApart)) is not None:
            self._apart = ability.prints_apart
        self._takes = adapter.finds_changes
        self._known: dict[Hashable, _Known] = {}

    def take(self, op: Any) -> str | None:
        """Return the digest of an op's current text; None if the op cannot be printed."""
        try:
            return self._take(op)
        except Exception:  # noqa: BLE001 - a printer may raise anything on IR that passes have broken
            return None

    def is_apart(self, op: Any) -> bool:
        """Return whether the ops inside an op have separate texts."""
        return self._apart is not None and self._apart(op)

    def prepare(self, op: Any) -> None:
        """Take fingerprints of the ops inside with separate texts: a pass may change only some."""
        if not self._takes or not self.is_apart(op):
            return
        for child in self._adapter.children(op):
            key = self._adapter.identity_of(child)
            known = self._known.get(key)
            if known is not None and known.fingerprint is None:
                now = self._adapter.fingerprint(child)
                self._known[key] = known._replace(fingerprint=now)

    def _take(self, op: Any) -> str:
        adapter = self._adapter
        if self.is_apart(op):
            outline = adapter.print_op(op, EXACT._replace(skip_regions=True))
            if outline.count(HOLE) == 1:
                children = adapter.children(op)
                parts = [*map(self._take_child if self._takes else self._take, children)]
                return self._added(Outline(outline, parts).content)
        return self._added(adapter.print_op(op, EXACT))

    def note(self, op: Any, digest: str | None) -> None:
        """Remember the text of a separately printed op after a pass on it."""
        if self._takes:
            key = self._adapter.identity_of(op)
            self._known.pop(key, None)
            if digest is not None:
                self._known[key] = _Known(digest, None)

    def _take_child(self, op: Any) -> str:
        key = self._adapter.identity_of(op)
        known = self._known.get(key)
        if known is not None and known.fingerprint is not None:
            now = self._adapter.renew_fingerprint(op, known.fingerprint)
            if now is known.fingerprint:
                return known.digest
        digest = self._take(op)
        self._known[key] = _Known(digest, None)
        return digest

    def _added(self, content: str) -> str:
        digest = digest_of(content)
        self._add(digest, content)
        return digest
