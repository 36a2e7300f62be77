"""What a run tells of a pipeline that crosses: failures, timing, statistics, reproducers."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from event_recorder import FullEventRecorder

from passel import Pass, PassContext, PassFailedError, PassFailure, PassManager
from passel.bridge import RunOnMLIR, RunOnXDSL
from passel.instruments import CrashReproducer
from passel.instruments.ir_printer import PrintIR
from passel.instruments.timing import Timing

if TYPE_CHECKING:
    from pathlib import Path

    from tool_fixtures import Tool
    from worlds import World

    from passel.bridge import Crossing


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
