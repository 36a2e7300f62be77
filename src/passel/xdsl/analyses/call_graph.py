"""The call graph of the callables in an op."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from xdsl.dialects.builtin import SymbolRefAttr

from passel.xdsl.analyses.symbol_tables import SymbolTables
from passel.xdsl.symbols import is_callable, op_name, references, symbol_name, visibility

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from xdsl.ir import Operation

N = TypeVar("N", bound="Hashable")


def strongly_connected(
    nodes: Iterable[N], successors: Callable[[N], Iterable[N]]
) -> tuple[tuple[N, ...], ...]:
    """Return the strongly connected components of a graph, ordered so that successors come first.

    The algorithm takes linear time and does not recurse.

    Example:
        >>> graph = {"a": "b", "b": "ca", "c": ""}
        >>> strongly_connected(graph, graph.__getitem__)
        (('c',), ('a', 'b'))

    Source: Gabow: Path-based depth-first search for strong and biconnected components, 2000.
    """
    components: list[tuple[N, ...]] = []
    number: dict[N, int] = {}
    opened: dict[N, None] = {}  # the nodes of no component yet, in the order of their numbers
    firsts: list[int] = []  # the numbers of the first nodes of possible components
    for root in nodes:
        path: list[N] = []
        stack = [] if root in number else [iter((root,))]
        while stack:
            for node in stack[-1]:
                if node not in number:
                    firsts.append(len(number))
                    number[node] = len(number)
                    opened[node] = None
                    path.append(node)
                    stack.append(iter(successors(node)))
                    break
                while node in opened and firsts[-1] > number[node]:
                    firsts.pop()  # a cycle: these nodes belong together
            else:
                stack.pop()
                if path and number[last := path.pop()] == firsts[-1]:
                    firsts.pop()
                    component: list[N] = []
                    while last in opened:
                        component.append(opened.popitem()[0])
                    components.append(tuple(reversed(component)))
    return tuple(components)


_INDIRECT_CALLS = frozenset({"func.call_indirect", "llvm.call"})


class Call(NamedTuple):
    """A call in a call graph.

    Attributes:
        op: The call op.
        caller: The innermost callable around the call, or None if the call is not in a callable.
        callee: The callable that is called. None means that the callee is unknown or not in the
            graph.
    """

    op: Operation
    caller: Operation | None
    callee: Operation | None


@dataclass(init=False, repr=False)
class CallGraph:
    """The callables inside an op, at any depth, and the calls between them.

    A call is a `func.call_indirect`, an `llvm.call`, or any other op whose attribute or property
    `callee` is a symbol reference. Any other reference to a callable counts as taking the
    callable's address, so indirect calls may reach the callable. Construction takes two walks plus
    O(calls). Most queries take O(1). `callees` takes O(calls from the callable), and `calls_to`
    takes O(calls to the callable). The analysis is valid as long as no call, reference or callable
    is added, erased, renamed or moved.

    Attributes:
        op: The op that contains the callables.
        callables: The callables in program order.
        calls: All calls in program order.
        sccs: The groups of mutually recursive callables. A group comes after the groups of the
            callables that it calls. A callable that is alone in its group is recursive only if it
            calls itself.

    Example:
        >>> from xdsl.dialects.builtin import ModuleOp
        >>> from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
        >>> main, leaf = FuncOp("main", ((), ())), FuncOp("leaf", ((), ()))
        >>> main.body.block.add_ops([CallOp("leaf", [], []), ReturnOp()])
        >>> leaf.body.block.add_op(ReturnOp())
        >>> graph = CallGraph(ModuleOp([main, leaf]))
        >>> print(*(symbol_name(function) for (function,) in graph.sccs))
        leaf main

    Source: `mlir/lib/Analysis/CallGraph.cpp`, MLIR 22. Callables whose address is taken are treated
    as in LLVM's call graph.
    """

    op: Operation
    callables: tuple[Operation, ...]
    calls: tuple[Call, ...]
    sccs: tuple[tuple[Operation, ...], ...]
    _address_taken: set[Operation]

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.callables = tuple(filter(is_callable, op.walk()))
        self._address_taken = set()
        self._tables = SymbolTables(op)
        self._calls_by: dict[Operation, list[Call]] = {each: [] for each in self.callables}
        self._calls_to: dict[Operation, list[Call]] = {each: [] for each in self.callables}
        self._by_op: dict[Operation, Call] = {}
        # The callable that each op with regions is, or is in.
        callers: dict[Operation | None, Operation | None] = {}
        for inner in op.walk():
            caller = callers.get(inner.parent_op())
            self._look_at(inner, caller)
            if inner.regions:
                callers[inner] = inner if inner in self._calls_by else caller
        self.calls = tuple(self._by_op.values())
        self.sccs = strongly_connected(self.callables, self.callees)

    def _look_at(self, op: Operation, caller: Operation | None) -> None:
        target = call_target(op)
        if target is not None or op_name(op) in _INDIRECT_CALLS:
            callee = None if target is None else self._callable(op, target)
            call = self._by_op[op] = Call(op, caller, callee)
            if caller is not None:
                self._calls_by[caller].append(call)
            if callee is not None:
                self._calls_to[callee].append(call)
        for reference in references(op):
            if reference is not target and (found := self._callable(op, reference)) is not None:
                self._address_taken.add(found)

    def _callable(self, user: Operation, reference: SymbolRefAttr) -> Operation | None:
        found = self._tables.lookup(user, reference)
        return found if found in self._calls_by else None

    def callee(self, op: Operation) -> Operation | None:
        """Return the callee of a call, or None if the callee is unknown or not in the graph."""
        call = self._by_op.get(op)
        return None if call is None else call.callee

    def calls_to(self, callee: Operation) -> tuple[Call, ...]:
        """Return the calls in the graph whose callee is `callee`, in program order."""
        return tuple(self._calls_to[callee])

    def callees(self, caller: Operation) -> tuple[Operation, ...]:
        """Return a callable's callees without duplicates, in the order of their first calls."""
        found = (call.callee for call in self._calls_by[caller])
        return tuple(dict.fromkeys(callee for callee in found if callee is not None))

    def has_unknown_callers(self, callee: Operation) -> bool:
        """Return whether a callable may have callers that the graph does not contain."""
        return (
            symbol_name(callee) is None
            or visibility(callee) != "private"
            or callee in self._address_taken
        )


def is_external(op: Operation) -> bool:
    """Return whether a callable is only declared and has no body."""
    return not any(region.blocks for region in op.regions)


def call_target(op: Operation) -> SymbolRefAttr | None:
    """Return the symbol reference that names the callee of a direct call, or None for other ops."""
    callee = op.properties.get("callee") or op.attributes.get("callee")
    return callee if isinstance(callee, SymbolRefAttr) else None
