"""`--ir=mlir` and the real mlir-opt: the same output, exit code and first error."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import FAIL, MLIR, run_mlir_opt
from xdsl_inputs import CORPUS

from passel.frontend.resources import read_resources
from passel.tool.command_line import NOT_HERE

if TYPE_CHECKING:
    from tool_fixtures import Tool


_FILES = """
backend/llvm/convert_op backend/wgsl/2d5pt dialects/affine/examples dialects/cf/cf_ops
dialects/complex/ops dialects/pdl/mlir-tests dialects/pdl_interp/pdl_interp_ops
dialects/scf/parallel_bounds dialects/smt/bv_ops dialects/tosa/ops dialects/wasmssa/ops
mlir-conversion/with-mlir/dialects/linalg/linalg_on_memrefs
mlir-conversion/with-mlir/parser-printer/custom_format_debuginfo parser-printer/metadata
mlir-conversion/with-mlir/dialects/transform/tile_using_for
projects/riscv-backend-paper/nsnet transforms/loop-hoist-memref/loop-nest
"""
"""Files of xDSL's suite that MLIR can read."""

PIPELINES = [
    ("--canonicalize", "--convert-scf-to-cf", "--convert-to-llvm", "--mlir-print-op-generic"),
    ("-p", "builtin.module(func.func(cse,canonicalize),symbol-dce,inline)"),
]


def _assert_same(tool: Tool, *arguments: str) -> None:
    """Compare output, exit code, and the first line of the errors."""
    code, out, err = run_mlir_opt(*arguments)
    ours = tool("--ir=mlir", *arguments)
    assert (ours.code, ours.out) == (code, out)
    assert ours.err.partition("\n")[0] == err.partition("\n")[0]


@pytest.mark.parametrize(("name", "flags"), [*zip(_FILES.split(), cycle(PIPELINES), strict=False)])
def test_real_files(tool: Tool, name: str, flags: tuple[str, ...]) -> None:
    """Real files come out of pipelines byte for byte as mlir-opt prints them."""
    path = CORPUS / f"{name}.mlir"
    if not path.exists():
        pytest.skip("the corpus of this xDSL does not have it")
    _assert_same(tool, str(path), *flags)


BROKEN = {
    "undeclared value": "func.func @f() {\n  return %x : i32\n}\n",
    "redefined value": "func.func @f(%a: i32) {\n  %a = arith.constant 1 : i32\n  return\n}\n",
    "no terminator": "func.func @f() {\n  %0 = arith.constant 1 : i64\n}\n",
    "unregistered": '"x.y"() : () -> ()\n',
    "unknown dialect": "x.y\n",
    "open string": 'module @"abc {}\n',
    "unknown attribute": "module attributes {a = #foo} {}\n",
    "no dominance": (
        "func.func @f() -> i32 {\n  cf.br ^bb1\n^bb2:\n  return %0 : i32\n"
        "^bb1:\n  %0 = arith.constant 1 : i32\n  return %0 : i32\n}\n"
    ),
    "number too large": "func.func @f() {\n  %0 = arith.constant 300 : i8\n  return\n}\n",
    "unknown metadata": "module {}\n{-# foo: {} #-}\n",
    "second part": "module @a {}\n// -----\n\nfunc.func @f() { return %x : i32 }\n// -----\n",
}


@pytest.mark.parametrize("source", BROKEN.values(), ids=BROKEN)
def test_broken_files(tool: Tool, source: str) -> None:
    """What is wrong is said in MLIR's words and at its place; what is split, is printed as there."""
    Path("broken.mlir").write_text(source)
    _assert_same(tool, "broken.mlir", "--split-input-file", "--no-implicit-module")
    _assert_same(tool, "broken.mlir", "--verify-diagnostics")


def test_errors_show_their_op(tool: Tool) -> None:
    """Errors of the verifier say all that mlir-opt says, the op included."""
    Path("broken.mlir").write_text("module attributes {a} {}\n")
    assert tool("--ir=mlir", "broken.mlir").err == run_mlir_opt("broken.mlir").err


