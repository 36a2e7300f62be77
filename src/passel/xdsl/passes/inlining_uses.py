"""Who refers to which callable, kept true while calls are inlined."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from xdsl.dialects.func import CallOp, FuncOp

from passel.xdsl.analyses.symbol_tables import SymbolTables
from passel.xdsl.symbols import references, visibility

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from xdsl.ir import Block, Operation


class Callees:
    """The references to each of some callables.

    Args:
        op: What holds all references.
        callables: Counted are references to these.

    Source: `CGUseList`, `mlir/lib/Transforms/Utils/Inliner.cpp`, MLIR 22.
    """

    def __init__(self, op: Operation, callables: Iterable[Operation]) -> None:
        self._tables = SymbolTables(op)
        self._inside: dict[Operation, Counter[Operation]] = {
            member: Counter() for member in callables
        }
        self._total: Counter[Operation] = Counter()
        owners: dict[Operation, Counter[Operation]] = {}
        outside: Counter[Operation] = Counter()
        for inner in op.walk():
            enclosing = inner.parent_op()
            counts = outside if enclosing is None else owners.get(enclosing, outside)
            if inner.regions:
                owners[inner] = self._inside.get(inner, counts)
            self._count(inner, counts)
        for counts in (outside, *self._inside.values()):
            self._total.update(counts)

    def recount(self, member: Operation) -> None:
        """Take note of any change to the body of a callable, which has no callables inside."""
        counts: Counter[Operation] = Counter()
        for region in member.regions:
            for inner in region.walk():
                self._count(inner, counts)
        _add(self._total, self._inside[member], -1)
        _add(self._total, counts)
        self._inside[member] = counts

    def note_inlined(self, caller: Operation, callee: Operation) -> None:
        """Take note that a call of `callee` in `caller` is replaced by a copy of its body."""
        for counts in (self._inside[caller], self._total):
            _add(counts, self._inside[callee])
            _add(counts, {callee: 1}, -1)

    def forget(self, member: Operation) -> None:
        """Take note that a callable goes."""
        _add(self._total, self._inside[member], -1)
        self._inside[member] = Counter()

    def is_dead(self, member: Operation) -> bool:
        """Return whether nothing refers to a callable, nor can."""
        return visibility(member) == "private" and self._total[member] <= 0

    def has_single_use(self, member: Operation) -> bool:
        """Return whether a callable is needed for a single reference only."""
        return visibility(member) == "private" and self._total[member] == 1

    def callee(self, call: CallOp) -> FuncOp | None:
        """Return the function that is called."""
        found = self._tables.lookup(call, call.callee)
        return found if isinstance(found, FuncOp) and found in self._inside else None

    def calls_in(self, places: Iterable[Operation | Block]) -> Iterator[CallOp]:
        """Yield the calls in ops and blocks, but not those inside of other callables."""
        for place in places:
            for op in place.walk():
                if isinstance(op, CallOp):
                    yield op

    def _count(self, op: Operation, counts: Counter[Operation]) -> None:
        for reference in references(op):
            for symbol in self._tables.resolve(op, reference):
                if symbol in self._inside:
                    counts[symbol] += 1


def _add(counts: Counter[Operation], change: Mapping[Operation, int], factor: int = 1) -> None:
    """Add to counts, and keep none that is zero: they would only be copied about."""
    for symbol, count in change.items():
        counts[symbol] += factor * count
        if not counts[symbol]:
            del counts[symbol]
