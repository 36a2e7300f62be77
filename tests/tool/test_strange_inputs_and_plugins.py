"""Whatever a command line, a file or a plugin does, the tool says in a line what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import FAIL, only_error

if TYPE_CHECKING:
    from tool_fixtures import MlirOpt, Tool

irs = pytest.mark.parametrize("ir", ["xdsl", "mlir"])


# -- Pipelines that are not run --------------------------------------------------------------


SOME_ISOLATED = """\
%c = arith.constant 1 : i1
// -----
module @b {}
"""


@irs
def test_pass_flags_on_an_op_that_is_not_isolated(tool: Tool, mlir_opt: MlirOpt, ir: str) -> None:
    """The op is shown as by mlir-opt, and the other parts of the input are processed."""
    Path("in.mlir").write_text(SOME_ISOLATED)
    flags = ("in.mlir", "--no-implicit-module", "--split-input-file", "--cse")
    ours, theirs = tool(f"--ir={ir}", *flags), mlir_opt(*flags)
    assert ours.code == theirs.code == 1
    assert ours.out.replace("builtin.module", "module") == theirs.out
    message = (
        ": error: 'arith.constant' op trying to schedule a pass on an operation not marked as "
        "'IsolatedFromAbove'\n%c = arith.constant 1 : i1\n"
    )
    assert message in ours.err
    assert message in theirs.err
    assert tool(f"--ir={ir}", *flags, "--verify-diagnostics").err.startswith("in.mlir:1:")


# -- Reproducers -----------------------------------------------------------------------------


@irs
@pytest.mark.parametrize(("first", "second"), [("true", "false"), ("false", "true"), ("true", "")])
def test_recorded_threading_is_for_its_part(tool: Tool, ir: str, first: str, second: str) -> None:
    """What one part of the input records of threads does not reach the next one."""
    Path("p.py").write_text(FAIL)

    def part(pipeline: str, value: str) -> str:
        entry = f", disable_threading: {value}" if value else ""
        return (
            "module {}\n{-# external_resources: { mlir_reproducer: { "
            f'pipeline: "{pipeline}"{entry} }} }} #-}}\n'
        )

    source = part("builtin.module()", first) + "// -----\n" + part("builtin.module(fail)", second)
    Path("in.mlir").write_text(source)
    flags = ("--load-pass-plugin=p.py", "--run-reproducer", "--split-input-file")
    to_file = "--mlir-pass-pipeline-crash-reproducer=crash.mlir"
    outcome = tool(f"--ir={ir}", "in.mlir", *flags, to_file, "--allow-effects=all")
    assert outcome.code == 1
    assert f"disable_threading: {second or 'false'}," in Path("crash.mlir").read_text()


@irs
@pytest.mark.parametrize(
    "resources",
    [
        "{-# external_resources: } #-}",
        "{-# external_resources: { zoo: { k: true } } } } #-}",
        "{-# } #-}",
        "{-# external_resources: { zoo: { k: true } }",
    ],
)
def test_unbalanced_resources(tool: Tool, ir: str, resources: str) -> None:
    """Braces that do not match are an error where the parser meets them."""
    Path("in.mlir").write_text(f"module {{}}\n{resources}\n")
    assert only_error(tool(f"--ir={ir}", "in.mlir")).startswith("in.mlir:")


# -- Plugins ---------------------------------------------------------------------------------


MUTE = "class Mute(Exception):\n    def __str__(self): raise ValueError\nraise Mute"
BROKEN = [
    ("raise SystemExit(0)", "SystemExit: 0 (p.py:1)\n"),
    ("\nclass Odd(BaseException): ...\nraise Odd('so')", "Odd: so (p.py:3)\n"),
    (MUTE, "Mute: (its __str__ raised ValueError) (p.py:3)\n"),
    ("def f(:\n", "SyntaxError: invalid syntax"),
    ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module' (p.py:1)"),
    (
        "from passel import Pass\nclass P(Pass):\n    name = 'p'\n    x: object = 1",
        "DefinitionError: ",
    ),
    ("\xff\0", ""),
]


@pytest.mark.parametrize(("source", "said"), BROKEN)
def test_plugins_that_cannot_be_imported(tool: Tool, source: str, said: str) -> None:
    """Whatever a plugin raises when it is imported is one line with its place."""
    Path("p.py").write_text(source, encoding="latin-1")
    error = only_error(tool("in.mlir", "--load-pass-plugin=p.py"))
    assert error.startswith(f"passel-opt: error: cannot load plugin 'p.py': {said}")


def test_a_plugin_that_is_interrupted(tool: Tool) -> None:
    """Ctrl-C while a plugin is imported, or what looks like it, says which one that was."""
    Path("p.py").write_text("raise KeyboardInterrupt\n")
    outcome = tool("in.mlir", "--load-pass-plugin=p.py")
    assert outcome == (130, "", "passel-opt: interrupted: loading plugin 'p.py'\n")


EXITS = """\
import sys
from passel import Pass

class Odd(BaseException): ...

class Exits(Pass):
    name = "exits"

    def {method}:
        {statement}

    def run(self, op, ctx):
        pass
"""


@irs
@pytest.mark.parametrize(
    ("how", "statement", "method"),
    [
        ("--exits", "sys.exit(0)", "__post_init__(self)"),
        ("-p=builtin.module(exits)", "raise Odd", "initialize(self, context)"),
        ("-p=any(any(exits))", "sys.exit(0)", "can_schedule_on(self, kind)"),
        ("--exits", "raise Odd", "can_schedule_on(self, kind)"),
    ],
)
def test_passes_that_exit(tool: Tool, ir: str, how: str, method: str, statement: str) -> None:
    """A pass that ends the process before it runs is an error that names the pass, or the place in it."""
    if method.startswith("__post_init__"):
        statement = f"super().__post_init__(); {statement}"
    Path("p.py").write_text(EXITS.format(method=method, statement=statement))
    Path("in.mlir").write_text("module { module {} }")
    outcome = tool(f"--ir={ir}", "in.mlir", "--load-pass-plugin=p.py", how)
    assert outcome.code == 1
    assert "exits" in outcome.err or "(p.py:10:" in outcome.err
    assert "SystemExit" in outcome.err or "Odd" in outcome.err
    assert "Traceback" not in outcome.err


OWN = """\
from passel import Pass, default_registry
class P(Pass):
    name = "mine"
    k: int = 1
    def run(self, op, ctx): print("k is", self.k, self.name, flush=True)
class Other(P):
    name = "other"
default_registry().register("mine", lambda: Other(k=4){override})
"""


@pytest.mark.parametrize("override", ["", ", override=True"])
def test_what_a_plugin_registers_itself_stands(tool: Tool, override: str) -> None:
    """A name that a plugin gives away by a callback is not taken by a class of that name in it."""
    Path("own.py").write_text(OWN.format(override=override))
    outcome = tool("in.mlir", "--load-pass-plugin=own.py", "--mine", "--other")
    assert "k is 4 mine\nk is 1 other\n" in outcome.out, outcome.err
