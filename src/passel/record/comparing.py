"""Two records of one input compared: the passes that differ in the IR, counts and time."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from passel.record.outline import rows_of, top_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.record.model import Execution
    from passel.record.outline import Row
    from passel.record.reader import Record

_NUMBER = re.compile(r"\b\d+:")


class ComparedRow(NamedTuple):
    """A pass, or the ops that nested pipelines run on, in two records.

    Attributes:
        old: Its row in the old record; None if only the new one has it.
        new: Its row in the new record; None if only the old one has it.
    """

    old: Row | None
    new: Row | None

    @property
    def row(self) -> Row:
        """The new row, or the old one if there is no other."""
        row = self.new or self.old
        assert row is not None  # noqa: S101 - one of them is there
        return row

    def pairs(self) -> Iterator[tuple[Execution | None, Execution | None]]:
        """Yield the old and the new execution on each op; None for one that is not there."""
        left: defaultdict[object, deque[Execution]] = defaultdict(deque)
        for each in self.old.executions if self.old else ():
            left[_op_of(each)].append(each)
        for each in self.new.executions if self.new else ():
            others = left[_op_of(each)]
            yield others.popleft() if others else None, each
        for each in (each for others in left.values() for each in others):
            yield each, None

    def differing(self) -> list[tuple[Execution | None, Execution | None]]:
        """Return the pairs in which the IR begins to differ, or of which one has failed or not run.

        None if only one record has the pass.
        """
        if self.old is None or self.new is None:
            return []
        return [pair for pair in self.pairs() if _begins_to_differ(*pair)]

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return the statistics that differ, with the old and the new value."""
        old, new = (row.counts if row else {} for row in self)
        both = {name: (old.get(name, 0), new.get(name, 0)) for name in {**old, **new}}
        return {name: values for name, values in both.items() if values[0] != values[1]}


def compared(old: Record, new: Record) -> Iterator[ComparedRow]:
    """Yield the rows of two records, run by run, matched by name and order."""
    for runs in zip_longest(top_runs(old.info), top_runs(new.info)):
        one, other = (
            rows_of(record.info, record.executions, run) if run else []
            for record, run in zip((old, new), runs, strict=True)
        )
        yield from _matched(one, other)


def _matched(old: Sequence[Row], new: Sequence[Row]) -> Iterator[ComparedRow]:
    names = ([_NUMBER.sub("", row.path) for row in rows] for rows in (old, new))
    for tag, i, end, j, stop in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from map(ComparedRow, old[i:end], new[j:stop])
        else:
            yield from (ComparedRow(row, None) for row in old[i:end])
            yield from (ComparedRow(None, row) for row in new[j:stop])


def _op_of(execution: Execution) -> object:
    return execution.run, execution.op_name, execution.symbol or execution.ordinals


def _begins_to_differ(old: Execution | None, new: Execution | None) -> bool:
    if old is None or new is None:
        return True
    if "failed" in (old.status, new.status) and old.status != new.status:
        return True
    return old.after != new.after and old.before == new.before
