"""Changes of an op since a snapshot of it.

Both processes make the same records of what was in the op before, so that a place in them tells
what is meant: ops, blocks and values that were there stay the same objects, and so do attributes.
"""
# pyright: reportPrivateUsage=false
# What ops consist of is read and written as it is, without the checks that it has passed.

from __future__ import annotations

import io
import pickle
from contextvars import ContextVar
from functools import lru_cache
from itertools import chain, count
from operator import is_
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from xdsl.dialects.builtin import SymbolRefAttr, UnregisteredAttr, UnregisteredOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValues
from xdsl.ir.core import IRWithUses

from passel.errors import EncodingError
from passel.xdsl.fast.known import overridden_by
from passel.xdsl.fingerprint import payloads_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from xdsl.context import Context
    from xdsl.ir import Attribute

_NOT_CALLED: Final = {"__init__", "__eq__", "__hash__", "clone", "is_structurally_equivalent"}
"""Methods that neither xDSL calls to make an op of given parts, nor `Changes`."""

_VALUES: Final[tuple[Any, ...]] = (OpResult, BlockArgument)


class Snapshot:
    """An op and all that is inside, and what that consists of.

    Attributes:
        root: The op.
        records: Of each op, region, block and value, breadth first, itself and what it consists of.
    """

    def __init__(self, root: Operation) -> None:
        self.root = root
        self.records: list[tuple[Any, ...]] = [_of_op(root)]
        # Their uses are no part of the op.
        self.records += [(result, result._type, result.name_hint) for result in root.results]
        add, holders = self.records.append, [root]
        for holder in holders:  # which grows
            for region in holder.regions:
                blocks = [*region.blocks]
                add((region, *blocks))
                for block in blocks:
                    place = len(self.records)
                    add(())
                    for each in block.args:
                        add((each, each._type, each.name_hint, each.location, *each.uses))
                    ops: list[Operation] = []
                    op = block.first_op
                    while op is not None:
                        ops.append(op)
                        add(_of_op(op))
                        for result in op.results:
                            add((result, result._type, result.name_hint, *result.uses))
                        if op.regions:
                            holders.append(op)
                        op = op._next_op
                    own = (block, block.name_hint, block._args, *block.uses)
                    self.records[place] = (*own, None, *ops)

    def checked(self) -> Snapshot:
        """Return it, unless changes can escape it.

        Raises:
            EncodingError: There are attributes that can be changed in place.
        """
        if any(True for _ in payloads_in(chain.from_iterable(self.records))):
            raise EncodingError(f"'{self.root.name}' has attributes that can be changed in place")
        return self


def _of_op(op: Operation) -> tuple[Any, ...]:
    place = (op, op.location, op._operands, op.results, op._successors, op.regions)
    properties, attributes = op.properties, op.attributes
    return (*place, *properties, *properties.values(), None, *attributes, *attributes.values())


class States(NamedTuple):
    """The parts of nodes, each beginning with its number; other nodes are numbers as well."""

    ops: list[tuple[Any, ...]]
    regions: list[tuple[Any, ...]]
    blocks: list[tuple[Any, ...]]
    values: list[tuple[Any, ...]]


def states_of(nodes: Iterable[Any], roots: Sequence[Operation], numbers: dict[int, int]) -> States:
    """Return the states of nodes.

    Args:
        nodes: The nodes.
        roots: Ops whose operands and successors, and uses of whose results, are left out.
        numbers: The numbers of nodes, by address.
    """
    states, outer = States([], [], [], []), set(map(id, roots))

    def of(nodes: Iterable[Any]) -> list[int]:
        return [numbers[address] for address in map(id, nodes)]

    def uses_of(used: Any) -> list[int]:
        return [each for use in used.uses for each in (numbers[id(use.operation)], use.index)]

    for node in nodes:
        number = numbers[id(node)]
        match node:
            case Operation():
                own = (of(node.results), of(node.regions), node.location)
                wires = ((), ())
                if id(node) not in outer:
                    wires = of(node._operands), of(node._successors)
                states.ops.append((number, *own, node.properties, node.attributes, *wires))
            case Region():
                states.regions.append((number, of(node.blocks)))
            case Block():
                inside = of(node._args), of(node.ops)
                states.blocks.append((number, node.name_hint, *inside, uses_of(node)))
            case _:
                own = (node.name_hint, node._type, getattr(node, "location", None))
                uses = None if id(node.owner) in outer else uses_of(node)
                states.values.append((number, *own, uses))
    return states


def kind_of(node: Any) -> Any:
    """Return the class of a new node; of an op that is not registered, its name."""
    if isinstance(node, UnregisteredOp):
        return node.op_name.data
    if isinstance(node, Operation) and _makes_itself(type(node)):
        raise EncodingError(f"'{node.name}' is of a class that makes its ops itself")
    return cast("Any", type(node))


