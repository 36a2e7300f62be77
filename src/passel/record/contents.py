"""Contents of records: lines of JSON, and what they say."""

from __future__ import annotations

import json
import zlib
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from passel._version import __version__
from passel.record.model import (
    FORMAT,
    Composite,
    Execution,
    RecordError,
    RecordInfo,
    RunInfo,
    StepInfo,
    contents_of,
    diagnostic_of,
    digests_in,
    failure_of,
    location_of,
)
from passel.record.writer import RecordedOp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


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


def read_contents(path: Path) -> Contents:
    """Return the contents of a file.

    Raises:
        RecordError: The file is not a record, or has another form, or it cannot be read.
    """
    try:
        with path.open("rb") as file:
            start = file.read(len(_START))
            if start != _START:
                raise RecordError(
                    f"'{path}' is not a record of a run; passel-opt --record writes one"
                )
            *data, _ = (start + file.read()).split(b"\n")  # the last line may be cut off
    except OSError as error:
        raise RecordError(f"cannot read the record '{path}': {error.strerror}") from None
    contents = Contents()
    for number, line in enumerate(data, 1):
        try:
            contents.take(json.loads(line))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            if isinstance(error, RecordError):
                raise
            raise RecordError(f"'{path}' is damaged in line {number}") from None
    if not contents.runs:
        raise RecordError(f"'{path}' ends before anything is recorded")
    return contents


_START = b'{"record":'


class Change(NamedTuple):
    """A new text of an op.

    Attributes:
        run: The number of the run.
        after: The number of the last execution that had ended by then.
        ordinals: The op.
        digest: The text.
    """

    run: int
    after: int
    ordinals: tuple[int, ...]
    digest: str | None


