"""Names to passes, all or nothing, also if code of passes raises before they run."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from passel import (
    AdapterError,
    AnchorError,
    OpPassManager,
    OptionError,
    Options,
    Pass,
    PassContext,
    PassManager,
    PassRegistry,
    PipelineError,
    UnknownPassError,
)
from passel.testing import ToyAdapter, ToyOp, parse_toy
from passel.xdsl import XDSLAdapter

if TYPE_CHECKING:
    from collections.abc import Callable


class Level(Options):
    """Options of a registered pipeline."""

    level: int = 1
    only: str = ""


def test_an_unknown_name_is_shown_where_it_is(parse: Callable[[str], PassManager]) -> None:
    """The error has the first unknown name, its place and a suggestion."""
    with pytest.raises(UnknownPassError) as info:
        parse("toy.module(a,toy.func(on-fucn,zzz))")
    (problem,) = info.value.problems
    assert (problem.message, problem.span and problem.span.column) == (
        "'on-fucn' does not refer to a registered pass or pass pipeline; did you mean 'on-func'?",
        23,
    )


@pytest.mark.parametrize(
    "text", ["b,nothing", "b,set{to=x}", "b,on-func", "b,toy.func(on-module)", "b,bad", "b,a{"]
)
def test_text_is_added_all_or_nothing(
    registry: PassRegistry, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """Whatever is wrong with the end of a text, its beginning is not added either."""

    def bad(pm: OpPassManager) -> None:
        pm.add("a,on-func")

    registry.register_pipeline("bad", bad)
    monkeypatch.setattr("passel.passes.resolution.default_registry", lambda: registry)
    pm = OpPassManager("toy.module").add("a")
    with pytest.raises(PipelineError):
        pm.add(text)
    assert str(pm) == "toy.module(a)"


def test_a_registered_pipeline_is_expanded_where_it_stands(
    parse: Callable[[str], PassManager], registry: PassRegistry, make: Callable[..., Pass[Any]]
) -> None:
    """Its builder gets a manager with the anchor that it is used under, and its options."""
    anchors: list[str] = []

    def build(pm: OpPassManager, options: Level) -> None:
        anchors.append(pm.anchor)
        pm.add(*[make("set", to=options.level, at=options.only)] * options.level)

    registry.register_pipeline("levels", build, options=Level)
    pm = parse("toy.module(a,levels{level=2},toy.func(levels{only=f}),b)")
    assert str(pm) == "toy.module(a,set{to=2},set{to=2},toy.func(set{at=f to=1}),b)"
    assert anchors == ["toy.module", "toy.func"]


def test_a_registered_pipeline_may_nest(
    parse: Callable[[str], PassManager], registry: PassRegistry, make: Callable[..., Pass[Any]]
) -> None:
    """Its function nests explicitly, and adds to its argument instead of another manager."""
    on_func = make("on-func")
    builders: dict[str, Callable[[OpPassManager], object]] = {
        "funcs": lambda pm: pm.nest("toy.func").add(on_func),
        "wrong": lambda pm: pm.add(on_func),
        "lost": lambda _: OpPassManager("toy.module").add(make("a")),
    }
    for name, build in builders.items():
        registry.register_pipeline(name, build)
    assert str(parse("toy.module(funcs)")) == "toy.module(toy.func(on-func))"
    with pytest.raises(AnchorError, match="did you intend to nest"):
        parse("toy.module(wrong)")
    with pytest.raises(PipelineError, match=r"adds no passes .* \(OpPassManager\)") as e:
        parse("toy.module(lost)")
    assert e.value.problems[0].span is not None
    assert e.value.problems[0].span.text == "lost"


def test_an_argument_in_brackets_is_for_passes_that_take_one(
    parse: Callable[[str], PassManager], registry: PassRegistry
) -> None:
    """A pass says which options its bracketed argument stands for; others refuse it."""

    class Tool(Pass):
        name = "tool"
        command: str = ""
        flags: tuple[str, ...] = ()

        @staticmethod
        def argument_options(argument: str) -> list[tuple[str, str]]:
            """Turn `x,y` into options."""
            return [("command", argument)]

    registry.register(Tool)
    assert str(parse("any(tool[x,y]{flags=a})")) == 'any(tool{command="x,y" flags={a}})'
    with pytest.raises(OptionError) as info:
        parse("any(a[x])")
    assert info.value.problems[0].message == "pass 'a' takes no argument in square brackets"
    assert info.value.problems[0].span is not None
    assert info.value.problems[0].span.text == "x"


@dataclass(eq=False)
class Boom:
    """Raises something when it is called."""

    error: BaseException

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Raise it."""
        raise self.error


