"""One malformed input for each way to be wrong, and the one error that it gives."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import run_mlir_opt

if TYPE_CHECKING:
    from tool_fixtures import Outcome, Start, Tool


def _only_error(outcome: Outcome) -> str:
    """Return the error after checking that it is the only one, and no traceback."""
    assert outcome.code == 1
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    assert outcome.err.count("error:") == 1
    assert len(outcome.err) < 2000
    return outcome.err


# -- pipelines -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pipeline", "error"),
    [
        pytest.param(
            "builtin.module(csee)",
            """\
--pass-pipeline:1:16: error: 'csee' does not refer to a registered pass or pass pipeline; did you mean 'cse'?
builtin.module(csee)
               ^~~~
""",
            id="unknown pass",
        ),
        pytest.param(
            "builtin.module(cse",
            """\
--pass-pipeline:1:1: error: encountered unbalanced parentheses while parsing pipeline: 'builtin.module(' is not closed
builtin.module(cse
^~~~~~~~~~~~~~
""",
            id="not closed",
        ),
        pytest.param(
            "builtin.module(cse))",
            """\
--pass-pipeline:1:20: error: encountered extra closing ')' creating unbalanced parentheses while parsing pipeline
builtin.module(cse))
                   ^
""",
            id="closed twice",
        ),
        pytest.param(
            "builtin.module(cse,)",
            """\
--pass-pipeline:1:20: error: expected the name of a pass or pipeline here
builtin.module(cse,)
                   ^
""",
            id="trailing comma",
        ),
        pytest.param(
            "builtin.module(canonicalize{max-iterations=2)",
            """\
--pass-pipeline:1:28: error: missing closing '}' while processing pass options
builtin.module(canonicalize{max-iterations=2)
                           ^
""",
            id="options not closed",
        ),
        pytest.param(
            "builtin.module(\n  func.func(\n    csee))",
            """\
--pass-pipeline:3:5: error: 'csee' does not refer to a registered pass or pass pipeline; did you mean 'cse'?
    csee))
    ^~~~
""",
            id="several lines",
        ),
        pytest.param(
            "builtin.module(canonicalize{max-iters=2})",
            """\
--pass-pipeline:1:29: error: no such option 'max-iters' for pass 'canonicalize'; did you mean 'max-iterations'?
builtin.module(canonicalize{max-iters=2})
                            ^~~~~~~~~
""",
            id="unknown option",
        ),
        pytest.param(
            "builtin.module(canonicalize{max-iterations=many})",
            """\
--pass-pipeline:1:44: error: option 'max-iterations' of pass 'canonicalize': 'many' value invalid for integer argument!
builtin.module(canonicalize{max-iterations=many})
                                           ^~~~
""",
            id="bad option value",
        ),
        pytest.param(
            "builtin.module(func.fun(cse))",
            """\
--pass-pipeline:1:16: error: no registered operation is called 'func.fun'; did you mean 'func.func'?
builtin.module(func.fun(cse))
               ^~~~~~~~
""",
            id="unknown anchor",
        ),
        pytest.param(
            "builtin.module(unknown.op(cse))",
            """\
--pass-pipeline:1:16: error: no registered operation is called 'unknown.op'
builtin.module(unknown.op(cse))
               ^~~~~~~~~~
""",
            id="anchor of an unknown dialect",
        ),
        pytest.param(
            "builtin.module(scf.for(cse))",
            """\
--pass-pipeline:1:16: error: 'scf.for' cannot anchor a pipeline: it is not marked as 'IsolatedFromAbove', so its passes could not run apart from what is around it
builtin.module(scf.for(cse))
               ^~~~~~~
""",
            id="anchor that is not isolated",
        ),
        pytest.param(
            "func.func(cse)",
            "in.mlir:0:0: error: can't run 'func.func' pass manager on 'builtin.module' op; "
            "to run it on the ops inside, write builtin.module(func.func(cse))\n",
            id="anchor of another op",
        ),
        pytest.param(
            "builtin.module(\x1bcse)",
            """\
--pass-pipeline:1:16: error: '␛cse' does not refer to a registered pass or pass pipeline; did you mean 'cse'?
builtin.module(␛cse)
               ^~~~
