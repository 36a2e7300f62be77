"""Frames: what must enclose ops of MLIR's so that they can be written and read by themselves.

MLIR verifies what it reads. So an op travels inside of copies of its enclosing ops, beside
declarations of the symbols that it refers to.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import EncodingError
from passel.mlir.bindings import block_of, parent_of
from passel.mlir.bytecode import lost_in
from passel.mlir.calls import calls_of
from passel.mlir.contents import symbol_name

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from passel.mlir.bindings import Bindings

_REFERENCE = re.compile(rb"@([\w.$-]+)")
_ODD = re.compile(r"[^\w.$-]", re.ASCII)

_DECLARING = {
    "func.func": ("sym_visibility", '"private"'),
    "llvm.func": ("linkage", "#llvm.linkage<external>"),
}
"""Functions that may be without a body, and the attribute that they must have then."""


class Declaration(NamedTuple):
    """A copy of an op that defines a symbol, without its body if it is a function.

    Attributes:
        op: The copy.
        key: The attribute in which it differs; empty for none.
        usual: The attribute that the op itself has there; None for none.
    """

    op: Any
    key: str = ""
    usual: Any = None


class Symbols:
    """The symbols that ops define, and declarations of these, made when they are first needed.

    Args:
        bindings: The build.
        operations: The ops.
    """

    def __init__(self, bindings: Bindings, operations: Iterable[Any]) -> None:
        self._bindings = bindings
        self._ops: dict[bytes, Any] = {}
        self._odd: list[tuple[bytes, str]] = []
        self._made: dict[bytes, Declaration | None] = {}
        for operation in operations:
            name = symbol_name(operation)
            if name is not None:
                text = name.encode(errors="replace")
                self._ops[text] = operation
                if _ODD.search(name):
                    self._odd.append((text, name))

    def used_in(self, data: bytes, besides: Iterable[Any]) -> list[Declaration]:
        """Return declarations of all symbols that are named in some data, or could be.

        In bytecode, strings end with a zero; the first one is the name of a dialect. What has no
        form of its own in there is text.

        Args:
            data: Ops as bytes, with which come the names of symbols as they are.
            besides: Ops whose own symbols are left out.
        """
        found = self._ops.keys() & {*data.split(b"\0"), *_REFERENCE.findall(data)}
        found.update(text for text, _ in self._odd if text in data)
        for operation in besides:
            found.discard((symbol_name(operation) or "").encode(errors="replace"))
        made = map(self._declaration, sorted(found))
        return [each for each in made if each is not None]

    def _declaration(self, name: bytes) -> Declaration | None:
        if name not in self._made:
            self._made[name] = self._declared(self._ops[name])
        return self._made[name]

    def _declared(self, operation: Any) -> Declaration | None:
        """Return a declaration, or None for an op that needs others.

        Most ops would not be valid without what is in them.
        """
        name, context = operation.name, operation.context
        if len(operation.operands) or len(operation.successors):
            return None
        if name not in _DECLARING:
            return Declaration(operation.clone(ip=False).operation)
        key, value = _DECLARING[name]
        needed = self._bindings.ir.Attribute.parse(value, context=context)
        usual = dict(operation.attributes).get(key)
        shell = _shell(self._bindings, operation, **{key: needed})
        is_same = usual is not None and usual == needed
        return Declaration(shell, "" if is_same else key, usual)


class Frame:
    """Copies of the ops that enclose a block, in which ops are written.

    Args:
        bindings: The build.
        top: The outermost copy.
        depth: How many there are.

    Attributes:
        top: The outermost copy.
        block: The block for ops.
    """

    def __init__(self, bindings: Bindings, top: Any, depth: int) -> None:
        self._bindings = bindings
        self._calls = calls_of(bindings)
        self.top = top
        self.block: Any = _block_in(top)
        for _ in range(depth - 1):
            self.block = _block_in(next(iter(self.block)).operation)
        self._markers: list[Any] = []

    @cached_property
    def _shelf(self) -> Any:
        """A module for ops that are in no frame."""
        ir = self._bindings.ir
        return ir.Module.create(ir.Location.unknown(self.top.context))

    @classmethod
    def enclosing(cls, bindings: Bindings, op: Any) -> tuple[Frame, int]:
        """Return copies of the ops that enclose an op, without what else is in them, and how many.

        Raises:
            EncodingError: There are none, or some have operands.
        """
        top, inner, depth = None, op, 0
        while (outer := parent_of(inner)) is not None:
            shell = _shell(bindings, outer)
            enclosing = block_of(inner)
            place = next(n for n, region in enumerate(outer.regions) if enclosing in list(region))
            arguments = enclosing.arguments
            places = [argument.location for argument in arguments]
            types = [argument.type for argument in arguments]
            block = shell.regions[place].blocks.append(*types, arg_locs=places)
            if top is not None:
                block.append(top)
            top, inner, depth = shell, outer, depth + 1
        if top is None:
            raise EncodingError("the ops stand in no op")
        return cls(bindings, top, depth), depth

    def letter(
        self, operations: Sequence[Any], symbols: Symbols
    ) -> tuple[bytes, Sequence[Declaration]]:
        """Return the frame with ops that stand elsewhere, and the declarations behind them.

        The ops are valid, or else MLIR may not survive to write them.

        Raises:
            EncodingError: They could not be read, or would be other ones then.
        """
        with self._holding(operations):
            data = self.written()
            declared = symbols.used_in(data, operations)
            for each in declared:
                self.block.append(each.op)
            try:
                if not self.is_valid(self.top):
                    raise EncodingError("they are invalid without what else encloses them")
                return (self.written() if declared else data), declared
            finally:
                for each in declared:
                    self._shelf.body.append(each.op)

    def is_valid(self, operation: Any) -> bool:
        """Return whether an op is valid where it is."""
        return self._calls.verify(operation)[0]

    def written(self) -> bytes:
        """Return the frame with all that is in it, as bytecode.

        Raises:
            EncodingError: What is read would not be the same.
        """
        stream = BytesIO()
        self.top.write_bytecode(stream)
        data = stream.getvalue()
        if lost := lost_in(data):
            raise EncodingError(f"{lost} would be other ones when they are read")
        return data

    @contextmanager
    def _holding(self, operations: Sequence[Any]) -> Generator[None]:
        """Hold ops for a while; then they return to where they were.

        Copies would not do: uses of values have an order, which these do not keep.
        """
        body, moved = self._shelf.body, list[tuple[Any, Any]]()
        while len(self._markers) < len(operations):
            marker = _shell(self._bindings, self._shelf.operation)
            body.append(marker)
            self._markers.append(marker)
        try:
            for operation, marker in zip(operations, self._markers, strict=False):
                marker.move_before(operation)
                moved.append((operation, marker))
                self.block.append(operation)
            yield
        finally:
            for operation, marker in moved:
                operation.move_after(marker)
                body.append(marker)


def check_wires(operation: Any) -> None:
    """Refuse ops that have operands or successors, which are defined outside of them."""
    if len(operation.operands) or len(operation.successors):
        raise EncodingError(f"'{operation.name}' has operands, which are defined outside of it")


def _shell(bindings: Bindings, operation: Any, **changes: Any) -> Any:
    """Return a copy of an op without what is in it."""
    check_wires(operation)
    name, context = operation.name, operation.context
    if not (context.allow_unregistered_dialects or context.is_registered_operation(name)):
        raise EncodingError(f"'{name}' is not registered")  # to make one would end the process
    return bindings.ir.Operation.create(
        name,
        results=[result.type for result in operation.results],
        attributes={**dict(operation.attributes), **changes},
        regions=len(operation.regions),
        loc=operation.location,
        ip=False,
    ).operation


def _block_in(operation: Any) -> Any:
    """Return the block of a shell."""
    return next(block for region in operation.regions for block in region)
