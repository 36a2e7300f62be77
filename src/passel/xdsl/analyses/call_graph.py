"""Who calls whom, and in which order to look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from xdsl.dialects.builtin import SymbolRefAttr, UnregisteredOp

from passel.xdsl.analyses.components import strongly_connected
from passel.xdsl.symbols import SymbolResolver, is_callable, references, symbol_name, visibility

if TYPE_CHECKING:
    from xdsl.ir import Operation

_CALLEE = "callee"
_INDIRECT_CALLS = frozenset({"func.call_indirect", "llvm.call"})


class Call(NamedTuple):
    """An op that calls.

    Attributes:
        op: The call.
        caller: The callable that it is in; None if it is in none.
        callee: The callable that it calls; None if that is unknown, or not in the graph.
    """

    op: Operation
    caller: Operation | None
    callee: Operation | None


class CallGraph:
    """The callables inside an op (at any depth) and the calls between them.

    An op calls if it has a symbol reference `callee`, or is known to call a value. Every other
    reference to a callable takes its address: whoever calls unknown callees may call it.
    Built in one walk plus O(calls); answers cost O(1). Valid while no call, reference or
    callable is added, erased, renamed or moved.

    Attributes:
        op: The op whose callables these are.
        callables: The callables in program order.
        calls: All calls in program order.
        sccs: Groups of callables that call each other, callees before their callers; a group
            of one is not recursive unless it calls itself.

    Example:
        >>> from xdsl.dialects.builtin import ModuleOp
        >>> from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
        >>> main, leaf = FuncOp("main", ((), ())), FuncOp("leaf", ((), ()))
        >>> main.body.block.add_ops([CallOp("leaf", [], []), ReturnOp()])
        >>> leaf.body.block.add_op(ReturnOp())
        >>> graph = CallGraph(ModuleOp([main, leaf]))
        >>> [[symbol_name(f) for f in scc] for scc in graph.sccs]
        [['leaf'], ['main']]

    Source: `mlir/lib/Analysis/CallGraph.cpp`, MLIR 22; taken addresses are LLVM's.
    """

    def __init__(self, op: Operation) -> None:
        self.op = op
        self._resolver = SymbolResolver()
        self._calls_in: dict[Operation, list[Call]] = {}
        self._calls_to: dict[Operation, list[Call]] = {}
        self._by_op: dict[Operation, Call] = {}
        self._address_taken: set[Operation] = set()
        owners: dict[Operation, Operation | None] = {}
        for inner in op.walk():
            around = inner.parent_op()
            owner = owners.get(around) if around is not None else None
            if is_callable(inner):
                owner = inner
                self._calls_in[inner], self._calls_to[inner] = [], []
            if inner.regions:
                owners[inner] = owner
        self.callables: tuple[Operation, ...] = tuple(self._calls_in)
        for inner in op.walk():
            around = inner.parent_op()
            self._look_at(inner, owners.get(around) if around is not None else None)
        self.calls: tuple[Call, ...] = tuple(self._by_op.values())
        self.sccs: tuple[tuple[Operation, ...], ...] = strongly_connected(
            self.callables, self.callees
        )
        self._recursive = {
            op for scc in self.sccs for op in scc if len(scc) > 1 or op in self.callees(op)
        }

    def __eq__(self, other: object) -> bool:
        """Return whether two graphs have the same calls, callables and addresses taken."""
        if not isinstance(other, CallGraph):
            return NotImplemented
        return (
            self.callables == other.callables
            and self.calls == other.calls
            and self._address_taken == other._address_taken
        )

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def _look_at(self, op: Operation, caller: Operation | None) -> None:
        target = call_target(op)
        if target is not None or _name(op) in _INDIRECT_CALLS:
            callee = None if target is None else self._callable(op, target)
            call = self._by_op[op] = Call(op, caller, callee)
            if caller is not None:
                self._calls_in[caller].append(call)
            if callee is not None:
                self._calls_to[callee].append(call)
        for reference in references(op):
            if reference is not target and (found := self._callable(op, reference)) is not None:
                self._address_taken.add(found)

    def _callable(self, user: Operation, reference: SymbolRefAttr) -> Operation | None:
        found = self._resolver.lookup(user, reference)
        return found if found in self._calls_in else None

    def call(self, op: Operation) -> Call | None:
        """Return what is known of a call; None if the op does not call."""
        return self._by_op.get(op)

    def callee(self, op: Operation) -> Operation | None:
        """Return the callable that a call calls, if it is known and in the graph."""
        call = self._by_op.get(op)
        return None if call is None else call.callee

    def calls_in(self, caller: Operation) -> tuple[Call, ...]:
        """Return the calls in the body of a callable, in program order."""
        return tuple(self._calls_in[caller])

    def calls_to(self, callee: Operation) -> tuple[Call, ...]:
        """Return the known calls of a callable, in program order."""
        return tuple(self._calls_to[callee])

    def callees(self, caller: Operation) -> tuple[Operation, ...]:
        """Return the callables that one calls, each once, by their first call."""
        found = (call.callee for call in self._calls_in[caller])
        return tuple(dict.fromkeys(callee for callee in found if callee is not None))

    def callers(self, callee: Operation) -> tuple[Operation, ...]:
        """Return the callables that call one, each once."""
        found = (call.caller for call in self._calls_to[callee])
        return tuple(dict.fromkeys(caller for caller in found if caller is not None))

    def has_unknown_callees(self, caller: Operation) -> bool:
        """Return whether a callable is external, or calls a value or what is not in the graph."""
        return is_external(caller) or any(c.callee is None for c in self._calls_in[caller])

    def has_unknown_callers(self, callee: Operation) -> bool:
        """Return whether a callable may be called from elsewhere, or through its address."""
        return (
            symbol_name(callee) is None
            or visibility(callee) != "private"
            or callee in self._address_taken
        )

    def is_address_taken(self, callee: Operation) -> bool:
        """Return whether anything but a call refers to a callable."""
        return callee in self._address_taken

    def is_recursive(self, callable_op: Operation) -> bool:
        """Return whether a callable is known to call itself, directly or through others."""
        return callable_op in self._recursive


def is_external(op: Operation) -> bool:
    """Return whether a callable has no body here."""
    return not any(region.blocks for region in op.regions)


def _name(op: Operation) -> str:
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def call_target(op: Operation) -> SymbolRefAttr | None:
    """Return the symbol that an op calls, if it is a direct call."""
    callee = op.properties.get(_CALLEE) or op.attributes.get(_CALLEE)
    return callee if isinstance(callee, SymbolRefAttr) else None
