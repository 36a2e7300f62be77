"""One malformed input for each way to be wrong, and the one error that it gives."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import run_mlir_opt

if TYPE_CHECKING:
    from tool_fixtures import Tool


from tool_fixtures import only_error

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


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("absent/out.mlir", "No such file or directory"),
        (".", "Is a directory"),
        ("in.mlir/out.mlir", "Not a directory"),
    ],
)
def test_outputs_that_cannot_be_written(tool: Tool, path: str, reason: str) -> None:
    """An output that cannot be written is refused before any work is done."""
    assert only_error(tool("absent.mlir", "-o", path)) == (
        f"passel-opt: error: cannot open output file '{path}': {reason}\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_device(tool: Tool) -> None:
    """A device that is full is named."""
    assert only_error(tool("in.mlir", "-o", "/dev/full")) == (
        "passel-opt: error: cannot write output file '/dev/full': No space left on device\n"
    )


def test_bytecode(tool: Tool, tmp_path: Path) -> None:
    """MLIR bytecode is recognised, and the message says what reads it."""
    assert run_mlir_opt("in.mlir", "--emit-bytecode", "-o", "in.mlirbc").code == 0
    assert only_error(tool("in.mlirbc")) == (
        "passel-opt: error: 'in.mlirbc' is MLIR bytecode, which xDSL cannot read; --ir=mlir can\n"
    )


@pytest.mark.parametrize("adapter", ["xdsl", "mlir"])
@pytest.mark.parametrize("name", ["secret.txt", "fifo", "/dev/zero"])
def test_files_that_locations_of_a_failed_pass_name_are_not_opened(
    tool: Tool, adapter: str, name: str
) -> None:
    """Nor where workers, parts of the input, expectations or a reproducer stand in between."""
    Path("secret.txt").write_text("TOP SECRET\n")
    os.mkfifo("fifo")
    Path("fails.py").write_text(
        "from passel import OperationPass, PassFailure\n"
        "class Fails(OperationPass):\n"
        "    name = 'fails'\n"
        "    anchor = 'func.func'\n"
        "    can_fork = True\n"
        "    def run(self, op, ctx):\n"
        "        ctx.emit_warning('so')\n"
        "        raise PassFailure('no')\n"
    )
    place = f'loc("{name}":1:1)'
    text = f"func.func private @f() {place}\nfunc.func private @g() {place}\n"
    common = (f"--ir={adapter}", "--load-pass-plugin=fails.py")
    ways = (
        ("-j", "2"),
        ("--split-input-file",),
        ("--verify-diagnostics",),
        ("--mlir-print-debuginfo", "--mlir-pass-pipeline-crash-reproducer=crash.mlir"),
    )
    for way in ways:
        result = tool(*common, *way, "-p", "builtin.module(func.func(fails))", stdin=text.encode())
        assert result.code == 1
        assert f"{name}:1:1: error: " in result.err
        assert "SECRET" not in result.err
    pipeline = '{pipeline: "builtin.module(func.func(fails))"}'
    Path("kept.mlir").write_text(
        f"{text}{{-# external_resources: {{mlir_reproducer: {pipeline}}} #-}}\n"
    )
    replayed = tool(*common, "--run-reproducer", "kept.mlir")
    assert f"{name}:1:1: error: " in replayed.err
    assert "SECRET" not in replayed.err


@pytest.mark.parametrize("adapter", ["xdsl", "mlir"])
def test_files_that_locations_name_are_not_opened(tool: Tool, adapter: str) -> None:
    """No line of them is shown, and one that never ends does not keep the tool waiting."""
    Path("secret.txt").write_text("TOP SECRET\n")
    os.mkfifo("fifo")
    constant = '"arith.constant"() {value = 1 : i64} : () -> i32 loc("%s":1:1)\n'
    for name in ("secret.txt", "fifo", "/dev/zero"):
        error = only_error(tool(f"--ir={adapter}", stdin=constant % name))
        assert error.startswith(f"{name}:1:1: error: 'arith.constant' op ")
        assert "\n^" not in error
        assert "SECRET" not in error


# -- sources -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "error"),
    [
        pytest.param(
            bytes(range(256)),
            "<stdin>:2:118: error: the input is not text: byte 0x80 is not UTF-8\n",
            id="binary",
        ),
        pytest.param(
            b"func.func @f() {\n  return // \xc3\xa9\xff\n}\n",
            """\
<stdin>:2:14: error: the input is not text: byte 0xff is not UTF-8
  return // é\N{REPLACEMENT CHARACTER}
             ^
""",
            id="invalid UTF-8",
        ),
        pytest.param(
            "func.func @f()".encode("utf-16"),
            "passel-opt: error: '<stdin>' is UTF-16; MLIR is UTF-8\n",
            id="UTF-16",
        ),
        pytest.param(
            b"func.func @f() {\n  \0return\n}\n",
            """\
<stdin>:2:3: error: Unexpected character: U+0000
  ␀return
  ^
""",
            id="NUL",
        ),
        pytest.param(
            b'func.func @f() {\n  "test.op\n}\n',
            """\
<stdin>:2:3: error: expected '"' in string literal
  "test.op
  ^
""",
            id="unterminated string",
        ),
        pytest.param(
            b'func.func @f() {\n  "te\\st.op"() : () -> ()\n}\n',
            """\
<stdin>:2:6: error: unknown escape in string literal
  "te\\st.op"() : () -> ()
     ^
""",
            id="bad escape",
        ),
        pytest.param(
            b"func.func @f() {\n  return\n}\n/* the end",
            """\