""",
            id="control characters",
        ),
    ],
)
def test_wrong_pipelines(tool: Tool, pipeline: str, error: str) -> None:
    """A wrong pipeline is shown with a caret under what is wrong, and the way out."""
    assert _only_error(tool("in.mlir", "-p", pipeline)) == error


def test_unregistered_op_under_an_explicit_anchor(tool: Tool) -> None:
    """Passes don't run on an op that nobody knows, even if the input may contain it."""
    arguments = ("--allow-unregistered-dialect", "-p", "builtin.module(unknown.op(cse))")
    error = _only_error(tool(*arguments, stdin=b'"unknown.op"() ({}) : () -> ()'))
    assert "error: no registered operation is called 'unknown.op'" in error
    assert "               ^~~~~~~~~~\n" in error


@pytest.mark.parametrize("anchor", ["func.func", "any"])
def test_pipelines_nested_ten_thousand_deep(tool: Tool, anchor: str) -> None:
    """Absurd nesting is refused quickly, with a short excerpt around the limit."""
    pipeline = f"{anchor}(" * 10_000 + "cse" + ")" * 10_000
    error = _only_error(tool("in.mlir", "-p", pipeline))
    assert "error: pipeline is nested more than 256 levels deep\n" in error


def test_options_of_a_pass_flag_are_attached(tool: Tool) -> None:
    """Options after a space are taken for an input, and the message shows how to write them."""
    for words in (
        ("in.mlir", "--canonicalize", "max-iterations=2"),
        ("--canonicalize", "max-iterations=2", "in.mlir"),
        ("--canonicalize", "max-iterations=2"),
    ):
        error = _only_error(tool(*words))
        assert error.endswith("their pass: --canonicalize='max-iterations=2'\n")


def test_wrong_options_of_a_pass_flag(tool: Tool) -> None:
    """Options given by flag have a caret too."""
    assert (
        _only_error(tool("in.mlir", "--canonicalize=max-iterations=2 top-dwn=0"))
        == """\
--canonicalize:1:18: error: no such option 'top-dwn' for pass 'canonicalize'; did you mean 'top-down'?
max-iterations=2 top-dwn=0
                 ^~~~~~~
"""
    )


# -- flags ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["in.mlir", "other.mlir"], "more than one input: 'in.mlir' and 'other.mlir'"),
        (["in.mlir", "-o"], "'-o' requires a value: -o=<file>"),
        (["--pass-pipeline"], "'--pass-pipeline' requires a value: --pass-pipeline=<pipeline>"),
        (["--load-pass-plugin"], "'--load-pass-plugin' requires a value"),
        (
            ["--no-implicit-module=maybe"],
            "'--no-implicit-module' takes true or false, or no value, not 'maybe'",
        ),
        (
            ["--verify-each=sometimes"],
            "'--verify-each' takes one of true, false, 1, 0, always, not 'sometimes'",
        ),
        (
            ["--verify-diagnostics=only-expectd"],
            (
                "'--verify-diagnostics' takes one of all, only-expected, not 'only-expectd'; "
                "did you mean 'only-expected'?"
            ),
        ),
        (["--compat=mlir"], "'--compat' takes one of xdsl, not 'mlir'"),
        (
            ["--slpit-input-file"],
            (
                "unknown command line argument '--slpit-input-file'; "
                "did you mean '--split-input-file'?\nTry 'passel-opt --help'"
            ),
        ),
        (["-csee"], "unknown command line argument '-csee'; did you mean '--cse'?"),
        (["--gibberish"], "unknown command line argument '--gibberish'\nTry"),
        (
            ["in.mlir", "--cse", "-p", "cse"],
            "'--pass-pipeline' can't be used with individual pass options such as '--cse'",
        ),
        (["in.mlir", "-t", "riscv"], "no such target 'riscv'; did you mean 'riscv-asm'?"),
        (["in.mlir", "-t", "riscv-asm{"], "--target: "),
        (["in.mlir", "-t", "riscv-asm{x=1}"], "target 'riscv-asm': "),
        (["in.mlir", "-f", "fortran"], "no such frontend 'fortran'; 'mlir' is the only one"),
    ],
)
def test_wrong_flags(tool: Tool, arguments: list[str], error: str) -> None:
    """A wrong command line is one line that names the flag, and what it takes."""
    assert _only_error(tool(*arguments)).startswith(f"passel-opt: error: {error}")


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
    assert _only_error(tool(path)) == (
        f"passel-opt: error: cannot open input file '{path}': {reason}\n"
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_unreadable_input(tool: Tool) -> None:
    """A file without read permission is named, with the reason."""
    Path("in.mlir").chmod(0)
    assert "cannot open input file 'in.mlir': Permission denied" in _only_error(tool("in.mlir"))


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
    assert _only_error(tool("absent.mlir", "-o", path)) == (
        f"passel-opt: error: cannot open output file '{path}': {reason}\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_device(tool: Tool) -> None:
    """A device that is full is named."""
    assert _only_error(tool("in.mlir", "-o", "/dev/full")) == (
        "passel-opt: error: cannot write output file '/dev/full': No space left on device\n"
    )


def test_bytecode(tool: Tool, tmp_path: Path) -> None:
    """MLIR bytecode is recognised, and the message says what reads it."""
    assert run_mlir_opt("in.mlir", "--emit-bytecode", "-o", "in.mlirbc").code == 0
    assert _only_error(tool("in.mlirbc")) == (
        "passel-opt: error: 'in.mlirbc' is MLIR bytecode, which xDSL cannot read; --ir=mlir can\n"
    )


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
    assert _only_error(tool(stdin=source)).startswith(error)


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
    assert _only_error(tool(stdin=line.encode())).startswith("<stdin>:")


def test_regions_nested_five_thousand_deep(tool: Tool) -> None:
    """Nesting beyond what xDSL's recursive parser can follow is an error where it gave up."""
    error = _only_error(tool(stdin=b"builtin.module {\n" * 5000 + b"}\n" * 5000))
    assert "error: nested too deeply\nbuiltin.module {\n" in error


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
    assert _only_error(outcome).startswith(f"passel-opt: error: {error}")


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("absent.py", "cannot open pass plugin 'absent.py': No such file or directory"),
        ("absent.module", "cannot load pass plugin 'absent.module': ModuleNotFoundError: "),
        ("./absent", "cannot load pass plugin './absent': "),
        ("passes.so", "cannot load pass plugin 'passes.so': "),
    ],
)
def test_missing_plugins(tool: Tool, name: str, error: str) -> None:
    """A plugin that is not there is named."""
    outcome = tool("in.mlir", f"--load-pass-plugin={name}")
    assert _only_error(outcome).startswith(f"passel-opt: error: {error}")


