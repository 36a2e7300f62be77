"""Changes of an op since a snapshot of it.

Both processes number in the same way what was in the op before, so that only what is new, or
other than it was, has to be written. Ops, blocks and values that were there stay the same
objects, and so do attributes.
"""
# pyright: reportPrivateUsage=false
# Uses are known to their op alone.

from __future__ import annotations

from bisect import bisect_right
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from xdsl.dialects.builtin import UnregisteredOp

from passel.errors import EncodingError
from passel.xdsl.fast.known import overridden_by
from passel.xdsl.transport.snapshots import Snapshot, are_same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from xdsl.ir import Attribute, Operation
    from xdsl.ir.core import IRWithUses

TYPE_OF: Final = -1
LOCATION_OF: Final = -2
"""For the number of an op in a reference to an attribute: it is that of a value."""

Numbers = list[tuple[int, list[int]]]
"""For some objects the numbers of others."""


class Changes(NamedTuple):
    """Changes of an op. All has numbers: first what was there, in its order, then what is new.

    Attributes:
        sizes: How many ops, regions, blocks and values there were.
        kinds: The classes of new ops; for one that is not registered, its name.
        new: How many regions, blocks and values are new.
        gone: Ops, regions and blocks that are not there any more.
        attributes: Attributes that others refer to. For one that was there, the number of
            an op, and which of its own facts it is; or that it belongs to a value, and to which.
        results: The results of ops.
        arguments: The arguments of blocks.
        types: The types of values.
        names: The names of values.
        block_names: The names of blocks.
        locations: The locations of arguments.
        own: The locations, properties and attributes of ops.
        regions: The regions of ops.
        blocks: The blocks of regions, unless it is enough to take out those that are gone.
        ops: The ops of blocks; the same.
        operands: The operands of ops.
        successors: The successors of ops.
        uses: The uses of values: op and index of each.
        block_uses: The uses of blocks.
    """

    sizes: tuple[int, ...]
    kinds: list[type[Operation] | str]
    new: list[int]
    gone: list[list[int]]
    attributes: list[Attribute | tuple[int, int]]
    results: Numbers
    arguments: Numbers
    types: list[tuple[int, int]]
    names: list[tuple[int, str | None]]
    block_names: list[tuple[int, str | None]]
    locations: list[tuple[int, int]]
    own: list[tuple[int, int, dict[str, int], dict[str, int]]]
    regions: Numbers
    blocks: Numbers
    ops: Numbers
    operands: Numbers
    successors: Numbers
    uses: Numbers
    block_uses: Numbers


def changes_of(root: Operation, before: Snapshot) -> Changes | None:
    """Return how an op differs from a snapshot of it; None if it does not.

    Raises:
        EncodingError: It uses a value that is defined outside, something outside has to do with
            what is inside, or a new op is of a class that is not made by xDSL's own code.
    """
    now = Snapshot(root)
    if now.is_same(before):
        return None
    try:
        changes = _Writer(before, now).write()
    except KeyError as error:
        msg = f"'{root.name}' uses a value that is defined outside of it, or is used outside"
        raise EncodingError(msg) from error
    for kind in set(changes.kinds):
        if not isinstance(kind, str) and overridden_by(kind) - _NOT_CALLED:
            raise EncodingError(f"'{kind.name}' is of a class that makes its ops itself")
    return changes


_NOT_CALLED: Final = {"__init__", "__eq__", "__hash__", "clone", "is_structurally_equivalent"}
"""Methods that neither xDSL calls to make an op of given parts, nor the reader."""


class _Numbering(dict[int, int]):
    """Numbers of objects that are there now, by their addresses.

    Args:
        before: The objects that were there before.
        now: Those that are there now.

    Attributes:
        known: How many were there before.
        new: Those that were not there before.
        gone: The numbers of those that are not there any more.
        order: The numbers of those that are there now.
    """

    def __init__(self, before: Sequence[object], now: Sequence[object]) -> None:
        super().__init__(zip(map(id, before), count()))
        self.known = len(before)
        self.new: list[Any] = []
        self.gone: list[int] = []
        if not are_same(before, now):
            there = set(map(id, now))
            self.gone = [number for number, each in enumerate(before) if id(each) not in there]
            self.new = [each for each in now if id(each) not in self]
            for number in self.gone:
                del self[id(before[number])]
            self.update(zip(map(id, self.new), count(self.known)))
        self.order = self.of(now)

    def of(self, objects: Iterable[object]) -> list[int]:
        """Return the numbers of objects."""
        return [self[each] for each in map(id, objects)]

    def others(self, before: Sequence[Any], now: Sequence[Any]) -> Iterator[tuple[int, Any, Any]]:
        """Yield number, former and present state of objects that are new, or in another state.

        Args:
            before: The states of all objects before.
            now: Those of all that are there now.
        """
        known = self.known
        for number, state in zip(self.order, now, strict=True):
            if number >= known:
                yield number, (), state
            elif before[number] is not state:
                yield number, before[number], state


