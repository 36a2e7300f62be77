"""Analyses of MLIR's ops, dominance also against that of xDSL's on the same programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlir.ir import Context, IntegerAttr, IntegerType, StringAttr
from mlir.passmanager import PassManager as NativeManager
from xdsl_inputs import xdsl_context

from passel import Pass, PassContext, PassManager
from passel import xdsl as on_xdsl
from passel.mlir import DominanceInfo, MLIRAdapter, SymbolUsers, parse_source

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHILDREN = MLIRAdapter().children


def parse(text: str) -> Any:
    """Parse with a context that takes unregistered ops."""
    context = Context()
    context.allow_unregistered_dialects = True
    return parse_source(context, text, "t.mlir")


def walk(op: Any) -> Iterator[Any]:
    """Yield an op and all that is inside of it."""
    yield op
    for child in _CHILDREN(op):
        yield from walk(child)


@st.composite
def graphs(draw: st.DrawFn) -> str:
    """Draw a function of up to seven blocks, the entry never a target, with nested regions."""
    size = draw(st.integers(2, 7))
    targets = st.lists(st.integers(1, size - 1), max_size=3)
    blocks: list[str] = []
    for number in range(size):
        after = ", ".join(f"^b{target}" for target in draw(targets))
        successors = f"[{after}]" if after else ""
        inside = (
            '({ "x.inner"() : () -> () "x.inner"() : () -> () })' if draw(st.booleans()) else ""
        )
        blocks.append(
            f'^b{number}:\n  "x.op"() {inside} : () -> ()\n  "x.end"() {successors} : () -> ()\n'
        )
    return f'"func.func"() <{{sym_name = "f", function_type = () -> ()}}> ({{\n{"".join(blocks)}}}) : () -> ()'


@given(graphs())
def test_dominance_as_on_xdsl(text: str) -> None:
    """Blocks and ops dominate each other exactly as on xDSL."""
    module = parse(text)
    other = on_xdsl.parse_source(xdsl_context(), text, "t.mlir")
    ours, theirs = DominanceInfo(module), on_xdsl.DominanceInfo(other)
    our_ops, their_ops = list(walk(module)), list(other.walk())
    our_blocks = [b for op in our_ops for region in op.operation.regions for b in region]
    their_blocks = [b for op in their_ops for region in op.regions for b in region.blocks]
    for a, x in zip(our_blocks, their_blocks, strict=True):
        assert ours.is_reachable(a) == theirs.is_reachable(x)
        frontier = [our_blocks.index(b) for b in ours.dominance_frontier(a)]
        assert frontier == [their_blocks.index(b) for b in theirs.dominance_frontier(x)]
        children = [our_blocks.index(b) for b in ours.children(a)]
        assert children == [their_blocks.index(b) for b in theirs.children(x)]
        for b, y in zip(our_blocks, their_blocks, strict=True):
            assert ours.dominates(a, b) == theirs.dominates(x, y)
            assert ours.properly_dominates(a, b) == theirs.properly_dominates(x, y)
            common = ours.nearest_common_dominator(a, b)
            expected = theirs.nearest_common_dominator(x, y)
            assert (common is None) == (expected is None)
            if expected is not None:
                assert our_blocks.index(common) == their_blocks.index(expected)
    for a, x in zip(our_ops, their_ops, strict=True):
        for b, y in zip(our_ops, their_ops, strict=True):
            assert ours.dominates(a, b) == theirs.dominates(x, y)
            assert ours.properly_dominates(a, b) == theirs.properly_dominates(x, y)
            assert ours.is_before(a, b) == theirs.is_before(x, y)


NESTED = """
func.func @f(%c: i1, %x: i32) {
  %a = arith.constant 1 : i32
  scf.if %c {
    %b = arith.addi %a, %x : i32
    "x.user"(%a, %b) : (i32, i32) -> ()
  }
  "x.last"() ({
    "x.early"() : () -> ()
    %e = "x.late"() : () -> i32
  }) : () -> ()
  return
}"""


def test_dominance_of_values() -> None:
    """Results do not dominate what is inside of their op; arguments dominate all of their block."""
    module = parse(NESTED)
    ops = {op.operation.name: op for op in walk(module)}
    info = DominanceInfo(module)
    user = ops["x.user"].operation
    assert info.properly_dominates(user.operands[0], user)
    assert info.properly_dominates(user.operands[1], user)
    assert not info.properly_dominates(user.operands[1], ops["x.last"])
    (_, argument) = ops["func.func"].regions[0].blocks[0].arguments
    assert info.properly_dominates(argument, user)
    assert not info.properly_dominates(argument, ops["func.func"])
    # An unregistered op's region may be a graph.
    assert info.properly_dominates(ops["x.late"].operation.results[0], ops["x.early"])
    assert info.properly_dominates(ops["func.func"], user)
    assert not info.properly_dominates(ops["func.func"], module)


class Number:
    """The number of a function."""

    def __init__(self, op: Any) -> None:
        self.value: int = op.operation.attributes["x.n"].value


class CloneAndErase(Pass[Any]):
    """Ask for analyses of functions that are there for a moment."""

    name = "clone-and-erase"
    way: str = ""

    def run(self, op: Any, ctx: PassContext) -> None:
        """Ask."""
        number = IntegerType.get_signless(32, ctx.ir_context)
        native: Any = NativeManager.parse("any(symbol-dce)", ctx.ir_context)
        for value in range(30):
            clone: Any = op.body.operations[0].operation.clone()
            clone.attributes["sym_visibility"] = StringAttr.get("private", ctx.ir_context)
            clone.attributes["x.n"] = IntegerAttr.get(number, value)
            op.body.append(clone)
            assert ctx.child_analysis(Number, clone).value == value
            assert ctx.cached_child_analysis(Number, clone) is not None
            if self.way == "native":
                native.run(op.operation)
            else:
                (clone if self.way == "itself" else op.body.operations[1]).operation.erase()


@pytest.mark.parametrize("way", ["itself", "other object", "native"])
def test_analyses_of_erased_ops_are_forgotten(way: str) -> None:
    """An op has none of an earlier one at its place in memory, of the same name, or beside it."""
    module = parse("func.func @f() { return }")
    PassManager("builtin.module", module.context).add(CloneAndErase(way=way)).run(module)


SYMBOLS = """
func.func private @leaf()
func.func @main() {
  call @leaf() : () -> ()
  call @leaf() : () -> ()
  "x.refs"() {all = [@leaf, {deep = @inner::@leaf}], none = @missing} : () -> ()
  return
}
module @inner {
  func.func private @leaf()
  "x.refs"() {a = @main} : () -> ()
}
"""


def test_symbol_users() -> None:
    """References count for every symbol on their path, in the closest table only."""
    module = parse(SYMBOLS)
    users = SymbolUsers(module)
    leaf, main, inner = _CHILDREN(module)
    inner_leaf, stranger = _CHILDREN(inner)
    assert [use.operation.name for use in users.users(leaf)] == ["func.call"] * 2 + ["x.refs"]
    assert len(users.uses(inner)) == len(users.uses(inner_leaf)) == 1
    assert users.is_unused(main)
    assert [str(use.reference) for use in users.unresolved] == ["@missing", "@main"]
    assert users.lookup(stranger, users.uses(leaf)[0].reference) == inner_leaf
    assert users.lookup(stranger, users.unresolved[0].reference) is None


def test_ops_and_blocks_do_not_compare() -> None:
    """A question without an answer is an error."""
    module = parse(NESTED)
    with pytest.raises(TypeError, match="cannot compare"):
        DominanceInfo(module).dominates(module, module.regions[0].blocks[0])
