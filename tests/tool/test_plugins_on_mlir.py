"""Passes of a plugin are like all others on MLIR's ops: listed, suggested, counted, found anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from passel.tool import opt_main

if TYPE_CHECKING:
    from tool_fixtures import Start, Tool

PLUGIN = '''
from passel import OpPassManager, Pass, default_registry


class Tag(Pass):
    """Tag the op."""

    name = "tag-op"

    def run(self, op, ctx):
        if ctx.ir_context is not None and hasattr(op, "operation"):
            from mlir.ir import UnitAttr

            op.operation.attributes["tagged"] = UnitAttr.get(op.operation.context)
        else:
            from xdsl.dialects.builtin import UnitAttr

            op.attributes["tagged"] = UnitAttr()


class Dynamic(Pass):
    """Run the other pass by name."""

    name = "run-tag-op"

    def run(self, op, ctx):
        ctx.run_pipeline(OpPassManager(op.operation.name).add("tag-op"))


def build(pm):
    pm.nest("func.func").add("tag-op")


default_registry().register_pipeline("tag-functions", build, summary="Tag.", override=True)
'''
FUNCTION = "func.func @f() { return }"


@pytest.fixture(autouse=True)
def _files(tool: Tool) -> None:
    Path("plugin.py").write_text(PLUGIN)
    Path("in.mlir").write_text(FUNCTION)


PLUGGED = ("--ir=mlir", "--load-pass-plugin=plugin.py", "in.mlir")


def test_they_are_listed(tool: Tool) -> None:
    """`--list-passes` shows them among MLIR's own."""
    listed = tool(*PLUGGED, "--list-passes").out
    assert "--tag-op" in listed
    assert "-   Tag the op." in listed
    assert "--canonicalize" in listed
    assert "--run-tag-op" in listed
    assert "--tag-functions" in listed


@pytest.mark.parametrize(
    "pipeline",
    ["func.func(tag-op)", "tag-functions", "func.func(run-tag-op)", "func.func(xdsl(tag-op))"],
)
def test_they_are_found_wherever_they_stand(tool: Tool, pipeline: str) -> None:
    """Nested, in registered and dynamic pipelines, and on the other side of a crossing."""
    code, out, err = tool(*PLUGGED, "-p", f"builtin.module({pipeline})")
    assert (code, err) == (0, "")
    assert "attributes {tagged}" in out


def test_listing_survives_passes_that_cannot_be_printed(start: Start) -> None:
    """A pass of MLIR's that leaves an option uninitialized is listed, and ends nothing."""
    process = start("--ir=mlir", "--list-passes")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "--llvm-use-default-visibility" in out


DIALECT = """
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def
from xdsl.traits import Pure


@irdl_op_definition
class Cat(IRDLOperation):
    name = "zoo.cat"
    traits = traits_def(Pure())


ZOO = Dialect("zoo", [Cat], [])
"""
CATS = 'func.func @f() { "zoo.cat"() : () -> () return }'
ON_CATS = (
    "--ir=mlir",
    "--allow-unregistered-dialect",
    "-p",
    "builtin.module(func.func(xdsl(dce)))",
)


def test_dialects_of_xdsl_are_known_where_a_pipeline_crosses_to_it(
    tool: Tool, capsys: pytest.CaptureFixture[str]
) -> None:
    """What MLIR does not know, xDSL's passes do: from a plugin, and from the tool's author."""
    Path("zoo.py").write_text(DIALECT)
    Path("in.mlir").write_text(CATS)
    assert "zoo.cat" in tool("in.mlir", *ON_CATS).out
    code, out, err = tool("in.mlir", *ON_CATS, "--load-dialect-plugin=zoo.py")
    assert (code, "zoo.cat" in out, err) == (0, False, "")
    scope: dict[str, Any] = {}
    exec(DIALECT, scope)  # noqa: S102 - what the file holds
    assert opt_main(["in.mlir", *ON_CATS], dialects=[scope["ZOO"]]) == 0
    assert "zoo.cat" not in capsys.readouterr().out
