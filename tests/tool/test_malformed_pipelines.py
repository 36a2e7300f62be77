"""One malformed pipeline or flag for each way to be wrong, and the one error that it gives."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import only_error

if TYPE_CHECKING:
    from pathlib import Path

    from tool_fixtures import Tool

# -- pipelines -----------------------------------------------------------------------------


WRONG = {
    "unknown pass": ("builtin.module(csee)", "csee", "'csee' does not refer to a registered pass or pass pipeline; did you mean 'cse'?"),
    "not closed": ("builtin.module(cse", "builtin.module", "encountered unbalanced parentheses while parsing pipeline: 'builtin.module(' is not closed"),
    "closed twice": ("builtin.module(cse))", ")", "encountered extra closing ')' creating unbalanced parentheses while parsing pipeline"),
    "trailing comma": ("builtin.module(cse,)", ")", "expected the name of a pass or pipeline here"),
    "options not closed": ("builtin.module(canonicalize{max-iterations=2)", "{", "missing closing '}' while processing pass options"),
    "several lines": ("builtin.module(\n  func.func(\n    csee))", "csee", "'csee' does not refer to a registered pass or pass pipeline; did you mean 'cse'?"),
    "unknown option": ("builtin.module(canonicalize{max-iters=2})", "max-iters", "no such option 'max-iters' for pass 'canonicalize'; did you mean 'max-iterations'?"),
    "bad option value": ("builtin.module(canonicalize{max-iterations=many})", "many", "option 'max-iterations' of pass 'canonicalize': 'many' value invalid for integer argument!"),
    "unknown anchor": ("builtin.module(func.fun(cse))", "func.fun", "no registered operation is called 'func.fun'; did you mean 'func.func'?"),
    "anchor of an unknown dialect": ("builtin.module(unknown.op(cse))", "unknown.op", "no registered operation is called 'unknown.op'"),
    "anchor that is not isolated": ("builtin.module(scf.for(cse))", "scf.for", "'scf.for' cannot anchor a pipeline: it is not marked as 'IsolatedFromAbove', so passes on this op could not run separately from the ops around it"),
    "anchor of no op at the top": ("module(cse)", "module", "can't run 'module' pass manager on 'builtin.module' op; no registered operation is called 'module'"),
    "anchor of another op": ("func.func(cse)", "func.func", "can't run 'func.func' pass manager on 'builtin.module' op; to run the pipeline on nested ops, write builtin.module(func.func(...))"),
    "control characters": ("builtin.module(\x1bcse)", "␛cse", "'␛cse' does not refer to a registered pass or pass pipeline; did you mean 'cse'?"),
}  # fmt: skip
"""Pipelines, what is wrong in them, and what is said of it."""


@pytest.mark.parametrize(
    ("ir", "name"),
    [(ir, name) for name in WRONG for ir in ("xdsl", "mlir") if ir == "xdsl" or "anchor" in name],
)
def test_wrong_pipelines(tool: Tool, ir: str, name: str) -> None:
    """An error about a pipeline shows the place with a caret, and the way out."""
    pipeline, marked, message = WRONG[name]
    first, line, caret = only_error(tool("in.mlir", f"--ir={ir}", "-p", pipeline)).splitlines()
    text = pipeline.replace("\x1b", "␛")
    at = text.rindex(marked)
    number, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    assert first == f"--pass-pipeline:{number}:{column}: error: {message}"
    assert line == text.splitlines()[number - 1]
    assert caret == " " * (column - 1) + "^" + "~" * (len(marked) - 1)


def test_unregistered_op_under_an_explicit_anchor(tool: Tool) -> None:
    """Passes don't run on an unregistered op, even if the input may contain it."""
    arguments = ("--allow-unregistered-dialect", "-p", "builtin.module(unknown.op(cse))")
    error = only_error(tool(*arguments, stdin=b'"unknown.op"() ({}) : () -> ()'))
    assert "error: no registered operation is called 'unknown.op'" in error


@pytest.mark.parametrize("anchor", ["func.func", "any"])
def test_pipelines_nested_ten_thousand_deep(tool: Tool, anchor: str) -> None:
    """Absurd nesting is refused quickly, with a short excerpt around the limit."""
    pipeline = f"{anchor}(" * 10_000 + "cse" + ")" * 10_000
    error = only_error(tool("in.mlir", "-p", pipeline))
    assert "error: pipeline is nested more than 64 levels deep\n" in error


