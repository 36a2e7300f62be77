"""Passes of one IR inside a pipeline on the other: where they run, and what a run tells of them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from event_recorder import FullEventRecorder

from passel import (
    OpPassManager,
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
    PipelineError,
    UnknownPassError,
)
from passel.bridge import RunOnMLIR, RunOnXDSL
from passel.instruments import CrashReproducer
from passel.instruments.ir_printer import PrintIR
from passel.instruments.timing import Timing
from passel.manager.combinators import CompositeFixedPoint
from passel.passes.op_pass_manager import BarePipeline

if TYPE_CHECKING:
    from pathlib import Path

    from tool_fixtures import Tool
    from worlds import World

    from passel.bridge import Crossing


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
    made = kind.of(manager := OpPassManager().add(CompositeFixedPoint()))
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
    assert caught.value.problems[0].span is not None
    assert caught.value.problems[0].span.start == len(place.format(world.other))


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


# -- What a run tells -------------------------------------------------------------------------


class Misbehave(Pass[Any]):
    """Fails in one of the ways there are, on functions called `f`."""

    name = "misbehave"
    how: str = "fail"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Fail."""
        ctx.emit_warning("about to")
        if self.how == "raise":
            raise KeyError("oops")
        raise PassFailure("not this one")


class Fact:
    """An analysis."""

    def __init__(self, op: Any) -> None:
        self.op = op


class HasFact(Pass[Any]):
    """Looks at an analysis."""

    name = "has-fact"
    seen: ClassVar[list[Fact]] = []

    def run(self, op: Any, ctx: PassContext) -> None:
        """Ask for it, and preserve it."""
        self.seen.append(ctx.analysis(Fact))
        ctx.preserve(Fact)


def _crossing(world: World) -> type[Crossing]:
    return RunOnXDSL if world.other == "xdsl" else RunOnMLIR


def _on_functions(world: World, *passes: Pass[Any]) -> PassManager:
    manager = PassManager("builtin.module", world.context, adapter=world.adapter)
    manager.add_nested("func.func", _crossing(world).of(*passes))
    return manager


@pytest.mark.parametrize(("how", "why"), [("fail", "not this one"), ("raise", "KeyError: 'oops'")])
def test_failures(world: World, redundant: str, how: str, why: str) -> None:
    """The error names the pass over there with its path and the op's place; the op is as it was."""
    module = world.read(redundant)
    before = world.text(module)
    with pytest.raises(PassFailedError) as caught:
        _on_functions(world, Misbehave(how=how)).run(module)
    assert world.text(module) == before
    first, second = caught.value.failures
    outer = f"builtin.module/func.func/0:{world.other}"
    assert (first.kind, first.path, first.symbol) == ("failed", outer, "f")
    assert second.symbol == "g"
    assert str(first.location) == "input.mlir:3:3"
    assert "misbehave" in str(first)
    assert why in str(first)
    assert f"[{outer}/func.func/0:misbehave]" in str(first)
    told = [each.message for each in caught.value.diagnostics]
    assert told.count("about to") == 2
    assert sum(why in each for each in told) == 2, "once for each function"
    if how == "raise":
        assert isinstance(caught.value.__cause__, PassFailure)


def test_timing(world: World, redundant: str) -> None:
    """Below a crossing are rows of the passes over there."""
    timing = Timing()
    manager = world.manager("builtin.module(func.func(other(cse)))")
    manager.add_instrumentation(timing)
    manager.run(world.read(redundant))
    row = timing.timing.find(f"{world.other}(cse)")
    assert row is not None
    assert [(child.name, child.count) for child in row.children] == [("'func.func' Pipeline", 2)]
    inner = row.children[0].children
    path = f"builtin.module/func.func/0:{world.other}/func.func/0:cse"
    assert [(child.name, child.path, child.count) for child in inner] == [("CSE", path, 2)]


def test_other_instrumentations_see_one_pass(world: World, redundant: str) -> None:
    """Who asks the adapter about ops never sees those of the other IR."""
    recorder, printed = FullEventRecorder(), io.StringIO()
    manager = world.manager("builtin.module(func.func(other(cse)))")
    manager.add_instrumentation(recorder)
    manager.add_instrumentation(PrintIR(after=True, stream=printed))
    manager.run(world.read(redundant))
    passes = [event for event in recorder.events if event.startswith("before-pass ")]
    assert passes == [
        "before-pass [func.func] @m",
        f"before-pass {world.other} @f",
        f"before-pass {world.other} @g",
    ]
    assert printed.getvalue().count("IR Dump After") == 2


def test_analyses(world: World, redundant: str) -> None:
    """A crossing that changes an op drops its analyses; one that does not keeps them."""
    HasFact.seen.clear()
    manager = PassManager("builtin.module", world.context, adapter=world.adapter)
    kind = _crossing(world)
    manager.add_nested("func.func", HasFact(), kind.of("cse"), HasFact())
    manager.run(world.read(redundant))
    f_before, f_after, g_before, g_after = HasFact.seen
    assert f_before is not f_after
    assert g_before is g_after


class Invalidate(Pass[Any]):
    """Breaks a function, in xDSL."""

    name = "invalidate"
    ir = "xdsl"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Give it another type than its arguments have."""
        from xdsl.dialects.builtin import FunctionType

        op.properties["function_type"] = FunctionType.from_lists([], [])


def test_verification(mlir_world: World, redundant: str) -> None:
    """What a pass over there breaks is found there; unverified, MLIR refuses to read it."""
    manager = _on_functions(mlir_world, Invalidate())
    with pytest.raises(PassFailedError, match=r"0:xdsl/func\.func/0:invalidate"):
        manager.run(mlir_world.read(redundant))
    manager.enable_verifier(False)
    with pytest.raises(PassFailedError, match="MLIR cannot read the op"):
        manager.run(mlir_world.read(redundant))


def test_wrong_anchor_there(world: World, redundant: str) -> None:
    """A pass over there that is not for the op is refused, with its reason."""
    manager = world.manager("builtin.module(func.func(other(nosuch.op(cse))))")
    with pytest.raises(PassFailedError, match=r"no registered operation is called 'nosuch\.op'"):
        manager.run(world.read(redundant))


def test_reproducers(
    world: World,
    redundant: str,
    tmp_path: Path,
    tool: Tool,
) -> None:
    """The file of a failure in a crossing holds the whole pipeline, and replays."""
    file = tmp_path / "repro.mlir"
    inner = "func.func(composite-fixed-point-pass{max-iterations=0 pipeline=cse})"
    manager = world.manager(f"builtin.module(cse,other({inner}))")
    manager.add_instrumentation(CrashReproducer(file))
    with pytest.raises(PassFailedError) as caught:
        manager.run(world.read(redundant))
    assert caught.value.reproducer == file
    ir = "mlir" if world.other == "xdsl" else "xdsl"
    code, _, err = tool("--run-reproducer", f"--ir={ir}", str(file))
    assert code == 1
    assert "Invalid maxIterations value" in err