def test_an_op_in_a_note_is_printed_by_itself(tool: Tool) -> None:
    """As MLIR prints it there: without looking through the rest of the module for aliases."""
    Path("plugin.py").write_text(FAIL)
    Path("in.mlir").write_text(
        "#map = affine_map<(d0) -> (d0)>\nfunc.func private @f() attributes {x.map = #map}"
    )
    flags = ("--load-pass-plugin=plugin.py", "--ir=mlir", "--allow-unregistered-dialect")
    outcome = tool("in.mlir", *flags, "-p", "builtin.module(func.func(fail))")
    assert "x.map = affine_map<(d0) -> (d0)>" in outcome.err.partition("see current operation")[2]


SOURCE = """\
#big = dense<[1, 2, 3, 4]> : tensor<4xi32>
module attributes {func.x = dense_resource<a> : tensor<1xi8>} {
  func.func @f(%a: i32 loc("foo")) -> i32 {
    %0 = arith.constant 1 : i32 loc("bar")
    %1 = arith.addi %a, %0 : i32 loc("x.mlir":1:2)
    %2 = arith.addi %a, %0 : i32
    %3 = arith.constant #big
    return %1 : i32
  }
}
{-# dialect_resources: { builtin: { a: "0x0800000001" } }, // both
    external_resources: { zoo: { k: "0x0800000002", v: true, "a b": "s\\"\\\\\\0A" }, x: {y: false} } #-}
"""

SAME: dict[str, tuple[str, ...]] = {
    "allow-unregistered-dialect": ("--allow-unregistered-dialect",),
    "dump-pass-pipeline": ("--cse", "--symbol-dce", "--dump-pass-pipeline"),
    "emit-bytecode-version": ("--emit-bytecode-version=x",),
    "mlir-diagnostic-verbosity-level": ("--mlir-diagnostic-verbosity-level=errors",),
    "mlir-disable-diagnostic-notes": ("--mlir-disable-diagnostic-notes",),
    "mlir-disable-threading": ("--mlir-disable-threading", "--cse"),
    "mlir-elide-elementsattrs-if-larger": ("--mlir-elide-elementsattrs-if-larger=2",),
    "mlir-elide-resource-strings-if-larger": ("--mlir-elide-resource-strings-if-larger=14",),
    "mlir-pretty-debuginfo": ("--mlir-pretty-debuginfo", "--mlir-print-debuginfo"),
    "mlir-print-assume-verified": ("--mlir-print-assume-verified",),
    "mlir-print-debuginfo": ("--mlir-print-debuginfo",),
    "mlir-print-ir-after": ("--cse", "--mlir-print-ir-after=cse"),
    "mlir-print-ir-after-all": ("--cse", "--mlir-print-ir-after-all"),
    "mlir-print-ir-after-change": (
        *("--cse", "--symbol-dce", "--mlir-print-ir-after-all", "--mlir-print-ir-after-change"),
    ),
    "mlir-print-ir-after-failure": ("--cse", "--mlir-print-ir-after-failure"),
    "mlir-print-ir-before": ("--cse", "--mlir-print-ir-before=cse"),
    "mlir-print-ir-before-all": ("--cse", "--mlir-print-ir-before-all"),
    "mlir-print-ir-module-scope": (
        *("-p", "builtin.module(func.func(cse))", "--mlir-print-ir-after-all"),
        *("--mlir-print-ir-module-scope", "--mlir-disable-threading"),
    ),
    "mlir-print-local-scope": ("--mlir-print-local-scope", "--mlir-print-debuginfo"),
    "mlir-print-op-generic": ("--mlir-print-op-generic",),
    "mlir-print-op-on-diagnostic": ("--mlir-print-op-on-diagnostic=false",),
    "mlir-print-skip-regions": ("--mlir-print-skip-regions",),
    "mlir-use-nameloc-as-prefix": ("--mlir-use-nameloc-as-prefix",),
    "no-implicit-module": ("--no-implicit-module",),
    "output-split-marker": ("--split-input-file=zoo", "--output-split-marker=// =="),
    "pass-pipeline": ("--pass-pipeline=builtin.module(func.func(cse))",),
    "remark-policy": ("--remarks-filter=.*", "--remark-policy=final", "--cse"),
    "split-input-file": ("--split-input-file",),
    "verify-diagnostics": ("--verify-diagnostics",),
    "verify-each": ("--verify-each=false", "--cse"),
    "verify-roundtrip": ("--verify-roundtrip",),
}
"""Flags with which the output and the first line of errors are mlir-opt's."""


