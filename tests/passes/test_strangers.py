"""Passes whose own code raises, or ends the process, before they run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from passel import (
    AdapterError,
    AnchorError,
    DefinitionError,
    OptionError,
    Options,
    Pass,
    PassContext,
    PassManager,
    PassRegistry,
    PipelineError,
)
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable


class Boom:
    """Raises something when it is called."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Raise it."""
        raise self.error


def pass_with(**methods: Any) -> type[Pass[Any]]:
    """Return a pass class with these methods."""

    def run(self: Any, op: ToyOp, ctx: PassContext) -> None: ...

    return type("Stranger", (Pass,), {"name": "stranger", "run": run, **methods})


PLACE = f" (tests/passes/test_strangers.py:{Boom.__call__.__code__.co_firstlineno + 2})"
"""Where messages say that it is raised."""

ERRORS = [
    pytest.param(ZeroDivisionError("boom"), "ZeroDivisionError: boom", id="an-error"),
    pytest.param(SystemExit(0), "SystemExit: 0", id="an-exit"),
]


# -- can_schedule_on ---------------------------------------------------------------------------


@pytest.mark.parametrize(("error", "said"), ERRORS)
def test_can_schedule_on_that_raises(error: BaseException, said: str) -> None:
    """The error names the pass and the op, keeps the cause, and comes before anything ran."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(
        pass_with(can_schedule_on=Boom(error))()
    )
    for use in (pm.check, lambda: pm.run(parse_toy("toy.module"))):
        with pytest.raises(AnchorError) as info:
            use()
        assert str(info.value) == (
            "pass 'stranger' does not say whether it runs on 'toy.module': its can_schedule_on "
            f"raised {said}{PLACE}"
        )
        assert info.value.__cause__ is error


# -- Construction ------------------------------------------------------------------------------


@pytest.fixture
def with_stranger(registry: PassRegistry) -> Callable[..., PassManager]:
    """Parses `any(a,stranger{x=1})` where the pass has these methods."""

    def parse(**methods: Any) -> PassManager:
        annotations = {"__annotations__": {"x": int}, "x": 0}
        registry.register(pass_with(**annotations, **methods))
        return PassManager.parse("any(a,stranger{x=1})", registry=registry)

    return parse


@pytest.mark.parametrize(("error", "said"), ERRORS)
def test_a_constructor_that_raises(
    with_stranger: Callable[..., PassManager], error: BaseException, said: str
) -> None:
    """The error names the pass and its place, and keeps the cause."""
    with pytest.raises(OptionError) as info:
        with_stranger(__post_init__=Boom(error))
    (problem,) = info.value.problems
    assert problem.message == f"pass 'stranger' cannot be made: {said}{PLACE}"
    assert problem.span is not None
    assert (problem.span.text, problem.span.column) == ("stranger", 7)
    assert info.value.__cause__ is error


@pytest.mark.parametrize(("error", "said"), ERRORS)
def test_options_that_raise(registry: PassRegistry, error: BaseException, said: str) -> None:
    """Options of a pipeline are made as passes are, and so are structs in options."""

    class Struct(Options):
        x: int = 0
        __post_init__ = Boom(error)

    registry.register_pipeline("line", Boom(error), options=Struct)
    registry.register(pass_with(__annotations__={"s": Struct | None}, s=None))
    for what in ("pipeline 'line'", "pass 'stranger'"):
        name = what.split("'")[1]
        with pytest.raises(OptionError) as info:
            PassManager.parse(
                f"any({name}{{s={{x=1}} x=1}})".replace(
                    "s={x=1} " if name == "line" else " x=1", ""
                ),
                registry=registry,
            )
        assert info.value.problems[0].message == f"{what} cannot be made: {said}{PLACE}"
        assert info.value.__cause__ is error


@pytest.mark.parametrize(("error", "said"), ERRORS)
def test_a_builder_that_raises(registry: PassRegistry, error: BaseException, said: str) -> None:
    """A registered pipeline that cannot be built is named, with its place."""
    registry.register_pipeline("line", Boom(error))
    with pytest.raises(PipelineError) as info:
        PassManager.parse("any(a,line)", registry=registry)
    (problem,) = info.value.problems
    assert problem.message == f"pipeline 'line' cannot be built: {said}{PLACE}"
    assert problem.span is not None
    assert problem.span.text == "line"
    assert info.value.__cause__ is error


@pytest.mark.parametrize(("error", "said"), ERRORS)
def test_a_factory_that_raises(registry: PassRegistry, error: BaseException, said: str) -> None:
    """A pass whose module cannot be imported is named, with who has registered it."""
    registry.register("absent", Boom(error), origin="pkg")
    info = registry.lookup_pass("absent")
    assert info is not None
    with pytest.raises(DefinitionError, match="pass 'absent' of pkg cannot be loaded: ") as caught:
        _ = info.pass_class
    assert caught.value.__cause__ is error
    with pytest.raises(PipelineError) as refused:
        PassManager.parse("any(a,absent)", registry=registry)
    assert refused.value.problems[0].message == f"pass 'absent' of pkg cannot be loaded: {said}"
    assert refused.value.span is not None
    assert refused.value.span.text == "absent"


def test_a_message_that_cannot_be_shown() -> None:
    """An exception that does not print is named by its class."""

    class Shy(Exception):  # noqa: N818 - what it is
        def __str__(self) -> str:
            return sys.exit("no")

    pm = PassManager("toy.module", adapter=ToyAdapter()).add(
        pass_with(can_schedule_on=Boom(Shy()))()
    )
    with pytest.raises(
        AnchorError, match=r"raised Shy: \(its __str__ raised SystemExit\) \(tests/"
    ):
        pm.check()


# -- check -------------------------------------------------------------------------------------


def test_checking_needs_to_know_the_ir() -> None:
    """Without an adapter nothing could be checked: the error says how to name one."""
    pm = PassManager("toy.module").add(pass_with()())
    with pytest.raises(AdapterError) as info:
        pm.check()
    assert str(info.value) == (
        "cannot check a pipeline without knowing its IR: give check(adapter) the IR's adapter, or "
        "PassManager(anchor, context) a context of the IR"
    )
    pm.check(ToyAdapter())


def test_an_interrupt_in_can_schedule_on_goes_through() -> None:
    """Ctrl-C is not blamed on the plugin."""
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.add(pass_with(can_schedule_on=Boom(KeyboardInterrupt()))())
    with pytest.raises(KeyboardInterrupt):
        pm.check()