# -- processes -----------------------------------------------------------------------------

_SLEEPER = """\
import time
from passel import Pass

class Sleep(Pass):
    name = "sleep-long"

    def run(self, op, ctx):
        print("asleep", flush=True)
        time.sleep(60)
"""


def test_ctrl_c_during_a_pass(start: Start, tmp_path: Path) -> None:
    """Ctrl-C names the pass that was running, and leaves no output file."""
    (tmp_path / "plugin.py").write_text(_SLEEPER)
    process = start("in.mlir", "--load-pass-plugin=plugin.py", "--sleep-long", "-o", "out.mlir")
    assert process.stdout is not None
    assert process.stdout.readline() == "asleep\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert err.startswith("passel-opt: interrupted: in.mlir:0:0: 'builtin.module' op pass")
    assert "'sleep-long' was interrupted" in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == [
        "in.mlir",
        "plugin.py",
    ]


def test_reader_that_has_had_enough(start: Start, tmp_path: Path) -> None:
    """A closed pipe ends the tool without a word."""
    functions = "".join(f"func.func private @f{index}()\n" for index in range(10_000))
    (tmp_path / "in.mlir").write_text(functions)
    out, err = start("in.mlir", piped="| head -1").communicate(timeout=60)
    assert (out, err) == ("builtin.module {\n", "")


@pytest.mark.parametrize(
    ("arguments", "closed", "error"),
    [
        (
            [],
            "<&-",
            "passel-opt: error: there is no input: no file is given and the standard input is closed\n",
        ),
        (
            ["in.mlir"],
            ">&-",
            "passel-opt: error: cannot write the output: the standard output is closed\n",
        ),
        (
            ["--help"],
            ">&-",
            "passel-opt: error: cannot write the output: the standard output is closed\n",
        ),
        (["absent.mlir"], "2>&-", ""),
    ],
    ids=["input", "output", "help", "errors"],
)
def test_closed_streams(start: Start, arguments: list[str], closed: str, error: str) -> None:
    """A standard stream that is closed is named, and no other is used in its place."""
    process = start(*arguments, piped=closed)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (1, "", error)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_standard_output(start: Start) -> None:
    """Output that the system does not take is an error, said once."""
    process = start("in.mlir", piped="> /dev/full")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err == (
        "passel-opt: error: cannot write to the standard output: No space left on device\n"
    )
