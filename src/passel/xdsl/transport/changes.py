"""Encoding and decoding the changes to an op since a snapshot.

The sender and the receiver take equal snapshots, so that an index identifies the same object in
both processes. Decoding updates the ops, blocks and values of the snapshot in place.
"""
# pyright: reportPrivateUsage=false
# Private fields are read and written directly: the setters would repeat checks.

from __future__ import annotations

import io
import pickle
from contextvars import ContextVar
from functools import lru_cache
from itertools import chain, count
from operator import is_
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from xdsl.dialects.builtin import UnregisteredAttr, UnregisteredOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue, Use
from xdsl.ir.core import IRWithUses

from passel.errors import EncodingError
from passel.xdsl.fast.known import overridden_by
from passel.xdsl.fingerprint import payloads_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from xdsl.context import Context
    from xdsl.ir import Attribute

_NOT_CALLED: Final = {"__init__", "__eq__", "__hash__", "clone", "is_structurally_equivalent"}
"""Methods that are not called when an op is created from its parts."""

_VALUES: Final[frozenset[Any]] = frozenset({OpResult, BlockArgument})

Record: TypeAlias = "tuple[Any, ...]"
"""An op, region, block or value, followed by its parts.

The parts of an op are its operands, successors, location, results, regions, properties, `...` and
attributes, where names precede values. The parts of a region are its blocks. The parts of a block
are its name, arguments, uses, `...` and ops. The parts of a value are its type, its name, its
location (None for a result) and its uses; the results of the recorded op itself have no location
and no uses.
"""
Snapshot: TypeAlias = "list[Record]"
"""A list with a record for each op, region, block and value."""


def snapshot(root: Operation) -> Snapshot:
    """Return a snapshot, which lists the current contents of an op and its nested ops."""
    records = [_of_op(root), *shell(root)[1:]]
    add, holders = records.append, [root]
    for holder in holders:  # which grows
        for region in holder.regions:
            blocks = [*region.blocks]
            add((region, *blocks))
            for block in blocks:
                place = len(records)
                add(())
                for each in block.args:
                    add((each, each._type, each.name_hint, each.location, *each.uses))
                ops: list[Operation] = []
                op = block.first_op
                while op is not None:
                    ops.append(op)
                    add(_of_op(op))
                    for result in op.results:
                        add((result, result._type, result.name_hint, None, *result.uses))
                    if op.regions:
                        holders.append(op)
                    op = op._next_op
                own = (block, block.name_hint, block._args, *block.uses)
                records[place] = (*own, ..., *ops)
    return records


def checked_snapshot(root: Operation) -> Snapshot:
    """Return a snapshot of an op, after checking that no attribute is mutable.

    Raises:
        EncodingError: If an attribute of the op or of a nested op is mutable. A later snapshot
            would not show all changes of the attribute.
    """
    records = snapshot(root)
    if any(True for _ in payloads_in(chain.from_iterable(records))):
        raise EncodingError(f"'{root.name}' has mutable attributes")
    return records


def shell(op: Operation) -> Snapshot:
    """Return records of an op and its results, without operands, successors and uses."""
    results = [(each, each._type, each.name_hint) for each in op.results]
    return [(op, (), (), *_of_op(op)[3:]), *results]


def _of_op(op: Operation) -> Record:
    place = (op, op._operands, op._successors, op.location, op.results, op.regions)
    properties, attributes = op.properties, op.attributes
    return (*place, *properties, *properties.values(), ..., *attributes, *attributes.values())


def encode_changes(root: Operation, before: Snapshot) -> bytes:
    r"""Encode the changes to an op since a snapshot.

    Raises:
        EncodingError: If an attribute cannot be pickled, if a value is used both inside and outside
            `root`, if `root` itself has new operands, results or successors, or if the class of a
            new op overrides how its ops are created.

    Example:
        >>> from xdsl.context import Context
        >>> from xdsl.dialects.builtin import ModuleOp, UnitAttr
        >>> here, there = ModuleOp([]), ModuleOp([])
        >>> before = snapshot(there)
        >>> there.attributes["seen"] = UnitAttr()
        >>> decode_changes(here, encode_changes(there, before), Context())()
        >>> str(here)
        'builtin.module attributes {seen} {\n}'
    """
    now = snapshot(root)
    known = {id(record[0]): record for record in before}
    changed = [each for each in now if not _are_same(each, known.get(id(each[0]), ()))]
    if not changed:
        return b""
    if not all(before[0][place] is now[0][place] for place in (1, 2, 4)):
        raise EncodingError(f"'{root.name}' has new operands, results or successors")
    left = {id(record[0]) for record in now}
    gone = [record[0] for record in before if id(record[0]) not in left]
    used = [use for node in gone if isinstance(node, IRWithUses) for use in node.uses]
    if any(id(use.operation) in left for use in used):
        raise _leaves_it(root.name)
    facts = [*chain.from_iterable(before)]
    places = dict(zip(map(id, facts), count(), strict=False))
    at = [places.pop(id(node)) for node in gone]
    return pickle.dumps((len(facts), at, pickled(changed, root.name, left, places)))