@lru_cache
def _makes_itself(op_class: type[Operation]) -> bool:
    return bool(overridden_by(op_class) - _NOT_CALLED)


def make(kind: Any, context: Context) -> Any:
    """Return a node without content; a pass may have made the class of unregistered ops."""
    if kind in _VALUES:
        return kind(None, None, 0)
    if kind in (Region, Block):
        return kind()
    if isinstance(kind, str):
        found: Any = context.get_optional_op(kind)
        known = found is not None and issubclass(found, UnregisteredOp)
        kind = found if known else UnregisteredOp.with_name(kind)
    return Operation.__new__(kind)


def encode_changes(root: Operation, before: Snapshot) -> bytes:
    r"""Return what has changed in an op since a snapshot of it.

    Raises:
        EncodingError: It holds an attribute that cannot be pickled, uses a value that is defined
            outside, or has a new op of a class that makes its ops itself.

    Example:
        >>> from xdsl.context import Context
        >>> from xdsl.dialects.builtin import ModuleOp, UnitAttr
        >>> here, there = ModuleOp([]), ModuleOp([])
        >>> before = Snapshot(there)
        >>> there.attributes["seen"] = UnitAttr()
        >>> decode_changes(here, encode_changes(there, before), Context())()
        >>> str(here)
        'builtin.module attributes {seen} {\n}'
    """
    now = Snapshot(root)
    known = {id(record[0]): record for record in before.records}
    changed: dict[int, Any] = {}
    for record in now.records:
        former = known.get(id(record[0]), ())
        if len(record) != len(former) or not all(map(is_, record, former)):
            changed[id(record[0])] = record[0]
            if former and isinstance(record[0], Operation):
                # Given operands anew, it uses even those that it had in another order.
                for new, old in ((record[2], former[2]), (record[4], former[4])):
                    changed |= {} if _are_same(new, old) else {id(each): each for each in new}
    if not changed:
        return b""
    former, current = before.records[0], now.records[0]
    if not all(map(is_, former[2:5], current[2:5])):
        raise EncodingError(f"'{root.name}' has operands, results or successors that it had not")
    numbers = {address: number for number, address in enumerate(known)}
    left = {id(record[0]) for record in now.records}
    gone = [numbers.pop(address) for address in [*numbers] if address not in left]
    new = [record[0] for record in now.records if id(record[0]) not in numbers]
    numbers.update(zip(map(id, new), count(len(known)), strict=False))
    old = (before.records[number][0] for number in gone)
    used = [use for node in old if isinstance(node, IRWithUses) for use in node.uses]
    try:
        states = states_of(changed.values(), (root,), numbers)
    except KeyError:
        states = None
    if states is None or any(id(use.operation) in numbers for use in used):
        msg = f"'{root.name}' uses a value that is defined outside of it, or is used outside"
        raise EncodingError(msg)
    facts = [*chain.from_iterable(before.records)]
    sent = pickled(([*map(kind_of, new)], gone, states), f"'{root.name}'", facts)
    return pickle.dumps((len(facts), sent))


