"""Passes of one IR inside a pipeline on the other: where they run, and what becomes of the op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel import (
    OpPassManager,
    Pass,
    PassContext,
    PassManager,
    PipelineError,
    UnknownPassError,
)
from passel.bridge import RunOnMLIR, RunOnXDSL
from passel.manager import BarePipeline, CompositeFixedPoint

if TYPE_CHECKING:
    from worlds import World

PIPELINES = [
    "builtin.module(other(func.func(cse)))",
    "builtin.module(other(cse))",
    "builtin.module(func.func(other(cse)))",
    "any(other(cse))",
    "builtin.module(cse,other(canonicalize),other(func.func(cse),symbol-dce))",
]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_levels(world: World, redundant: str, pipeline: str) -> None:
    """A crossing on a module or a function runs, prints as it was written, and reads back equal."""
    module, manager = world.read(redundant), world.manager(pipeline)
    assert str(manager).replace(f"{world.other}(", "other(") == pipeline
    assert world.manager(str(manager)) == manager
    manager.run(module)
    assert world.text(module).count("arith.addi") == 1
    world.adapter.verify(module, recursive=True)


def test_there_and_back(world: World, redundant: str) -> None:
    """Crossings nest: what is inside may cross back."""
    module = world.read(redundant)
    back = "xdsl" if world.other == "mlir" else "mlir"
    world.manager(f"builtin.module(other(func.func({back}(cse)),canonicalize))").run(module)
    assert world.text(module).count("arith.addi") == 1


def test_who_holds_the_op(world: World, redundant: str) -> None:
    """The op stays the one that it was; what is inside is new."""
    module = world.read(redundant)
    function, _ = world.adapter.children(module)
    world.manager("builtin.module(func.func(other(cse)))").run(module)
    assert world.adapter.symbol_name(function) == "f"
    assert world.adapter.parent(function) == module
    assert world.adapter.children(module)[0] == function
    assert len(world.adapter.children(function)) == 3


def test_locations(world: World, redundant: str) -> None:
    """Ops come back with the locations that they had."""
    module = world.read(redundant)
    world.manager("builtin.module(other(func.func(cse)))").run(module)
    function, _ = world.adapter.children(module)
    places = [str(world.adapter.location(op)) for op in world.adapter.children(function)]
    assert str(world.adapter.location(function)) == "input.mlir:3:3"
    assert places == ["input.mlir:4:10", "input.mlir:6:10", "input.mlir:7:5"]


def test_attributes_and_symbols(mlir_world: World, xdsl_world: World) -> None:
    """What passes over there do to the op itself is done to it here: attributes, its symbol."""
    text = """module { func.func private @used() func.func @f() attributes {drop.me, keep.me} {
      call @used() : () -> () return } }"""
    for world in (mlir_world, xdsl_world):
        module = world.read(text)
        manager = PassManager("builtin.module", world.context, adapter=world.adapter)
        inner = RunOnXDSL if world is mlir_world else RunOnMLIR
        change = ChangeXDSL if world is mlir_world else ChangeMLIR
        manager.add_nested("func.func", inner.of(change()))
        manager.run(module)
        _, function = world.adapter.children(module)
        assert world.adapter.symbol_name(function) == "renamed"
        assert "drop.me" not in world.text(function)
        assert "keep.me" in world.text(function)
        assert "new.attribute" in world.text(function)


class ChangeXDSL(Pass[Any]):
    """Changes the attributes of functions that have some."""

    name = "change-xdsl"
    ir = "xdsl"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Rename it, and change attributes."""
        from xdsl.dialects.builtin import StringAttr, UnitAttr

        if op.attributes.pop("drop.me", None) is not None:
            op.attributes["new.attribute"] = UnitAttr()
            op.properties["sym_name"] = StringAttr("renamed")


class ChangeMLIR(Pass[Any]):
    """Changes the attributes of functions that have some."""

    name = "change-mlir"
    ir = "mlir"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Rename it, and change attributes."""
        from mlir.ir import StringAttr, UnitAttr

        attributes, context = op.operation.attributes, op.operation.context
        if "drop.me" in attributes:
            del attributes["drop.me"]
            attributes["new.attribute"] = UnitAttr.get(context)
            attributes["sym_name"] = StringAttr.get("renamed", context)


def test_in_python(mlir_world: World, xdsl_world: World) -> None:
    """A crossing is a value like every pass; text in it names passes of the other IR."""
    for world, kind in ((mlir_world, RunOnXDSL), (xdsl_world, RunOnMLIR)):
        parsed = next(iter(world.manager("builtin.module(other(cse,func.func(canonicalize)))")))
        assert parsed == kind.of("cse", "func.func(canonicalize)")
        assert hash(parsed) == hash(kind.of("cse,func.func(canonicalize)"))
        assert str(kind()) == f"{world.other}()"


def test_a_crossing_is_a_value(world: World) -> None:
    """Its pipeline cannot be changed once it is there, nor through the manager that it was made of."""
    kind: Any = RunOnXDSL if world.other == "xdsl" else RunOnMLIR
    manager = OpPassManager().add(CompositeFixedPoint())
    made = kind.of(manager)
    before = hash(made), str(made)
    manager.add(CompositeFixedPoint())
    for pipeline in (made.passes, next(iter(made.passes))):
        with pytest.raises(TypeError, match=r"cannot be changed; change a copy\(\) instead"):
            pipeline.add(CompositeFixedPoint())
    assert (hash(made), str(made)) == before
    twin = kind(passes=BarePipeline(OpPassManager().add(CompositeFixedPoint())))
    assert (made, hash(made)) == (twin, hash(twin))


@pytest.mark.parametrize(
    ("place", "rest", "why"),
    [
        ("builtin.module(cse,", "{})", "takes passes in parentheses"),
        ("builtin.module(cse,{}(", "canonicalise))", r"did you mean 'canonicalize'\?"),
    ],
)
def test_wrong_text(world: World, place: str, rest: str, why: str) -> None:
    """A name without parentheses, or an unknown one in them, is refused where it stands."""
    with pytest.raises(PipelineError, match=why) as caught:
        world.manager((place + rest).format(world.other))
    assert caught.value.span is not None
    assert caught.value.span.start == len(place.format(world.other))


def test_names_of_the_right_ir(mlir_world: World, xdsl_world: World) -> None:
    """Each name is looked up among the passes of the IR that it is for."""
    mlir_world.manager("builtin.module(sroa,other(apply-pdl))")
    xdsl_world.manager("builtin.module(apply-pdl,other(sroa))")
    for world, foreign in ((mlir_world, "apply-pdl"), (xdsl_world, "sroa")):
        with pytest.raises(UnknownPassError, match=foreign):
            world.manager(f"builtin.module({foreign})")


def test_symbols_in_quotes(world: World) -> None:
    """A function that uses a symbol of any name crosses without the op that defines it."""
    module = world.read(
        """
        func.func private @"a b\\22"(i32) -> i32
        func.func @f(%a: i32) -> i32 {
          %0 = arith.addi %a, %a : i32
          %1 = arith.addi %a, %a : i32
          %2 = func.call @"a b\\22"(%1) : (i32) -> i32
          return %2 : i32
        }
        """
    )
    world.manager("builtin.module(func.func(other(cse)))").run(module)
    assert world.text(module).count("arith.addi") == 1
