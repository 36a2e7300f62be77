"""The walk through passes: nested ones, those that options hold, and those that passes may run."""

from __future__ import annotations

from typing import Any

from passel import OpPassManager, Options, Pass, PassContext, PassManager, option
from passel.passes import default_registry
from passel.passes.reachable import walk
from passel.xdsl import XDSLAdapter


class Group(Options):
    """Options that hold a pipeline."""

    pipeline: OpPassManager = option(default_factory=OpPassManager)


class Hold(Pass):
    """Hold pipelines, and say what else it may run."""

    name = "hold"
    one: OpPassManager = option(default_factory=OpPassManager)
    several: tuple[OpPassManager, ...] = ()
    group: Group = Group()
    says: bool = False

    def may_run(self) -> list[OpPassManager]:
        """Return a pipeline."""
        return [OpPassManager("any").add(Hold(one=OpPassManager().add("cse")))] if self.says else []

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""


def walked(text: str) -> list[str]:
    """Return each pass that a walk comes to, with its place in the text, and `!` on another IR."""
    registry = default_registry().copy()
    registry.register(Hold)
    manager = PassManager.parse(text, registry=registry, adapter=XDSLAdapter())
    return [
        f"{visit.pass_.name}{'!' * visit.is_elsewhere}: {visit.span.text if visit.span else ''}"
        for visit in walk(manager)
    ]


def test_nested_passes_and_those_in_options() -> None:
    """They come in the order of the text, and those in options after the pass that holds them."""
    held = "hold{one=any(cse,func.func(dce)) several={any(cse),any(dce)} group={pipeline=any(cse)}}"
    names = [name.partition(":")[0] for name in walked(f"any(func.func(dce),{held},cse)")]
    assert names == ["dce", "hold", "cse", "dce", "cse", "dce", "cse", "cse"]
    assert walked("any(hold{one=any(cse)})") == [
        "hold: hold",
        "cse: cse",
    ]


def test_pipelines_that_a_pass_says_it_may_run() -> None:
    """A pass that was not written has the place of the pass that may run it."""
    assert walked("any(hold{says=true})") == ["hold: hold", "hold: hold", "cse: cse"]


def test_passes_on_another_ir() -> None:
    """They are marked, as an IR's own checks are not for them."""
    assert walked("any(cse,mlir(cse,func.func(canonicalize)))") == [
        "cse: cse",
        "mlir: mlir",
        "cse!: cse",
        "canonicalize!: canonicalize",
    ]
