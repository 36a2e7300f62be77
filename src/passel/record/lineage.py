"""Lineage: which pass made an op, and from which line of the input, found from a record.

Where a record has traces, it says which ops a pass has kept, and of which it has made the others.
Elsewhere it has the text of each op before and after each pass that has changed it: an op that has
kept its name, types and location is the same one; what is new after a pass was made by it, from
what has its location or, that being unknown, from what is gone at its place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict, deque
from copy import copy
from typing import TYPE_CHECKING, NamedTuple

from passel.record.model import RunInfo
from passel.record.op_texts import OpText, ops_in
from passel.record.readable import readable
from passel.record.texts import HOLE, Composite, without_locations
from passel.record.traces import values_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from passel.record.contents import Change
    from passel.record.model import Execution
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


class Lineage:
    """The origins of the ops of a run, followed from its beginning on.

    Args:
        record: The record.
        run: The run.

    Example:
        >>> import tempfile
        >>> from passel import PassManager
        >>> from passel.xdsl import XDSLAdapter, parse_source
        >>> context = XDSLAdapter().create_context()
        >>> pm = PassManager.parse("builtin.module(func.func(cse))", context)
        >>> pm.enable_recording(f"{tempfile.mkdtemp()}/record")
        >>> source = "func.func private @f()"
        >>> record = pm.run(parse_source(context, source, "in.mlir")).record
        >>> lines = Lineage(record, record.info.runs[0]).after(record.executions[0])
        >>> for line in in_custom_form(lines, "xdsl"):
        ...     print(line.origin.place, line.text)
        in.mlir:1:1 func.func private @f() -> ()
    """

    def __init__(self, record: Record, run: RunInfo) -> None:
        self._record = record
        self._changes: deque[Change] = deque()
        self._tree = _Tree(record)
        self._loose: dict[tuple[int, ...], _Tree] = {}
        self._amid: Lineage | None = None  # amid a pass that runs others on ops inside
        if run.before is not None:
            self._changes += (each for each in record.changes if each.run == run.number)
            self._tree.fill(run.before, {})
            for each in self._tree.all():
                each.origins = list(_in_input(each.ops))

    def after(self, execution: Execution) -> list[BlamedLine]:
        """Return an op in generic form, as a pass has left it, with the origin of each op in it.

        It is empty if that is not known.

        Args:
            execution: The execution of the pass: no earlier one than those asked for before.
        """
        tree = self._at(execution)
        return list(tree.lines()) if tree else []

    def in_the_end(self, symbol: str = "") -> list[BlamedLine]:
        """Return the run's op in the end, or the one that defines a symbol; see `after`."""
        self._go_on(len(self._record.executions))
        tree = self._tree.find(f'"{symbol}"') if symbol else self._tree
        return list(tree.lines()) if tree and tree.digest else []

    def origins(self, part: Execution | RunInfo, *, before: bool = False) -> list[Origin]:
        """Return the origins of an op and all ops in it, in the order of the generic form.

        It is empty if that is not known.

        Args:
            part: The run, or an execution of a pass on the op: no earlier than what was asked for.
            before: Whether they are asked for as they were before that.
        """
        tree = self._at(part, before=before)
        return [origin for each in tree.all() for origin in each.origins] if tree else []

    def _at(self, part: Execution | RunInfo, *, before: bool = False) -> _Tree | None:
        """Return the op that an execution, or the run, is on; None if its text is another one."""
        if isinstance(part, RunInfo):
            number, ordinals = 0 if before else len(self._record.executions), (0,)
        else:
            number, ordinals = part.number, part.ordinals
        # After an execution, not what becomes of ops around it.
        self._go_on(number - before, 0 if before else len(ordinals))
        tree = (self._amid or self)._find(ordinals)
        return tree if tree and tree.now() == (part.before if before else part.after) else None

    def _go_on(self, number: int, depth: int = 0) -> None:
        """Go on until an execution has ended, with changes by then of ops at least so deep."""
        while self._changes:
            change = self._changes[0]
            if (change.after, -len(change.ordinals)) > (number, -depth):
                return
            self._apply(self._changes.popleft())

    def _find(self, ordinals: tuple[int, ...]) -> _Tree | None:
        """Return an op; None if it has no text of its own."""
        tree = self._tree
        for ordinal in ordinals[1:]:
            if ordinal >= len(tree.inside):
                return self._loose.get(ordinals)
            tree = tree.inside[ordinal]
        return tree

    def _apply(self, change: Change) -> None:
        """Change the op that an execution has changed."""
        executions = self._record.executions
        if change.is_amid or (change.after >= 0 and self._is_inside(executions[change.after])):
            if self._amid is None:
                self._amid = copy(self)
                self._amid._tree = self._tree.copy()
                self._amid._loose = {key: each.copy() for key, each in self._loose.items()}
            self._amid._change(change)
            return
        amid, self._amid = self._amid, None
        tree = amid._find(change.ordinals) if amid else None
        if amid and tree and tree.now() == change.digest:  # all was done by passes that it ran
            self._tree, self._loose = amid._tree, amid._loose
        else:
            self._change(change)

    def _change(self, change: Change) -> None:
        depth, ordinals = len(change.ordinals), change.ordinals
        executions = self._record.executions
        inside = [key for key in self._loose if len(key) > depth and key[:depth] == ordinals]
        former = [each.former() for key in inside for each in self._loose.pop(key).all()]
        if change.digest is None:
            return
        tree = self._find(ordinals)
        if tree is None:
            tree = self._loose[ordinals] = _Tree(self._record)
            former += [each.former() for each in self._tree.all()]
        else:
            former += [each.former() for each in tree.all()]
        number = change.after if change.after >= 0 else None
        before = None if number is None else executions[number].before
        if change.is_amid and change.after + 1 < len(executions):  # that of the pass at work
            number, before = executions[change.after + 1].caller, None
        if before != change.digest == tree.now():
            return  # a pass that it ran has left it so
        count = sum(len(each.ops) for each in former)
        is_known = change.trace is not None and (before, change.trace[0]) == (tree.now(), count)
        values = list(values_of(change.trace)) if is_known and change.trace else None
        tree.fill(change.digest, {each.digest: each for each in former})
        tree.settle(former, number, values)

    def _is_inside(self, execution: Execution) -> bool:
        """Return whether a pass ran another one on an op inside of its own.

        That pass may have changed the op before, so that its own trace says more in the end.
        """
        while execution.caller is not None:
            caller = self._record.executions[execution.caller]
            if caller.run == execution.run and caller.ordinals != execution.ordinals:
                return True
            execution = caller
        return False


