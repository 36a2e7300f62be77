"""Analyses of MLIR's ops, dominance also against that of xDSL's on the same programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlir.ir import Context, FlatSymbolRefAttr, IntegerAttr, IntegerType, StringAttr
from mlir.passmanager import PassManager as NativeManager
from xdsl_inputs import REAL_FILES, xdsl_context

from passel import Pass, PassContext, PassFailedError, PassManager
from passel import xdsl as on_xdsl
from passel.mlir import DominanceInfo, MLIRAdapter, SymbolUsers, analyses, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


# -- Equality: analyses are compared by value, also when ops that they know are gone -----------

TEXT = """
func.func private @leaf(%x: i32) -> i32 {
  return %x : i32
}
func.func private @other(%x: i32) -> i32 {
  return %x : i32
}
func.func @main(%n: i32, %c: i1) -> i32 {
  cf.cond_br %c, ^one, ^two
^one:
  %x = func.call @leaf(%n) : (i32) -> i32
  cf.br ^two
^two:
  %y = arith.addi %n, %n : i32
  return %y : i32
}"""


def named(module: Any, name: str) -> Any:
    """Return the only op of a name."""
    (op,) = (op for op in walk(module) if op.operation.name == name)
    return op


def call_another(module: Any) -> None:
    """Call the other leaf."""
    call = named(module, "func.call").operation
    call.attributes["callee"] = FlatSymbolRefAttr.get("other", call.context)


def drop_call(module: Any) -> None:
    """Erase the call."""
    named(module, "func.call").operation.erase()


def drop_other(module: Any) -> None:
    """Erase a function that nothing refers to."""
    module.operation.regions[0].blocks[0].operations[1].operation.erase()


def rename_other(module: Any) -> None:
    """Rename a function that nothing refers to."""
    other = module.operation.regions[0].blocks[0].operations[1].operation
    other.attributes["sym_name"] = StringAttr.get("renamed", other.context)


def skip_a_block(module: Any) -> None:
    """Leave one way out of two."""
    branch = named(module, "cf.cond_br").operation
    rest = named(module, "cf.br").operation
    rest.move_before(branch)
    branch.erase()


CHANGES: dict[str, tuple[Callable[[Any], None], ...]] = {
    "DominanceInfo": (skip_a_block,),
    "SymbolUsers": (call_another, drop_call, drop_other, rename_other),
}
CASES = [(name, change) for name, changes in CHANGES.items() for change in changes]


def ask(name: str, result: Any, module: Any) -> None:
    """Ask an analysis for all that it computes on demand."""
    for op in walk(module):
        if name == "DominanceInfo":
            for region in op.operation.regions:
                result.tree(region)
        elif name == "SymbolUsers":
            result.lookup(op, FlatSymbolRefAttr.get("nothing", op.operation.context))


def computed(name: str, module: Any) -> Any:
    """Compute an analysis, and ask it for all that it computes on demand."""
    result = getattr(analyses, name)(module)
    ask(name, result, module)
    return result


@pytest.mark.parametrize("name", CHANGES)
def test_an_analysis_is_equal_to_a_second_one(name: str) -> None:
    """Computed twice, an analysis is equal, on every real file that the bindings read."""
    read = 0
    for file in sorted(REAL_FILES.glob("*.mlir")):
        try:
            module = parse(file.read_text(encoding="utf-8"))
        except Exception:  # noqa: BLE001, S112 - some are for xDSL's own dialects
            continue
        read += 1
        first = computed(name, module)
        assert first == computed(name, module), file.name
        assert first == getattr(analyses, name)(module), file.name
        assert first != object()
    assert read > 20


@pytest.mark.parametrize(("name", "change"), CASES)
def test_an_analysis_of_a_changed_op_is_another(name: str, change: Callable[[Any], None]) -> None:
    """After a change that it is about, an analysis differs from what it was, either way round."""
    module = parse(TEXT)
    before = computed(name, module)
    change(module)
    after = computed(name, module)
    assert before != after
    assert after != before


@pytest.mark.parametrize(("name", "change"), CASES)
def test_a_pass_that_preserves_what_it_changed_is_found(
    name: str, change: Callable[[Any], None]
) -> None:
    """With analyses verified, the run fails at the pass, and names it and the analysis."""
    kind = getattr(analyses, name)

    class Liar(Pass[Any]):
        name = "liar"

        def run(self, op: Any, ctx: PassContext) -> None:
            ask(kind.__name__, ctx.analysis(kind), op)
            change(op)
            ctx.preserve(kind)

    module = parse(TEXT)
    manager = PassManager("builtin.module", module.context, adapter=MLIRAdapter()).add(Liar())
    manager.enable_analysis_verifier()
    manager.enable_verifier(False)
    with pytest.raises(PassFailedError, match=f"it changed {name}"):
        manager.run(module)