<stdin>:4:1: error: expected operation, alias definition or file metadata; comments start with '//'
/* the end
^
""",
            id="unterminated comment",
        ),
        pytest.param(
            b"func.func @f() {\r\n  return %\r\n}\r\n",
            """\
<stdin>:2:10: error: Expected suffix identifier after '%'
  return %
         ^
""",
            id="CRLF",
        ),
        pytest.param(
            b"\xef\xbb\xbffunc.func @f() { % }\n",
            """\
<stdin>:1:18: error: Expected suffix identifier after '%'
func.func @f() { % }
                 ^
""",
            id="BOM",
        ),
        pytest.param(
            b"\tfunc.func @f() {\n\t\tcf.br ^bb7\n}\n",
            """\
<stdin>:2:9: error: reference to an undefined block
\t\tcf.br ^bb7
\t\t      ^
""",
            id="undefined block",
        ),
        pytest.param(
            b'func.func @f() {\n  "test.op"(%x, %y) : (i32, i32) -> ()\n  return\n}\n',
            """\
<stdin>:2:13: error: use of undeclared SSA value name '%x'
  "test.op"(%x, %y) : (i32, i32) -> ()
            ^
""",
            id="undefined value",
        ),
        pytest.param(
            b"func.func @f() {\n  nonsense.op\n}\n",
            """\
<stdin>:2:3: error: Dialect `nonsense' not found for custom op 'nonsense.op'\N{SPACE}
  nonsense.op
  ^
""",
            id="unknown dialect",
        ),
        pytest.param(
            b"func.func @f() {\n  arith.constnt 1\n}\n",
            """\
<stdin>:2:3: error: custom op 'arith.constnt' is unknown; did you mean 'arith.constant'?
  arith.constnt 1
  ^
""",
            id="unknown op",
        ),
        pytest.param(
            b"func.func @f() {\n  return",
            """\
<stdin>:2:9: error: expected an operation, a block label, or '}' to end the region
  return
        ^
""",
            id="ends too early",
        ),
    ],
)
def test_wrong_sources(tool: Tool, source: bytes, error: str) -> None:
    """What is wrong in a source is shown with its line and a caret."""
    assert only_error(tool(stdin=source)).startswith(error)


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
        pytest.param('func.func @f() { "' + "x" * 10_000_000, id="in a string"),
        pytest.param("// " + "x" * 10_000_000 + "\n%", id="in a comment"),
        pytest.param("%" + "x" * 10_000_000, id="in a name"),
    ],
)
def test_line_of_ten_megabytes(tool: Tool, line: str) -> None:
    """A line that no terminal could show is cut around the caret."""
    assert only_error(tool(stdin=line.encode())).startswith("<stdin>:")


def test_regions_nested_five_thousand_deep(tool: Tool) -> None:
    """Nesting beyond what xDSL's recursive parser can follow is an error where it gave up."""
    error = only_error(tool(stdin=b"builtin.module {\n" * 5000 + b"}\n" * 5000))
    assert "error: nested too deeply\nbuiltin.module {\n" in error


_ZOO = """\
from xdsl.dialects.builtin import i32
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def

@irdl_op_definition
class CatOp(IRDLOperation):
    name = "zoo.cat"
    x = operand_def(i32)
    assembly_format = "$x `loudly` attr-dict"

ZOO = Dialect("zoo", [CatOp], [])
"""


def test_the_form_of_an_op_of_another_package(tool: Tool) -> None:
    """What the parser of a dialect that is not xDSL's refuses is said to be that package's form."""
    Path("zoo.py").write_text(_ZOO)
    source = b"func.func @f(%x: i32) {\n  zoo.cat %x softly\n  func.return\n}\n"
    error = only_error(tool("--load-dialect-plugin=zoo.py", stdin=source))
    assert error.startswith(
        "<stdin>:2:14: error: Expected 'loudly', as the package zoo reads 'zoo.cat'\n"
    )


# -- plugins -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("def f(:\n", "cannot load pass plugin 'plugin.py': SyntaxError: invalid syntax"),
        (
            "import no_such_module\n",
            (
                "cannot load pass plugin 'plugin.py': ModuleNotFoundError: "
                "No module named 'no_such_module' (plugin.py:1)"
            ),
        ),
        (
            "\n\nraise SystemExit(3)\n",
            "cannot load pass plugin 'plugin.py': SystemExit: 3 (plugin.py:3)",
        ),
        (
            "from passel import Pass\nclass Odd(Pass):\n    name = 'odd'\n    limit: object = None\n",
            "cannot load pass plugin 'plugin.py': DefinitionError: ",
        ),
        ("\xff\0", "cannot load pass plugin 'plugin.py': "),
    ],
    ids=["syntax", "import", "exit", "definition", "binary"],
)
def test_broken_plugins(tool: Tool, source: str, error: str) -> None:
    """What a plugin does wrong is one line, with the line of the plugin."""
    Path("plugin.py").write_text(source, encoding="latin-1")
    outcome = tool("in.mlir", "--load-pass-plugin=plugin.py")
    assert only_error(outcome).startswith(f"passel-opt: error: {error}")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("absent.py", "cannot open pass plugin 'absent.py': No such file or directory"),
        ("absent.module", "cannot load pass plugin 'absent.module': ModuleNotFoundError: "),
        ("./absent", "cannot load pass plugin './absent': "),
        ("passes.so", "cannot load pass plugin 'passes.so': it is native"),
    ],
)
def test_missing_plugins(tool: Tool, name: str, error: str) -> None:
    """A plugin that is not there is named."""
    outcome = tool("in.mlir", f"--load-pass-plugin={name}")
    assert only_error(outcome).startswith(f"passel-opt: error: {error}")
