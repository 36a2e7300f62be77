"""Pipelines that passes on MLIR's ops build and run, as MLIR's documentation writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from mlir.ir import Context

from passel import (
    EffectsError,
    OpPassManager,
    OptionError,
    Pass,
    PassContext,
    PassManager,
    option,
)
from passel.manager import BarePipeline
from passel.mlir import parse_source
from passel.passes import PassRegistry, default_registry
from passel.xdsl import XDSLAdapter
from passel.xdsl import parse_source as parse_xdsl

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = """func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
"""


class Dynamic(Pass[Any]):
    """Build a pipeline by name, and run it on a function."""

    name = "dynamic"
    names: str = option(default="cse", help="The passes.")

    def run(self, op: Any, ctx: PassContext) -> None:
        """Build and run it."""
        ctx.run_pipeline(OpPassManager("func.func").add(self.names), op)


@pytest.fixture
def module() -> Any:
    """A module of MLIR's, of a context that is not entered."""
    return parse_source(Context(), SOURCE, "t.mlir")


@pytest.mark.parametrize(
    ("names", "additions", "name"),
    [
        ("cse", 1, "arith.addi"),
        ("convert-arith-to-llvm", 2, "llvm.add"),
        ("cse,convert-arith-to-llvm", 1, "llvm.add"),
    ],
)
def test_names_are_those_of_mlir(module: Any, names: str, additions: int, name: str) -> None:
    """A pass means the passes of the ops that it runs on, also where xDSL has one of the name."""
    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add(Dynamic(names=names))
    manager.run(module)
    assert str(module).count(name) == additions


def test_names_on_the_other_side_of_a_crossing(module: Any) -> None:
    """A pass that was taken over to xDSL's ops means xDSL's passes, and MLIR's after that."""
    registry: PassRegistry = default_registry().copy()
    registry.register(Dynamic)
    text = "xdsl(dynamic{names=licm}),dynamic{names=convert-arith-to-llvm}"
    text = f"builtin.module(func.func({text}))"
    PassManager.parse(text, module.context, registry=registry).run(module)
    assert str(module).count("llvm.add") == 2


def test_nothing_is_left_when_the_run_ends(module: Any) -> None:
    """A pipeline that is built after a run is for no IR in particular."""
    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add(Dynamic())
    manager.run(module)
    (found,) = OpPassManager("func.func").add("cse")
    assert isinstance(found, Pass)
    assert found.ir == "xdsl"


# -- Pipelines that were built before it was known which IR they run on ----------------------


class RunsIt(Pass[Any]):
    """Run a pipeline that was built before."""

    name = "runs-it"
    pipeline: OpPassManager = OpPassManager("func.func")
    inner: BarePipeline = BarePipeline()

    def run(self, op: Any, ctx: PassContext) -> None:
        """Run both."""
        assert ctx.run_pipeline(self.pipeline)
        assert ctx.run_pipeline(self.inner)


def run_with(module: Any, **options: Any) -> str:
    """Run pipelines on the function of a module."""
    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add(RunsIt(**options))
    manager.run(module)
    return str(module)


PIPELINES: dict[str, Callable[[], OpPassManager]] = {
    "added": lambda: OpPassManager("func.func").add("cse,convert-arith-to-llvm"),
    "parsed": lambda: PassManager.parse("func.func(cse,convert-arith-to-llvm)"),
    "one by one": lambda: OpPassManager("func.func").add("cse").add("convert-arith-to-llvm"),
    "copied": lambda: OpPassManager("func.func").add("cse,convert-arith-to-llvm").copy(),
}


@pytest.mark.parametrize("how", sorted(PIPELINES))
def test_names_outside_a_run(module: Any, how: str) -> None:
    """Names mean the passes of the ops that the pipeline is run on, however it was built."""
    text = run_with(module, pipeline=PIPELINES[how]())
    assert (text.count("llvm.add"), "arith." in text) == (1, False)


def test_options_that_only_one_of_the_irs_has(module: Any) -> None:
    """A name that both IRs have may have the options of either; what is run must have them."""
    pipeline = OpPassManager("func.func").add("canonicalize{region-simplify=aggressive}")
    assert str(pipeline) == "func.func(canonicalize{region-simplify=aggressive})"
    run_with(module, pipeline=pipeline)
    manager = PassManager("builtin.module", adapter=XDSLAdapter())
    manager.nest("func.func").add(RunsIt(pipeline=pipeline))
    with pytest.raises(OptionError, match="'aggressive' is not one of disabled") as caught:
        manager.check()
    assert caught.value.span is not None
    assert caught.value.span.text == "aggressive"


def test_one_pipeline_on_two_irs(module: Any) -> None:
    """The same manager runs on the ops of either IR, with the passes of that IR."""
    manager = PassManager.parse("builtin.module(func.func(cse),symbol-dce)")
    text = str(manager)
    manager.run(module)
    assert str(module).count("arith.addi") == 1
    other = XDSLAdapter().create_context()
    xdsl_module = parse_xdsl(other, SOURCE, "t.mlir")
    PassManager.parse(text, other).run(xdsl_module)
    manager.context = None
    manager.run(xdsl_module)
    assert str(manager) == text


def test_effects_are_those_of_what_is_run(module: Any) -> None:
    """What may not be run is refused whatever the name was taken for when it was written."""
    pipeline = OpPassManager("func.func").add("snapshot-op-locations{filename=x.mlir}")
    manager = PassManager("builtin.module", module.context)
    manager.nest("func.func").add(RunsIt(pipeline=pipeline))
    manager.restrict_effects()
    with pytest.raises(EffectsError, match="writes files"):
        manager.check()