def in_custom_form(lines: Sequence[BlamedLine], ir: str) -> Sequence[BlamedLine]:
    """Return the text of an op in the custom form of its dialects, if its IR can read it.

    Args:
        lines: The text in generic form.
        ir: The name of the IR.
    """
    generic = "\n".join(f"{each.text}{' loc(unknown)' * each.is_end}" for each in lines)
    (found,) = readable([generic], ir)
    origins = [lines[op.last].origin for op in ops_in(generic)]
    return [
        BlamedLine(without_locations(text), None if op is None else origins[op], op is not None)
        for text, op in zip(found.text.split("\n"), found.ops, strict=True)
    ]


class _Former(NamedTuple):
    """An op as it was before a pass."""

    digest: str
    text: str
    ops: Sequence[OpText]
    origins: Sequence[Origin]

    def pairs(self) -> Iterator[tuple[OpText, Origin]]:
        """Yield the ops with their origins."""
        return zip(self.ops, self.origins, strict=True)


class _Tree:
    """An op with the origins of the ops in it.

    Args:
        record: The record.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self.digest = self.text = ""
        self.inside: list[_Tree] = []
        self.ops: Sequence[OpText] = ()
        self.origins: Sequence[Origin] = ()

    def copy(self) -> _Tree:
        """Return a copy, which takes other texts and origins."""
        other = copy(self)
        other.inside = [each.copy() for each in self.inside]
        return other

    def fill(self, digest: str, known: Mapping[str, _Former]) -> None:
        """Give the op another text.

        Args:
            digest: The text's digest.
            known: What is known of texts, by their digests.
        """
        record = self._record
        self.digest = digest
        self.inside = [_Tree(record) for _ in record.parts(digest)]
        for each, part in zip(self.inside, record.parts(digest), strict=True):
            each.fill(part, known)
        if (former := known.get(digest)) is not None:
            self.text, self.ops = former.text, former.ops
        else:
            outline = record.outline(digest)
            self.text = outline.replace(HOLE, "{\n}") if self.inside else outline
            self.ops = ops_in(self.text)

    def now(self) -> str:
        """Return the digest of the text as it is, with what passes have changed inside."""
        if not self.inside:
            return self.digest
        parts = tuple(each.now() for each in self.inside)
        return Composite(self._record.outline(self.digest), parts).digest

    def former(self) -> _Former:
        """Return the op as it is, without those inside that have texts of their own."""
        return _Former(self.digest, self.text, self.ops, self.origins)

    def settle(
        self, former: Sequence[_Former], execution: int | None, values: Sequence[int | None] | None
    ) -> None:
        """Find the origins of the ops.

        Args:
            former: What there was before.
            execution: The number of the execution in between; None for the first.
            values: What its trace says, if it has one.
        """
        trees = list(self.all())
        before = [pair for each in former for pair in each.pairs()]
        sources = before
        if values is None or len(values) != sum(len(each.ops) for each in trees):
            trees, left = _changed(trees, former)
            before = [pair for each in left for pair in each.pairs()]
            ops = [op for each in trees for op in each.ops]
            values = _found_again([op for op, _ in before], ops)
        else:
            ops = [op for each in trees for op in each.ops]
        origins = iter(_origins(ops, values, before, sources, execution))
        for each in trees:
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


def _changed(
    trees: Sequence[_Tree], former: Sequence[_Former]
) -> tuple[list[_Tree], list[_Former]]:
    """Return what has not the text of anything before, and what is left of that."""
    same: defaultdict[str, deque[_Former]] = defaultdict(deque)
    for each in former:
        same[each.digest].append(each)
    new: list[_Tree] = []
    for each in trees:
        if not each.inside and same[each.digest]:
            each.origins = same[each.digest].popleft().origins
        else:
            new.append(each)
    return new, [each for left in same.values() for each in left]


def _found_again(before: Sequence[OpText], after: Sequence[OpText]) -> list[int | None]:
    """Return the number that each op had before, by what it looks like; None if it is new."""
    left = dict.fromkeys(range(len(before)))
    found: list[int | None] = [None] * len(after)
    for key_of in _KEYS:
        known: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        for number in left:
            known[key_of(before[number])].append(number)
        for at, op in enumerate(after):
            if found[at] is None and (same := known.get(key_of(op))):
                found[at] = number = same.popleft()
                del left[number]
    return found


def _origins(
    ops: Sequence[OpText],
    values: Sequence[int | None],
    before: Sequence[tuple[OpText, Origin]],
    sources: Iterable[tuple[OpText, Origin]],
    execution: int | None,
) -> Iterator[Origin]:
    """Yield the origin of each op.

    Args:
        ops: The ops.
        values: What a trace says of them.
        before: The ops before, with their origins.
        sources: All those whose locations ops may have.
        execution: The number of the execution in between.
    """
    kept = {value for value in values if value is not None}
    gone = [number for number in range(len(before)) if number not in kept]
    by_place: dict[str, Origin] = {}
    nearest = -1
    for op, value in zip(ops, values, strict=True):
        if value is not None and value >= 0:
            nearest = value
            yield before[value][1]
        elif op.location:
            by_place = by_place or _by_place(sources)
            source = by_place.get(op.location) or by_place.get(op.place)
            yield Origin(execution, source.place if source else op.place)
        elif value is not None:
            yield before[~value][1]._replace(execution=execution)
        else:
            at = bisect_right(gone, nearest)
            number = gone[at] if at < len(gone) else nearest
            place = before[number][1].place if number >= 0 else ""
            yield Origin(execution, place, is_guess=True)


def _by_place(sources: Iterable[tuple[OpText, Origin]]) -> dict[str, Origin]:
    found: dict[str, Origin] = {}
    for op, origin in sources:
        for place in (op.location, op.place):
            if place:
                found.setdefault(place, origin)
    return found


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


_KEYS = (_as_it_is, _with_other_attributes)
