"""Copies of xDSL's ops for processes that know nothing of them.

Ops travel with their enclosing ops, as shells: the attributes of these, and of what else is in
them only declarations of the symbols that the ops refer to. The context travels as the names of
its dialects; those that no installed package has registered travel as they are.
"""
# pyright: reportPrivateUsage=false
# Loaded dialects are known to contexts alone.

from __future__ import annotations

import pickle
from operator import itemgetter
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.builtin import StringAttr, SymbolRefAttr, UnregisteredOp
from xdsl.ir import Block, Operation, Region

from passel.errors import EncodingError
from passel.ir import Shipment
from passel.xdsl.transport.attributes import pickled, unpickled
from passel.xdsl.transport.reader import changing, kind_of
from passel.xdsl.transport.snapshots import Snapshot
from passel.xdsl.transport.writer import changes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xdsl.context import Context
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import Attribute, Dialect

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

    @classmethod
    def bare(cls, op: Operation) -> _Shell:
        """Return that of an op whose attributes and regions come by themselves."""
        return cls.of(op)._replace(attributes={}, properties={}, regions=0)

    def make(self, context: Context) -> Operation:
        """Return such an op, with regions that have no block."""
        kind: Any = kind_of(self.kind, context) if isinstance(self.kind, str) else self.kind
        return kind.create(
            result_types=self.results,
            attributes=self.attributes,
            properties=self.properties,
            regions=[Region() for _ in range(self.regions)],
            location=self.location,
        )


def ship(ops: Sequence[Operation], context: Context) -> bytes:
    """Return copies of ops that stand in one block.

    Raises:
        EncodingError: They hold what cannot be sent.
    """
    block = ops[0].parent
    if block is None or any(op.parent is not block for op in ops):
        raise EncodingError(f"'{ops[0].name}' does not stand in one block with the others")
    if wired := next((op for op in ops if op.operands or op.successors), None):
        raise EncodingError(f"'{wired.name}' has operands, which are defined outside of it")
    sent = [(_Shell.bare(op), changes_of(op, Snapshot.of_shell(op))) for op in ops]
    data = pickled((_enclosing(block), sent), "what is sent")
    # Whether anything refers to a symbol the bytes tell more quickly than a look at each op.
    declared = _declarations(block, ops) if _SYMBOLS in data else ()
    try:
        spec = pickle.dumps(_spec(context), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise EncodingError(f"the context has dialects that cannot be sent: {error}") from error
    return pickle.dumps((spec, data, pickled([_Shell.of(each) for each in declared], "a symbol")))


def receive(data: bytes, create_context: Callable[[Sequence[Dialect]], Context]) -> Shipment:
    """Return the copies that `ship` has sent.

    Args:
        data: The copies.
        create_context: Makes a context with the dialects that are installed, and some more.
    """
    spec, sent, declarations = pickle.loads(data)  # noqa: S301 - `ship` wrote it
    context = _context(spec, create_context)
    enclosing, shells = unpickled(sent, context)
    block: Block | None = None
    for shell in enclosing:
        op = shell.make(context)
        if block is not None:
            block.add_op(op)
        block = Block(arg_types=shell.arguments)
        op.regions[shell.inside].add_block(block)
    assert block is not None  # noqa: S101 - `ship` has seen one
    for shell in unpickled(declarations, context):
        block.add_op(shell.make(context))
    ops: list[Operation] = []
    for shell, changes in shells:
        op = shell.make(context)
        block.add_op(op)
        if changes is not None:
            changing(op, changes, context)()
        ops.append(op)
    return Shipment(context, ops)


def _enclosing(block: Block) -> list[_Shell]:
    """Return the ops that enclose a block, the outermost first, without what else is in them."""
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


def _declarations(block: Block, ops: Sequence[Operation]) -> Iterator[Operation]:
    """Yield the ops in a block, besides some, that define symbols which attributes refer to."""
    attributes = {
        id(each): each
        for op in ops
        for inner in op.walk()
        for each in (*inner.properties.values(), *inner.attributes.values())
    }
    used = {name for each in attributes.values() for name in _symbols_in(each)}
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
        (name, None if name in installed and installed[name]() is dialect else dialect)
        for name, dialect in sorted(
            ((each.name, each) for each in context.loaded_dialects), key=itemgetter(0)
        )
    ]
    return context.allow_unregistered, loaded


_contexts = local()
"""Contexts of this thread, by what they are made from: they are not for several threads."""


def _context(spec: bytes, create_context: Callable[[Sequence[Dialect]], Context]) -> Context:
    known: dict[bytes, Context] = vars(_contexts).setdefault("made", {})
    if spec not in known:
        allow_unregistered, loaded = pickle.loads(spec)  # noqa: S301 - `ship` wrote it
        context = create_context([dialect for _, dialect in loaded if dialect is not None])
        context.allow_unregistered = allow_unregistered
        for name, _ in loaded:
            context.load_registered_dialect(name)
        while len(known) >= _MOST_CONTEXTS:
            del known[next(iter(known))]
        known[spec] = context
    return known[spec]
