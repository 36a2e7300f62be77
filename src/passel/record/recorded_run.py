"""The state of a run that is being recorded: the texts of ops, and the running passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from passel.ir import PrintFlags, ability_of
from passel.record.texts import HOLE, Outline, digest_of
from passel.record.writer import RecordedOp

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

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
    """A stack frame of a recorded run.

    Apart from the outermost frame, each frame is for a pass, or for a step that runs nested
    pipelines.

    Attributes:
        ordinals: The ordinals of the enclosing op, if nested pipelines run on the ops inside it;
            otherwise empty.
        children: The ops directly inside the enclosing op; empty in a worker.
        at_work: The ordinals of the op that the innermost running pass may already have changed.
            None if no pass is running, or if the pass is running on the enclosing op.
        is_apart: Whether the ops inside the enclosing op are printed separately.
        changes: The number of changes that had been recorded when the frame was pushed.
        inside: The time in seconds that the passes inside the frame took, including the time to
            record these passes.
        running: For a pass, a tuple with three items: the result of `Lifetime.place_of` for the op,
            the time at which the recorder's hook was called, and the time at which the pass began.
            None if the frame is not for a pass.
    """

    ordinals: tuple[int, ...] = ()
    children: Sequence[Any] = ()
    at_work: tuple[int, ...] | None = None
    is_apart: bool = False
    changes: int = 0
    inside: float = 0.0
    running: Any = None


class RecordedRun:
    """A run that is being recorded. Unchanged ops are not printed again.

    Args:
        run: The run to record.
        add: A function that records a text. The arguments are the digest and the text.
        frame: The outermost frame of the run.

    Attributes:
        number: The index of the run in the record.
        changes: The number of recorded changes.
        frames: The current frames, innermost last.
    """

    def __init__(self, run: ObservedRun, add: Callable[[str, str], None], frame: Frame) -> None:
        self.number: int = 0
        self.place_of: Callable[[Any], object] = run.adapter.lifetime().place_of
        self.changes: int = 0
        self.frames: list[Frame] = [frame]
        self._run = run
        self._adapter = run.adapter
        self._add = add
        self._prints_apart = ability_of(run.adapter, PrintsApart)
        self._known: dict[Hashable, tuple[str, object]] = {}  # digests and fingerprints
        self._seen: set[tuple[int, ...]] = set()

    def facts_of(self, op: Any) -> RecordedOp:
        """Return the data that identifies an op in a record."""
        chain = self._run.identify(op)
        ordinals = tuple(each.ordinal for each in chain)
        return RecordedOp(chain[-1].name, chain[-1].symbol, ordinals, self._adapter.location(op))

    def enter(self, op: Any) -> None:
        """Push a frame for an op before pipelines run on its nested ops."""
        self._seen.clear()
        ordinals, at_work = self.facts_of(op).ordinals, self.frames[-1].at_work
        at_work = None if at_work == ordinals else at_work
        children = self._adapter.children(op)
        self.frames.append(Frame(ordinals, children, at_work, self._is_apart(op), self.changes))

    def is_new_inside(self, op: RecordedOp) -> bool:
        """Return whether the text of a nested op must be recorded before passes run on the op."""
        frame = self.frames[-1]
        if not frame.ordinals or frame.is_apart or op.ordinals in self._seen:
            return False
        self._seen.add(op.ordinals)
        return len(op.ordinals) > len(frame.ordinals)

    # -- Texts -----------------------------------------------------------------------------------

    def text_of(self, op: Any) -> str | None:
        """Record the text of an op, and return the digest; None if the op cannot be printed."""
        try:
            return self._print(op)
        except Exception:  # noqa: BLE001 - a printer may raise anything on IR that passes have broken
            return None

    def note(self, op: Any, digest: str | None) -> None:
        """Register the digest of an op's new text; the digest is None if the text is unknown."""
        self.changes += 1
        if self._adapter.finds_changes:
            key = self._adapter.identity_of(op)
            self._known.pop(key, None)
            if digest is not None:
                self._known[key] = digest, self._adapter.fingerprint(op)

    def take_over(self, op: RecordedOp, digest: str | None) -> None:
        """Register the digest of the new text of an op that a worker has changed."""
        frame = self.frames[-1]
        if op.ordinals[:-1] == frame.ordinals and frame.children:
            self.note(frame.children[op.ordinals[-1]], digest)
        else:
            self.changes += 1

    def _is_apart(self, op: Any) -> bool:
        return self._prints_apart is not None and self._prints_apart.prints_apart(op)

    def _print(self, op: Any) -> str:
        content = ""
        if self._is_apart(op):
            outline = self._adapter.print_op(op, _EXACT._replace(skip_regions=True))
            if outline.count(HOLE) == 1:
                parts = [*map(self._print_child, self._adapter.children(op))]
                content = Outline(outline, parts).content
        content = content or self._adapter.print_op(op, _EXACT)
        digest = digest_of(content)
        self._add(digest, content)
        return digest

    def _print_child(self, op: Any) -> str:
        adapter = self._adapter
        if not adapter.finds_changes:
            return self._print(op)
        known = self._known.get(key := adapter.identity_of(op))
        if known is None or adapter.renew_fingerprint(op, known[1]) is not known[1]:
            known = self._known[key] = self._print(op), adapter.fingerprint(op)
        return known[0]
