"""One malformed pipeline or flag for each way to be wrong, and the one error that it gives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tool_fixtures import Tool


from tool_fixtures import only_error

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
            "builtin.module(cse;dce)",
            """\
--pass-pipeline:1:16: error: 'cse;dce' does not refer to a registered pass or pass pipeline; passes are separated by commas
builtin.module(cse;dce)
               ^~~~~~~
""",
            id="semicolons",
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
--pass-pipeline:1:16: error: 'scf.for' cannot anchor a pipeline: it is not marked as 'IsolatedFromAbove', so its passes could not run apart from what encloses it
builtin.module(scf.for(cse))
               ^~~~~~~
""",
            id="anchor that is not isolated",
        ),
        pytest.param(
            "func.func(cse)",
            """\
--pass-pipeline:1:1: error: can't run 'func.func' pass manager on 'builtin.module' op; to run it on the ops inside, write builtin.module(func.func(cse))
func.func(cse)
^~~~~~~~~
""",
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
    assert only_error(tool("in.mlir", "-p", pipeline)) == error


def test_unregistered_op_under_an_explicit_anchor(tool: Tool) -> None:
    """Passes don't run on an unregistered op, even if the input may contain it."""
    arguments = ("--allow-unregistered-dialect", "-p", "builtin.module(unknown.op(cse))")
    error = only_error(tool(*arguments, stdin=b'"unknown.op"() ({}) : () -> ()'))
    assert "error: no registered operation is called 'unknown.op'" in error
    assert "               ^~~~~~~~~~\n" in error


@pytest.mark.parametrize("adapter", ["xdsl", "mlir"])
def test_a_misspelt_anchor_is_corrected_first(tool: Tool, adapter: str) -> None:
    """No nesting is advised for an anchor that is no op, on top and around a pass for one op."""
    error = only_error(tool("in.mlir", f"--ir={adapter}", "-p", "func.fun(cse)"))
    assert "pass manager on 'builtin.module' op; did you mean 'func.func'?\n" in error
    Path("p.py").write_text(
        "from passel import Pass\nclass P(Pass):\n  name = 'p-on-func'\n  anchor = 'func.func'\n"
    )
    arguments = (
        f"--ir={adapter}",
        "--load-pass-plugin=p.py",
        "-p",
        "builtin.module(func.fun(p-on-func))",
    )
    error = only_error(tool("in.mlir", *arguments))
    assert "intended to run on 'func.fun', did you mean 'func.func'?\n" in error


@pytest.mark.parametrize("anchor", ["func.func", "any"])
def test_pipelines_nested_ten_thousand_deep(tool: Tool, anchor: str) -> None:
    """Absurd nesting is refused quickly, with a short excerpt around the limit."""
    pipeline = f"{anchor}(" * 10_000 + "cse" + ")" * 10_000
    error = only_error(tool("in.mlir", "-p", pipeline))
    assert "error: pipeline is nested more than 64 levels deep\n" in error


def test_options_of_a_pass_flag_are_attached(tool: Tool) -> None:
    """Options after a space are taken for an input, and the message shows how to write them."""
    for words in (
        ("in.mlir", "--canonicalize", "max-iterations=2"),
        ("--canonicalize", "max-iterations=2", "in.mlir"),
        ("--canonicalize", "max-iterations=2"),
    ):
        error = only_error(tool(*words))
        assert error.endswith("their pass: --canonicalize='max-iterations=2'\n")


def test_wrong_options_of_a_pass_flag(tool: Tool) -> None:
    """Options given by flag have a caret too."""
    assert (
        only_error(tool("in.mlir", "--canonicalize=max-iterations=2 top-dwn=0"))
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
    ],
)
def test_wrong_flags(tool: Tool, arguments: list[str], error: str) -> None:
    """A wrong command line is one line that names the flag, and what it takes."""
    assert only_error(tool(*arguments)).startswith(f"passel-opt: error: {error}")
