"""A toy IR with an adapter.

The adapter is an example of about a hundred lines. An op of the toy IR has a name, an optional
symbol, an integer value, and a body of ops. The ops `toy.module`, `toy.func` and `toy.region` are
registered. `toy.module` and `toy.func` are isolated from above.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from passel.diagnostics import UNKNOWN, Location, suggest
from passel.ir import InvalidIR, IRAdapter, OpKind, PrintFlags, outwards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class Callable_:  # noqa: N801 - the toy IR's one interface
    """An interface for toy ops that can be called. Only `toy.func` implements this interface."""


@dataclass(eq=False)
class ToyOp:
    """An op of the toy IR.

    Attributes:
        name: The name of the op, which is also its key (see `IRAdapter.key_of`).
        symbol: The name of the symbol that the op defines, or None.
        body: The ops immediately inside the op, in program order.
        value: An integer that passes can change. A negative value is invalid.
        parent: The enclosing op, or None for the top-level op.
    """

    name: str
    symbol: str | None = None
    body: list[ToyOp] = field(default_factory=list["ToyOp"])
    value: int = 0
    parent: ToyOp | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        # Equal names are the same object, as the contract requires of keys.
        self.name = sys.intern(self.name)

    def add(self, op: ToyOp) -> ToyOp:
        """Append a new child to the body of this op, and return the child."""
        op.parent = self
        self.body.append(op)
        return op

    def walk(self) -> Iterator[ToyOp]:
        """Yield this op and all nested ops, in program order."""
        yield self
        for op in self.body:
            yield from op.walk()

    @property
    def head(self) -> str:
        """The text of the op without its body."""
        symbol = f" @{self.symbol}" if self.symbol else ""
        return self.name + symbol + (f" {self.value}" if self.value else "")

    def __str__(self) -> str:
        return self.head + (f"({','.join(map(str, self.body))})" if self.body else "")


def parse_toy(text: str) -> ToyOp:
    """Parse the text of a toy op, such as `toy.module(toy.func @f,toy.func @g 3(toy.op))`.

    Example:
        >>> print(parse_toy("toy.module(toy.func @f 1)").body[0].symbol)
        f
    """
    tokens = iter(re.findall(r"[(),]|@\w+|-?\d+|[\w.]+", text.replace("()", "")))
    root = op = ToyOp(next(tokens))
    for word in tokens:
        if word == "(":
            op = op.add(ToyOp(next(tokens)))
        elif word == ")":
            op = op.parent or op
        elif word == ",":
            op = (op.parent or op).add(ToyOp(next(tokens)))
        elif word[0] == "@":
            op.symbol = word[1:]
        else:
            op.value = int(word)
    return root


class ToyAdapter(IRAdapter):
    """The adapter of the toy IR."""

    name = "toy"
    kinds: ClassVar[dict[str, OpKind]] = {
        name: OpKind(name, registered=True, isolated=isolated, implements=interfaces.__contains__)
        for name, isolated, interfaces in [
            ("toy.module", True, ()),
            ("toy.func", True, (Callable_,)),
            ("toy.region", False, ()),
        ]
    }

    @property
    def key_of(self) -> Callable[[Any], str]:
        """A function that returns the key of an op, which is the op's name."""
        return attrgetter("name")

    def create_context(self) -> set[str]:
        """Return a new context, which is the set of loaded dialects."""
        return {"toy"}

    def context_of(self, op: ToyOp) -> None:
        """Return None, since toy ops do not know their context."""

    def load_dialects(self, context: set[str], names: Iterable[str]) -> None:
        """Add dialects to a context, and reject all dialects except `toy` and `extra`."""
        for name in names:
            if name not in ("toy", "extra"):
                msg = f"there is no dialect '{name}'"
                raise LookupError(msg)
            context.add(name)

    def kind_of(self, op: ToyOp) -> OpKind:
        """Return the kind of an op, which is unregistered unless `kinds` contains the op's name."""
        other = OpKind(op.name, registered=False, isolated=False, implements=().__contains__)
        return self.kinds.get(op.name, other)

    def kind_named(self, context: object, name: str) -> OpKind | None:
        """Return the kind of a registered op name, or None for any other name."""
        return self.kinds.get(name)

    def suggest_op(self, context: object, name: str) -> str:
        """Suggest a registered op name for a misspelled name."""
        return suggest(name, self.kinds)

    def children(self, op: ToyOp) -> Sequence[ToyOp]:
        """Return the ops immediately inside an op."""
        return list(op.body)

    def parent(self, op: ToyOp) -> ToyOp | None:
        """Return the op that encloses an op, or None for a top-level op."""
        return op.parent

    def symbol_name(self, op: ToyOp) -> str | None:
        """Return the symbol name of an op, or None."""
        return op.symbol

    def location(self, op: ToyOp) -> Location:
        """Return an unknown location, since toy ops have no location."""
        return UNKNOWN

    def verify(self, op: ToyOp, *, recursive: bool) -> None:
        """Reject an op with a negative value, or with two symbols of the same name in its body."""
        symbols = [inner.symbol for inner in op.body if inner.symbol]
        if len(symbols) != len(set(symbols)):
            raise InvalidIR(op, "has two symbols with the same name")
        if op.value < 0:
            raise InvalidIR(op, f"has a negative value: {op.value}")
        if recursive:
            for inner in op.body:
                self.verify(inner, recursive=True)

    def print_op(self, op: ToyOp, flags: PrintFlags) -> str:
        """Return the text of an op in the syntax of `parse_toy`."""
        return op.head + " {...}" * bool(op.body) if flags.skip_regions else str(op)

    def fingerprint(self, op: ToyOp, *, recursive: bool = True) -> object:
        """Return a tuple of the op, its symbol, its value, and the fingerprints of nested ops.

        Ops compare by identity. Since the fingerprint keeps the ops alive, no new op can have the
        address of an old op.
        """
        inside = map(self.fingerprint, op.body) if recursive else op.body
        return (op, op.symbol, op.value, *inside)

    def ship(self, ops: Sequence[ToyOp], context: set[str]) -> bytes:
        """Encode sibling ops and their enclosing ops as JSON. All other ops are left out."""
        enclosing = [outer.head for outer in outwards(self, ops[0])][1:]
        return json.dumps([sorted(context), enclosing, [*map(str, ops)]]).encode()

    def receive(self, data: bytes) -> tuple[set[str], list[ToyOp]]:
        """Return copies of the ops that `ship` encoded."""
        context, enclosing, sent = json.loads(data)
        outer: ToyOp | None = None
        for head in reversed(enclosing):
            inner = parse_toy(head)
            outer = inner if outer is None else outer.add(inner)
        ops = [*map(parse_toy, sent)]
        return set(context), [outer.add(op) for op in ops] if outer else ops

    def note(self, op: ToyOp) -> None:
        """Return None, because `encode_changes` needs no data from before the passes ran."""

    def encode_changes(self, op: ToyOp, noted: None) -> bytes:
        """Encode the text of the whole op."""
        return str(op).encode()

    def decode_changes(self, op: ToyOp, data: bytes, context: object) -> Callable[[], None]:
        """Return a function that replaces an op's symbol, value and body with the encoded data."""
        made = parse_toy(data.decode())

        def change() -> None:
            op.symbol, op.value, op.body = made.symbol, made.value, []
            for inner in made.body:
                op.add(inner)

        return change
