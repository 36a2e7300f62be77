"""Functions as passes, as MLIR's Python bindings take them."""

from __future__ import annotations

from typing import Any

import pytest

from passel import AnchorError, Pass, PassContext, PassFailedError, PassManager
from passel.testing import EventRecorder, ToyAdapter, parse_toy

MODULE = "toy.module(toy.func @f,toy.func @g)"


def manager(anchor: str = "toy.module") -> PassManager:
    """Return an empty manager."""
    return PassManager(anchor, adapter=ToyAdapter())


@pytest.mark.one_process
def test_a_function_is_called_with_each_op() -> None:
    """It takes the op, and what it may signal failure to."""
    seen: list[str | None] = []

    def look(op: Any, pass_: Any) -> None:
        seen.append(op.symbol)

    pm = manager()
    pm.nest("toy.func").add(look)
    assert str(pm) == "toy.module(toy.func(unknown<look>))"
    pm.run(parse_toy(MODULE))
    assert seen == ["f", "g"]

    def refuse(op: Any, pass_: Any) -> None:
        pass_.signal_pass_failure()

    with pytest.raises(PassFailedError, match=r"pass 'unknown<refuse>' failed"):
        pm.add(refuse).run(parse_toy(MODULE))


def test_a_function_takes_the_bindings_keywords() -> None:
    """Name, argument and op name are those of `add` in MLIR's bindings."""

    def look(op: Any, pass_: Any) -> None:
        """Look."""

    pm = manager()
    pm.add(look, name="Other").add(look, name="Other", argument="other", description="See.")
    pm.nest("toy.func").add(look, op_name="toy.func")
    assert str(pm) == "toy.module(unknown<Other>,other,toy.func(unknown<look>))"
    _, other, nested = list(pm)
    assert (type(other).summary(), type(other).name) == ("See.", "other")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    assert [each.anchor for each in nested] == ["toy.func"]  # pyright: ignore[reportGeneralTypeIssues, reportUnknownMemberType, reportUnknownVariableType]
    with pytest.raises(AnchorError, match=r"can't add pass 'look' restricted to 'toy.func'"):
        pm.add(look, op_name="toy.func")


@pytest.mark.parametrize("passes", [("cse",), (print, print), (PassManager,), ()])
def test_the_keywords_are_for_one_function(passes: tuple[Any, ...]) -> None:
    """Anything else is refused, and nothing is added."""
    pm = manager()
    with pytest.raises(TypeError, match="apply only to a single function"):
        pm.add(*passes, name="x")
    assert len(pm) == 0


def test_a_dynamic_pipeline_is_no_text() -> None:
    """The error names what is wanted."""

    class Dynamic(Pass):
        name = "dynamic"

        def run(self, op: Any, ctx: PassContext) -> None:
            ctx.run_pipeline("toy.module()")  # pyright: ignore[reportArgumentType]

    with pytest.raises(PassFailedError, match="run_pipeline takes a pass manager"):
        manager().add(Dynamic()).run(parse_toy(MODULE))


def test_wrong_settings_are_refused_at_once() -> None:
    """Wrong modes, and classes instead of objects, are errors where they are set."""
    pm: Any = manager()
    with pytest.raises(ValueError, match="not 'x'"):
        pm.enable_verifier("x")
    with pytest.raises(ValueError, match="unknown statistics display 'x'"):
        pm.enable_statistics("x")
    with pytest.raises(TypeError, match=r"got the class EventRecorder; write EventRecorder\(\)"):
        pm.add_instrumentation(EventRecorder)
