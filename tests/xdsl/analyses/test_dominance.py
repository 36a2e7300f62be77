"""Dominance against its definition, on random graphs, and MLIR's rules for nested regions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.test import TestOp as Op
from xdsl.dialects.test import TestTermOp as TermOp
from xdsl.ir import Block, Region

from passel.xdsl import DominanceInfo, PostDominanceInfo, XDSLAdapter

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

Graph = list[list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Successors of up to eight nodes, of which node 0 is the entry and never a target."""
    size = draw(st.integers(2, 8))
    targets = st.lists(st.integers(1, size - 1), max_size=3)
    return draw(st.lists(targets, min_size=size, max_size=size))


def _build(graph: Graph) -> tuple[Op, list[Block]]:
    blocks = [Block() for _ in graph]
    for block, targets in zip(blocks, graph, strict=True):
        block.add_op(TermOp(successors=[blocks[n] for n in targets]))
    return Op(regions=[Region(blocks)]), blocks


def _reach(graph: Graph, start: int, without: int | None = None) -> set[int]:
    seen: set[int] = set()
    stack = [start] if start != without else []
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += [n for n in graph[node] if n != without]
    return seen


@given(graphs())
def test_dominators_are_what_cannot_be_avoided(graph: Graph) -> None:
    """`a` dominates `b` if, without `a`, the entry does not lead to `b`."""
    op, blocks = _build(graph)
    info = DominanceInfo(op)
    reachable = _reach(graph, 0)
    for a, first in enumerate(blocks):
        assert info.is_reachable(first) == (a in reachable)
        without = _reach(graph, 0, without=a)
        for b, second in enumerate(blocks):
            expected = a == b or b not in reachable or (a in reachable and b not in without)
            assert info.dominates(first, second) == expected
            assert info.properly_dominates(first, second) == (expected and a != b)


@given(graphs())
def test_immediate_dominators_and_frontiers(graph: Graph) -> None:
    """The closest dominator, and the blocks where dominance ends, by their definitions."""
    op, blocks = _build(graph)
    info = DominanceInfo(op)
    reachable = [blocks[n] for n in sorted(_reach(graph, 0))]
    for block in reachable:
        above = [b for b in reachable if info.properly_dominates(b, block)]
        closest = [b for b in above if all(info.dominates(other, b) for other in above)]
        assert [info.immediate_dominator(block)] == (closest or [None])
        frontier = {
            target
            for source in reachable
            if info.dominates(block, source)
            for target in (blocks[n] for n in graph[blocks.index(source)])
            if not info.properly_dominates(block, target)
        }
        assert set(info.dominance_frontier(block)) == frontier
        assert len(info.dominance_frontier(block)) == len(frontier)


@given(graphs())
def test_post_dominators_are_what_cannot_be_avoided(graph: Graph) -> None:
    """Of blocks that lead to an end: without `a`, `b` leads to none."""
    op, blocks = _build(graph)
    info = PostDominanceInfo(op)
    ends = {n for n, targets in enumerate(graph) if not targets}
    endless = {n for n in range(len(graph)) if not _reach(graph, n) & ends}
    for b, second in enumerate(blocks):
        if _reach(graph, b) & endless:
            continue  # how endless loops end is a convention
        for a, first in enumerate(blocks):
            expected = a == b or not _reach(graph, b, without=a) & ends
            assert info.dominates(first, second) == expected


NESTED = """
func.func @f(%c: i1) {
  %a = arith.constant 1 : i32
  scf.if %c {
    %b = arith.constant 2 : i32
    "x.user"(%a, %b) : (i32, i32) -> ()
  }
  %d = arith.constant 3 : i32
  "x.last"() ({
    "x.early"() : () -> ()
    %e = "x.late"() : () -> i32
  }) : () -> ()
  func.return
}"""


def test_nested_regions(parse: Callable[[str], Operation]) -> None:
    """An op dominates what is inside of ops after it and of itself; its results do not."""
    module = parse(NESTED)
    info = DominanceInfo(module)
    ops = {XDSLAdapter().kind_of(op).name: op for op in module.walk()}
    function, branch, user = ops["func.func"], ops["scf.if"], ops["x.user"]
    assert info.properly_dominates(function, user)
    assert info.properly_dominates(branch, user)
    assert not info.properly_dominates(user, branch)
    assert not info.properly_dominates(user, ops["x.last"])
    assert info.properly_dominates(user.operands[0], user)
    assert info.properly_dominates(user.operands[1], user)
    assert not info.properly_dominates(user.operands[1], ops["x.last"])
    assert info.dominates(user, user)
    assert not info.properly_dominates(user, user)
    # An unregistered op's region may be a graph.
    assert info.properly_dominates(ops["x.late"].results[0], ops["x.early"])
    assert info.properly_dominates(ops["x.late"], ops["x.late"])
    outer, inner = branch.parent_block(), user.parent_block()
    assert outer is not None
    assert inner is not None
    assert info.properly_dominates(outer, inner)
    assert not info.dominates(inner, outer)
    post = PostDominanceInfo(module)
    assert post.properly_dominates(ops["func.return"], branch)
    assert post.properly_dominates(ops["func.return"], user)
    assert not post.dominates(user, ops["func.return"])


def test_long_chains_need_no_stack() -> None:
    """Eight thousand blocks in a row, more than calls may be nested, are no reason to fail."""
    op, blocks = _build([*([n + 1] for n in range(7_999)), []])
    assert DominanceInfo(op).dominates(blocks[1], blocks[-1])
    assert PostDominanceInfo(op).dominates(blocks[-1], blocks[1])
