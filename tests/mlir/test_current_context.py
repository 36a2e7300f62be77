"""The context of `with Context():` is the one that managers take if they are given none."""

from __future__ import annotations

from typing import Any

import pytest
from mlir.ir import Context, IntegerAttr, IntegerType, Location, Module
from xdsl.dialects.builtin import ModuleOp

from passel import (
    AnchorError,
    OperationPass,
    OpPassManager,
    Pass,
    PassContext,
    PassFailedError,
    PassManager,
    UnknownPassError,
)
from passel.bridge import RunOnMLIR, RunOnXDSL
from passel.mlir import parse_source
from passel.xdsl import XDSLAdapter

SOURCE = """
func.func @f(%a: i32) -> (i32, i32) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  return %0, %1 : i32, i32
}
"""


def test_names_are_those_of_the_current_context() -> None:
    """Text finds MLIR's passes: parsed, added, or added to a manager without a context."""
    with Context() as context:
        module = Module.parse(SOURCE)
        parsed = PassManager.parse("builtin.module(cse)")
        assert parsed.context is context
        parsed.run(module)
        assert str(module).count("arith.addi") == 1
        nested = OpPassManager("func.func").add("convert-arith-to-llvm")
        PassManager("builtin.module").add(nested, "convert-func-to-llvm").run(module)
        assert "llvm.func @f" in str(module)


def test_what_is_given_counts() -> None:
    """A context or an adapter that is given is not replaced by the current one."""
    given, adapter = Context(), XDSLAdapter()
    with Context():
        assert PassManager("any", given).context is given
        manager = PassManager.parse("builtin.module(cse)", adapter=adapter)
        assert manager.context is None
        manager.run(ModuleOp([]))


def test_names_without_a_context() -> None:
    """What only MLIR has is MLIR's, and not taken for a misspelt pass of xDSL's."""
    manager = PassManager.parse("builtin.module(convert-func-to-llvm)")
    module = Module.parse(SOURCE, Context())
    manager.run(module)
    assert "llvm.func @f" in str(module)
    with pytest.raises(AnchorError) as caught:
        manager.run(ModuleOp([]))
    (problem,) = caught.value.problems
    assert problem.message == (
        "pass 'convert-func-to-llvm' runs on mlir ops, but this pipeline runs on xdsl ops; "
        "to use xdsl passes, create the pipeline with PassManager(anchor, context) "
        "or in a 'with context:' block"
    )
    assert problem.span is not None
    assert problem.span.text == "convert-func-to-llvm"
    with pytest.raises(UnknownPassError, match=r"did you mean 'canonicalize'\?"):
        PassManager.parse("builtin.module(canonicalise)")

    class OnModules(OperationPass[ModuleOp]):
        """A pass of which only the op class says for which IR it is."""

        run = Mark.run

    with pytest.raises(AnchorError, match=r"'OnModules' runs on xdsl ops, but this .* mlir ops"):
        PassManager("builtin.module").add(OnModules()).run(module)


# -- While passes run ----------------------------------------------------------------------------


class Mark(Pass[Any]):
    """Give each op an attribute, as one does inside of `with context:`."""

    name = "mark"

    def initialize(self, ir_context: Any) -> None:
        """Expect the context here as well."""
        assert Context.current is ir_context

    def run(self, op: Any, ctx: PassContext[Any]) -> None:
        """Make types, attributes and locations of the current context."""
        assert Context.current is ctx.ir_context
        assert Location.unknown().context is ctx.ir_context
        value = IntegerAttr.get(IntegerType.get_signless(32), 7)
        op.operation.attributes["test.mark"] = value


def functions(count: int) -> str:
    """Return a module with functions."""
    return "".join(f"func.func @f{n}() {{ return }}\n" for n in range(count))


def test_the_context_is_that_of_the_ops_and_is_left_again() -> None:
    """Attributes need no `with`, whatever the caller is in, or if a pass fails or leaves another one behind."""

    def fail(op: Any, handle: Any) -> None:
        assert Context.current is context
        left_open.__enter__()
        handle.signal_pass_failure()

    context, other, left_open = Context(), Context(), Context()
    module = parse_source(context, functions(3), "f.mlir")
    with other:
        PassManager("builtin.module", context).add_nested("func.func", Mark()).run(module)
        assert Context.current is other
    assert str(module).count("test.mark = 7") == 3
    with pytest.raises(PassFailedError, match="pass 'unknown<fail>' failed"):
        PassManager("builtin.module", context).add(fail).run(module)
    left_open.__exit__(None, None, None)  # the process must not end in one
    assert Context.current is None


def test_names_in_dynamic_pipelines_are_those_of_mlir() -> None:
    """A pass means the passes of the ops that it runs on, also where xDSL has one of the name."""

    class Dynamic(Pass[Any]):
        name = "dynamic"

        def run(self, op: Any, ctx: PassContext[Any]) -> None:
            ctx.run_pipeline(OpPassManager("func.func").add("cse,convert-arith-to-llvm"))

    context = Context()
    module = parse_source(context, SOURCE, "f.mlir")
    PassManager("builtin.module", context).add_nested("func.func", Dynamic()).run(module)
    assert str(module).count("llvm.add") == 1


def test_dynamic_pipelines_and_crossings_have_contexts() -> None:
    """Inside `xdsl(...)`, managers without a context mean xDSL's passes; across and back, MLIR's."""
    seen: list[str] = []

    class Look(Pass[Any]):
        name = "look"

        def run(self, op: Any, ctx: PassContext[Any]) -> None:
            made = PassManager(name := ctx.adapter.kind_of(op).name)
            seen.append(f"{ctx.adapter.name} {made.context is ctx.ir_context}")
            ctx.run_pipeline(OpPassManager(name).add("canonicalize"))

    context = Context()
    module = parse_source(context, functions(1), "f.mlir")
    across = RunOnXDSL.of(Look(), RunOnMLIR.of(Look(), Mark()), Look())
    PassManager("builtin.module", context).add(Look(), across, Look()).run(module)
    assert seen == ["mlir True", "xdsl False", "mlir True", "xdsl False", "mlir True"]
    assert "test.mark = 7" in str(module)
