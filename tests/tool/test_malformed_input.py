"""One malformed input, pipeline or flag for each way to be wrong, and the one error that it gives."""

from __future__ import annotations

import os
import re
import subprocess
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import only_error, run_mlir_opt

if TYPE_CHECKING:
    from tool_fixtures import Tool


# -- files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("absent.mlir", "No such file or directory"),
        (".", "Is a directory"),
        ("in.mlir/x", "Not a directory"),
        ("a\0b", "embedded null byte"),
        ("x" * 300, "File name too long"),
    ],
    ids=["missing", "directory", "below a file", "null byte", "long name"],
)
def test_inputs_that_cannot_be_opened(tool: Tool, path: str, reason: str) -> None:
    """The message names the file and the system's reason."""
    assert only_error(tool(path)) == (
        f"passel-opt: error: cannot open input file '{path}': {reason}\n"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_unreadable_input(tool: Tool) -> None:
    """A file without read permission is named, with the reason."""
    Path("in.mlir").chmod(0)
    assert "cannot open input file 'in.mlir': Permission denied" in only_error(tool("in.mlir"))


def test_bytecode(tool: Tool, tmp_path: Path) -> None:
    """MLIR bytecode is recognised, and the message says what reads it."""
    assert run_mlir_opt("in.mlir", "--emit-bytecode", "-o", "in.mlirbc").code == 0
    assert only_error(tool("in.mlirbc")) == (
        "passel-opt: error: 'in.mlirbc' is MLIR bytecode, which xDSL cannot read; use --ir=mlir\n"
    )


FAILS = """\
from passel import OperationPass, PassFailure
class Fails(OperationPass):
    name, anchor, can_fork = "fails", "func.func", True
    def run(self, op, ctx):
        ctx.emit_warning("so")
        raise PassFailure("no")
"""
NAMES = ("secret.txt", "fifo", "/dev/zero")
WAYS = {
    "workers": ["-j2"],
    "parts": ["--split-input-file"],
    "expectations": ["--verify-diagnostics"],
    "reproducer": [*("--mlir-print-debuginfo", "--mlir-pass-pipeline-crash-reproducer=crash.mlir")],
}


@pytest.mark.parametrize("adapter", ["xdsl", "mlir"])
@pytest.mark.parametrize(
    ("name", "way"), [*zip(cycle(NAMES), ["parsed", "replayed", *WAYS], strict=False)]
)
def test_files_that_locations_name_are_not_opened(
    tool: Tool, adapter: str, name: str, way: str
) -> None:
    """No line of them is shown, and one that never ends does not keep the tool waiting."""
    Path("secret.txt").write_text("TOP SECRET\n")
    os.mkfifo("fifo")
    Path("fails.py").write_text(FAILS)
    flags, place = [f"--ir={adapter}", "--load-pass-plugin=fails.py"], f'loc("{name}":1:1)'
    text = f"func.func private @f() {place}\nfunc.func private @g() {place}\n"
    pipeline = "builtin.module(func.func(fails))"
    if way == "parsed":
        text = f'"arith.constant"() {{value = 1 : i64}} : () -> i32 {place}\n'
    elif way == "replayed":
        flags.append("--run-reproducer")
        record = f'{{mlir_reproducer: {{pipeline: "{pipeline}"}}}}'
        text += f"{{-# external_resources: {record} #-}}\n"
    else:
        flags += [*WAYS[way], "-p", pipeline]
    result = tool(*flags, stdin=text)
    assert result.code == 1
    assert f"{name}:1:1: error: " in result.err
    assert "SECRET" not in result.err


# -- sources -------------------------------------------------------------------------------


WRONG = {
    "invalid UTF-8": (b"func.func @f() {\n  return // \xc3\xa9\xff\n}\n", "2:14: error: the input is not UTF-8 text: invalid byte 0xff"),
    "NUL": (b"func.func @f() {\n  \0return\n}\n", "2:3: error: Unexpected character: U+0000"),
    "unterminated string": (b'func.func @f() {\n  "test.op\n}\n', '2:3: error: expected \'"\' in string literal'),
    "bad escape": (b'func.func @f() {\n  "te\\st.op"() : () -> ()\n}\n', "2:6: error: unknown escape in string literal"),
    "unterminated comment": (b"func.func @f() {\n  return\n}\n/* the end", "4:1: error: expected operation, alias definition or file metadata"),
    "CRLF": (b"func.func @f() {\r\n  return %\r\n}\r\n", "2:10: error: Expected suffix identifier after '%'"),
    "BOM": (b"\xef\xbb\xbffunc.func @f() { % }\n", "1:18: error: Expected suffix identifier after '%'"),
    "undefined block": (b"\tfunc.func @f() {\n\t\tcf.br ^bb7\n}\n", "2:9: error: reference to an undefined block"),
    "undefined value": (b'func.func @f() {\n  "test.op"(%x, %y) : (i32, i32) -> ()\n  return\n}\n', "2:13: error: use of undeclared SSA value name '%x'"),
    "unknown dialect": (b"func.func @f() {\n  nonsense.op\n}\n", "2:3: error: Dialect `nonsense' not found for custom op 'nonsense.op' "),
    "unknown op": (b"func.func @f() {\n  arith.constnt 1\n}\n", "2:3: error: custom op 'arith.constnt' is unknown; did you mean 'arith.constant'?"),
    "ends too early": (b"func.func @f() {\n  return", "2:9: error: expected an operation, a block label, or '}' to end the region"),
}  # fmt: skip
"""Sources, and places and messages of their errors."""


@pytest.mark.parametrize(("source", "error"), WRONG.values(), ids=WRONG)
def test_wrong_sources(tool: Tool, source: bytes, error: str) -> None:
    """What is wrong in a source is shown with its line and a caret."""
    first, line, caret = only_error(tool(stdin=source)).splitlines()[:3]
    assert first.rstrip() == f"<stdin>:{error.rstrip()}"
    number, column = map(int, error.split(":")[:2])
    text = source.decode("utf-8-sig", "replace").replace("\0", "\N{SYMBOL FOR NULL}")
    assert line == text.splitlines()[number - 1]
    assert caret == re.sub(r"\S", " ", line[: column - 1]) + "^"


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\n",
        b"// only a comment",
        b"\xef\xbb\xbf",
        b"func.func @f() {\r\n  return // all lines end like this\r\n}\r\n",
        b"\xef\xbb\xbffunc.func @f() { return }",
    ],
    ids=["empty", "newline", "comment", "BOM alone", "CRLF", "BOM"],
)
def test_odd_sources_that_are_fine(tool: Tool, source: bytes) -> None:
    """An input may be empty, and editors' line ends and byte order marks do no harm."""
    code, out, err = tool(stdin=source)
    assert (code, err) == (0, "")
    assert out.startswith("builtin.module {\n")


