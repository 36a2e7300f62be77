"""Lineage: which pass made an op, and from which line of the input, found from a record.

A record has the text of each op before and after each pass that has changed it. An op that has
kept its name, types and location is the same one; what is new after a pass was made by it, from
what has its location or, that being unknown, from what is gone at its place.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from typing import TYPE_CHECKING, NamedTuple

from passel.record.op_texts import OpText, ops_in
from passel.record.readable import reader_for
from passel.record.texts import HOLE, without_locations

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from passel.record.model import Execution, RunInfo
    from passel.record.reader import Record


class Origin(NamedTuple):
    """Where an op comes from.

    Attributes:
        execution: The number of the execution that has made it; None if it was there before.
        place: The place in the input that it comes from, such as `in.mlir:3:5`; may be empty.
        is_guess: Whether the place is a guess: the op has no location of its own.
    """

    execution: int | None
    place: str
    is_guess: bool = False


class BlamedLine(NamedTuple):
    """A line of an op's text.

    Attributes:
        text: The line, without locations.
        origin: That of the op that begins or ends here; None for other lines.
        is_end: Whether the op ends here.
    """

    text: str
    origin: Origin | None
    is_end: bool = True


def blame(
    record: Record, run: RunInfo, *, last: int | None = None, symbol: str = ""
) -> list[BlamedLine]:
    """Return the text of a run's op in generic form, with the origin of each op in it.

    Args:
        record: The record.
        run: The run.
        last: The number of the last execution that is to have happened; by default all have.
        symbol: The symbol name of the op to return; by default the run's.
    """
    if run.before is None:
        return []
    tree = _Tree(record, run.before, None)
    tree.settle([])
    for each in record.executions:
        if last is not None and each.number > last:
            break
        if each.run == run.number and each.after != each.before:
            tree.apply(each)
    found = tree.find(f'"{symbol}"') if symbol else tree
    return [] if found is None else list(found.lines())


def in_custom_form(lines: Sequence[BlamedLine], ir: str) -> Sequence[BlamedLine]:
    """Return the text of an op in the custom form of its dialects, if its IR can read it.

    Args:
        lines: The text in generic form.
        ir: The name of the IR.
    """
    if (reader := reader_for(ir, locations=True)) is None:
        return lines
    # The number of the line that an op ends in is its location, which is printed behind the op.
    marks = (f' loc("{n}":1:1)' if each.is_end else "" for n, each in enumerate(lines))
    marked = (f"{each.text}{mark}" for each, mark in zip(lines, marks, strict=True))
    (text,) = reader.readable(["\n".join(marked)])
    found: list[BlamedLine] = []
    open_at: dict[int, int] = {}
    for line in text.split("\n"):
        mark = _MARK.search(line)
        text = without_locations(line)
        indent = len(text) - len(text.lstrip())
        if mark is None:
            if not text.lstrip().startswith(("^", "}")):
                open_at[indent] = len(found)
            found.append(BlamedLine(text, None, is_end=False))
            continue
        origin = lines[int(mark[1])].origin
        if text.lstrip().startswith("}") and indent in open_at:
            start = open_at.pop(indent)
            found[start] = found[start]._replace(origin=origin)
        found.append(BlamedLine(text, origin))
    return found


class _Tree:
    """An op with the origins of the ops in it.

    Args:
        record: The record.
        digest: The digest of its text.
        execution: The number of the execution that has left it so; None for the input.
    """

    def __init__(self, record: Record, digest: str, execution: int | None) -> None:
        self._record = record
        self._fill(digest, execution)

    def _fill(self, digest: str, execution: int | None) -> None:
        record = self._record
        self.digest = digest
        self._execution = execution
        self.inside = [_Tree(record, each, execution) for each in record.parts(digest)]
        outline = record.outline(digest)
        self.text: str = outline.replace(HOLE, "{\n}") if self.inside else outline
        self.ops: list[OpText] = ops_in(self.text)
        self.origins: Sequence[Origin] = ()

    def apply(self, execution: Execution) -> None:
        """Change the op that an execution has changed."""
        tree = self
        for ordinal in execution.ordinals[1:]:
            if ordinal >= len(tree.inside):
                return  # it is in no text of its own
            tree = tree.inside[ordinal]
        if execution.after is not None and execution.after != tree.digest:
            former = [_Former(each.digest, each.ops, each.origins) for each in tree.all()]
            tree._fill(execution.after, execution.number)
            tree.settle(former)

    def settle(self, former: Sequence[_Former]) -> None:
        """Find the origins of the ops, given what there was before."""
        same: defaultdict[str, deque[_Former]] = defaultdict(deque)
        for each in former:
            same[each.digest].append(each)
        new: list[_Tree] = []
        for each in self.all():
            if not each.inside and same[each.digest]:
                each.origins = same[each.digest].popleft().origins
            else:
                new.append(each)
        before = [pair for left in same.values() for each in left for pair in each.pairs()]
        sources = (pair for each in former for pair in each.pairs())
        matching = _Matching(before, sources, self._execution)
        origins = iter(matching.origins([op for each in new for op in each.ops]))
        for each in new:
            each.origins = [next(origins) for _ in each.ops]

    def all(self) -> Iterator[_Tree]:
        """Yield this op and those inside that have texts of their own."""
        yield self
        for each in self.inside:
            yield from each.all()

    def find(self, symbol: str) -> _Tree | None:
        """Return the op that defines a symbol."""
        defines = f"sym_name = {symbol}"
        return next((each for each in self.all() if defines in each.text.split("\n", 1)[0]), None)

    def lines(self, indent: str = "") -> Iterator[BlamedLine]:
        """Yield the lines with their origins."""
        pairs = list(zip(self.ops, self.origins, strict=True))
        begins = {op.first: origin for op, origin in pairs if op.first != op.last}
        ends = {op.last: origin for op, origin in pairs}
        for number, line in enumerate(self.text.split("\n")):
            text = indent + without_locations(line)
            yield BlamedLine(text, ends.get(number) or begins.get(number), number in ends)
            if not number:
                for each in self.inside:
                    yield from each.lines(f"{indent}  ")


class _Former(NamedTuple):
    """An op as it was before a pass."""

    digest: str
    ops: Sequence[OpText]
    origins: Sequence[Origin]

    def pairs(self) -> Iterator[tuple[OpText, Origin]]:
        """Yield the ops with their origins."""
        return zip(self.ops, self.origins, strict=True)


class _Matching:
    """Finds ops again.

    Args:
        before: The ops that there were, but for those in texts that have not changed.
        sources: All ops that there were.
        execution: The number of the execution in between; None for the input.
    """

    def __init__(
        self,
        before: Sequence[tuple[OpText, Origin]],
        sources: Iterable[tuple[OpText, Origin]],
        execution: int | None,
    ) -> None:
        self._before = before
        self._execution = execution
        self._left = dict.fromkeys(range(len(before)))
        self._by_place: dict[str, Origin] = {}
        for op, origin in sources:
            for place in (op.location, op.place):
                if place:
                    self._by_place.setdefault(place, origin)

    def origins(self, after: Sequence[OpText]) -> list[Origin]:
        """Return the origin of each op that there is now."""
        if self._execution is None:
            return list(_in_input(after))
        found: dict[int, int] = {}
        for key_of in _KEYS:
            known: defaultdict[Hashable, deque[int]] = defaultdict(deque)
            for number in self._left:
                known[key_of(self._before[number][0])].append(number)
            for number, op in enumerate(after):
                if number not in found and (same := known.get(key_of(op))):
                    found[number] = same.popleft()
                    del self._left[found[number]]
        origins: list[Origin] = []
        nearest = -1
        for number, op in enumerate(after):
            if number in found:
                nearest = found[number]
                origins.append(self._before[nearest][1])
            else:
                origins.append(self._new(op, nearest))
        return origins

    def _new(self, op: OpText, nearest: int) -> Origin:
        """Return the origin of an op that is new, behind one that there was before."""
        if op.location:
            source = self._by_place.get(op.location) or self._by_place.get(op.place)
            return Origin(self._execution, source.place if source else op.place)
        gone = next((number for number in self._left if number > nearest), nearest)
        place = self._before[gone][1].place if gone >= 0 else ""
        return Origin(self._execution, place, is_guess=True)


def _in_input(ops: Iterable[OpText]) -> Iterator[Origin]:
    """Yield the origins of ops of the input; those of no place are at that of the one before."""
    place = ""
    for op in ops:
        yield Origin(None, op.place or place, is_guess=not op.place)
        place = op.place or place


def _as_it_is(op: OpText) -> Hashable:
    return op.name, op.shape, op.types, op.location


def _with_other_attributes(op: OpText) -> Hashable:
    return op.name, op.types, op.location or op.shape


_MARK = re.compile(r' loc\("(\d+)":1:1\)$')
_KEYS = (_as_it_is, _with_other_attributes)