def pass_with(**methods: Any) -> type[Pass[Any]]:
    """Return a pass class with these methods."""

    def run(self: Any, op: ToyOp, ctx: PassContext) -> None: ...

    return type("Stranger", (Pass,), {"name": "stranger", "run": run, **methods})


PLACE = f" (tests/passes/test_resolution.py:{Boom.__call__.__code__.co_firstlineno + 2})"
"""Where messages say that it is raised."""

ERRORS = [
    pytest.param(ZeroDivisionError("boom"), "ZeroDivisionError: boom", id="an-error"),
    pytest.param(SystemExit(0), "SystemExit: 0", id="an-exit"),
]


class Struct(Options):
    """Options of a pass, or of a pipeline."""

    x: int = 0


@pytest.mark.parametrize(
    ("text", "message", "kind"),
    [
        ("stranger{x=1}", "pass 'stranger' cannot be created", OptionError),
        ("holder{s={x=1}}", "pass 'holder' cannot be created", OptionError),
        ("with-options{x=1}", "pipeline 'with-options' cannot be created", OptionError),
        ("line", "pipeline 'line' cannot be built", PipelineError),
        ("absent", "pass 'absent' from pkg cannot be loaded", PipelineError),
    ],
)
@pytest.mark.parametrize(("error", "said"), ERRORS)
def test_code_that_raises_before_anything_runs(
    registry: PassRegistry, error: BaseException, said: str, text: str, message: str, kind: Any
) -> None:
    """The error names what was made, built or loaded, and its place, and keeps the cause."""
    boom = Boom(error)
    bad = type("Bad", (Struct,), {"__post_init__": boom})
    registry.register(pass_with(__annotations__={"x": int}, x=0, __post_init__=boom))
    registry.register(pass_with(name="holder", __annotations__={"s": bad | None}, s=None))
    registry.register_pipeline("with-options", boom, options=bad)
    registry.register_pipeline("line", boom)
    registry.register("absent", boom, origin="pkg")
    with pytest.raises(kind) as caught:
        PassManager.parse(f"any(a,{text})", registry=registry)
    (problem,) = caught.value.problems
    assert problem.message == f"{message}: {said}{PLACE}"
    assert problem.span is not None
    assert problem.span.text == text.partition("{")[0]
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(("error", "said"), ERRORS)
def test_can_schedule_on_that_raises(error: BaseException, said: str) -> None:
    """The error names the pass and the op, keeps the cause, and comes before anything ran."""
    pm = PassManager("toy.module", adapter=ToyAdapter())
    pm.add(pass_with(can_schedule_on=Boom(error))())
    for use in (pm.check, lambda: pm.run(parse_toy("toy.module"))):
        with pytest.raises(AnchorError) as info:
            use()
        failed = "can_schedule_on of pass 'stranger' fails on 'toy.module'"
        assert str(info.value) == f"{failed}: {said}{PLACE}"
        assert info.value.__cause__ is error


class Shy(Exception):  # noqa: N818 - what it is
    """An exception that does not print."""

    def __str__(self) -> str:
        return sys.exit("no")


def test_what_cannot_be_shown_or_is_an_interrupt() -> None:
    """An exception that does not print is named by its class; Ctrl-C is not blamed on the plugin."""
    for error, kind, said in (
        (Shy(), AnchorError, r": Shy: \(its __str__ raised SystemExit\) \(tests/"),
        (KeyboardInterrupt(), KeyboardInterrupt, None),
    ):
        pm = PassManager("toy.module", adapter=ToyAdapter())
        pm.add(pass_with(can_schedule_on=Boom(error))())
        with pytest.raises(kind, match=said):
            pm.check()


def test_checking_needs_to_know_the_ir() -> None:
    """Without an adapter nothing could be checked: the error says how to name one."""
    pm = PassManager("toy.module").add(pass_with()())
    with pytest.raises(AdapterError, match=r"call check\(adapter\), or create the manager"):
        pm.check()
    pm.check(ToyAdapter())


def test_a_check_leaves_the_outermost_anchor_to_the_run() -> None:
    """A run may start at an unregistered op; nested pipelines need the name of an op."""
    pm = PassManager("unknown.op", adapter=XDSLAdapter())
    pm.check()
    pm.nest("func.fnc")
    with pytest.raises(AnchorError, match=r"is called 'func\.fnc'; did you mean 'func\.func'\?"):
        pm.check()