def _peak(*command: str | Path) -> int:
    """Return the most memory that a program has at once."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    assert status == 0
    return usage.ru_maxrss


def test_memory_of_a_part_is_gone_with_it(tmp_path: Path) -> None:
    """However many parts an input has, the tool takes half as much again as mlir-opt at most."""
    file = tmp_path / "parts.mlir"
    parts = (f"func.func @f{n}(%a: i32) -> i32 {{ return %a : i32 }}\n" for n in range(300))
    file.write_text("// -----\n".join(parts))
    flags = [str(file), "--split-input-file", "--pass-pipeline=builtin.module(func.func(cse))"]
    ours = _peak(sys.executable, "-m", "passel", "--ir=mlir", *flags)
    assert ours < 1.5 * _peak(MLIR / "bin" / "mlir-opt", *flags)


def test_passes_in_python_find_all_dialects(tool: Tool) -> None:
    """They make ops of dialects that the input does not use, and what they report is expected."""
    Path("make.py").write_text(
        "from mlir.dialects import arith\n"
        "from mlir.ir import InsertionPoint, IntegerType, Location\n"
        "from passel import Pass\n"
        "class Make(Pass):\n"
        "    name = 'make'\n"
        "    def run(self, op, ctx):\n"
        "        with Location.unknown(), InsertionPoint(op.body):\n"
        "            arith.ConstantOp(IntegerType.get_signless(32), 3)\n"
        "        op.location.emit_error('made')\n"
    )
    Path("in.mlir").write_text("module {} // expected-error {{made}}\n")
    flags = ("--load-pass-plugin=make.py", "--verify-diagnostics", "-p", "builtin.module(make)")
    ours = tool("--ir=mlir", "in.mlir", *flags)
    assert ours.code == 0
    assert "arith.constant 3" in ours.out, ours.err


@pytest.mark.parametrize("flags", SAME.values(), ids=SAME)
def test_flags_of_mlir_opt(tool: Tool, flags: tuple[str, ...]) -> None:
    """A flag does what it does in mlir-opt, on a file with resources, aliases and locations."""
    Path("in.mlir").write_text(SOURCE)
    code, out, err = run_mlir_opt("in.mlir", *flags)
    ours = tool("--ir=mlir", "in.mlir", *flags)
    assert (ours.code, ours.out) == (code, out)
    if not flags[0].startswith("--emit"):
        assert ours.err.rstrip() == err.rstrip()


def test_a_refused_flag_is_named_as_it_was_typed(tool: Tool) -> None:
    """A flag that MLIR's bindings cannot honour is refused by the name that the user typed."""
    flag = "--mlir-very-unsafe-disable-verifier-on-parsing"
    outcome = tool("--ir=mlir", "absent.mlir", flag)
    assert outcome.code == 1
    assert outcome.err.startswith(f"passel-opt: error: '{flag}' does not work with --ir=mlir: ")


def test_flags_that_are_not_here(tool: Tool) -> None:
    """A flag that passel-opt lacks is known, and said to be missing, and why."""
    theirs = run_mlir_opt("--help-hidden").out
    for name, reason in NOT_HERE.items():
        outcome = tool("--ir=mlir", "absent.mlir", f"--{name}=x")
        assert outcome.err == f"passel-opt: error: '--{name}=x' is not available: {reason}\n"
        assert "--compat=xdsl" in reason or f"--{name}" in theirs


# -- A tool of its own: bytecode, dialects and Python passes ----------------------------------


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
    text = f"// {{-# external_resources: {{ no: {{ a: true }} }} #-}}\n{SOURCE}"
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