def _are_same(some: Sequence[object], others: Sequence[object]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


def decode_changes(root: Operation, data: bytes, context: Context) -> Callable[[], None]:
    """Return what changes an op in the same way.

    Args:
        root: The op, which is as the other one was when its snapshot was taken.
        data: What `encode_changes` has returned.
        context: The op's context, which knows the classes of unregistered ops.

    Raises:
        EncodingError: The op is not as the other one was.
    """
    if not data:
        return lambda: None
    size, sent = pickle.loads(data)  # noqa: S301 - a process of one's own wrote it
    records = Snapshot(root).records
    facts = [*chain.from_iterable(records)]
    if len(facts) != size:
        raise EncodingError(f"'{root.name}' was changed while another process worked on it")
    kinds, gone, states = unpickled(sent, context, facts)
    nodes = [record[0] for record in records] + [make(kind, context) for kind in kinds]
    return lambda: change(nodes, states, gone, keeps_wires=True)


def change(
    nodes: Sequence[Any], states: States, gone: Sequence[int] = (), *, keeps_wires: bool = False
) -> None:
    """Give nodes the states that `states_of` has returned.

    Args:
        nodes: The nodes, by number.
        states: The states.
        gone: The numbers of what is not there any more.
        keeps_wires: Whether the first op keeps its operands, results and successors.
    """

    def of(numbers: Iterable[int]) -> list[Any]:
        return [nodes[number] for number in numbers]

    # All that moves is taken out before anything is put in, for nothing to be in itself.
    for number in (*gone, *(state[0] for state in chain(states.regions, states.blocks))):
        _empty(nodes[number])
    for number, results, regions, *own, operands, successors in states.ops:
        _set_own(nodes[number], of(regions), *own)
        if not (number == 0 and keeps_wires):
            _wire(nodes[number], of(results), of(operands), of(successors))
    for number, inside in states.regions:
        nodes[number].add_block(of(inside))
    for number, name, arguments, inside, _ in states.blocks:
        _fill(nodes[number], name, of(arguments), of(inside))
    for number, *own, uses in states.values:
        _set_value(nodes[number], *own)
        if uses is not None:
            _order_uses(nodes[number], of(uses[::2]), uses[1::2])
    for number, *_, uses in states.blocks:
        _order_uses(nodes[number], of(uses[::2]), uses[1::2])


def _empty(node: Any) -> None:
    match node:
        case Operation():
            node.operands = node.successors = ()
        case Region():
            for block in [*node.blocks]:
                node.detach_block(block)
        case Block():
            for op in [*node.ops]:
                node.detach_op(op)
        case _:
            pass


def _set_own(
    op: Operation, regions: list[Region], location: Any, properties: Any, attributes: Any
) -> None:
    op.location, op.properties, op.attributes = location, properties, attributes
    op.regions = tuple(regions)
    for region in regions:
        region.parent = op


def _fill(block: Block, name: str | None, arguments: list[Any], inside: list[Operation]) -> None:
    block.name_hint, block._args = name, tuple(arguments)
    for index, argument in enumerate(arguments):
        argument.block, argument.index = block, index
    block.add_ops(inside)


def _set_value(value: Any, name: str | None, kind: Attribute, location: Attribute | None) -> None:
    value.name_hint, value._type = name, kind
    if location is not None:
        value.location = location


def _wire(op: Operation, results: list[Any], operands: list[Any], successors: list[Any]) -> None:
    op.results = SSAValues(results)
    for index, result in enumerate(results):
        result.op, result.index = op, index
    if not _are_same(op._operands, operands):
        op.operands = operands
    if not _are_same(op._successors, successors):
        op.successors = successors


def _order_uses(used: IRWithUses, ops: list[Operation], indices: list[int]) -> None:
    """Let the uses of a value or block have an order."""
    uses = {(id(use.operation), use.index): use for use in used.uses}
    used.first_use = None
    for op, index in zip(reversed(ops), reversed(indices), strict=True):
        used.add_use(uses[id(op), index])  # before the others


# -- Attributes as bytes -------------------------------------------------------------------------


def pickled(
    value: object, what: str, facts: Sequence[object] = (), symbols: set[str] | None = None
) -> bytes:
    """Return what attributes are part of as bytes.

    Args:
        value: It.
        what: What it is, for the error.
        facts: What the other side has, in the same order.
        symbols: Where to add the names of symbols that are referred to.

    Raises:
        EncodingError: Something in it cannot be sent.
    """
    buffer = io.BytesIO()
    try:
        _Pickler(buffer, facts, symbols).dump(value)
    except Exception as error:
        raise EncodingError(f"{what} holds what cannot be sent: {error}") from error
    return buffer.getvalue()


def unpickled(data: bytes, context: Context, facts: Sequence[Any] = ()) -> Any:
    """Return what `pickled` was given; a context makes what is not registered."""
    token = _here.set((context, facts))
    try:
        return pickle.loads(data)  # noqa: S301 - a process of one's own wrote it
    finally:
        _here.reset(token)


_here: ContextVar[tuple[Any, Sequence[Any]]] = ContextVar("here")
"""The context, and what is known, of the process that reads."""


class _Pickler(pickle.Pickler):
    """Pickles what is known by its place, and attributes that are not registered."""

    def __init__(
        self, buffer: io.BytesIO, facts: Sequence[object], symbols: set[str] | None
    ) -> None:
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)
        self._facts, self._places = facts, dict[int, int]()
        self._symbols = symbols

    def reducer_override(self, obj: Any, /) -> Any:
        """Pickle an object in a way of its own, or as ever."""
        if self._facts and not self._places:
            self._places.update(zip(map(id, self._facts), count(), strict=False))
        place = self._places.get(id(obj))
        if place is not None:
            return _known, (place,)
        if self._symbols is not None and isinstance(obj, SymbolRefAttr):
            self._symbols.add(obj.root_reference.data)
        if isinstance(obj, UnregisteredAttr):
            parts = (obj.attr_name.data, obj.is_type.data, obj.is_opaque.data, obj.value.data)
            return _unregistered_attribute, parts
        return NotImplemented


def _known(place: int) -> Any:
    return _here.get()[1][place]


def _unregistered_attribute(name: str, is_type: int, is_opaque: int, value: str) -> Attribute:
    context: Context = _here.get()[0]
    find = context.get_optional_type if is_type else context.get_optional_attr
    made: Any = find(name) or UnregisteredAttr.with_name_and_type(name, bool(is_type))
    return made(name, bool(is_type), bool(is_opaque), value)
