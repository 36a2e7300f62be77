"""Which IR the tool works on, and dialects from plugins."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import FAIL

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
def test_a_dialect_of_another_ir(tool: Tool, text: str, hint: str) -> None:
    """An error about a dialect that this IR lacks names the IRs that have it, or the flags for more."""
    Path("other.mlir").write_text(text)
    said = tool("other.mlir").err
    assert said.count("error: ") == 1
    assert hint in said
    assert ("another installed IR" in said) is ("--ir" in hint)
