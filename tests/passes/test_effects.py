"""Passes declare what they do outside the IR, and are refused where they are not trusted."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

from passel import OpPassManager, Pass, PassContext, PassManager
from passel.errors import EffectsError
from passel.manager import BarePipeline
from passel.passes.reachable import walk
from passel.testing import ToyAdapter, parse_toy


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


def effects_of(pass_: Pass[Any]) -> tuple[str, ...]:
    """Return what a pass, and those that it may run, do outside the IR."""
    return tuple(effect for visit in walk(pass_) for effect in visit.pass_.own_effects())


def test_effects_are_those_of_all_that_a_pass_holds() -> None:
    """Passes inside of options count, at any depth, as far as their options let them."""
    assert effects_of(Write(file="x")) == ("write-files",)
    assert effects_of(Write()) == ()
    assert effects_of(hold(hold(Write(file="x")))) == ("write-files",)
    assert effects_of(hold(Write())) == ()


@pytest.mark.parametrize("pass_", [Write(file="x"), hold(Write(file="x"))], ids=["plain", "held"])
def test_a_restricted_manager_refuses_before_it_runs(pass_: Pass) -> None:
    """The error tells what is missing, also after it was pickled."""
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(pass_)
    pm.restrict_effects("read-files")
    with pytest.raises(EffectsError, match="pass 'write' writes files") as raised:
        pm.run(parse_toy("toy.module"))
    assert raised.value.effects == ("write-files",)
    assert pickle.loads(pickle.dumps(raised.value)).effects == ("write-files",)


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
