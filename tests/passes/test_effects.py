"""Passes declare what they do outside the IR, and are refused where they are not trusted."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

from passel import OpPassManager, Options, Pass, PassContext, PassManager, option
from passel.errors import EffectsError
from passel.passes import PassRegistry, default_registry
from passel.passes.op_pass_manager import BarePipeline
from passel.passes.reachable import walk
from passel.testing import ToyAdapter, parse_toy
from passel.xdsl import XDSLAdapter


class Write(Pass):
    """Write a file, if it is given one."""

    name = "write"
    effects = ("write-files",)
    file: str = ""

    def own_effects(self) -> tuple[str, ...]:
        """Nothing without a file."""
        return self.effects if self.file else ()

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""


class Hold(Pass):
    """Hold a pipeline, and perhaps run another one."""

    name = "hold"
    pipeline: BarePipeline = BarePipeline()
    runs: bool = False

    def run(self, op: Any, ctx: PassContext) -> None:
        """Run a pipeline that no option shows."""
        if self.runs:
            ctx.run_pipeline(OpPassManager().add(Write(file="x")))


def hold(*passes: Pass) -> Hold:
    """Return a pass that holds others."""
    return Hold(pipeline=BarePipeline(*passes))


@pytest.mark.parametrize(
    "pass_", [Write(file="x"), hold(hold(Write(file="x")))], ids=["plain", "held"]
)
def test_a_restricted_manager_refuses_before_it_runs(pass_: Pass) -> None:
    """The error tells what is missing; options may leave no effect."""
    harmless = PassManager("toy.module", adapter=ToyAdapter()).add(Write(), hold(Write()))
    harmless.restrict_effects()
    harmless.run(parse_toy("toy.module"))
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(pass_)
    pm.restrict_effects("read-files")
    with pytest.raises(EffectsError, match=r"pass 'write' writes files; .*'write-files'"):
        pm.run(parse_toy("toy.module"))


def test_a_restriction_can_come_late_and_be_copied() -> None:
    """A pipeline that has run already is refused as well, and so are copies of its manager."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Write(file="x"))
    pm.run(parse_toy("toy.module"))
    pm.restrict_effects()
    for each in (pm, pm.copy()):
        with pytest.raises(EffectsError):
            each.run(parse_toy("toy.module"))


def test_pipelines_that_passes_run_are_restricted() -> None:
    """What shows only when a pass runs it fails that pass, also in the workers of an executor."""
    alone = PassManager("toy.module", adapter=ToyAdapter()).add(Hold(runs=True))
    nested = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Hold(runs=True))
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        for pm, executor in ((alone, None), (nested, None), (nested, pool)):
            pm.restrict_effects()
            with pytest.raises(Exception, match="pass 'write' writes files"):
                pm.run(parse_toy("toy.module(toy.func @f,toy.func @g)"), executor=executor)


# -- The walk through all that may run ---------------------------------------------------------


class Group(Options):
    """Options that hold a pipeline."""

    pipeline: OpPassManager = option(default_factory=OpPassManager)


class HoldAll(Pass):
    """Hold pipelines, and say what else it may run."""

    name = "hold-all"
    one: OpPassManager = option(default_factory=OpPassManager)
    several: tuple[OpPassManager, ...] = ()
    group: Group = Group()


def walked(text: str) -> list[str]:
    """Return each pass that a walk comes to, with its place in the text, and `!` on another IR."""
    registry = PassRegistry(default_registry())
    registry.register(HoldAll)
    manager = PassManager.parse(text, registry=registry, adapter=XDSLAdapter())
    here = list(walk(manager, crosses=False))
    return [
        f"{pass_.name}{'' if (pass_, span) in here else '!'}: {span.text if span else ''}"
        for pass_, span in walk(manager)
    ]


HELD = "hold-all{one=any(cse,func.func(dce)) several={any(cse),any(dce)} group={pipeline=any(cse)}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"any(func.func(dce),{HELD},cse)",
            "dce: dce, hold-all: hold-all, cse: cse, dce: dce, cse: cse, dce: dce, cse: cse, cse: cse",
        ),
        (
            "any(cse,mlir(cse,func.func(canonicalize)))",
            "cse: cse, mlir: mlir, cse!: cse, canonicalize!: canonicalize",
        ),
    ],
)
def test_passes_are_visited_with_those_that_they_may_run(text: str, expected: str) -> None:
    """They come in the order of the text, those in options after the pass that holds them."""
    assert ", ".join(walked(text)) == expected
