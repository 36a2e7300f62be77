"""Call graph, liveness and symbols: small programs with known answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from hypothesis import given
from hypothesis import strategies as st

from passel.xdsl import (
    CallGraph,
    Liveness,
    SymbolTables,
    SymbolUsers,
)
from passel.xdsl.analyses.call_graph import strongly_connected
from passel.xdsl.symbols import symbol_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

CALLS = """
func.func private @even(%c: i1) {
  func.call @odd(%c) : (i1) -> ()
  func.return
}
func.func private @odd(%c: i1) {
  func.call @even(%c) : (i1) -> ()
  func.call @leaf() : () -> ()
  func.return
}
func.func private @leaf() { func.return }
func.func private @taken() { func.return }
func.func private @extern()
func.func @main(%c: i1) {
  func.call @even(%c) : (i1) -> ()
  func.call @extern() : () -> ()
  %f = "func.constant"() {value = @taken} : () -> (() -> ())
  "func.call_indirect"(%f) : (() -> ()) -> ()
  func.return
}"""


def _named(module: Operation) -> dict[str, Operation]:
    return {name: op for op in module.walk() if (name := symbol_name(op)) is not None}


def test_call_graph(parse: Callable[[str], Operation]) -> None:
    """Components come callees first; addresses, externals and indirect calls are known."""
    module = parse(CALLS)
    graph, functions = CallGraph(module), _named(module)
    order = [[symbol_name(op) for op in scc] for scc in graph.sccs]
    assert order == [["leaf"], ["even", "odd"], ["taken"], ["extern"], ["main"]]
    assert [symbol_name(op) for op in graph.callees(functions["odd"])] == ["even", "leaf"]
    assert len([call for call in graph.calls if call.caller is functions["main"]]) == 3
    unknown = [name for name, op in functions.items() if graph.has_unknown_callers(op)]
    assert unknown == ["taken", "main"]


@given(st.lists(st.lists(st.integers(0, 7), max_size=3), min_size=8, max_size=8))
def test_components_by_reachability(graph: list[list[int]]) -> None:
    """Two nodes share a component if each reaches the other; edges lead to earlier ones."""

    def reach(start: int) -> set[int]:
        seen, stack = {start}, [start]
        while stack:
            new = set(graph[stack.pop()]) - seen
            seen |= new
            stack += new
        return seen

    reached = [reach(n) for n in range(8)]
    components = strongly_connected(range(8), graph.__getitem__)
    place = {node: number for number, scc in enumerate(components) for node in scc}
    assert sorted(place) == list(range(8))
    for a in range(8):
        for b in range(8):
            assert (place[a] == place[b]) == (a in reached[b] and b in reached[a])
        assert all(place[b] <= place[a] for b in graph[a])


def test_symbols(parse: Callable[[str], Operation]) -> None:
    """Uses and lookup agree."""
    module = parse(CALLS)
    functions = _named(module)
    users = SymbolUsers(module)
    assert [op.name for op in users.users(functions["taken"])] == ["builtin.unregistered"]
    assert len(users.uses(functions["even"])) == 2
    assert users.is_unused(functions["main"])
    assert users.unresolved == ()
    tables = SymbolTables(module)
    for name, function in functions.items():
        assert tables.lookup_in(module, name) is function
        for use in users.uses(function):
            assert tables.lookup(use.user, use.reference) is function


BRANCHES = """
func.func @f(%c: i1, %n: index) -> i32 {
  %x = "t.x"() : () -> i32
  %y = "t.y"() : () -> i32
  cf.br ^head
^head:
  "t.y"(%y) : (i32) -> ()
  cf.cond_br %c, ^body, ^exit
^body:
  cf.br ^inner
^inner:
  scf.for %i = %n to %n step %n {
    "t.i"(%i, %y) : (index, i32) -> ()
    scf.yield
  }
  cf.cond_br %c, ^inner, ^latch
^latch:
  cf.br ^head
^exit:
  func.return %x : i32
}"""


def test_liveness(parse: Callable[[str], Operation]) -> None:
    """A value is live wherever a use can still be reached, by search of paths."""
    module = parse(BRANCHES)
    (function,) = [op for op in module.walk() if op.name == "func.func"]
    liveness = Liveness(module)
    blocks = function.regions[0].blocks
    values = [*blocks[0].args, *(result for op in blocks[0].ops for result in op.results)]
    for block in blocks:
        reached, stack = set[object](), list(block.last_op.successors) if block.last_op else []
        while stack:
            target = stack.pop()
            if target not in reached:
                reached.add(target)
                stack += target.last_op.successors if target.last_op else ()
        used = {
            operand
            for target in blocks
            if target in reached
            for op in target.walk()
            for operand in op.operands
        }
        assert liveness.live_out(block) == used & set(values)
    assert liveness.live_in(blocks[0]) == frozenset()
    x, y = values[-2:]
    assert liveness.is_dead_after(y, cast("Operation", blocks[5].last_op))
    assert not liveness.is_dead_after(x, cast("Operation", blocks[0].last_op))
