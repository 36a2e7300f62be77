"""The state of a run that is being recorded: the texts of ops, and the running passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from passel.ir import PrintFlags
from passel.record.texts import HOLE, Outline, digest_of
from passel.record.writer import RecordedOp

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from passel.hooks import ObservedRun

_EXACT = PrintFlags(generic=True, debuginfo=True, local_scope=True)
"""The flags for printing text from which a run can continue."""


@runtime_checkable
class PrintsApart(Protocol):
    """An optional ability of an adapter to print the nested ops of some ops separately.

    With this ability, a record stores the texts of nested ops separately from an outline of the
    enclosing op. The outline is what `print_op` prints if `skip_regions` is set: the text of the
    op, with `{...}` in place of the nested ops. If one of many nested ops changes, only that nested
    op is printed again.
    """

    def prints_apart(self, op: Any) -> bool:
        """Return whether the nested ops of an op can be printed separately.

        The result may be true only if the op has exactly one region, the region has exactly one
        block, and the block has no arguments. If the result is true, replacing `{...}` in the
        outline with the texts of the nested ops must yield the generic form of `op`; only the names
        of values may differ.
        """
        ...


@dataclass(slots=True)
class Frame:
    """A running pass, or a running step that runs nested pipelines.

    Attributes:
        at_work: The ordinals of the outermost op that a running pass may already have changed since
            the op's text was recorded. None if there is no such op.
        lists_ops: Whether the texts of the ops that passes run on are parts of a recorded outline.
        place: For a pass, the result of `IRAdapter.place_of` for the op of the pass.
        started: For a pass, the time at which the pass began, without the time of recording.
    """

    at_work: tuple[int, ...] | None = None
    lists_ops: bool = True
    place: object = None
    started: float = 0.0


class RecordedRun:
    """A run that is being recorded. Unchanged ops are not printed again.

    Args:
        run: The run to record.
        add: A function that records a text. The arguments are the digest and the text.
        frame: The outermost frame of the run.

    Attributes:
        frames: The current frames, innermost last.
    """

    def __init__(self, run: ObservedRun, add: Callable[[str, str], None], frame: Frame) -> None:
        self.place_of: Callable[[Any], object] = run.adapter.place_of
        self.frames: list[Frame] = [frame]
        self._run = run
        self._adapter = run.adapter
        self._apart = run.adapter if isinstance(run.adapter, PrintsApart) else None
        self._add = add
        self._known: dict[Hashable, tuple[str, object]] = {}  # digests and fingerprints

    def facts_of(self, op: Any) -> RecordedOp:
        """Return the data that identifies an op in a record."""
        chain = self._run.identify(op)
        ordinals = tuple(each.ordinal for each in chain)
        return RecordedOp(chain[-1].name, chain[-1].symbol, ordinals, self._adapter.location(op))

    def is_apart(self, op: Any) -> bool:
        """Return whether the ops inside an op are printed separately."""
        return self._apart is not None and self._apart.prints_apart(op)

    def text_of(self, op: Any) -> str | None:
        """Record the text of an op, and return the digest; None if the op cannot be printed."""
        try:
            return self._text(op)
        except Exception:  # noqa: BLE001 - a printer may raise anything on IR that passes have broken
            return None

    def _text(self, op: Any) -> str:
        adapter = self._adapter
        if self.is_apart(op) and (inside := list(adapter.children(op))):
            outline = adapter.print_op(op, _EXACT._replace(skip_regions=True))
            if outline.count(HOLE) == 1:
                return self._added(Outline(outline, [*map(self._text, inside)]).content)
        if not adapter.finds_changes:
            return self._added(adapter.print_op(op, _EXACT))
        key = adapter.identity_of(op)
        known = self._known.pop(key, None)
        state = adapter.renew_fingerprint(op, known[1]) if known else adapter.fingerprint(op)
        if known is None or state is not known[1]:
            known = self._added(adapter.print_op(op, _EXACT)), state
        self._known[key] = known
        return known[0]

    def _added(self, content: str) -> str:
        digest = digest_of(content)
        self._add(digest, content)
        return digest
