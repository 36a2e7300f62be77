"""Contents of xDSL ops as bytes, for work that leaves the process.

Text is no transport: it is slow to read and changes some attributes. What is written here is
everything that `fingerprint` looks at, name hints, and the order of uses, so that the op that
takes the contents cannot be told from the one that they come from.

The format is one flat list, breadth first, with numbers for values, blocks, and the attributes
and classes in a table beside it. It is good for the versions of passel and xDSL that wrote it.
"""

# pyright: reportPrivateUsage=false
# Uses are known to their op alone.

from __future__ import annotations

import io
import pickle
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import UnregisteredAttr, UnregisteredOp
from xdsl.ir import Block, Operation, Region

from passel.errors import EncodingError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from xdsl.context import Context
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import Attribute, SSAValue
    from xdsl.ir.core import IRWithName, IRWithUses, Use


def known_attributes(op: Operation) -> list[Attribute]:
    """Return attributes, types and locations of an op and of what is inside, each once.

    In another process that holds the same op it returns the same ones in the same order.
    """
    found: dict[int, Attribute] = {}
    for inner in op.walk():
        for each in (inner.location, *inner.properties.values(), *inner.attributes.values()):
            found[id(each)] = each
        for result in inner.results:
            found[id(result.type)] = result.type
        for region in inner.regions:
            for block in region.blocks:
                for argument in block.args:
                    found[id(argument.type)] = argument.type
                    found[id(argument.location)] = argument.location
    return list(found.values())


def names_in(op: Operation) -> list[Any]:
    """Return the names of values and blocks in an op, and the order of its attributes.

    That is what `fingerprint` leaves out. Ops of equal fingerprints have as many of each.
    """
    named, dictionaries = _named_in(op)
    return [*[each.name_hint for each in named], *map(tuple, dictionaries)]


def rename(op: Operation, names: Sequence[Any]) -> None:
    """Give an op names that `names_in` has returned for one of an equal fingerprint."""
    named, dictionaries = _named_in(op)
    for each, name in zip(named, names, strict=False):
        each.name_hint = name
    for each, order in zip(dictionaries, names[len(named) :], strict=True):
        ordered = {name: each[name] for name in order}
        each.clear()
        each.update(ordered)


def _named_in(root: Operation) -> tuple[list[IRWithName], list[dict[str, Attribute]]]:
    """Return values and blocks in an op, and the dictionaries of attributes that have an order."""
    named: list[IRWithName] = []
    dictionaries = [each for each in (root.properties, root.attributes) if len(each) > 1]
    blocks = [block for region in root.regions for block in region.blocks]
    for block in blocks:  # which grows
        named.append(block)
        named += block.args
        op = block.first_op
        while op is not None:
            named += op.results
            if len(op.properties) > 1:
                dictionaries.append(op.properties)
            if len(op.attributes) > 1:
                dictionaries.append(op.attributes)
            for region in op.regions:
                blocks += region.blocks
            op = op.next_op
    return named, dictionaries


def encode(op: Operation, known: Sequence[Attribute] = ()) -> bytes:
    r"""Return the contents of an op: its properties, attributes, location and regions.

    Args:
        op: An op that is isolated from above.
        known: Attributes that whoever decodes it has as well, in this order.

    Raises:
        EncodingError: It holds an attribute that cannot be pickled, or uses a value that is
            defined outside.

    Example:
        >>> from xdsl.dialects.builtin import ModuleOp, UnitAttr
        >>> from xdsl.context import Context
        >>> data = encode(ModuleOp([], {"seen": UnitAttr()}))
        >>> module = ModuleOp([])
        >>> decode_into(module, data, Context())
        >>> str(module)
        'builtin.module attributes {seen} {\n}'
    """
    writer = _Writer(known)
    writer.write(op)
    buffer = io.BytesIO()
    try:
        AttributePickler(buffer, pickle.HIGHEST_PROTOCOL).dump(
            (
                writer.code,
                writer.attributes,
                writer.classes,
                writer.is_forward,
                writer.orders,
            )
        )
    except Exception as error:
        raise EncodingError(f"'{op.name}' holds what cannot be sent: {error}") from error
    return buffer.getvalue()


def decode_into(
    op: Operation, data: bytes, context: Context, known: Sequence[Attribute] = ()
) -> None:
    """Give an op the contents that `encode` has returned, in place of its own.

    What is inside of it becomes other ops; the op itself stays the same object.

    Args:
        op: The op.
        data: The contents.
        context: The op's context, which knows the classes of unregistered ops.
        known: As for `encode`.
    """
    with reading_in(context):
        code, attributes, classes, is_forward, orders = pickle.loads(data)  # noqa: S301 - a process of one's own wrote it
    kinds = [context.get_op(each) if isinstance(each, str) else each for each in classes]
    _Reader(code, [*known, *attributes], kinds, is_forward=is_forward).read(op, orders)


