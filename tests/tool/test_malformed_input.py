"""One malformed input for each way to be wrong, and the one error that it gives."""

from __future__ import annotations

import os
import re
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
    """On xDSL's ops there may be three times as many levels as for xdsl-opt, on MLIR's 1,000."""
    levels = 1000 if "--ir=mlir" in flags else 400
    text = "func.func @f(%c: i1) {" + "scf.if %c {" * levels + "}" * levels + "return }"
    assert tool(*flags, stdin=text.encode()).code == 0
