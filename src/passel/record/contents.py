"""Parse the contents of a record, in which each line is JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from passel._version import __version__
from passel.record.model import (
    FORMAT,
    Execution,
    RecordError,
    RecordInfo,
    RunInfo,
    StepInfo,
    diagnostic_of,
    failure_of,
    location_of,
)
from passel.record.texts import Outline, Texts
from passel.record.writer import RecordedOp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


class State:
    """The state of the top-level op at some point in a recorded run.

    Args:
        digest: The digest of the op's text before the run; None if the text is unknown.
        texts: The texts of the record. If only a nested op has changed, the new texts of the
            enclosing ops are added to these texts.
    """

    def __init__(self, digest: str | None, texts: Texts) -> None:
        self._texts = texts
        self._root = _Node(digest)
        # Ops that no outline lists separately: the digests of their first and current texts.
        self._loose: dict[tuple[int, ...], tuple[str | None, str | None]] = {}

    def digest(self, ordinals: tuple[int, ...]) -> str | None:
        """Return the digest of the text of an op, or None if the text is unknown."""
        node, depth = self._find(ordinals), len(ordinals)
        if node is None:
            return self._loose.get(ordinals, (None, None))[1]
        inside = (texts for at, texts in self._loose.items() if at[:depth] == ordinals)
        return self._digest(node) if all(old == new for old, new in inside) else None

    def change(self, ordinals: tuple[int, ...], digest: str | None) -> None:
        """Replace the digest of an op's text. None means that the new text is unknown."""
        for each in [each for each in self._loose if each[: len(ordinals)] == ordinals != each]:
            del self._loose[each]  # the new text contains it
        node = self._find(ordinals)
        if node is None:
            self._loose[ordinals] = self._loose.get(ordinals, (digest, None))[0], digest
            return
        node.digest, node.outline, node.inside, node.is_stale = digest, "", [], False
        while node.outer is not None:
            node = node.outer
            node.is_stale = True

    def _find(self, ordinals: Sequence[int]) -> _Node | None:
        """Return the node of an op, or None if no enclosing text has the op apart."""
        node = self._root
        for ordinal in ordinals[1:]:
            if not node.outline and node.digest is not None:
                content = self._texts.content(node.digest)
                if isinstance(content, Outline):
                    node.outline = content.text
                    node.inside = [_Node(part, node) for part in content.parts]
            if ordinal >= len(node.inside):
                return None
            node = node.inside[ordinal]
        return node

    def _digest(self, node: _Node) -> str | None:
        if node.is_stale:
            parts = [self._digest(each) for each in node.inside]
            outline = Outline(node.outline, [each for each in parts if each is not None])
            node.digest = None if None in parts else self._texts.add(outline.content)
            node.is_stale = False
        return node.digest


@dataclass(slots=True)
class _Node:
    """An op, with its outline and the ops inside once they have been read."""

    digest: str | None
    outer: _Node | None = None
    outline: str = ""
    inside: list[_Node] = field(default_factory=list["_Node"])
    is_stale: bool = False


def read_contents(path: Path) -> Contents:
    """Read the contents of a record from a file.

    Raises:
        RecordError: If the file is not a record, has an unsupported format, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            start = file.read(len(_START))
            if start != _START:
                raise RecordError(
                    f"'{path}' is not a record of a run; to write one, use passel-opt --record"
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
            raise RecordError(f"the record '{path}' is damaged at line {number}") from None
    if not contents.runs:
        raise RecordError(f"the record '{path}' ends before the first run")
    return contents


_START = b'{"record":'


class Contents:
    """The contents of a record.

    Attributes:
        texts: The recorded texts of ops.
        executions: The executions that ended, in the order in which they ended.
        runs: The recorded data about each run.
        begun: The executions that began but did not end, outermost first.
    """

    def __init__(self) -> None:
        self._states: list[State] = []
        self._ends: dict[int, dict[str, Any]] = {}
        self._head: dict[str, Any] = {}
        self.texts: Texts = Texts()
        self.runs: list[dict[str, Any]] = []
        # The run, the last execution that ended before, the op and its new text:
        self._changes: list[tuple[int, int, tuple[int, ...], str | None]] = []
        self.begun: list[Execution] = []
        self.executions: list[Execution] = []

    @cached_property
    def info(self) -> RecordInfo:
        """General information about the record."""
        head, runs = self._head, tuple(map(self._run_info, self.runs))
        facts = head["passel"], head["python"], tuple(head["command"]), head["started"]
        return RecordInfo(*facts, runs, all(run.is_complete for run in runs))

    def state(self, run: int, has_ended: Callable[[int], bool]) -> str | None:
        """Return the text of a run's top-level op after the selected executions of passes.

        Args:
            run: The number of the run.
            has_ended: A function that takes the number of an execution, and returns whether the
                text includes the changes of the execution.

        Returns:
            The text; None if the state is unknown.
        """
        state = State(self.runs[run]["before"], self.texts)
        for changed, before, ordinals, digest in self._changes:
            if changed == run and has_ended(before):
                state.change(ordinals, digest)
        whole = state.digest((0,))
        return whole and self.texts.text(whole)

    def take(self, line: dict[str, Any]) -> None:
        """Parse the next line of the record.

        Raises:
            RecordError: If the record has an unsupported format.
        """
        match line:
            case {"begin": step, "of": (name, symbol, ordinals, location), "in": run}:
                op = RecordedOp(name, symbol, tuple(ordinals), location_of(location))
                self._begin(StepInfo(*step), op, run, is_amid="amid" in line)
            case {"total": _}:
                self._end(line)
            case {"texts": _}:
                self.texts.take(line)
            case {"run": _}:
                self.runs.append(line)
                self._states.append(State(line["before"], self.texts))
            case {"state": ordinals, "in": run, "after": digest}:
                self._change(run, tuple(ordinals), digest)
            case {"end": run}:
                self._ends[run] = line
            case _:
                self._take_head(line)

    def _take_head(self, line: dict[str, Any]) -> None:
        self._head = line
        if line["record"] != FORMAT:
            raise RecordError(
                f"the record was written by passel {line['passel']} in format {line['record']}; "
                f"passel {__version__} reads only format {FORMAT}: record the run again"
            )

    def _begin(self, step: StepInfo, op: RecordedOp, run: int, *, is_amid: bool) -> None:
        number, before = len(self.executions), self._states[run].digest(op.ordinals)
        begun = Execution(number, run, *step, *op, before=before, is_amid=is_amid)
        self.begun.append(begun)

    def _end(self, line: dict[str, Any]) -> None:
        begun, number = self.begun.pop(), len(self.executions)
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
            failure=failure_of(line["failure"]) if "failure" in line else None,
        )
        self.executions.append(execution)
        if "after" in line:
            self._change(begun.run, begun.ordinals, line["after"])
        after, status = self._states[begun.run].digest(begun.ordinals), execution.status
        if "after" in line and "status" not in line:
            is_known = begun.before is not None and after is not None
            is_same = begun.before == after
            status = "unknown" if not is_known else "unchanged" if is_same else "changed"
        self.executions[number] = execution._replace(after=after, status=status)

    def _change(self, run: int, ordinals: tuple[int, ...], digest: str | None) -> None:
        self._states[run].change(ordinals, digest)
        self._changes.append((run, len(self.executions) - 1, ordinals, digest))

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
