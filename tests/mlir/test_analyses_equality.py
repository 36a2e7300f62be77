"""Every analysis of MLIR's ops is compared by value, also when ops that it knows are gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from mlir.ir import Context, FlatSymbolRefAttr, StringAttr
from xdsl_inputs import REAL_FILES

from passel import Pass, PassContext, PassFailedError, PassManager
from passel.mlir import MLIRAdapter, analyses, parse_source

Change = Callable[[Any], None]

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


def parse(text: str) -> Any:
    """Parse with a context that takes unregistered ops."""
    context = Context()
    context.allow_unregistered_dialects = True
    return parse_source(context, text, "t.mlir")


def walk(op: Any) -> list[Any]:
    """Return an op and all ops nested in it."""
    children = MLIRAdapter().children(op)
    return [op, *(inner for child in children for inner in walk(child))]


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


CHANGES: dict[str, tuple[Change, ...]] = {
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


def test_every_analysis_is_here() -> None:
    """Each analysis that passel exports is changed in some way below."""
    exported = [name for name in analyses.__all__ if not issubclass(getattr(analyses, name), tuple)]
    assert sorted(CHANGES) == sorted(exported)


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
def test_an_analysis_of_a_changed_op_is_another(name: str, change: Change) -> None:
    """After a change that it is about, an analysis differs from what it was, either way round."""
    module = parse(TEXT)
    before = computed(name, module)
    change(module)
    after = computed(name, module)
    assert before != after
    assert after != before


@pytest.mark.parametrize(("name", "change"), CASES)
def test_a_pass_that_preserves_what_it_changed_is_found(name: str, change: Change) -> None:
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
    with pytest.raises(PassFailedError, match=f"claims to preserve {name}"):
        manager.run(module)
