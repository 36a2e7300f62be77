"""Pipelines that passes run are left as they are; when their dialects are loaded."""

from __future__ import annotations

import pytest
from toy_steps import FUNCS, manager, nothing, pipeline, step

from passel import OpPassManager, Options, Pass, PassContext, option
from passel.testing import ToyOp, parse_toy


def test_a_manager_is_left_as_it_is() -> None:
    """Adjacent pipelines are merged to be run, and printed as they were written."""
    inner = pipeline(pipeline(step(nothing)), pipeline(step(nothing)), anchor="toy.module")
    before = str(inner)
    manager(step(lambda _, ctx: ctx.run_pipeline(inner))).run(parse_toy(FUNCS))
    assert str(inner) == before


# -- Dialects --------------------------------------------------------------------------------


class Group(Options):
    """A struct that holds a pipeline."""

    pipeline: OpPassManager = option(default_factory=OpPassManager)


class Holder(Pass):
    """Holds pipelines in options of every shape, and runs none of them."""

    name = "holder"
    one: OpPassManager = option(default_factory=OpPassManager)
    some: tuple[OpPassManager, ...] = ()
    group: Group = option(default_factory=Group)
    groups: tuple[Group, ...] = ()

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Note what is loaded by now."""
        ctx.emit_remark(",".join(sorted(ctx.ir_context)))


needs_extra = pipeline(step(nothing, "needy", "extra"))


@pytest.mark.parametrize(
    "holder",
    [
        pytest.param(Holder(some=(pipeline(), needs_extra)), id="tuple"),
        pytest.param(Holder(groups=(Group(), Group(pipeline=needs_extra))), id="structs"),
        pytest.param(Holder(one=pipeline(Holder(one=needs_extra))), id="pipeline in a pipeline"),
        pytest.param(Holder(one=pipeline(needs_extra, anchor="any")), id="nested pipeline"),
    ],
)
def test_dialects_of_pipelines_in_options_are_loaded_before_the_run(holder: Holder) -> None:
    """What a pass holds to run later has its dialects from the beginning."""
    for pm in (manager(holder), manager(step(nothing), pipeline(holder))):
        result = pm.run(parse_toy("toy.module(toy.func)"))
        assert [diagnostic.message for diagnostic in result.diagnostics] == ["extra,toy"]


def test_dialects_of_a_dynamic_pipeline_are_loaded_when_it_is_run() -> None:
    """Those of pipelines that only a run makes come with their first run."""
    loaded: list[list[str]] = []

    def outer(op: ToyOp, ctx: PassContext) -> None:
        loaded.append(sorted(ctx.ir_context))
        inner = step(lambda _, ctx: loaded.append(sorted(ctx.ir_context)))
        ctx.run_pipeline(pipeline(Holder(one=needs_extra), inner), op.body[0])

    manager(step(outer)).run(parse_toy(FUNCS))
    assert loaded == [["toy"], ["extra", "toy"]]
