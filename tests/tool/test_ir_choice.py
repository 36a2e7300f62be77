"""Which IR the tool works on, dialects from plugins, and flags that are about xDSL alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import FAIL
from xdsl_inputs import NEWEST_XDSL

from passel.tool import opt_main
from passel.xdsl import XDSLAdapter

if TYPE_CHECKING:
    from tool_fixtures import Tool


# -- Which IR --------------------------------------------------------------------------------


def test_called_mlir_opt(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under that name it works on MLIR's IR unless `--ir` says otherwise, and its replay line says so."""
    expected = tool("--ir=mlir", "in.mlir", "--cse")
    ours = tool("in.mlir", "--cse")
    monkeypatch.setattr(sys, "argv", ["/somewhere/mlir-opt"])
    assert tool("in.mlir", "--cse") == expected
    assert tool("in.mlir", "--cse", "--ir=xdsl") == ours != expected
    Path("p.py").write_text(FAIL)
    failed = tool("in.mlir", "--load-pass-plugin=p.py", "--fail")
    assert (
        "note: to replay: passel-opt --ir=mlir in.mlir --load-pass-plugin=p.py --fail" in failed.err
    )


# -- Plugins with dialects -------------------------------------------------------------------

DIALECT = """\
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition

@irdl_op_definition
class FishOp(IRDLOperation):
    name = "sea.fish"
    assembly_format = "attr-dict"

SEA = Dialect("sea", [FishOp], [])
"""


def test_a_dialect_from_a_plugin_replaces(tool: Tool) -> None:
    """A plugin's dialect takes the place of an installed one of its name, as its passes do."""
    Path("sea.py").write_text(DIALECT.replace("sea", "arith"))
    Path("in.mlir").write_text("arith.fish\n")
    assert tool("in.mlir", "--load-pass-plugin=sea.py").code == 0


@pytest.mark.parametrize(
    ("name", "ending", "taken"),
    [
        ("register_dialects", "", "DialectRegistry"),
        ("add", "import passel.mlir\nzoo = passel.mlir.ContextDialects(add)\n", "Context"),
        ("register_dialects", "register_dialects.__module__ = 'mlir.dialects.zoo'\n", ""),
    ],
)
def test_a_function_that_adds_dialects(tool: Tool, name: str, ending: str, taken: str) -> None:
    """On MLIR's bindings, a plugin's function is called for each context, with what it takes."""
    Path("p.py").write_text(
        f"def {name}(thing):\n    print('called with a', type(thing).__name__)\n{ending}"
    )
    outcome = tool("in.mlir", "--ir=mlir", "--load-dialect-plugin=p.py")
    assert outcome.code == 0
    assert outcome.out.startswith(f"called with a {taken}\nmodule {{" if taken else "module {")
    assert "called" not in tool("in.mlir", "--load-dialect-plugin=p.py").out


# -- Which IR it should have been ------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("nvgpu.x", "note: another installed IR provides dialect 'nvgpu'; use --ir=mlir\n"),
        ("func.func @f(%a: !nvgpu.y) { func.return }", "provides dialect 'nvgpu'; use --ir=mlir\n"),
        ('"nvgpu.mma.sync"() : () -> ()', "provides dialect 'nvgpu'; use --ir=mlir\n"),
        ("arith.adddi", ""),
    ],
)
def test_a_dialect_of_another_ir(
    tool: Tool, text: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error about a dialect that this IR lacks names the IRs that have it, or the flags for more."""
    Path("other.mlir").write_text(text)
    said = tool("other.mlir").err
    assert said.count("error: ") == 1
    assert hint in said
    assert ("another installed IR" in said) is ("--ir" in hint)
    assert opt_main(["other.mlir"], adapter=XDSLAdapter()) == 1
    assert "--ir" not in capsys.readouterr().err  # which a tool for one IR refuses


# -- Flags for xDSL -------------------------------------------------------------------------------


REPORT = """
import sys
from passel import Pass
from passel.xdsl import fast


class Report(Pass):
    name = "say-which"

    def run(self, op, ctx):
        print(f"fast paths: {fast.are_on()}", file=sys.stderr)
"""


@pytest.mark.needs_xdsl(NEWEST_XDSL)
def test_fast_paths_are_turned_off(tool: Tool) -> None:
    """With `--no-fast-paths` none is taken in that run, and in the next one they are."""
    Path("report_fast.py").write_text(REPORT)
    words = ("in.mlir", "--load-pass-plugin=report_fast.py", "--say-which", "-j1")
    assert "fast paths: False" in tool(*words, "--no-fast-paths").err
    assert "fast paths: True" in tool(*words, "--no-fast-paths=false").err
    assert "fast paths: True" in tool(*words).err
    assert "PASSEL_FAST" not in os.environ
    assert "func.return" in tool("in.mlir", "--compat=xdsl", "--no-fast-paths=true").out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        pytest.param(
            *((), "passel-opt: error: target 'llvm' needs the Python module 'llvmlite'"),
            marks=pytest.mark.needs_xdsl("0.66"),  # targets are found without loading them
        ),
        (("--compat=xdsl",), "ModuleNotFoundError: No module named 'llvmlite"),
    ],
    ids=["passel", "compat"],
)
def test_a_target_whose_package_is_missing_is_one_clear_line(
    flags: tuple[str, ...], message: str, tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`-t llvm` without llvmlite names what it needs, and prints nothing else."""
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    monkeypatch.delitem(sys.modules, "xdsl.backend.llvm.convert", raising=False)
    done = tool("in.mlir", *flags, "-t", "llvm")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith(message)
