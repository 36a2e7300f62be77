"""Passes whose own code raises, or ends the process, before they run."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import pytest

from passel import (
    AdapterError,
    AnchorError,
    OptionError,
    Options,
    Pass,
    PassContext,
    PassManager,
    PassRegistry,
    PipelineError,
)
from passel.testing import ToyAdapter, ToyOp, parse_toy


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


PLACE = f" (tests/passes/test_strangers.py:{Boom.__call__.__code__.co_firstlineno + 2})"
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
        ("absent", "pass 'absent' of pkg cannot be loaded", PipelineError),
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
    place = "" if text == "absent" else PLACE  # it may be deep inside of an import
    assert problem.message == f"{message}: {said}{place}"
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
        assert str(info.value) == (
            "pass 'stranger' cannot decide whether it can run on 'toy.module': its can_schedule_on "
            f"raised {said}{PLACE}"
        )
        assert info.value.__cause__ is error


class Shy(Exception):  # noqa: N818 - what it is
    """An exception that does not print."""

    def __str__(self) -> str:
        return sys.exit("no")


def test_what_cannot_be_shown_or_is_an_interrupt() -> None:
    """An exception that does not print is named by its class; Ctrl-C is not blamed on the plugin."""
    for error, kind, said in (
        (Shy(), AnchorError, r"raised Shy: \(its __str__ raised SystemExit\) \(tests/"),
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
