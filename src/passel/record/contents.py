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
    from collections.abc import Callable
    from pathlib import Path


@dataclass(slots=True)
class _Op:
    """An op whose text, or the text of an op inside it, has been recorded separately.

    Attributes:
        digest: The digest of the last recorded text of the op; None if the text is unknown, and an
            empty string if no text has been recorded yet.
        is_part: Whether the outline of the enclosing op contained the digest at first.
        inside: The ops inside, by index, whose texts were recorded after this text.
    """

    digest: str | None
    is_part: bool = False
    inside: dict[int, _Op] = field(default_factory=dict["int", "_Op"])


class State:
    """The state of the top-level op at some point in a recorded run.

    Args:
        digest: The digest of the op's text before the run; None if the text is unknown.
        texts: The texts of the record. If only a nested op has changed, the new texts of the
            enclosing ops are added to these texts.
    """

    def __init__(self, digest: str | None, texts: Texts) -> None:
        self._texts = texts
        self._top = _Op(digest)

    def digest(self, ordinals: tuple[int, ...]) -> str | None:
        """Return the digest of the text of an op, or None if the text is unknown."""
        op = self._top
        for ordinal in ordinals[1:]:
            op = self._inside(op, ordinal)
        return self._digest(op)

    def change(self, ordinals: tuple[int, ...], digest: str | None) -> None:
        """Replace the digest of an op's text. None means that the new text is unknown."""
        ops = [self._top]
        for ordinal in ordinals[1:]:
            inner = self._inside(ops[-1], ordinal)
            ops[-1].inside[ordinal] = inner
            ops.append(inner)
        op, is_stale = ops[-1], ops[-1].digest not in {"", digest}
        op.digest, op.inside = digest, {}
        while is_stale and not ops.pop().is_part and ops:
            ops[-1].digest = None  # the changed op is somewhere in this text

    def _inside(self, op: _Op, ordinal: int) -> _Op:
        if ordinal in op.inside:
            return op.inside[ordinal]
        parts = outline.parts if (outline := self._outline(op)) else ()
        return _Op(parts[ordinal], is_part=True) if ordinal < len(parts) else _Op("")

    def _outline(self, op: _Op) -> Outline | None:
        content = self._texts.content(op.digest) if op.digest else ""
        return content if isinstance(content, Outline) else None

    def _digest(self, op: _Op) -> str | None:
        if op.inside and (outline := self._outline(op)):
            parts = [
                self._digest(op.inside[at]) if at in op.inside else part
                for at, part in enumerate(outline.parts)
            ]
            known = [each for each in parts if each is not None]
            if len(known) < len(parts):
                return None
            op.digest = self._texts.add(outline._replace(parts=known))
        return op.digest or None


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
        runs: The runs, each without the final text of its op.
        begun: The executions that began but did not end, outermost first.
    """

    def __init__(self) -> None:
        self._states: list[State] = []
        self._open: list[int] = []  # the runs that have not ended, outermost first
        self._head: dict[str, Any] = {}
        self.texts: Texts = Texts()
        self.runs: list[RunInfo] = []
        # The run, the last execution that ended before, the op and its new text. One half more is
        # for what a pass had done when it ran a pipeline: the pass itself ends later.
        self._changes: list[tuple[int, float, tuple[int, ...], str | None]] = []
        self.begun: list[Execution] = []
        self.executions: list[Execution] = []

    @cached_property
    def info(self) -> RecordInfo:
        """General information about the record."""
        head, states = self._head, zip(self.runs, self._states, strict=True)
        runs = tuple(run._replace(after=state.digest((0,))) for run, state in states)
        facts = head["passel"], head["python"], tuple(head["command"]), head["started"]
        return RecordInfo(*facts, runs, all(run.is_complete for run in runs))

    def state(self, run: int, has_ended: Callable[[float], bool]) -> str | None:
        """Return the text of a run's top-level op after the selected executions of passes.

        Args:
            run: The number of the run.
            has_ended: A function that takes the number of an execution, and returns whether the
                text includes the changes of the execution. The function is also called with numbers
                between those of two executions, for changes by a pass that was running then.

        Returns:
            The text; None if the state is unknown.
        """
        state = State(self.runs[run].before, self.texts)
        for changed, before, ordinals, digest in self._changes:
            if changed == run and (before == -1 or has_ended(before)):
                state.change(ordinals, digest)
        whole = state.digest((0,))
        return whole and self.texts.text(whole)

    def take(self, line: dict[str, Any]) -> None:
        """Parse the next line of the record.

        Raises:
            RecordError: If the record has an unsupported format.
        """
        match line:
            case {"begin": step, "of": (name, symbol, ordinals, location)}:
                op = RecordedOp(name, symbol, tuple(ordinals), location_of(location))
                self._begin(StepInfo(*step), op, is_amid="amid" in line)
            case {"total": _}:
                self._end(line)
            case {"texts": _}:
                self.texts.take(line)
            case {"run": {"steps": steps, **facts}}:
                number, outer = len(self.runs), self._open[-1] if self._open else None
                known = tuple(StepInfo(*each) for each in steps)
                self.runs.append(RunInfo(number=number, outer=outer, steps=known, **facts))
                self._states.append(State(facts["before"], self.texts))
                self._open.append(number)
            case {"state": ordinals, "after": digest}:
                last = len(self.executions) - (0.5 if self.begun else 1)
                self._change(self._open[-1], tuple(ordinals), digest, last)
            case {"end": failures, "notes": notes}:
                ended, failed = self._open.pop(), tuple(map(failure_of, failures))
                facts = {"is_complete": True, "failures": failed, "notes": tuple(notes)}
                self.runs[ended] = self.runs[ended]._replace(**facts)
            case _:
                self._take_head(line)

    def _take_head(self, line: dict[str, Any]) -> None:
        self._head = line
        if line["record"] != FORMAT:
            raise RecordError(
                f"the record was written by passel {line['passel']} in format {line['record']}; "
                f"passel {__version__} reads only format {FORMAT}: record the run again"
            )

    def _begin(self, step: StepInfo, op: RecordedOp, *, is_amid: bool) -> None:
        number, run = len(self.executions), self._open[-1]
        before = self._states[run].digest(op.ordinals)
        begun = Execution(number, run, *step, *op, before=before, is_amid=is_amid)
        self.begun.append(begun)

    def _end(self, line: dict[str, Any]) -> None:
        begun, number, own = self.begun.pop(), len(self.executions), line["total"]
        for inner in range(begun.number, number):
            if (called := self.executions[inner]).caller is None:
                self.executions[inner] = called._replace(caller=number)
                own -= called.total_time
        if "after" in line:
            self._change(begun.run, begun.ordinals, line["after"], number)
        after = self._states[begun.run].digest(begun.ordinals)
        is_known = "after" not in line or None not in {begun.before, after}
        status = "unknown" if not is_known else "unchanged" if begun.before == after else "changed"
        ended = begun._replace(
            number=number,
            status=line.get("status", status),
            own_time=max(own, 0.0),
            total_time=line["total"],
            counts=line.get("counts", {}),
            diagnostics=tuple(map(diagnostic_of, line.get("diagnostics", ()))),
            failure=failure_of(line["failure"]) if "failure" in line else None,
            after=after,
        )
        self.executions.append(ended)

    def _change(self, run: int, ordinals: tuple[int, ...], digest: str | None, last: float) -> None:
        self._states[run].change(ordinals, digest)
        self._changes.append((run, last, ordinals, digest))
