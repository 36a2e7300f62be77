"""Native and Python passes in one pipeline: results, and every way to go wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mlir.ir import Context, StringAttr

from passel import OpPassManager, Pass, PassContext, PassFailedError, PassManager
from passel.mlir import MLIRAdapter, parse_source
from passel.passes import PassRegistry

if TYPE_CHECKING:
    from tool_fixtures import MlirOpt

SOURCE = """\
func.func @top(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
module @inner {
  func.func private @unused()
  func.func @f(%a: i32) -> i32 {
    %c0 = arith.constant 0 : i32
    %0 = arith.addi %a, %c0 : i32
    return %0 : i32
  }
  func.func @g() { return }
}
"""


class Tag(Pass[Any]):
    """Add a letter to an attribute."""

    name = "tag"
    letter: str = "x"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Add it."""
        attributes = op.operation.attributes
        old = attributes["x.t"].value if "x.t" in attributes else ""
        attributes["x.t"] = StringAttr.get(old + self.letter, op.operation.context)


class Lose(Pass[Any]):
    """Erase or detach the op, or erase the functions inside, which is allowed."""

    name = "lose"
    how: str = "erase"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it, while analyses and callers may hold the ops."""
        if self.how == "detach":
            op.operation.detach_from_parent()
            return
        for each in MLIRAdapter().children(op) if self.how == "inside" else [op]:
            each.operation.erase()


class Tell(Pass[Any]):
    """Report by MLIR, between reports of its own, and run a pipeline meanwhile."""

    name = "tell"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Report."""
        ctx.emit_remark("first")
        op.operation.location.emit_error("second")
        if op.operation.name == "builtin.module":
            ctx.run_pipeline(OpPassManager("builtin.module").add_nested("func.func", Tell()))
            op.operation.location.emit_error("last")


def manager_of(pipeline: str, context: Any) -> PassManager:
    """Return a manager that knows the passes above, and MLIR's."""
    registry = PassRegistry()
    for each in (Tag, Lose, Tell):
        registry.register(each)
    return PassManager.parse(pipeline, context, registry=registry)


def run(pipeline: str, source: str = SOURCE) -> Any:
    """Run a pipeline, and return the module."""
    context = Context()
    module = parse_source(context, source, "m.mlir")
    manager_of(pipeline, context).run(module, on_diagnostic=lambda _: None)
    return module


def failures(pipeline: str, source: str = SOURCE) -> list[tuple[str, str, str, str]]:
    """Run a pipeline that fails: kind, path, op and place of each failure."""
    with pytest.raises(PassFailedError) as caught:
        run(pipeline, source)
    return [(f.kind, f.path, f.where, str(f.location)) for f in caught.value.failures]


def test_twenty_passes_two_deep(mlir_opt: MlirOpt) -> None:
    """Ten native and ten Python passes in turns are the native ones with the tags on top."""
    inner = ",".join(
        f"{native},tag{{letter={letter}}}"
        for native, letter in zip(("cse", "canonicalize", "sccp") * 2, "abcdef", strict=True)
    )
    pipeline = (
        f"builtin.module(cse,tag,builtin.module(symbol-dce,tag{{letter=y}},func.func({inner}),"
        "inline,tag{letter=z}),canonicalize,tag{letter=w})"
    )
    module = run(pipeline)
    native = (
        "builtin.module(cse,builtin.module(symbol-dce,func.func(cse,canonicalize,sccp,cse,"
        "canonicalize,sccp),inline),canonicalize)"
    )
    top, inside = MLIRAdapter().children(module)
    functions = MLIRAdapter().children(inside)
    tagged = [(module, "xw"), (top, ""), (inside, "yz"), *((each, "abcdef") for each in functions)]
    for op, tag in tagged:
        attributes = op.operation.attributes
        assert (attributes["x.t"].value if "x.t" in attributes else "") == tag
        if tag:
            del attributes["x.t"]
    done = mlir_opt(f"--pass-pipeline={native}", source=SOURCE)
    assert f"{module}\n" == done.out


@pytest.mark.parametrize("pipeline", ["builtin.module(tell)", "builtin.module(cse,tell,cse)"])
def test_what_a_pass_reports_by_mlir_is_its_own(pipeline: str) -> None:
    """Errors that it emits at locations are in the result, between what it reports by passel."""
    context = Context()
    module = parse_source(context, "func.func private @f()", "m.mlir")
    result = manager_of(pipeline, context).run(module)
    told = [each.message for each in result.diagnostics]
    assert told == ["first", "second", "first", "second", "last"]
    assert str(result.diagnostics[1]) == "m.mlir:0:0: error: second"


@pytest.mark.parametrize("how", ["erase", "detach"])
def test_a_pass_that_loses_its_op(how: str) -> None:
    """The pass is named, and the enclosing op; the ops beside it are processed all the same."""
    source = SOURCE + "func.func @last() { return }\n"
    path = "builtin.module/func.func/0:lose"
    assert failures(f"builtin.module(func.func(lose{{how={how}}},cse),canonicalize)", source) == [
        ("isolation", path, "'func.func'", "m.mlir:0:0"),
        ("isolation", path, "'func.func'", "m.mlir:0:0"),
    ]


def test_a_pass_that_erases_what_is_inside() -> None:
    """A pass may erase what is inside of its op; native and nested passes go on with the rest."""
    inner = "func.func(cse),lose{how=inside},func.func(cse),tag"
    pipeline = f"builtin.module(builtin.module({inner}),cse)"
    assert 'module @inner attributes {x.t = "x"} {\n  }' in str(run(pipeline))
