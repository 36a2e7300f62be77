"""Plain managers hold a pipeline to what its passes declare about each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from xdsl_inputs import xdsl_context

from passel import AnchorError, ContractError, Pass, PassContext, PassManager, default_registry
from passel.builder import (
    BUFFERIZATION,
    Declarations,
    DeclarationTable,
    PipelineBuilder,
    after_any,
    before_first,
    followed_by,
    preceded_by,
    requires,
)
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


class StrongMemref(Pass):
    """A pass for buffers."""

    name = "strong-memref"
    constraints = (after_any(BUFFERIZATION),)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""


class NeedsFinalize(Pass):
    """A pass that is no use without another one."""

    name = "needs-finalize"
    constraints = (requires("finalize"),)

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
        "if it does, declare that of 'canonicalize' in a DeclarationTable, else move it out of "
        "there (PassManager(..., check=False) skips this)"
    )
    PassManager("builtin.module").add(Generate(), Use()).run(module())
    PassManager("builtin.module", check=False).add(Use()).run(module())


@pytest.mark.parametrize("module", [xdsl_module, mlir_module])
def test_a_wrong_order_is_a_warning(
    module: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    """A broken constraint goes to the log, once for a pipeline that is run twice."""
    manager = PassManager("builtin.module").add(StrongMemref())
    manager.run(module())
    manager.run(module())
    (record,) = caplog.records
    assert record.message.startswith(
        "'strong-memref' must run after at least one pass of type 'bufferization' (declared by "
        "pass 'strong-memref' at "
    )
    assert record.message.endswith(
        "but there is no pass of type 'bufferization': add one, or leave 'strong-memref' out "
        "(PassManager(..., check=False) skips this)"
    )
    caplog.clear()
    PassManager("builtin.module", check=False).add(StrongMemref()).run(module())
    assert not caplog.records


def test_what_a_pipeline_cannot_do_without_is_an_error() -> None:
    """Another pass that is required has to be there; parsing finds it as well as adding."""
    with pytest.raises(ContractError, match="needs some 'finalize' in the same pipeline"):
        on_toys(NeedsFinalize()).check()
    registry = default_registry().copy()
    registry.register(NeedsFinalize)
    text = "toy.module(toy.func(needs-finalize))"
    manager = PassManager.parse(text, registry=registry, adapter=ToyAdapter())
    with pytest.raises(ContractError) as caught:
        manager.check()
    (problem,) = caught.value.problems
    assert problem.span is not None
    assert problem.span.text == "needs-finalize"
    PassManager.parse(text, registry=registry, adapter=ToyAdapter(), check=False).check()


def test_what_is_added_later_is_checked(caplog: pytest.LogCaptureFixture) -> None:
    """A pipeline that a builder has checked is not checked again, unless it has changed."""
    builder = PipelineBuilder("toy.module", adapter=ToyAdapter())
    builder.add(Generate(), Use(), label="")
    builder.constrain("use", before_first("late"))
    manager = builder.build()
    manager.check()
    with pytest.raises(ContractError):
        manager.add(NeedsFinalize()).check()
    assert not caplog.records


def test_labels_and_stages_are_known_to_builders_alone(caplog: pytest.LogCaptureFixture) -> None:
    """What was checked by a builder is not doubted by the manager, which knows no labels."""

    class AfterStage(Pass):
        name = "after-stage"
        constraints = (after_any("prepare"),)

        def run(self, op: Any, ctx: PassContext) -> None: ...

    builder = PipelineBuilder("toy.module", adapter=ToyAdapter())
    builder.add(Generate(), label="prepare")
    builder.add(AfterStage())
    manager = builder.build()
    manager.run(parse_toy("toy.module"))
    manager.copy().run(parse_toy("toy.module"))
    assert not caplog.records


def test_a_table_counts(caplog: pytest.LogCaptureFixture) -> None:
    """What is declared of others' passes is checked, and kept by runs."""

    class Plain(Pass):
        name = "plain"

        def run(self, op: Any, ctx: PassContext) -> None: ...

    table = DeclarationTable()
    manager = on_toys(Generate(), Plain(), Use())
    manager.use_contracts(table)
    with pytest.raises(ContractError):
        manager.check()
    table.declare(Declarations(preserves=(Schedule,)), "plain")
    manager.check()
    table.declare(Declarations(constraints=(before_first("generate"),)), "plain")
    manager = on_toys(Generate(), Plain(), Use())
    manager.use_contracts(table)
    manager.check()
    (record,) = caplog.records
    assert "the table of declarations for 'plain'" in record.message


@pytest.mark.parametrize(
    ("constraint", "told"),
    [
        (followed_by("generate"), "is not: put one after it"),
        (preceded_by("generate"), "runs first: put one right before it"),
    ],
)
def test_wishes_are_warnings(constraint: Any, told: str, caplog: pytest.LogCaptureFixture) -> None:
    """A plain manager inserts nothing, and says what should be there."""
    wishing = type(
        "Wishing", (Use,), {"name": "wishing", "requires": (), "constraints": (constraint,)}
    )
    on_toys(wishing()).check()
    (record,) = caplog.records
    assert f", but {told} (" in record.message


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
