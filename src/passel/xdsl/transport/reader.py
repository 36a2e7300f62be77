"""Giving an op the changes that a copy of it has undergone."""
# pyright: reportPrivateUsage=false
# Links of ops, blocks and uses are written in bulk.

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValues, Use

from passel.errors import EncodingError
from passel.xdsl.transport.snapshots import Nodes, add_own_facts
from passel.xdsl.transport.writer import LOCATION_OF, TYPE_OF, Changes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.context import Context
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import Attribute, SSAValue
    from xdsl.ir.core import IRWithUses

_new_op: Final = Operation.__new__


def change(root: Operation, changes: Changes, context: Context) -> None:
    """Give an op the changes that `changes_of` has returned.

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
    kinds = [context.get_op(each) if isinstance(each, str) else each for each in changes.kinds]
    _Changer(nodes, changes, kinds).change()


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
            if op.parent is not None:
                op.parent.detach_op(op)
            op._operand_uses = op._successors = op._successor_uses = ()
        for block in map(self._blocks.__getitem__, blocks):
            if block.parent is not None:
                block.parent.detach_block(block)
        for region in map(self._regions.__getitem__, regions):
            region.parent = None

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
            block = self._blocks[number]
            block._args = tuple([self._argument(block, *each) for each in enumerate(arguments)])
        for number, regions in changes.regions:
            op = self._ops[number]
            op.regions = tuple([self._regions[each] for each in regions])
            for region in op.regions:
                region.parent = op
        for number, blocks in changes.blocks:
            _fill_region(self._regions[number], [self._blocks[each] for each in blocks])
        for number, ops in changes.ops:
            _fill_block(self._blocks[number], [self._ops[each] for each in ops])

    def _result(self, op: Operation, index: int, number: int) -> OpResult:
        result: Any = self._values[number]
        if result is None:
            result = self._values[number] = OpResult(cast("Attribute", None), op, index)
        result.op, result.index = op, index
        return result

    def _argument(self, block: Block, index: int, number: int) -> BlockArgument:
        argument: Any = self._values[number]
        if argument is None:
            argument = BlockArgument(cast("Attribute", None), block, index)
            self._values[number] = argument
        argument.block, argument.index = block, index
        return argument

    def _set_values(self) -> None:
        changes, attributes = self._changes, self._attributes
        values: list[Any] = self._values
        for number, kind in changes.types:
            values[number]._type = attributes[kind]
        for number, name in changes.names:
            values[number]._name = name
        for number, location in changes.locations:
            values[number].location = attributes[location]
        for number, name in changes.block_names:
            self._blocks[number]._name = name

    def _set_uses(self) -> None:
        changes, ops, blocks = self._changes, self._ops, self._blocks
        values: list[Any] = self._values
        for number, operands in changes.operands:
            op = ops[number]
            op._operands = SSAValues([values[each] for each in operands])
            op._operand_uses = tuple([Use(op, index) for index in range(len(operands))])
        for number, successors in changes.successors:
            op = ops[number]
            op._successors = tuple([blocks[each] for each in successors])
            op._successor_uses = tuple([Use(op, index) for index in range(len(successors))])
        for number, uses in changes.uses:
            _link(values[number], [ops[op]._operand_uses[at] for op, at in _pairs(uses)])
        for number, uses in changes.block_uses:
            _link(blocks[number], [ops[op]._successor_uses[at] for op, at in _pairs(uses)])


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


def _pairs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    return zip(numbers[::2], numbers[1::2], strict=True)


def _fill_region(region: Region, blocks: Sequence[Block]) -> None:
    """Let a region consist of blocks."""
    last: Block | None = None
    for block in blocks:
        block.parent = region
        block._prev_block = last
        if last is not None:
            last._next_block = block
        last = block
    if last is not None:
        last._next_block = None
    region._first_block = blocks[0] if blocks else None
    region._last_block = last


def _fill_block(block: Block, ops: Sequence[Operation]) -> None:
    """Let a block consist of ops."""
    last: Operation | None = None
    for op in ops:
        op.parent = block
        op._prev_op = last
        if last is not None:
            last._next_op = op
        last = op
    if last is not None:
        last._next_op = None
    block._first_op = ops[0] if ops else None
    block._last_op = last


def _link(used: IRWithUses, uses: Sequence[Use]) -> None:
    """Let a value or block have uses, the one added last first."""
    last: Use | None = None
    for use in uses:
        use._prev_use = last
        if last is not None:
            last._next_use = use
        last = use
    if last is not None:
        last._next_use = None
    used.first_use = uses[0] if uses else None