def _are_same(some: Sequence[object], others: Sequence[object]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


def _leaves_it(name: str) -> EncodingError:
    return EncodingError(f"a value is used both inside and outside '{name}'")


def decode_changes(root: Operation, data: bytes, context: Context) -> Callable[[], None]:
    """Return a function that applies encoded changes to an op.

    Args:
        root: The op to change. Its contents must equal the contents of the sender's op at the time
            of the snapshot.
        data: The result of `encode_changes`.
        context: The context of the op, which provides the classes of unregistered ops.

    Raises:
        EncodingError: If the op has changed since the snapshot.
    """
    if not data:
        return lambda: None
    size, gone, sent = pickle.loads(data)  # noqa: S301 - a process of one's own wrote it
    facts = [*chain.from_iterable(snapshot(root))]
    if len(facts) != size:
        raise EncodingError(f"'{root.name}' was changed while another process worked on it")
    records = unpickled(sent, context, facts)
    return lambda: change(records, [facts[place] for place in gone])


# -- From records to nodes -----------------------------------------------------------------------


def change(records: Snapshot, gone: Sequence[Any] = ()) -> None:
    """Set the contents of ops, regions, blocks and values.

    Args:
        records: The ops, regions, blocks and values, each with its new contents.
        gone: The erased IR nodes, which lose their operands, successors, blocks and ops.
    """
    of_ops, of_regions, of_blocks, of_values = (
        [record for record in records if isinstance(record[0], kind)]
        for kind in (Operation, Region, Block, SSAValue)
    )
    # All nodes that move are detached before any node is attached, so that none contains itself.
    for node in (*gone, *(record[0] for record in chain(of_regions, of_blocks))):
        _empty(node)
    for record in of_ops:
        _set_op(*record)
    for region, *blocks in of_regions:
        region.add_block(blocks)
    used: list[tuple[IRWithUses, Sequence[Use]]] = []
    for block, name, arguments, *parts in of_blocks:
        uses, ops = _halves(parts)
        block.name_hint, block._args = name, arguments
        for index, argument in enumerate(arguments):
            argument.block, argument.index = block, index
        block.add_ops(ops)
        used.append((block, uses))
    for value, kind, name, *parts in of_values:
        value.name_hint, value._type = name, kind
        if parts:
            location, *uses = parts
            if location is not None:
                value.location = location
            used.append((value, uses))
    for each, uses in used:
        _order_uses(each, uses)


def _halves(parts: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the parts of a record before and after `...`."""
    middle = next(place for place, part in enumerate(parts) if part is ...)
    return parts[:middle], parts[middle + 1 :]


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


def _set_op(
    op: Any, operands: Any, successors: Any, location: Any, results: Any, regions: Any, *facts: Any
) -> None:
    op.location, op.results, op.regions = location, results, regions
    op.properties, op.attributes = (
        dict(zip(half[: len(half) // 2], half[len(half) // 2 :], strict=True))
        for half in _halves(facts)
    )
    for region in regions:
        region.parent = op
    for index, result in enumerate(results):
        result.op, result.index = op, index
    if len(op._operands) != len(operands):
        op.operands = operands
    if len(op._successors) != len(successors):
        op.successors = successors
    # An operand that stays keeps its place in the order of uses.
    for has, each in ((op.operands, operands), (op.successors, successors)):
        for index, used in enumerate(each):
            if has[index] is not used:
                has[index] = used


def _order_uses(used: IRWithUses, uses: Sequence[Use]) -> None:
    """Set the order of the uses of a value or block."""
    own = {(id(use.operation), use.index): use for use in used.uses}
    used.first_use = None
    for use in reversed(uses):
        used.add_use(own[id(use.operation), use.index])  # `add_use` makes it the first use


# -- Nodes and attributes as bytes ---------------------------------------------------------------


def pickled(
    value: object, name: str, nodes: Collection[int], places: dict[int, int] | None = None
) -> bytes:
    """Encode an object that contains IR nodes and attributes.

    Args:
        value: The object to encode.
        name: The op name to mention in error messages.
        nodes: The addresses of all IR nodes that the object is allowed to contain.
        places: A mapping from address to index for the objects that both the sender and the
            receiver have. None means that there are no such objects.

    Raises:
        EncodingError: If a part of the object cannot be encoded.
    """
    buffer = io.BytesIO()
    try:
        _Pickler(buffer, name, nodes, places or {}).dump(value)
    except EncodingError:
        raise
    except Exception as error:
        raise EncodingError(f"'{name}' contains an object that cannot be sent: {error}") from error
    return buffer.getvalue()


def unpickled(data: bytes, context: Context, facts: Sequence[Any] = ()) -> Any:
    """Decode an object that `pickled` encoded.

    Args:
        data: The bytes that `pickled` returned.
        context: The context that provides the classes of unregistered ops and attributes.
        facts: The objects that both the sender and the receiver have, in the order of their
            indices.
    """
    token = _here.set((context, facts))
    try:
        return pickle.loads(data)  # noqa: S301 - a process of one's own wrote it
    finally:
        _here.reset(token)


_here: ContextVar[tuple[Any, Sequence[Any]]] = ContextVar("here")
"""The context and the known objects of the process that decodes."""


class _Pickler(pickle.Pickler):
    """A pickler that encodes known objects as indices, and new IR nodes as their classes."""

    def __init__(
        self, buffer: io.BytesIO, name: str, nodes: Collection[int], places: dict[int, int]
    ) -> None:
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)
        self._name, self._nodes, self._places = name, nodes, places

    def reducer_override(self, obj: Any, /) -> Any:
        """Return a special encoding of an object, or `NotImplemented`."""
        if type(obj) is Use:
            return Use, (obj.operation, obj.index)
        place = self._places.get(id(obj))
        if place is not None:
            return _known, (place,)
        if id(obj) in self._nodes:
            return _make, (_kind_of(obj),)
        kind = cast("Any", type(obj))
        if not _is_special(kind):
            return NotImplemented
        if not isinstance(obj, UnregisteredAttr):
            raise _leaves_it(self._name)
        parts = (obj.attr_name.data, obj.is_type.data, obj.is_opaque.data, obj.value.data)
        return _unregistered_attribute, parts


@lru_cache
def _is_special(kind: type[Any]) -> bool:
    return issubclass(kind, (UnregisteredAttr, Operation, Block, SSAValue))


def _known(place: int) -> Any:
    return _here.get()[1][place]


def _kind_of(node: Any) -> Any:
    """Return the class of a new node, or the name of an unregistered op."""
    if isinstance(node, UnregisteredOp):
        return node.op_name.data
    if isinstance(node, Operation) and _makes_itself(type(node)):
        raise EncodingError(f"the class of '{node.name}' overrides how its ops are created")
    return cast("Any", type(node))


@lru_cache
def _makes_itself(op_class: type[Operation]) -> bool:
    return bool(overridden_by(op_class) - _NOT_CALLED)


def _make(kind: Any) -> Any:
    """Create an empty IR node of a class, or an unregistered op with a name."""
    if kind in _VALUES:
        return kind(None, None, 0)
    if kind in (Region, Block):
        return kind()
    if isinstance(kind, str):
        found: Any = _here.get()[0].get_optional_op(kind)
        known = found is not None and issubclass(found, UnregisteredOp)
        kind = found if known else UnregisteredOp.with_name(kind)
    return Operation.__new__(kind)


def _unregistered_attribute(name: str, is_type: int, is_opaque: int, value: str) -> Attribute:
    context: Context = _here.get()[0]
    find = context.get_optional_type if is_type else context.get_optional_attr
    made: Any = find(name) or UnregisteredAttr.with_name_and_type(name, bool(is_type))
    return made(name, bool(is_type), bool(is_opaque), value)
