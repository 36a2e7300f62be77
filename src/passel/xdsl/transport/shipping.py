"""Copies of xDSL's ops for processes that know nothing of them.

Ops travel with their enclosing ops, as shells: the attributes of these, and of what else is in
them only declarations of the symbols that the ops refer to. The context travels as the names of
its dialects; those that no installed package has registered travel as they are.
"""
# pyright: reportPrivateUsage=false
# Loaded dialects are known to contexts alone.

from __future__ import annotations

import pickle
from itertools import count
from operator import itemgetter
from threading import local
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import StringAttr

from passel.errors import EncodingError
from passel.ir import Shipment
from passel.xdsl.transport.changes import (
    Snapshot,
    States,
    change,
    kind_of,
    make,
    pickled,
    states_of,
    unpickled,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from xdsl.context import Context
    from xdsl.ir import Block, Dialect, Operation

_MOST_CONTEXTS = 4


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
    nodes = [record[0] for op in ops for record in Snapshot(op).records]
    numbers = dict(zip(map(id, nodes), count(), strict=False))
    symbols = set[str]()
    sent = pickled(states_of(nodes, ops, numbers), "what is sent", symbols=symbols)
    outline = _outline(ops, symbols, nodes, numbers)
    around = pickled(
        ([*map(kind_of, nodes)], [*map(nodes.index, ops)], outline), "what is around it"
    )
    try:
        spec = pickle.dumps(_spec(context), pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise EncodingError(f"the context has dialects that cannot be sent: {error}") from error
    return pickle.dumps((spec, sent, around))


def receive(data: bytes, create_context: Callable[[Sequence[Dialect]], Context]) -> Shipment:
    """Return the copies that `ship` has sent.

    Args:
        data: The copies.
        create_context: Makes a context with the dialects that are installed, and some more.
    """
    spec, sent, around = pickle.loads(data)  # noqa: S301 - `ship` wrote it
    context = _context(spec, create_context)
    kinds, ops, outline = unpickled(around, context)
    nodes = [make(kind, context) for kind in kinds]
    for states in (unpickled(sent, context), outline):
        change(nodes, states)
    return Shipment(context, [nodes[number] for number in ops])


def _outline(
    ops: Sequence[Operation], symbols: set[str], nodes: list[Any], numbers: dict[int, int]
) -> States:
    """Return the states of what encloses ops, and of ops beside them that define symbols.

    Nothing else is in them. New nodes are added to those that have numbers.
    """
    block = ops[0].parent
    declared = [
        op
        for op in (block.ops if block and symbols else ())
        if isinstance(name := op.get_attr_or_prop("sym_name"), StringAttr)
        and name.data in symbols
        and id(op) not in numbers
    ]
    shells = [*declared]
    held: dict[int, tuple[Block, list[Operation]]] = {}
    inside = [*declared, *ops]
    while block is not None and (op := block.parent_op()) is not None:
        shells.append(op)
        held[id(block.parent)] = block, inside
        inside, block = [op], op.parent
    if not held:
        raise EncodingError("the ops stand in no op")
    for op in shells:
        nodes += (op, *op.results, *op.regions)
    for block, _ in held.values():
        nodes += (block, *block.args)
    for node in nodes[len(numbers) :]:
        numbers[id(node)] = len(numbers)

    def of(some: Iterable[object]) -> list[int]:
        return [numbers[id(each)] for each in some]

    states = states_of([each for op in shells for each in (op, *op.results)], shells, numbers)
    for region in (region for op in shells for region in op.regions):
        block, inside = held.get(id(region), (None, shells))
        states.regions.append((*of([region]), of([block] if block else [])))
        if block is not None:
            states.blocks.append((*of([block]), None, of(block.args), of(inside), ()))
            states.values.extend((*of([each]), None, each.type, None, None) for each in block.args)
    return states


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