@pytest.mark.parametrize(
    "line",
    [
        pytest.param('func.func @f() { "' + "x" * 1_000_000, id="in a string"),
        pytest.param("// " + "x" * 1_000_000 + "\n%", id="in a comment"),
        pytest.param("%" + "x" * 1_000_000, id="in a name"),
    ],
)
def test_line_of_a_megabyte(tool: Tool, line: str) -> None:
    """A line that no terminal could show is cut around the caret."""
    assert only_error(tool(stdin=line.encode())).startswith("<stdin>:")


@pytest.mark.parametrize(
    "flags",
    [
        ["--mlir-print-op-generic"],
        ["-p", "builtin.module(func.func(cse,canonicalize))", "--verify-each=always", "-j2"],
        ["--compat=xdsl", "-p", "cse"],
        ["--ir=mlir", "-p", "builtin.module(func.func(cse))"],
    ],
    ids=" ".join,
)
def test_deep_nesting(tool: Tool, flags: list[str]) -> None:
    """On xDSL's ops there may be three times as many levels as for xdsl-opt, on MLIR's 1,000.

    A call on most levels tells at once that what is inside is not dead: xDSL asks on each level.
    """
    levels = 900 if "--ir=mlir" in flags else 300
    opening = "scf.if %c { func.call @f(%c) : (i1) -> () " * levels + "scf.if %c {" * 100
    text = "func.func @f(%c: i1) {" + opening + "}" * (levels + 100) + "return }"
    assert tool(*flags, stdin=text.encode()).code == 0


# -- Pipelines --------------------------------------------------------------------------------


WRONG_PIPELINES = {
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
    [
        (ir, name)
        for name in WRONG_PIPELINES
        for ir in ("xdsl", "mlir")
        if ir == "xdsl" or "anchor" in name or "unknown" in name
    ],
)
def test_wrong_pipelines(tool: Tool, ir: str, name: str) -> None:
    """An error about a pipeline shows the place with a caret, and the way out."""
    pipeline, marked, message = WRONG_PIPELINES[name]
    first, line, caret = only_error(tool("in.mlir", f"--ir={ir}", "-p", pipeline)).splitlines()
    text = pipeline.replace("\x1b", "␛")
    at = text.rindex(marked)
    number, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    assert first == f"--pass-pipeline:{number}:{column}: error: {message}"
    assert line == text.splitlines()[number - 1]
    # What is said of one part of the input, as of all IR, is a place without a length.
    length = 1 if "can't run" in message else len(marked)
    assert caret == " " * (column - 1) + "^" + "~" * (length - 1)


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
