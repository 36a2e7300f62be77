"""Elimination of unused symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from passel.errors import PassFailure
from passel.passes import Pass, Statistic
from passel.xdsl.analyses.symbol_tables import SymbolTables
from passel.xdsl.symbols import (
    is_table,
    may_be_table,
    ops_in,
    references,
    symbol_name,
    visibility,
    walk_outside_tables,
)

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.ir import Operation

    from passel.passes import PassContext


class SymbolDCE(Pass["Operation"]):
    """Eliminate unused symbols that are not visible outside the op that the pass runs on.

    An unused symbol is eliminated if it is `private`. An unused `nested` symbol is eliminated only
    if a symbol table around it is private, has no name, or is a top-level op. Only tables up to the
    op that the pass runs on count.

    Example:
        >>> from passel import PassManager
        >>> str(PassManager("builtin.module").add(SymbolDCE()))
        'builtin.module(symbol-dce)'

    Source: `mlir/lib/Transforms/SymbolDCE.cpp`, MLIR 22.
    """

    name = "symbol-dce"
    ir = "xdsl"
    erased: ClassVar[Statistic] = Statistic("Number of symbols DCE'd", name="num-dce'd")

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Find the live symbols in `op`, and erase all other symbols."""
        if not is_table(op):
            message = "needs an op that defines a symbol table, as in builtin.module(symbol-dce)"
            raise PassFailure(message)
        hidden = op.parent is None or _is_hidden(op)
        live = _Liveness(op, ctx.ir_context, hidden=hidden).live
        # Inner tables first: symbols inside a dead symbol are dead as well, and are counted.
        dead = [
            inner
            for table in op.walk(region_first=True)
            if is_table(table)
            for inner in ops_in(table)
            if symbol_name(inner) is not None and inner not in live
        ]
        for symbol in dead:
            symbol.detach()
            symbol.erase(safe_erase=False)
            ctx.count(self.erased)
        if not dead:
            ctx.preserve_all()


class _Liveness:
    """A search for the live symbols of a symbol table and its nested symbol tables.

    Attributes:
        live: The live symbols found so far.

    Raises:
        PassFailure: If an op of an unknown dialect may be a symbol table.
    """

    def __init__(self, table: Operation, context: Context, *, hidden: bool) -> None:
        self.live: set[Operation] = set()
        self._context = context
        self._tables = SymbolTables(table)
        self._mark(table, hidden=hidden)

    def _mark(self, table: Operation, *, hidden: bool) -> None:
        worklist: list[Operation] = []
        for op in ops_in(table):
            if symbol_name(op) is None:
                worklist.append(op)
            elif not _is_discardable(op, hidden=hidden):
                self.live.add(op)
                worklist.append(op)
        while worklist:
            op = worklist.pop()
            for holder in walk_outside_tables(op):
                self._enter(holder, hidden=hidden)
                for reference in references(holder):
                    for symbol in self._tables.resolve(holder, reference):
                        if symbol not in self.live:
                            self.live.add(symbol)
                            worklist.append(symbol)

    def _enter(self, holder: Operation, *, hidden: bool) -> None:
        if is_table(holder):
            self._mark(holder, hidden=hidden or _is_hidden(holder))
        elif may_be_table(holder, self._context):
            message = "ops of unknown dialects may be symbol tables, so symbol uses are unknown"
            raise PassFailure(message, op=holder)


def _is_hidden(table: Operation) -> bool:
    """Return whether ops outside a symbol table cannot refer to symbols in the table."""
    return symbol_name(table) is None or visibility(table) == "private"


def _is_discardable(op: Operation, *, hidden: bool) -> bool:
    return visibility(op) == "private" or (hidden and visibility(op) == "nested")
