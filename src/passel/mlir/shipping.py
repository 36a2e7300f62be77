"""Copies of MLIR's ops for processes that know nothing of them.

They travel in one frame, and come back in frames of their own. A process that was forked from one
that uses MLIR has copies in contexts of its own as well, but only if it collects no garbage: the
threads of inherited contexts do not survive a fork, and their end waits for these, or crashes.
"""

from __future__ import annotations

import gc
import os
import pickle
from functools import cache
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import EncodingError
from passel.execution.strategies.stopping import interrupts_held
from passel.ir import Shipment
from passel.mlir.bindings import block_of, parent_of
from passel.mlir.calls import calls_of
from passel.mlir.capi import address
from passel.mlir.contents import replace_contents
from passel.mlir.frames import Frame, Symbols, check_wires

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.metadata import Distribution

    from passel.mlir.bindings import Bindings

_MOST_CONTEXTS = 4


class _Home(NamedTuple):
    """The way back of copies.

    Attributes:
        frame: The frame that they came in, which keeps them alive.
        letters: The frame to write them in.
        symbols: What they may refer to.
        sent: What they were when they came, by their identity.
    """

    frame: Frame
    letters: Frame
    symbols: Symbols
    sent: Mapping[int, bytes]


def ship(bindings: Bindings, ops: Sequence[Any], context: Any) -> bytes:
    """Return copies of ops that stand in one block.

    Args:
        bindings: The build.
        ops: The ops.
        context: Their context.

    Raises:
        EncodingError: They hold what cannot be sent.
    """
    operations = [op.operation for op in ops]
    block = block_of(operations[0])
    if block is None:
        raise EncodingError("the ops stand in no op")
    frame, depth = Frame.enclosing(bindings, operations[0])
    for operation in operations:
        if block_of(operation) != block:
            raise EncodingError(f"'{operation.name}' does not stand in one block with the others")
        check_wires(operation)
        if not frame.is_valid(operation):
            raise EncodingError(f"'{operation.name}' is invalid")
    symbols = Symbols(bindings, (op.operation for op in block))
    with interrupts_held():  # meanwhile they are not where the caller expects them
        data, declared = frame.letter(operations, symbols)
    usual = [
        (number, each.key, None if each.usual is None else str(each.usual))
        for number, each in enumerate(declared, len(operations))
        if each.key
    ]
    spec = context.allow_unregistered_dialects, tuple(_dialects(bindings, context))
    whole = spec, frame.top.name, data, depth, len(operations), usual
    return pickle.dumps(whole, pickle.HIGHEST_PROTOCOL)


def receive(bindings: Bindings, registering: tuple[Any, ...], data: bytes) -> Shipment:
    """Return the copies that `ship` has sent.

    Args:
        bindings: The build.
        registering: Functions that register the dialects of its contexts.
        data: The copies.

    Raises:
        EncodingError: This process cannot have them.
    """
    spec, top, contents, depth, count, usual = pickle.loads(data)  # noqa: S301 - `ship` wrote it
    context = _context(bindings, registering, spec)
    frame = Frame(bindings, _parsed(bindings, context, contents, top), depth)
    if frame.written() != contents:
        raise EncodingError("it knows other ops than the process that they are from")
    inside = [each.operation for each in frame.block]
    operations, letters = inside[:count], Frame.enclosing(bindings, inside[0])[0]
    symbols = Symbols(bindings, inside)
    sent = {address(each): letters.letter([each], symbols)[0] for each in operations}
    for number, key, text in usual:
        attributes = inside[number].attributes
        if text is None:
            del attributes[key]
        else:
            attributes[key] = bindings.ir.Attribute.parse(text, context=context)
    home = _Home(frame, letters, symbols, sent)
    return Shipment(context, [each.opview for each in operations], home)


def encode(op: Any, known: Sequence[Any]) -> bytes:
    """Return all of a copy that passes on it may have changed; nothing if nothing has changed.

    Raises:
        EncodingError: It is invalid, or holds what cannot be sent.
    """
    assert isinstance(known, _Home)  # noqa: S101 - `receive` has made it
    if not known.letters.is_valid(op.operation):
        raise EncodingError("it is invalid, and could not be read")
    data, _ = known.letters.letter([op.operation], known.symbols)
    return b"" if data == known.sent.get(address(op)) else data


def decode_into(bindings: Bindings, op: Any, data: bytes, context: Any) -> None:
    """Give an op what `encode` has returned of its copy."""
    if not data:
        return
    operation = op.operation
    depth, outer, top = 0, operation, ""
    while (outer := parent_of(outer)) is not None:
        depth, top = depth + 1, outer.name
    frame = Frame(bindings, _parsed(bindings, context, data, top), depth)
    replace_contents(bindings, operation, next(iter(frame.block)).operation)


def versions(bindings: Bindings) -> dict[str, str]:
    """Return the version of the build, by the name of its package."""
    package = bindings.package
    return {package: _version(package)}


@cache
def _version(package: str) -> str:
    from importlib import metadata  # noqa: PLC0415 - for executors and records alone

    found = {
        f"{each.name} {each.version}" for each in metadata.distributions() if _has(each, package)
    }
    return ", ".join(sorted(found)) or "of no distribution"


def _has(distribution: Distribution, package: str) -> bool:
    """Return whether a distribution brings a package, much faster than `importlib` does."""
    if (top := distribution.read_text("top_level.txt")) is not None:
        return package in top.split()
    return f"\n{package}/" in f"\n{distribution.read_text('RECORD') or ''}"


def _parsed(bindings: Bindings, context: Any, data: bytes, top: str) -> Any:
    operation, reports = calls_of(bindings).parse(context, data, "<shipment>")
    if operation is None:
        why = reports[0].message if reports else "it does not say why"
        raise EncodingError(f"MLIR cannot read the ops: {why}")
    if operation.name != top:  # it was put into a module
        raise EncodingError(f"these bindings read bytecode of modules alone, not of '{top}'")
    return operation


# -- Contexts --------------------------------------------------------------------------------


def _dialects(bindings: Bindings, context: Any) -> list[str]:
    """Return the dialects that a context can load."""
    allowed = context.allow_unregistered_dialects
    context.allow_unregistered_dialects = False  # MLIR lists them where others are refused
    try:
        return sorted(bindings.dialect_names(context))
    finally:
        context.allow_unregistered_dialects = allowed


_contexts = local()
"""Contexts of this thread, by what they are made from: they are not for several threads."""


def _context(
    bindings: Bindings, registering: tuple[Any, ...], spec: tuple[bool, tuple[str, ...]]
) -> Any:
    """Return a context for copies.

    Raises:
        EncodingError: This process has other dialects, or was forked and collects garbage.
    """
    _ = bindings.ir
    if bindings.process != os.getpid() and gc.isenabled():
        raise EncodingError(
            "it was forked from a process that uses MLIR, whose threads do not survive that; "
            "ProcessPoolExecutor(mp_context=get_context('spawn')) starts others"
        )
    known: dict[Any, Any] = vars(_contexts).setdefault("made", {})
    key = bindings.root, registering, spec
    if key not in known:
        allow_unregistered, dialects = spec
        context = bindings.new_context(registering)
        context.enable_multithreading(False)  # there are other workers for the other processors
        found = _dialects(bindings, context)
        if other := sorted(set(found) ^ set(dialects)):
            where = "there" if other[0] in found else "here"
            raise EncodingError(f"the dialect '{other[0]}' is registered {where} alone")
        context.allow_unregistered_dialects = allow_unregistered
        while len(known) >= _MOST_CONTEXTS:
            del known[next(iter(known))]
        known[key] = context
    return known[key]