_context: ContextVar[Any] = ContextVar("context")


@contextmanager
def reading_in(context: Context) -> Generator[None]:
    """Let attributes that are not registered be read in a `with` statement, in a context."""
    token = _context.set(context)
    try:
        yield
    finally:
        _context.reset(token)


class AttributePickler(pickle.Pickler):
    """Pickles attributes; those that are not registered have classes that no module has."""

    def reducer_override(self, obj: Any, /) -> Any:
        """Pickle an attribute that is not registered as what makes one; others as ever."""
        if isinstance(obj, UnregisteredAttr):
            parts = (obj.attr_name.data, obj.is_type.data, obj.is_opaque.data, obj.value.data)
            return _unregistered_attribute, parts
        return NotImplemented


def _unregistered_attribute(name: str, is_type: int, is_opaque: int, value: str) -> Attribute:
    context: Context = _context.get()
    made: Any = context.get_type(name) if is_type else context.get_attr(name)
    return made(name, bool(is_type), bool(is_opaque), value)


_last_known: tuple[Sequence[Attribute], dict[int, int]] = ((), {})


def _numbers_of(known: Sequence[Attribute]) -> dict[int, int]:
    """Return the numbers of attributes by their identities, once for the ops of a shipment."""
    global _last_known  # noqa: PLW0603 - one value, so that no thread sees half of it
    last, numbers = _last_known
    if last is not known or len(numbers) != len(known):
        numbers = {id(each): number for number, each in enumerate(known)}
        _last_known = known, numbers
    return numbers


class _Writer:
    """Writes an op.

    Attributes:
        code: Numbers, names and keys.
        attributes: The attributes that numbers in the code mean, after those that are known.
        classes: The classes of ops; for one that is not registered, its name.
        is_forward: Whether an op uses a value before it is defined.
        orders: For values and blocks that have uses in another order than reading makes: the
            number, and its uses.
    """

    def __init__(self, known: Sequence[Attribute]) -> None:
        self.code: list[Any] = []
        self.attributes: list[Attribute] = []
        self._known = len(known)
        self.classes: list[type[Operation] | str] = []
        self.is_forward = False
        self.orders: list[tuple[bool, int, list[tuple[int, int]]]] = []
        self._known_numbers = _numbers_of(known)
        self._attribute_numbers: dict[int, int] = {}
        self._class_numbers: dict[type[Operation] | str, int] = {}
        self._values: dict[Any, int] = {}
        self._blocks: dict[Block, int] = {}
        self._ops: dict[Operation, int] = {}

    def write(self, root: Operation) -> None:
        """Write the contents of an op, and of what is inside breadth first."""
        self._write_own(root)
        parents = [root]
        for parent in parents:
            for region in parent.regions:
                self._write_region(region, parents)
        defined = sum(len(block.args) for block in self._blocks)
        defined += sum(len(op.results) for op in self._ops)
        if defined != len(self._values):
            msg = f"'{root.name}' uses a value that is defined outside of it"
            raise EncodingError(msg)
        for block, number in self._blocks.items():
            self._write_order(True, number, block)
        for value, number in self._values.items():
            self._write_order(False, number, value)

    def _write_region(self, region: Region, parents: list[Operation]) -> None:
        code, number = self.code, self._number
        blocks = list(region.blocks)
        code.append(len(blocks))
        for block in blocks:
            self._blocks.setdefault(block, len(self._blocks))
        for block in blocks:
            code += (self._blocks[block], block.name_hint, len(block.args))
            for argument in block.args:
                value = self._values.setdefault(argument, len(self._values))
                code += (number(argument.type), number(argument.location), value)
                code.append(argument.name_hint)
        for block in blocks:
            ops = list(block.ops)
            code.append(len(ops))
            for op in ops:
                self._write_op(op)
                if op.regions:
                    parents.append(op)

    def _write_op(self, op: Operation) -> None:
        code, number, values = self.code, self._number, self._values
        self._ops[op] = len(self._ops)
        kind: Any = op.op_name.data if isinstance(op, UnregisteredOp) else type(op)
        known = self._class_numbers.setdefault(kind, len(self.classes))
        if known == len(self.classes):
            self.classes.append(kind)
        operands, results = op.operands, op.results
        code += (known, len(op.regions), len(operands), len(results), len(op.successors))
        for operand in operands:
            value = values.get(operand)
            if value is None:
                value = values[operand] = len(values)
                self.is_forward = True
            code.append(value)
        for result in results:
            value = values.setdefault(result, len(values))
            code += (number(result.type), value, result.name_hint)
        code += [self._blocks.setdefault(each, len(self._blocks)) for each in op.successors]
        self._write_own(op)

    def _write_own(self, op: Operation) -> None:
        self.code.append(self._number(op.location))
        for named in (op.properties, op.attributes):
            self.code.append(len(named))
            for name, attribute in named.items():
                self.code += (name, self._number(attribute))

    def _number(self, attribute: Attribute) -> int:
        # By identity: the equality of some attribute classes is wrong.
        known = self._known_numbers.get(id(attribute))
        if known is None:
            known = self._attribute_numbers.get(id(attribute))
        if known is None:
            known = self._attribute_numbers[id(attribute)] = self._known + len(self.attributes)
            self.attributes.append(attribute)
        return known

    def _write_order(self, is_block: bool, number: int, used: IRWithUses) -> None:
        """Note the order of uses if it is not that in which reading adds them, last first."""
        if used.first_use is None or used.has_one_use():
            return
        ops = self._ops
        order = [(ops[use.operation], use.index) for use in used.uses]
        if any(later <= earlier for later, earlier in pairwise(order)):
            self.orders.append((is_block, number, order))


