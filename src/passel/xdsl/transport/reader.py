"""Giving an op the changes that a copy of it has undergone."""
# pyright: reportPrivateUsage=false
# Types and names are written as they are, without the checks that they have passed.

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, Final, cast

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation, OpResult, Region, SSAValues

from passel.errors import EncodingError
from passel.xdsl.transport.snapshots import Nodes, add_own_facts
from passel.xdsl.transport.writer import LOCATION_OF, TYPE_OF, Changes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.context import Context
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import Attribute, SSAValue
    from xdsl.ir.core import IRWithUses

_new_op: Final = Operation.__new__


def changing(root: Operation, changes: Changes, context: Context) -> Callable[[], None]:
    """Return what gives an op the changes that `changes_of` has returned.

    Args:
        root: The op, which is as the other one was when its snapshot was taken.
        changes: The changes.
        context: The op's context, which knows the classes of unregistered ops.

    Raises:
        EncodingError: It is not as the other one was.
    """
    nodes = Nodes(root)
    if nodes.sizes != changes.sizes:
        raise EncodingError(f"'{root.name}' was changed while another process worked on it")
    kinds = [kind_of(each, context) if isinstance(each, str) else each for each in changes.kinds]
    return _Changer(nodes, changes, kinds).change


def kind_of(name: str, context: Context) -> type[Operation]:
    """Return the class of unregistered ops of a name, which a pass may have made by itself."""
    known = context.get_optional_op(name)
    if known is None or not issubclass(known, UnregisteredOp):
        known = UnregisteredOp.with_name(name)
    return known


class _Changer:
    """Changes an op.

    Args:
        nodes: What there is.
        changes: The changes.
        kinds: The classes of new ops.
    """

    def __init__(self, nodes: Nodes, changes: Changes, kinds: Sequence[type[Operation]]) -> None:
        self._changes = changes
        regions, blocks, values = changes.new
        self._attributes = _attributes(nodes, changes.attributes)
        self._ops: list[Operation] = nodes.ops + [_new_op(kind) for kind in kinds]
        self._regions: list[Region] = nodes.regions + [Region() for _ in range(regions)]
        self._blocks: list[Block] = nodes.blocks + [Block() for _ in range(blocks)]
        self._values: list[SSAValue | None] = [*nodes.values, *[None] * values]

    def change(self) -> None:
        """Do it."""
        self._remove()
        self._set_own()
        self._set_structure()
        self._set_values()
        self._set_uses()

    def _remove(self) -> None:
        """Take out what is not there any more."""
        ops, regions, blocks = self._changes.gone
        for op in map(self._ops.__getitem__, ops):
            op.operands = op.successors = ()
        # All that moves is taken out before anything is put in, for nothing to be in itself.
        self._detach_ops(ops, *(ops for _, ops in self._changes.ops))
        self._detach_blocks(blocks, *(blocks for _, blocks in self._changes.blocks))
        for region in map(self._regions.__getitem__, regions):
            region.parent = None

    def _detach_ops(self, *numbers: list[int]) -> None:
        for op in map(self._ops.__getitem__, chain(*numbers)):
            if op.parent is not None:
                op.parent.detach_op(op)

    def _detach_blocks(self, *numbers: list[int]) -> None:
        for block in map(self._blocks.__getitem__, chain(*numbers)):
            if block.parent is not None:
                block.parent.detach_block(block)

    def _set_own(self) -> None:
        ops, attributes = self._ops, self._attributes
        for number, location, properties, own in self._changes.own:
            op = ops[number]
            op.location = cast("LocationAttr", attributes[location])
            op.properties = {name: attributes[each] for name, each in properties.items()}
            op.attributes = {name: attributes[each] for name, each in own.items()}

    def _set_structure(self) -> None:
        changes = self._changes
        for number, results in changes.results:
            op = self._ops[number]
            op.results = SSAValues([self._result(op, *each) for each in enumerate(results)])
        for number, arguments in changes.arguments:
            self._set_arguments(self._blocks[number], arguments)
        for number, regions in changes.regions:
            op = self._ops[number]
            op.regions = tuple([self._regions[each] for each in regions])
            for region in op.regions:
                region.parent = op
        for number, blocks in changes.blocks:
            self._regions[number].add_block([self._blocks[each] for each in blocks])
        for number, ops in changes.ops:
            self._blocks[number].add_ops([self._ops[each] for each in ops])

    def _result(self, op: Operation, index: int, number: int) -> OpResult:
        result: Any = self._values[number]
        if result is None:
            result = self._values[number] = OpResult(cast("Attribute", None), op, index)
        result.op, result.index = op, index
        return result

    def _set_arguments(self, block: Block, numbers: list[int]) -> None:
        """Give a block its new arguments."""
        values: list[Any] = self._values
        left = {id(values[number]) for number in numbers}
        for argument in block.args:
            if id(argument) not in left:
                block.erase_arg(argument, safe_erase=False)
        for index, number in enumerate(numbers):
            if values[number] is None:
                values[number] = block.insert_arg(cast("Attribute", None), index)
        block._args = tuple([values[number] for number in numbers])
        for index, argument in enumerate(block._args):
            argument.index = index

    def _set_values(self) -> None:
        changes, attributes = self._changes, self._attributes
        values: list[Any] = self._values
        for number, kind in changes.types:
            values[number]._type = attributes[kind]
        for number, name in changes.names:
            values[number].name_hint = name
        for number, location in changes.locations:
            values[number].location = attributes[location]
        for number, name in changes.block_names:
            self._blocks[number].name_hint = name

    def _set_uses(self) -> None:
        changes, ops, blocks = self._changes, self._ops, self._blocks
        values: list[Any] = self._values
        for number, operands in changes.operands:
            ops[number].operands = [values[each] for each in operands]
        for number, successors in changes.successors:
            ops[number].successors = [blocks[each] for each in successors]
        for number, uses in changes.uses:
            self._order_uses(values[number], uses)
        for number, uses in changes.block_uses:
            self._order_uses(blocks[number], uses)

    def _order_uses(self, used: IRWithUses, numbers: list[int]) -> None:
        """Let the uses of a value or block, op and index of each, have an order."""
        uses = {(id(use.operation), use.index): use for use in used.uses}
        ops = [id(self._ops[number]) for number in numbers[::2]]
        used.first_use = None
        for op, index in zip(reversed(ops), numbers[::-2], strict=True):
            used.add_use(uses[op, index])  # before the others


def _attributes(nodes: Nodes, references: Sequence[Attribute | tuple[int, int]]) -> list[Attribute]:
    """Return attributes; those that were there before are found where they are."""
    facts: dict[int, list[Any]] = {}
    found: list[Attribute] = []
    for reference in references:
        if not isinstance(reference, tuple):
            found.append(reference)
            continue
        number, place = reference
        if number == TYPE_OF:
            found.append(nodes.values[place]._type)
        elif number == LOCATION_OF:
            found.append(nodes.arguments[place].location)
        else:
            if number not in facts:
                facts[number] = []
                add_own_facts(nodes.ops[number], facts[number])
            found.append(facts[number][place])
    return found
