"""Analyses of MLIR's ops, dominance also against that of xDSL's on the same programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlir.ir import Context, IntegerAttr, IntegerType, StringAttr
from mlir.passmanager import PassManager as NativeManager
from xdsl_inputs import REAL_FILES, xdsl_context

from passel import Pass, PassContext, PassFailedError, PassManager
from passel import xdsl as on_xdsl
from passel.mlir import DominanceInfo, MLIRAdapter, parse_source

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


@settings(max_examples=settings().max_examples // 2)
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
        for b, y in zip(our_blocks, their_blocks, strict=True):
            assert ours.dominates(a, b) == theirs.dominates(x, y)
            assert ours.properly_dominates(a, b) == theirs.properly_dominates(x, y)
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


def test_ops_and_blocks_do_not_compare() -> None:
    """A question without an answer is an error."""
    module = parse(NESTED)
    with pytest.raises(TypeError, match="cannot compare"):
        DominanceInfo(module).dominates(module, module.regions[0].blocks[0])


# -- Equality: analyses are compared by value, also when ops that they know are gone -----------

TEXT = """
func.func @main(%n: i32, %c: i1) -> i32 {
  cf.cond_br %c, ^one, ^two
^one:
  cf.br ^two
^two:
  return %n : i32
}"""


def skip_a_block(module: Any) -> None:
    """Leave one way out of two."""
    ops = {op.operation.name: op.operation for op in walk(module)}
    ops["cf.br"].move_before(ops["cf.cond_br"])
    ops["cf.cond_br"].erase()


def computed(module: Any) -> DominanceInfo:
    """Compute dominance, and ask for the trees of all regions."""
    result = DominanceInfo(module)
    for op in walk(module):
        for region in op.operation.regions:
            result.tree(region)
    return result


def test_dominance_is_equal_to_that_computed_again() -> None:
    """Computed twice, it is equal, with regions that have been asked about or not."""
    for name in ("cf_loop", "cf_switch", "nested_modules", "scf_while"):
        module = parse((REAL_FILES / f"{name}.mlir").read_text(encoding="utf-8"))
        first = computed(module)
        assert first == computed(module)
        assert first == DominanceInfo(module)


def test_dominance_of_a_changed_op_is_another() -> None:
    """After a change of blocks, dominance differs from what it was, either way round."""
    module = parse(TEXT)
    before = computed(module)
    skip_a_block(module)
    after = computed(module)
    assert before != after
    assert after != before


def test_a_pass_that_preserves_what_it_changed_is_found() -> None:
    """With analyses verified, the run fails at the pass, and names it and the analysis."""

    class Liar(Pass[Any]):
        name = "liar"

        def run(self, op: Any, ctx: PassContext) -> None:
            function = op.operation.regions[0].blocks[0].operations[0]
            ctx.analysis(DominanceInfo).tree(function.operation.regions[0])
            skip_a_block(op)
            ctx.preserve(DominanceInfo)

    module = parse(TEXT)
    manager = PassManager("builtin.module", module.context, adapter=MLIRAdapter()).add(Liar())
    manager.enable_analysis_verifier()
    manager.enable_verifier(False)
    with pytest.raises(PassFailedError, match="it changed DominanceInfo"):
        manager.run(module)