class _Reader:
    """Reads what `_Writer` has written."""

    def __init__(
        self,
        code: list[Any],
        attributes: Sequence[Attribute],
        classes: Sequence[type[Operation]],
        *,
        is_forward: bool,
    ) -> None:
        self._next: Callable[[], Any] = iter(code).__next__
        self._attribute: Callable[[Any], Attribute] = attributes.__getitem__
        self._class: Callable[[Any], type[Operation]] = classes.__getitem__
        self._values: dict[int, SSAValue] = {}
        self._blocks: dict[int, Block] = {}
        self._ops: list[Operation] = []
        # What is set when all values are there: all operands, so that uses are in order.
        self._late: list[tuple[Operation, list[int]]] | None = [] if is_forward else None

    def read(self, root: Operation, orders: Sequence[tuple[bool, int, list[Any]]]) -> None:
        """Give an op the contents."""
        old, regions = root.regions, len(root.regions)
        root.location, properties, attributes = self._read_own()
        root.properties, root.attributes = dict(properties), dict(attributes)
        parents = [(root, regions)]
        root.regions = ()
        for region in old:
            region.parent = None
        for parent, count in parents:
            for _ in range(count):
                region = Region()
                parent.add_region(region)
                self._read_region(region, parents)
        for op, operands in self._late or ():
            op.operands = [self._values[number] for number in operands]
        for is_block, number, order in orders:
            used = self._blocks[number] if is_block else self._values[number]
            self._reorder(used, order, is_block=is_block)

    def _read_region(self, region: Region, parents: list[tuple[Operation, int]]) -> None:
        take, attribute = self._next, self._attribute
        blocks: list[Block] = []
        for _ in range(take()):
            block = Block()
            self._blocks[take()] = block
            name = take()
            for index in range(take()):
                kind, location = attribute(take()), attribute(take())
                argument = block.insert_arg(kind, index, cast("LocationAttr", location))
                self._values[take()] = argument
                argument.name_hint = take()
            block.name_hint = name
            blocks.append(block)
        region.add_block(blocks)
        for block in blocks:
            for _ in range(take()):
                op, regions = self._read_op()
                block.add_op(op)
                if regions:
                    parents.append((op, regions))

    def _read_op(self) -> tuple[Operation, int]:
        take, attribute = self._next, self._attribute
        kind, regions, operands = self._class(take()), take(), take()
        results, successors = take(), take()
        used = [take() for _ in range(operands)]
        types: list[Attribute] = []
        named: list[tuple[int, str | None]] = []
        for _ in range(results):
            types.append(attribute(take()))
            named.append((take(), take()))
        targets = [self._blocks[take()] for _ in range(successors)]
        location, properties, own = self._read_own()
        late, values = self._late, self._values
        op = kind.create(
            operands=[values[number] for number in used] if late is None else (),
            result_types=types,
            properties=properties,
            attributes=own,
            location=location,
            successors=targets,
        )
        for result, (number, name) in zip(op.results, named, strict=True):
            values[number] = result
            if name is not None:
                result.name_hint = name
        if late is not None:
            late.append((op, used))
        self._ops.append(op)
        return op, regions

    def _read_own(self) -> tuple[LocationAttr, dict[str, Attribute], dict[str, Attribute]]:
        take, attribute = self._next, self._attribute
        location = cast("LocationAttr", attribute(take()))
        properties = {take(): attribute(take()) for _ in range(take())}
        return location, properties, {take(): attribute(take()) for _ in range(take())}

    def _reorder(
        self, used: IRWithUses, order: Sequence[tuple[int, int]], *, is_block: bool
    ) -> None:
        uses: list[Use] = []
        for number, index in order:
            op = self._ops[number]
            uses.append((op._successor_uses if is_block else op._operand_uses)[index])
        for use in uses:
            used.remove_use(use)
        for use in reversed(uses):
            used.add_use(use)