class Contents:
    """Contents of a record.

    Attributes:
        executions: The executions.
        changes: New texts of ops.
        runs: The lines that begin runs.
        begun: Those that have begun and not ended, as they were then.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str | Composite | dict[str, Any]] = {}
        self._steps: list[StepInfo] = []
        self._ops: list[RecordedOp] = []
        self._states: list[State] = []
        self._ends: dict[int, dict[str, Any]] = {}
        self._is_amid = False
        self._head: dict[str, Any] = {}
        self.runs: list[dict[str, Any]] = []
        self.changes: list[Change] = []
        self.begun: list[Execution] = []
        self.executions: list[Execution] = []

    @cached_property
    def info(self) -> RecordInfo:
        """Facts about the record as a whole."""
        head, runs = self._head, tuple(map(self._run_info, self.runs))
        return RecordInfo(
            head["record"],
            head["passel"],
            head["python"],
            tuple(head["command"]),
            head["started"],
            runs,
            all(run.is_complete for run in runs),
        )

    def content(self, digest: str) -> str | Composite:
        """Return what a digest stands for.

        Raises:
            RecordError: It is damaged or missing.
        """
        try:
            if isinstance(content := self._texts[digest], dict):
                self._texts.update(contents_of(content))
                return self.content(digest)
        except (KeyError, ValueError, zlib.error) as error:
            raise RecordError("the record is damaged: it lacks the text of an op") from error
        return content

    def state(self, run: int, has_ended: Callable[[int], bool]) -> State:
        """Return the state of a run's op after executions, of which it is asked by number."""
        state = self._new_state(self.runs[run])
        for change in self.changes:
            if change.run == run and has_ended(change.after):
                state.change(change.ordinals, change.digest)
        return state

    def _new_state(self, line: dict[str, Any]) -> State:
        return State(line["before"], self.content, self._texts.__setitem__)

    def take(self, line: dict[str, Any]) -> None:
        """Take the next line; those that are not known are left out.

        Raises:
            RecordError: The record has another form.
        """
        for kind, take in _LINES.items():
            if kind in line:
                getattr(self, take)(line)
                return

    def _take_head(self, line: dict[str, Any]) -> None:
        self._head = line
        if line["record"] != FORMAT:
            raise RecordError(
                f"the record is of passel {line['passel']} and has form {line['record']}, where "
                f"passel {__version__} reads form {FORMAT} alone; record the run again"
            )

    def _take_texts(self, line: dict[str, Any]) -> None:
        self._texts.update(dict.fromkeys(digests_in(line["texts"]), line))

    def _take_composite(self, line: dict[str, Any]) -> None:
        self._texts[line["text"]] = line

    def _take_step(self, line: dict[str, Any]) -> None:
        self._steps.append(StepInfo(*line["step"]))

    def _start_run(self, line: dict[str, Any]) -> None:
        self.runs.append(line)
        self._states.append(self._new_state(line))

    def _take_op(self, line: dict[str, Any]) -> None:
        name, symbol, ordinals, location = line["op"]
        self._ops.append(RecordedOp(name, symbol, tuple(ordinals), location_of(location)))

    def _begin(self, line: dict[str, Any]) -> None:
        numbers: tuple[int, int, int] = (line["begin"], line["of"], line["in"])
        step, op, run = self._steps[numbers[0]], self._ops[numbers[1]], numbers[2]
        before, number = self._states[run].digest(op.ordinals), len(self.executions)
        begun = Execution(number, run, *step, *op, before=before, is_amid=self._is_amid)
        self.begun.append(begun)
        self._is_amid = False

    def _take_state(self, line: dict[str, Any]) -> None:
        self._is_amid = "amid" in line
        self._change(line["in"], tuple(line["state"]), line)

    def _end_run(self, line: dict[str, Any]) -> None:
        self._ends[line["end"]] = line

    def _end(self, line: dict[str, Any]) -> None:
        begun = self.begun.pop()
        number, failure = len(self.executions), line.get("failure")
        for inner in range(begun.number, number):
            if self.executions[inner].caller is None:
                self.executions[inner] = self.executions[inner]._replace(caller=number)
        execution = begun._replace(
            number=number,
            status=line.get("status", "unchanged"),
            own_time=line.get("own", line["total"]),
            total_time=line["total"],
            counts=line.get("counts", {}),
            diagnostics=tuple(map(diagnostic_of, line.get("diagnostics", ()))),
            failure=None if failure is None else failure_of(failure),
        )
        self.executions.append(execution)
        if "after" in line:
            self._change(begun.run, begun.ordinals, line)
        after, status = self._states[begun.run].digest(begun.ordinals), execution.status
        if "after" in line and "status" not in line:
            is_known = begun.before is not None and after is not None
            is_same = begun.before == after
            status = "unknown" if not is_known else "unchanged" if is_same else "changed"
        self.executions[number] = execution._replace(after=after, status=status)

    def _change(self, run: int, ordinals: tuple[int, ...], line: dict[str, Any]) -> None:
        last = len(self.executions) - 1
        change = Change(run, last, ordinals, line["after"])
        self._states[run].change(ordinals, change.digest)
        self.changes.append(change)

    def _run_info(self, line: dict[str, Any]) -> RunInfo:
        """Return facts about a run, once all lines have been taken."""
        number: int = line["run"]
        end = self._ends.get(number, {"failures": (), "notes": ()})
        known = {name: line[name] for name in RunInfo._fields if name in line}
        known["steps"] = tuple(StepInfo(*each) for each in line["steps"])
        return RunInfo(
            **known,
            number=number,
            after=self._states[number].digest((0,)),
            is_complete=number in self._ends,
            failures=tuple(map(failure_of, end["failures"])),
            notes=tuple(end["notes"]),
        )


_LINES = {
    "begin": "_begin",
    "total": "_end",
    "texts": "_take_texts",
    "text": "_take_composite",
    "run": "_start_run",
    "op": "_take_op",
    "step": "_take_step",
    "state": "_take_state",
    "end": "_end_run",
    "record": "_take_head",
}
"""Keys by which lines are told apart; a line may have keys of those below as well."""
