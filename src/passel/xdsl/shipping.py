"""Copies of xDSL's ops for processes that know nothing of them.

Ops travel with the ops around them, as shells: the attributes of these, and of what else is in
them only declarations of the symbols that the ops refer to. The context travels as the names of
its dialects; those that no installed package has registered travel as they are.
"""
# pyright: reportPrivateUsage=false
# Loaded dialects are known to contexts alone.

from __future__ import annotations

import io
import pickle
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr, UnregisteredOp
from xdsl.ir import Block, Operation, Region

from passel.errors import EncodingError
from passel.ir import Shipment
from passel.xdsl.encoding import (
    AttributePickler,
    decode_into,
    encode,
    known_attributes,
    reading_in,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xdsl.context import Context
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import Attribute

_MOST_CONTEXTS = 4

_SYMBOLS = SymbolRefAttr.__name__.encode()


class _Shell(NamedTuple):
    """An op without what is in it.

    Attributes:
        kind: Its class; the name of one that is not registered.
        results: The types of its results.
        attributes: Its attributes.
        properties: Its properties.
        location: Its location.
        regions: How many regions it has.
        inside: In which of them the next op is.
        arguments: The types of the arguments of the block that this is in.
    """

    kind: type[Operation] | str
    results: tuple[Attribute, ...]
    attributes: dict[str, Attribute]
    properties: dict[str, Attribute]
    location: LocationAttr
    regions: int
    inside: int = 0
    arguments: tuple[Attribute, ...] = ()

    @classmethod
    def of(cls, op: Operation) -> _Shell:
        """Return that of an op."""
        return cls(
            op.op_name.data if isinstance(op, UnregisteredOp) else type(op),
            tuple(result.type for result in op.results),
            dict(op.attributes),
            dict(op.properties),
            op.location,
            len(op.regions),
        )

    def make(self, context: Context) -> Operation:
        """Return such an op, with regions that have no block."""
        kind: Any = context.get_op(self.kind) if isinstance(self.kind, str) else self.kind
        return kind.create(
            result_types=self.results,
            attributes=self.attributes,
            properties=self.properties,
            regions=[Region() for _ in range(self.regions)],
            location=self.location,
        )


def ship(ops: Sequence[Operation], context: Context) -> tuple[bytes, Sequence[Attribute]]:
    """Return copies of ops that stand in one block, and attributes that need not be sent back.

    Raises:
        EncodingError: They hold what cannot be sent.
    """
    block = ops[0].parent
    if block is None or any(op.parent is not block for op in ops):
        raise EncodingError(f"'{ops[0].name}' does not stand in one block with the others")
    if wired := next((op for op in ops if op.operands or op.successors), None):
        raise EncodingError(f"'{wired.name}' has operands, which are defined outside of it")
    unique = {id(each): each for op in ops for each in known_attributes(op)}
    known = list(unique.values())
    shells = [_Shell.of(op) for op in ops]
    try:
        data = pickle.dumps(_spec(context), pickle.HIGHEST_PROTOCOL)
        parts = _pickled((known, _around(block), shells))
        refers = _SYMBOLS in parts  # which tells more quickly than a look at each
        declared = list(_declarations(block, ops, known)) if refers else []
        declarations = _pickled([_Shell.of(each) for each in declared])
    except Exception as error:
        raise EncodingError(f"the ops hold what cannot be sent: {error}") from error
    contents = [encode(op, known) for op in ops]
    return pickle.dumps((data, parts, declarations, contents)), known


def receive(data: bytes, create_context: Callable[[], Context]) -> Shipment:
    """Return the copies that `ship` has sent.

    Args:
        data: The copies.
        create_context: Makes a context with the dialects that are installed.
    """
    spec, parts, declarations, contents = pickle.loads(data)  # noqa: S301 - `ship` wrote it
    context = _context(spec, create_context)
    with reading_in(context):
        known, around, shells = pickle.loads(parts)  # noqa: S301 - the same
        declared: list[_Shell] = pickle.loads(declarations)  # noqa: S301 - the same
    block: Block | None = None
    for shell in around:
        op = shell.make(context)
        if block is not None:
            block.add_op(op)
        block = Block(arg_types=shell.arguments)
        op.regions[shell.inside].add_block(block)
    assert block is not None  # noqa: S101 - `ship` has seen one
    for shell in declared:
        block.add_op(shell.make(context))
    ops = [shell.make(context) for shell in shells]
    for op, each in zip(ops, contents, strict=True):
        block.add_op(op)
        decode_into(op, each, context, known)
    return Shipment(context, ops, known)


def _pickled(value: object) -> bytes:
    buffer = io.BytesIO()
    AttributePickler(buffer, pickle.HIGHEST_PROTOCOL).dump(value)
    return buffer.getvalue()


def _around(block: Block) -> list[_Shell]:
    """Return the ops around a block, the outermost first, without what else is in them."""
    shells: list[_Shell] = []
    inner: Block | None = block
    while inner is not None and (op := inner.parent_op()) is not None:
        inside = next(n for n, region in enumerate(op.regions) if region is inner.parent)
        arguments = tuple(argument.type for argument in inner.args)
        shells.append(_Shell.of(op)._replace(inside=inside, arguments=arguments))
        inner = op.parent
    if not shells:
        raise EncodingError("the ops stand in no op")
    return shells[::-1]


def _declarations(
    block: Block, ops: Sequence[Operation], known: Sequence[Attribute]
) -> Iterator[Operation]:
    """Yield the ops in a block, besides some, that define symbols which attributes refer to."""
    used = {name for each in known for name in _symbols_in(each)}
    shipped = set(map(id, ops))
    for op in block.ops if used else ():
        name = op.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr) and name.data in used and id(op) not in shipped:
            yield op


def _symbols_in(attribute: Attribute) -> Iterator[str]:
    todo: list[Any] = [attribute]
    while todo:
        each = todo.pop()
        if isinstance(each, SymbolRefAttr):
            yield each.root_reference.data
        elif isinstance(each, (tuple, list)):
            todo += each
        elif isinstance(each, dict):
            todo += each.values()
        else:
            todo += getattr(each, "parameters", ())
            todo.append(_contents(getattr(each, "data", None)))


def _contents(data: Any) -> Any:
    """Return what is in a list or dictionary of attributes, whatever its class."""
    if isinstance(data, (tuple, list, dict)):
        return data  # pyright: ignore[reportUnknownVariableType]
    return list(data.values()) if hasattr(data, "items") else ()


# -- Contexts --------------------------------------------------------------------------------


def _spec(context: Context) -> tuple[bool, list[tuple[str, Any]]]:
    """Return what makes an equal context."""
    from passel.xdsl.registration import installed_universe

    installed = installed_universe().all_dialects
    loaded = [
        (name, None if name in installed else dialect)
        for name, dialect in sorted(context._loaded_dialects.items())
    ]
    return context.allow_unregistered, loaded


_contexts = local()
"""Contexts of this thread, by what they are made from: they are not for several threads."""


def _context(spec: bytes, create_context: Callable[[], Context]) -> Context:
    known: dict[bytes, Context] = vars(_contexts).setdefault("made", {})
    if spec not in known:
        allow_unregistered, loaded = pickle.loads(spec)  # noqa: S301 - `ship` wrote it
        context = create_context()
        context.allow_unregistered = allow_unregistered
        for name, dialect in loaded:
            if name in context._loaded_dialects:
                continue
            if dialect is None:
                context.load_registered_dialect(name)
            else:
                context.load_dialect(dialect)
        while len(known) >= _MOST_CONTEXTS:
            del known[next(iter(known))]
        known[spec] = context
    return known[spec]
