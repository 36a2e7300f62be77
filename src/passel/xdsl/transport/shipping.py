"""Encoding of xDSL's ops, to send copies of the ops to other processes.

Ops are sent inside copies of their enclosing ops. The copy of an enclosing op has the same
attributes as the original, but contains only the sent ops and declarations of the symbols that the
sent ops refer to. Of the context's dialects, the loaded ones are sent: installed dialects by name,
and all others as pickles.
"""

from __future__ import annotations

import pickle
from itertools import chain
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import StringAttr

from passel.errors import EncodingError
from passel.xdsl.symbols import references
from passel.xdsl.transport.changes import Snapshot, change, pickled, shell, snapshot, unpickled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.context import Context
    from xdsl.ir import Block, Dialect, Operation


def ship(ops: Sequence[Operation], context: Context) -> bytes:
    """Encode copies of ops from one block, together with a description of the ops' context.

    Raises:
        EncodingError: If the ops cannot be encoded.
    """
    block = ops[0].parent
    if block is None or any(op.parent is not block for op in ops):
        raise EncodingError(f"'{ops[0].name}' is not in the same block as the other ops")
    if wired := next((op for op in ops if op.operands or op.successors), None):
        raise EncodingError(f"'{wired.name}' uses values or blocks from outside the op")
    found = (each for op in ops for inner in op.walk() for each in references(inner))
    symbols = {each.root_reference.data for each in found}
    records = [*chain.from_iterable(map(snapshot, ops)), *_outline(ops, symbols)]
    sent = pickled((ops, records), ops[0].name, {id(record[0]) for record in records})
    try:
        return pickle.dumps((sent, context.allow_unregistered, _loaded(context)))
    except Exception as error:
        raise EncodingError(f"the context has dialects that cannot be sent: {error}") from error


def receive(data: bytes, create: Callable[[Sequence[Dialect]], Context]) -> tuple[Context, Any]:
    """Decode the ops and the context that `ship` encoded.

    Args:
        data: The bytes that `ship` returned.
        create: A function that takes additional dialects, and returns a context with these
            dialects and all installed dialects.
    """
    sent, allow_unregistered, loaded = pickle.loads(data)  # noqa: S301 - `ship` wrote it
    context = create([each for each in loaded if not isinstance(each, str)])
    context.allow_unregistered = allow_unregistered
    for each in loaded:
        context.load_registered_dialect(each if isinstance(each, str) else each.name)
    ops, records = unpickled(sent, context)
    change(records)
    return context, ops


def _outline(ops: Sequence[Operation], symbols: set[str]) -> Snapshot:
    """Return records of the enclosing ops, with declarations of symbols next to the ops.

    Other nested ops are left out.
    """
    block, own = ops[0].parent, set(map(id, ops))
    declared = [
        op
        for op in (block.ops if block and symbols else ())
        if isinstance(name := op.get_attr_or_prop("sym_name"), StringAttr)
        and name.data in symbols
        and id(op) not in own
    ]
    records = [record for op in declared for record in _with_regions(op)]
    inside = [*declared, *ops]
    while block is not None and (op := block.parent_op()) is not None:
        records += _with_regions(op, block)
        records.append((block, None, block.args, ..., *inside))
        records += [(each, each.type, None) for each in block.args]
        inside, block = [op], op.parent
    if own.issuperset(map(id, inside)):
        raise EncodingError("the ops are not inside any op")
    return records


def _with_regions(op: Operation, block: Block | None = None) -> Snapshot:
    """Return records of an op, its results and its regions, which contain at most `block`."""
    regions = [(each, *((block,) if block and block.parent is each else ())) for each in op.regions]
    return [*shell(op), *regions]


def _loaded(context: Context) -> list[str | Dialect]:
    """Return the loaded dialects of a context, of which the installed ones as their names."""
    from passel.xdsl.registration import installed_universe

    installed = installed_universe().all_dialects
    return [
        each.name if each.name in installed and installed[each.name]() is each else each
        for each in context.loaded_dialects
    ]
