"""The state of an op while a run is read: which texts it and the ops inside have at each point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.record.texts import Composite

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class State:
    """The state of an op.

    Args:
        digest: The digest of its text.
        content_of: Returns what a digest stands for.
        note: Takes what a digest stands for that is not in the record: an op whose nested ops
            were changed one by one.
    """

    def __init__(
        self,
        digest: str | None,
        content_of: Callable[[str], str | Composite],
        note: Callable[[str, Composite], None],
    ) -> None:
        self._content_of = content_of
        self._note = note
        self._root = _Node(digest)
        self._loose: dict[tuple[int, ...], str | None] = {}

    def digest(self, ordinals: Sequence[int]) -> str | None:
        """Return the digest of the op with these ordinals; None if it is not known."""
        node = self._find(ordinals)
        if node is None:
            return self._loose.get(tuple(ordinals))
        return self._digest(node)

    def change(self, ordinals: Sequence[int], digest: str | None) -> None:
        """Give the op with these ordinals another text."""
        self._forget_inside(tuple(ordinals))
        *outer, last = ordinals
        if not outer:
            self._root = _Node(digest)
            return
        parent = self._find(outer)
        if parent is None or not self._open(parent) or last >= len(parent.inside):
            is_first = self._loose.get(tuple(ordinals)) is None
            self._loose[tuple(ordinals)] = digest
            if parent is not None and not is_first:
                parent.digest = None  # what is inside is not known apart
            return
        parent.inside[last] = _Node(digest)
        node: _Node | None = self._root
        for ordinal in ordinals[1:]:
            assert node is not None  # noqa: S101 - just found
            node.is_stale, node = True, node.inside[ordinal]

    def _forget_inside(self, outer: tuple[int, ...]) -> None:
        """Forget what was known of ops inside of an op whose text says it all now."""
        depth = len(outer)
        for each in [each for each in self._loose if len(each) > depth and each[:depth] == outer]:
            del self._loose[each]

    def _find(self, ordinals: Sequence[int]) -> _Node | None:
        node = self._root
        for ordinal in ordinals[1:]:
            if not self._open(node) or ordinal >= len(node.inside):
                return None
            node = node.inside[ordinal]
        return node

    def _open(self, node: _Node) -> bool:
        """Look at what is inside of an op; return whether that is known apart."""
        if not node.is_open and node.digest is not None:
            content = self._content_of(node.digest)
            if isinstance(content, Composite):
                node.outline, node.is_open = content.outline, True
                node.inside = [_Node(each) for each in content.parts]
        return node.is_open

    def _digest(self, node: _Node) -> str | None:
        if node.is_stale:
            parts = [self._digest(each) for each in node.inside]
            known = [each for each in parts if each is not None]
            node.digest = None
            if len(known) == len(parts):
                composite = Composite(node.outline, tuple(known))
                node.digest = composite.digest
                self._note(node.digest, composite)
            node.is_stale = False
        return node.digest


class _Node:
    """An op, with the ops inside once these were asked for."""

    __slots__ = ("digest", "inside", "is_open", "is_stale", "outline")

    def __init__(self, digest: str | None) -> None:
        self.digest = digest
        self.outline = ""
        self.inside: list[_Node] = []
        self.is_open = False
        self.is_stale = False