OF_BYTES = [
    b"builtin.module(cs\xffe)",
    b"builtin.module(canonicalize{top-down=\xff})",
    b"builtin.module(canonicalize{\xff=1})",
    b"builtin.module(func.f\xff(cse),func.func(cse))",
    b"builtin.module(inline{op-pipelines=func.func(c\xff)})",
    b"any(\xff)",
    b"buil\xff(cse)",
]


@pytest.mark.parametrize("pipeline", OF_BYTES)
def test_bytes_that_are_no_text(tmp_path: Path, programs: Path, pipeline: bytes) -> None:
    """What is wrong is said in a line with a caret below it, not by a traceback."""
    (tmp_path / "in.mlir").write_text("func.func @f() { return }")
    command = [programs / "passel-opt", "in.mlir", b"-p", pipeline]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (1, b"")
    first, *shown, caret = done.stderr.decode().splitlines()
    assert re.match(r"--pass-pipeline:1:\d+: error: ", first)
    assert shown == [os.fsdecode(pipeline).replace("\udcff", r"\udcff")]
    assert "^" in caret


def test_wrong_options_of_a_pass_flag(tool: Tool) -> None:
    """Options given by flag have a caret too."""
    error = only_error(tool("in.mlir", "--canonicalize=max-iterations=2 top-dwn=0"))
    assert error.startswith("--canonicalize:1:18: error: no such option 'top-dwn' for pass 'canon")
    assert error.endswith("\nmax-iterations=2 top-dwn=0\n                 ^~~~~~~\n")


# -- flags ---------------------------------------------------------------------------------


WRONG_FLAGS = [
    (["in.mlir", "other.mlir"], "expected one input, got 'in.mlir' and 'other.mlir'"),
    (["in.mlir", "-o"], "'-o' requires a value: write -o <file>"),
    (["-p"], "'-p' requires a value: write -p <pipeline>"),
    (["--pass-pipeline"], "'--pass-pipeline' requires a value: write --pass-pipeline=<pipeline>"),
    (["--load-pass-plugin"], "'--load-pass-plugin' requires a value"),
    (["--load-pass-plugin="], "'--load-pass-plugin' requires a value"),
    (["--verify-roundtrip"], "'--verify-roundtrip' requires --ir=mlir, not --ir=xdsl"),
    (["--no-implicit-module=maybe"], "'--no-implicit-module' takes true, false or no value, but got 'maybe'"),
    (["--verify-each=sometimes"], "'--verify-each' takes one of true, false, 1, 0, always, not 'sometimes'"),
    (["--verify-diagnostics=only-expectd"], "'--verify-diagnostics' takes one of all, only-expected, not 'only-expectd'; did you mean 'only-expected'?"),
    (["--compat=mlir"], "'--compat' takes one of xdsl, not 'mlir'"),
    (["--slpit-input-file"], "unknown command line argument '--slpit-input-file'; did you mean '--split-input-file'?\nTry 'passel-opt --help'"),
    (["-pp"], "unknown command line argument '-pp'; did you mean '-p'?\nTry"),
    (["--convert-func-to-llvm=x"], "unknown command line argument '--convert-func-to-llvm=x'"),
    (["-csee"], "unknown command line argument '-csee'; did you mean '--cse'?"),
    (["--gibberish"], "unknown command line argument '--gibberish'\nTry"),
    (["in.mlir", "--cse", "-p", "cse"], "'-p' can't be used with individual pass options such as '--cse'"),
    (["in.mlir", "-t", "riscv"], "no such target 'riscv'; did you mean 'riscv-asm'?"),
    (["in.mlir", "-t", "riscv-asm{"], "--target: "),
    (["in.mlir", "-t", "riscv-asm{x=1}"], "target 'riscv-asm': "),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "error"), WRONG_FLAGS)
def test_wrong_flags(tool: Tool, arguments: list[str], error: str) -> None:
    """A wrong command line is one line that names the flag, and what it takes."""
    assert only_error(tool(*arguments)).startswith(f"passel-opt: error: {error}")
