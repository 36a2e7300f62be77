"""`--ir=mlir` as a tool of its own: bytecode, dialects, Python passes, and what it loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import run_mlir_opt

from passel.frontend.resources import read_resources

if TYPE_CHECKING:
    from tool_fixtures import Tool

RESOURCES = """\
module attributes {func.x = dense_resource<a> : tensor<1xi8>} {}
{-# dialect_resources: { builtin: { a: "0x0800000001" } }, // both
    external_resources: { zoo: { k: "0x0800000002", v: true, "a b": "s\\"\\\\\\0A" }, x: {y: false} } #-}
"""

FUNCTIONS = """\
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  return %0 : i32
}
func.func private @g()
"""

PLUGIN = """\
from mlir.dialects.func import FuncOp
from passel import OperationPass, PassContext, Statistic

class CountFunctions(OperationPass[FuncOp]):
    name = "count-functions"
    seen = Statistic("functions")

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        assert isinstance(op, FuncOp)
        ctx.count(self.seen)

class Raises(OperationPass[FuncOp]):
    name = "raises"

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        raise ValueError("oh no")
"""


def _mlir_opt(*arguments: str) -> str:
    done = run_mlir_opt(*arguments)
    assert done.code == 0, done.err
    return done.out


def test_bytecode(tool: Tool) -> None:
    """Both tools read the bytecode that the other one writes, from files and standard input."""
    Path("in.mlir").write_text(FUNCTIONS)
    assert tool("--ir=mlir", "in.mlir", "--emit-bytecode", "-o", "out.mlirbc") == (0, "", "")
    text = _mlir_opt("out.mlirbc", "--cse")
    assert text == _mlir_opt("in.mlir", "--cse")
    _mlir_opt("in.mlir", "--emit-bytecode", "-o", "theirs.mlirbc")
    theirs = Path("theirs.mlirbc").read_bytes()
    assert tool("--ir=mlir", "theirs.mlirbc", "--cse") == (0, text, "")
    assert tool("--ir=mlir", "--cse", stdin=theirs) == (0, text, "")
    assert tool("--ir=mlir", "theirs.mlirbc", "--verify-diagnostics").code == 0


@pytest.mark.parametrize(
    ("flags", "error"),
    [
        (["--emit-bytecode-version=3"], "bytecode version while not emitting bytecode"),
        (["--emit-bytecode", "--emit-bytecode-version=99"], "unsupported bytecode version 99"),
    ],
)
def test_wrong_bytecode_versions(tool: Tool, flags: list[str], error: str) -> None:
    """A version that cannot be is refused before the input is read."""
    assert tool("--ir=mlir", "absent.mlir", *flags).err.startswith(f"passel-opt: error: {error}")


def test_resources_are_found_where_they_are() -> None:
    """Entries have values and places; comments, strings and other sections do not confuse."""
    text = f"// {{-# external_resources: {{ no: {{ a: true }} }} #-}}\n{RESOURCES}"
    found = read_resources(text)
    assert [(each.group, each.key, each.value) for each in found] == [
        ("zoo", "k", b"0x0800000002"),
        ("zoo", "v", True),
        ("zoo", "a b", b's"\\\n'),
        ("x", "y", False),
    ]
    values = ['"0x0800000002"', "true", '"s\\"\\\\\\0A"', "false"]
    assert all(map(text.startswith, values, [each.value_start for each in found]))


def test_irdl_file(tool: Tool) -> None:
    """Dialects can be defined by a file in IRDL; one that is wrong is an error at its place."""
    Path("toy.irdl").write_text("irdl.dialect @toy {\n  irdl.operation @nothing {}\n}\n")
    Path("in.mlir").write_text('"toy.nothing"() : () -> ()\n')
    assert tool("--ir=mlir", "in.mlir").code == 1
    assert tool("--ir=mlir", "in.mlir", "--irdl-file=toy.irdl").code == 0
    Path("toy.irdl").write_text("irdl.dialect @toy {\n")
    outcome = tool("--ir=mlir", "in.mlir", "--irdl-file=toy.irdl")
    assert (outcome.code, outcome.err[:16]) == (1, "toy.irdl:1:20: e")
    assert "cannot open IRDL file" in tool("--ir=mlir", "in.mlir", "--irdl-file=absent").err


def test_python_passes(tool: Tool) -> None:
    """Passes in Python, on op classes of the bindings, run between native passes."""
    Path("in.mlir").write_text(FUNCTIONS)
    Path("plugin.py").write_text(PLUGIN)
    pipeline = "builtin.module(func.func(cse,count-functions,canonicalize),symbol-dce)"
    flags = ("in.mlir", "--load-pass-plugin=plugin.py", "-p", pipeline, "--mlir-pass-statistics")
    code, out, err = tool("--ir=mlir", *flags)
    plain = pipeline.replace(",count-functions", "")
    assert (code, out) == (0, _mlir_opt("in.mlir", "-p", plain))
    assert "(S) 2 seen - functions" in err


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"module {} // \xff\n", 0), (b"\xef\xbb\xbfmodule {}\n", 0), (b"", 0), (b"m\0o\0", 1)],
    ids=["Latin-1", "BOM", "empty", "UTF-16"],
)
def test_odd_bytes(tool: Tool, data: bytes, code: int) -> None:
    """MLIR reads files by itself, whatever bytes are in comments; a byte order mark is no harm."""
    Path("in.mlir").write_bytes(data)
    assert tool("--ir=mlir", "in.mlir").code == code


def test_columns_count_bytes(tool: Tool) -> None:
    """The caret stands below its character also behind letters that are no ASCII."""
    Path("in.mlir").write_text('"\N{LATIN SMALL LETTER E WITH ACUTE}.x"() : () -> () x\n')
    assert tool("--ir=mlir", "in.mlir").err.endswith("() : () -> () x\n     ^\n")


# -- what is loaded ------------------------------------------------------------------------

_LOADED = """\
import sys
from passel.tool import main
main(sys.argv[1:])
print([name for name in ("xdsl", "numpy") if name in sys.modules])
"""


def test_xdsl_is_not_loaded(tmp_path: Path) -> None:
    """MLIR alone is loaded: neither xDSL nor NumPy, which costs more than passel."""
    (tmp_path / "in.mlir").write_text(RESOURCES)
    command = [sys.executable, "-c", _LOADED, "--ir=mlir", "in.mlir", "-o", "out.mlir", "--cse"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
