"""Parse the contents of a record, in which each line is JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

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
    from collections.abc import Iterable
    from pathlib import Path


class Change(NamedTuple):
    """A recorded text of an op, which replaces the op's last text.

    Attributes:
        ordinals: The ordinals of the op; see `Execution`.
        digest: The digest of the text; None if the text is unknown.
        is_by_pass: Whether a pass on the op has just ended. Otherwise, the op may be unchanged.
        owner: The path of the outermost running pass; None between passes.
    """

    ordinals: tuple[int, ...]
    digest: str | None
    is_by_pass: bool
    owner: str | None


@dataclass(slots=True)
class _Op:
    """An op whose text, or the text of an op inside it, has been recorded separately.

    Attributes:
        digest: The digest of the last recorded text of the op; None if the text is unknown, and an
            empty string if no text has been recorded yet.
        inside: Ops inside, by index, whose texts may have been recorded after this text.
    """

    digest: str | None
    inside: dict[int, _Op] = field(default_factory=dict["int", "_Op"])


class State:
    """The state of a recorded run's top-level op after all changes so far.

    Args:
        digest: The digest of the op's text before the run; None if the text is unknown.
        texts: The texts of the record. If only a nested op has changed, the new texts of the
            enclosing ops are added to these texts.

    Attributes:
        changes: The changes so far.
    """

    def __init__(self, digest: str | None, texts: Texts) -> None:
        self._first = digest
        self._texts = texts
        self._top = _Op(digest)
        self.changes: list[Change] = []

    def text_after(self, changes: Iterable[Change]) -> str | None:
        """Return the text of the top-level op after the given changes; None if it is unknown."""
        state = State(self._first, self._texts)
        for each in changes:
            state.take(each)
        whole = state.digest((0,))
        return whole and self._texts.text(whole)

    def digest(self, ordinals: tuple[int, ...]) -> str | None:
        """Return the digest of the text of an op, or None if the text is unknown."""
        return self._digest(self._chain(ordinals)[-1])

    def take(self, change: Change) -> None:
        """Replace the text of an op."""
        self.changes.append(change)
        *outer, op = self._chain(change.ordinals)
        is_stale = op.digest != change.digest and (change.is_by_pass or op.digest != "")
        op.digest, op.inside = change.digest, {}
        while is_stale and outer:
            ordinal, enclosing = change.ordinals[len(outer)], outer.pop()
            if ordinal < len(self._outline(enclosing).parts):
                break
            enclosing.digest = None  # the changed op is somewhere in this text

    def _chain(self, ordinals: tuple[int, ...]) -> list[_Op]:
        """Return the enclosing ops of an op, outermost first, and the op itself."""
        ops = [self._top]
        for ordinal in ordinals[1:]:
            if ordinal not in ops[-1].inside:
                parts = self._outline(ops[-1]).parts
                ops[-1].inside[ordinal] = _Op(parts[ordinal] if ordinal < len(parts) else "")
            ops.append(ops[-1].inside[ordinal])
        return ops

    def _outline(self, op: _Op) -> Outline:
        return self._texts.content(op.digest) if op.digest else Outline("")

    def _digest(self, op: _Op) -> str | None:
        if op.inside and (outline := self._outline(op)).parts:
            parts = [
                self._digest(op.inside[at]) if at in op.inside else part
                for at, part in enumerate(outline.parts)
            ]
            known = [each for each in parts if each is not None]
            if len(known) < len(parts):
                return None
            op.digest, op.inside = self._texts.add(outline._replace(parts=known)), {}
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
        states: The state of each run.
        begun: The executions that began but did not end, outermost first.
    """

    def __init__(self) -> None:
        self._open: list[int] = []  # the runs that have not ended, outermost first
        self._apart: set[int] = set()  # executions in workers, at the same time as others
        self._head: dict[str, Any] = {}
        self.texts: Texts = Texts()
        self.runs: list[RunInfo] = []
        self.states: list[State] = []
        self.begun: list[Execution] = []
        self.executions: list[Execution] = []

    @cached_property
    def info(self) -> RecordInfo:
        """General information about the record."""
        head, states = self._head, zip(self.runs, self.states, strict=True)
        runs = tuple(run._replace(after=state.digest((0,))) for run, state in states)
        facts = head["passel"], head["python"], tuple(head["command"]), head["started"]
        return RecordInfo(*facts, runs, all(run.is_complete for run in runs))

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
                self.states.append(State(facts["before"], self.texts))
                self._open.append(number)
            case {"state": ordinals, "after": digest}:
                self._change(tuple(ordinals), digest, is_by_pass=False)
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
        before, at = self.states[run].digest(op.ordinals), len(self.states[run].changes)
        begun = Execution(number, run, *step, *op, before=before, is_amid=is_amid, span=(at, at))
        self.begun.append(begun)

    def _end(self, line: dict[str, Any]) -> None:
        begun, number, own = self.begun[-1], len(self.executions), line["total"]
        for inner in range(begun.number, number):
            if (called := self.executions[inner]).caller is None:
                self.executions[inner] = called._replace(caller=number)
                own -= 0.0 if inner in self._apart else called.total_time
        if "apart" in line:
            self._apart.add(number)
        if "after" in line:
            self._change(begun.ordinals, line["after"], is_by_pass=True)
        after = self.states[begun.run].digest(begun.ordinals)
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
            span=(begun.span[0], len(self.states[begun.run].changes)),
        )
        self.executions.append(ended)
        self.begun.pop()

    def _change(self, ordinals: tuple[int, ...], digest: str | None, *, is_by_pass: bool) -> None:
        owner = self.begun[0].path if self.begun else None
        self.states[self._open[-1]].take(Change(ordinals, digest, is_by_pass, owner))