class _Writer:
    """Finds the changes from one snapshot to another.

    Each look-up of a number fails with a `KeyError` if the object is not in the op now.
    """

    def __init__(self, before: Snapshot, now: Snapshot) -> None:
        self._before = before
        self._now = now
        pairs = zip(before.nodes.columns(), now.nodes.columns(), strict=True)
        self._ops, self._regions, self._blocks, self._values = (_Numbering(*pair) for pair in pairs)
        self._known: dict[int, int] | None = None
        self._references: dict[int, int] = {}
        self._changes = Changes(
            before.nodes.sizes,
            [
                op.op_name.data if isinstance(op, UnregisteredOp) else type(op)
                for op in self._ops.new
            ],
            [len(each.new) for each in (self._regions, self._blocks, self._values)],
            [each.gone for each in (self._ops, self._regions, self._blocks)],
            *([] for _ in range(len(Changes._fields) - 4)),
        )

    def write(self) -> Changes:
        """Return the changes."""
        self._write_own()
        self._write_values()
        self._write_structure()
        before, now, changes = self._before, self._now, self._changes
        self._write_uses(
            (self._values, before.nodes.values),
            (before.operands, now.operands),
            (changes.operands, changes.uses),
        )
        self._write_uses(
            (self._blocks, before.nodes.blocks),
            (before.successors, now.successors),
            (changes.successors, changes.block_uses),
        )
        return changes

    def _write_own(self) -> None:
        """Write locations, properties and attributes of ops."""
        before, now, known = self._before, self._now, self._ops.known
        for place, number in enumerate(self._ops.order):
            if number < known and are_same(before.own_facts(number), now.own_facts(place)):
                continue
            op, refer = now.nodes.ops[place], self._refer
            properties = {name: refer(each) for name, each in op.properties.items()}
            attributes = {name: refer(each) for name, each in op.attributes.items()}
            self._changes.own.append((number, refer(op.location), properties, attributes))

    def _write_values(self) -> None:
        """Write types, names and locations of values, and names of blocks."""
        before, now, changes, values = self._before, self._now, self._changes, self._values
        for number, _, kind in values.others(before.types, now.types):
            changes.types.append((number, self._refer(kind)))
        for number, _, name in values.others(before.names, now.names):
            changes.names.append((number, name))
        for number, _, name in self._blocks.others(before.block_names, now.block_names):
            changes.block_names.append((number, name))
        arguments, known = now.nodes.arguments, len(before.locations)
        for number, location in zip(values.of(arguments), now.locations, strict=True):
            if number >= known or location is not before.locations[number]:
                changes.locations.append((number, self._refer(location)))

    def _write_structure(self) -> None:
        """Write what is in what."""
        before, now, changes, ops = self._before, self._now, self._changes, self._ops
        for number, _, results in ops.others(before.results, now.results):
            if not number:
                raise KeyError(number)  # others than what is inside have to do with these
            changes.results.append((number, self._values.of(results)))
        for number, _, regions in ops.others(before.regions, now.regions):
            changes.regions.append((number, self._regions.of(regions)))
        for number, _, arguments in self._blocks.others(before.arguments, now.arguments):
            changes.arguments.append((number, self._values.of(arguments)))
        old, new = before.nodes, now.nodes
        changes.ops.extend(_contents(self._blocks, ops, old.op_spans, new.op_spans))
        changes.blocks.extend(
            _contents(self._regions, self._blocks, old.block_spans, new.block_spans)
        )

    def _write_uses(
        self,
        used: tuple[_Numbering, Sequence[IRWithUses]],
        states: tuple[Sequence[Any], Sequence[Any]],
        lists: tuple[Numbers, Numbers],
    ) -> None:
        """Write what ops use, and all uses of what any op has begun or ceased to use.

        Args:
            used: The numbers of what is used, and all that was there before.
            states: What ops used before, and what they use now.
            lists: Where that is written, and where the uses are.
        """
        ops, (numbers, before), (was, now) = self._ops, used, states
        others: dict[int, IRWithUses] = {}
        for number, old, new in ops.others(was, now):
            lists[0].append((number, numbers.of(new)))
            others |= {id(each): each for each in (*old, *new)}
        for number in ops.gone:
            others |= {id(each): each for each in was[number]}
        for each in map(before.__getitem__, numbers.gone):
            others.pop(id(each), None)
            if any(id(use.operation) in ops for use in each.uses):
                raise KeyError(each)
        for address, each in others.items():
            uses = [n for use in each.uses for n in (ops[id(use.operation)], use.index)]
            lists[1].append((numbers[address], uses))

    def _refer(self, attribute: Attribute) -> int:
        """Return the number of an attribute in the table."""
        # By identity: the equality of some attribute classes is wrong.
        number = self._references.get(id(attribute))
        if number is None:
            number = self._references[id(attribute)] = len(self._references)
            self._changes.attributes.append(self._place_of(attribute) or attribute)
        return number

    def _place_of(self, attribute: Attribute) -> tuple[int, int] | None:
        """Return where an attribute was before."""
        before = self._before
        if self._known is None:
            self._known = dict(
                zip(map(id, (*before.own, *before.types, *before.locations)), count())
            )
        place = self._known.get(id(attribute))
        if place is None:
            return None
        if place < len(before.own):
            op = bisect_right(before.starts, place) - 1
            return op, place - before.starts[op]
        place -= len(before.own)
        if place < len(before.types):
            return TYPE_OF, place
        return LOCATION_OF, place - len(before.types)


def _contents(
    holders: _Numbering,
    held: _Numbering,
    before: Sequence[tuple[int, int]],
    now: Sequence[tuple[int, int]],
) -> Iterator[tuple[int, list[int]]]:
    """Yield the numbers of what holds something new, or in another order, with those of all of it.

    Args:
        holders: The numbers of what holds others.
        held: The numbers of these.
        before: Where in all that was there the contents of each started and ended.
        now: The same of what is there now.
    """
    gone = {*held.gone}
    for number, (start, end) in zip(holders.order, now, strict=True):
        inside = held.order[start:end]
        left = range(*before[number]) if number < holders.known else ()
        if inside != [each for each in left if each not in gone]:
            yield number, inside
