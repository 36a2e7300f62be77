"""Plain managers hold a pipeline to what its passes declare about each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from xdsl_inputs import xdsl_context

from passel import AnchorError, ContractError, Pass, PassContext, PassManager, default_registry
from passel.mlir import MLIRAdapter
from passel.mlir import parse_source as parse_mlir
from passel.testing import ToyAdapter, parse_toy
from passel.xdsl import parse_source as parse_xdsl

if TYPE_CHECKING:
    from collections.abc import Callable


class Schedule:
    """When ops run, in name alone."""

    def __init__(self, op: Any) -> None: ...


class Generate(Pass):
    """Compute an analysis."""

    name = "generate"
    produces = (Schedule,)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Compute it."""
        ctx.analysis(Schedule)


class Use(Pass):
    """Use it."""

    name = "use"
    requires = (Schedule,)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""


def on_toys(*passes: Pass, **how: Any) -> PassManager:
    """Return a manager for toy ops."""
    return PassManager("toy.module", adapter=ToyAdapter(), **how).add(*passes)


def xdsl_module() -> Any:
    """Return a module of xDSL."""
    return parse_xdsl(xdsl_context(), "builtin.module {}", "in.mlir")


def mlir_module() -> Any:
    """Return a module of MLIR."""
    return parse_mlir(MLIRAdapter().create_context(), "module {}", "in.mlir")


@pytest.mark.parametrize("module", [xdsl_module, mlir_module])
def test_a_required_analysis_that_is_missing_is_an_error(module: Callable[[], Any]) -> None:
    """A plain manager refuses to run, on both IRs, and names the place and the way out."""
    manager = PassManager("builtin.module").add(Generate(), "canonicalize", Use())
    with pytest.raises(ContractError) as caught:
        manager.run(module())
    assert caught.value.problems[0].message == (
        "pass 'canonicalize' [builtin.module/1:canonicalize] between 'generate' "
        "[builtin.module/0:generate] and 'use' [builtin.module/2:use] does not preserve Schedule; "
        "if it does, declare preserves = (Schedule,) in a subclass of "
        f"{type(caught.value.violations[0].offender.pass_).__name__}, else move it out of there"
    )
    PassManager("builtin.module").add(Generate(), Use()).run(module())
    PassManager("builtin.module", check=False).add(Use()).run(module())


def test_text_has_a_place() -> None:
    """Of a pipeline that was parsed, the error has the place in the text."""
    registry = default_registry().copy()
    registry.register(Use)
    text = "toy.module(toy.func(use))"
    with pytest.raises(ContractError) as caught:
        PassManager.parse(text, registry=registry, adapter=ToyAdapter()).check()
    (problem,) = caught.value.problems
    assert problem.span is not None
    assert problem.span.text == "use"
    PassManager.parse(text, registry=registry, adapter=ToyAdapter(), check=False).check()


def test_what_is_added_later_is_checked() -> None:
    """A pipeline is checked again when it has changed."""
    manager = on_toys(Generate(), Use())
    manager.check()
    with pytest.raises(ContractError):
        manager.add(Generate(), Use(), Use()).check()


def test_passes_of_other_pipelines_are_left_alone() -> None:
    """What a pass runs by itself is not held to what a whole pipeline is held to."""

    class Runs(Pass):
        name = "runs"

        def run(self, op: Any, ctx: PassContext) -> None:
            ctx.run_pipeline(PassManager("toy.module").add(Use()), op)

    on_toys(Runs()).run(parse_toy("toy.module"))


def test_a_module_pass_in_a_function_is_sent_outwards() -> None:
    """What runs on modules is not nested in functions by the advice that the error gives."""
    for text in (
        "func.func(convert-math-to-libm)",
        "builtin.module(func.func(convert-math-to-libm))",
    ):
        with pytest.raises(AnchorError) as caught:
            PassManager.parse(text, adapter=MLIRAdapter())
        assert caught.value.problems[0].message == (
            "can't add pass 'convert-math-to-libm' restricted to 'builtin.module' on a PassManager "
            "intended to run on 'func.func', put it into the enclosing pipeline, "
            "builtin.module(convert-math-to-libm)"
        )
