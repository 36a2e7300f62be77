"""Building, printing, copying and comparing managers; functions as passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from event_recorder import EventRecorder
from xdsl.dialects.builtin import ModuleOp

from passel import (
    AnchorError,
    DefinitionError,
    Nesting,
    OpPassManager,
    Pass,
    PassFailedError,
    PassManager,
)
from passel.testing import ToyAdapter, parse_toy
from passel.xdsl.passes.cse import CSE

if TYPE_CHECKING:
    from collections.abc import Callable


# -- Building --------------------------------------------------------------------------------


def test_add_nested_adds_all_or_nothing(make: Callable[..., Pass[Any]]) -> None:
    """If a pass is refused, not even the nested manager is left."""
    pm = OpPassManager("toy.module")
    with pytest.raises(AnchorError):
        pm.add_nested("toy.func", make("a"), make("on-module"))
    assert len(pm) == 0


REFUSED: list[tuple[Callable[[Any], object], str]] = [
    (lambda pm: pm.add(1.5), r"a pass manager, text or a function, got 1\.5$"),
    (lambda pm: pm.add(CSE), r"or a function, got the class CSE; write CSE\(\)"),
    (lambda pm: pm.add(ModuleOp([])), "^expected a pass, got a 'builtin.module' op$"),
    *(
        (lambda pm, given=given: pm.add(*given, name="x"), "apply only to a single function")
        for given in [("cse",), (print, print), (PassManager,), ()]
    ),
    (lambda pm: pm.nest(int), r"^int is not an op class: it has no op name; give it "),
    (lambda pm: pm.enable_verifier("x"), "not 'x'"),
    (lambda pm: pm.enable_statistics("x"), "unknown statistics display 'x'"),
    (
        lambda pm: pm.add_instrumentation(EventRecorder),
        r"got the class EventRecorder; write EventRecorder\(\)",
    ),
]


@pytest.mark.parametrize(("give", "said"), REFUSED)
def test_arguments_that_are_refused_at_once(give: Callable[[Any], object], said: str) -> None:
    """The error shows the argument and the way out, and nothing is added."""
    pm = PassManager()
    with pytest.raises((TypeError, ValueError), match=said):
        give(pm)
    assert len(pm) == 0


# -- Copies and equality ---------------------------------------------------------------------


def test_managers_with_equal_pipelines_are_equal(make: Callable[..., Pass[Any]]) -> None:
    """Equality compares anchors and passes with their options, at every depth."""

    def build(value: int) -> OpPassManager:
        return OpPassManager("toy.module").add_nested("toy.func", make("set", to=value))

    assert build(1) == build(1)
    assert build(1) != build(2)
    assert OpPassManager("toy.module") != OpPassManager("toy.func")
    assert OpPassManager("toy.module") != "toy.module()"


def test_copies_are_independent(make: Callable[..., Pass[Any]]) -> None:
    """Changing a copy, what is nested in it, or what was added leaves the original alone; and back."""
    pm = PassManager("toy.module", nesting=Nesting.IMPLICIT)
    inner = pm.nest("toy.func").add(make("a"))
    other = pm.copy()
    assert (other, other.nesting, type(other)) == (pm, Nesting.IMPLICIT, PassManager)
    inner.add(make("b"))
    assert str(other) == "toy.module(toy.func(a))"
    added = OpPassManager("toy.module").add(inner)
    other.add(make("c"))
    assert str(pm) == "toy.module(toy.func(a,b))"
    inner.clear()
    assert str(added) == str(
        OpPassManager("toy.module").add_nested("toy.func", make("a"), make("b"))
    )


# -- Managers as option values ---------------------------------------------------------------


def test_a_manager_held_by_a_pass_is_a_frozen_copy(make: Callable[..., Pass[Any]]) -> None:
    """A pass keeps the pipeline as it was given; that can be compared and hashed."""
    pm = OpPassManager("toy.module")
    inner = pm.nest("toy.func").add(make("a"))
    knobs: Any = make("knobs", pipeline=pm)
    inner.add(make("b"))
    assert str(knobs.pipeline) == "toy.module(toy.func(a))"
    assert hash(knobs) == hash(make("knobs", pipeline=knobs.pipeline))
    again: Any = make("knobs", pipeline=knobs.pipeline)
    assert again.pipeline is knobs.pipeline
    with pytest.raises(TypeError, match=r"is not hashable; use frozen\(\)"):
        hash(pm)
    assert type(knobs.pipeline.copy()) is OpPassManager


CHANGES: list[Callable[[Any], object]] = [
    lambda pm: pm.add(),
    lambda pm: pm.nest("toy.func"),
    lambda pm: pm.add_nested("toy.func"),
    lambda pm: pm.clear(),
    lambda pm: next(iter(pm)).clear(),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_frozen_manager_cannot_be_changed(
    make: Callable[..., Pass[Any]], change: Callable[[Any], object]
) -> None:
    """Every way to change a held manager, or what is nested in it, is refused."""
    pm = OpPassManager("toy.module")
    pm.nest("toy.func")
    knobs: Any = make("knobs", pipeline=pm)
    with pytest.raises(
        TypeError, match=r"a frozen pass manager cannot be changed; change a copy\(\) instead"
    ):
        change(knobs.pipeline)
    assert str(knobs.pipeline) == "toy.module(toy.func())"
    change(knobs.pipeline.copy())


def test_limits_of_nested_managers() -> None:
    """Copies keep how many ops they run on at once, equality sees it, and text does not tell."""
    manager = OpPassManager("builtin.module")
    inner = manager.nest("func.func", jobs=1)
    inner.nest("any", jobs=3).add("cse")
    assert repr(manager.copy()) == "<OpPassManager builtin.module(func.func(any(cse)))>"
    assert manager.copy() == manager
    unlimited = OpPassManager("builtin.module")
    unlimited.nest("func.func").nest("any").add("cse")
    assert str(unlimited) == str(manager)
    assert unlimited != manager
    wrong: Any
    for wrong in (0, -1, True, "2"):
        with pytest.raises(DefinitionError, match="must be a positive number"):
            manager.nest("func.func", jobs=wrong)


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
