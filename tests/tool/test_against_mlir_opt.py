"""Splitting and expected diagnostics, compared with the real mlir-opt."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tool_fixtures import run_mlir_opt

if TYPE_CHECKING:
    from tool_fixtures import Tool

_DIAGNOSTIC = re.compile(
    r"^(\S+?):(\d+)(?::\d+)?: (error|warning|note|remark): (.*)$", re.MULTILINE
)
_WORDING = re.compile(r"(?<=use of undeclared SSA value name) '%\w+'|(?<=expected operation).*")

_UNKNOWN = '"foo.bar"() : () -> ()'
_MESSAGE = "operation being parsed with an unregistered dialect"


class _Behaviour(NamedTuple):
    """What both tools must agree on."""

    failed: bool
    diagnostics: frozenset[tuple[str, str, str, str]]
    parts: tuple[bool, ...]


def _behaviour(code: int, out: str, err: str, marker: str) -> _Behaviour:
    """Reduce a run to what does not depend on the printer.

    That is whether it failed, which diagnostics it gave on which lines (one of them once,
    whatever else is said of it), and which of the parts between markers hold IR.
    """
    diagnostics = frozenset(
        (name, line, severity, _WORDING.sub("", message))
        for name, line, severity, message in _DIAGNOSTIC.findall(err)
        if not message.startswith("see current operation")
    )
    parts = tuple(bool(part.strip()) for part in out.split(f"{marker}\n"))
    return _Behaviour(code != 0, diagnostics, parts)


def _assert_same(tool: Tool, source: str, *flags: str, marker: str = "// -----") -> _Behaviour:
    Path("input.mlir").write_text(source)
    expected = _behaviour(*run_mlir_opt("input.mlir", *flags), marker)
    actual = _behaviour(*tool("input.mlir", *flags), marker)
    assert actual == expected
    return actual


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("module @a {}\n// -----\nmodule @b {}\n", id="two parts"),
        pytest.param("module @a {}\n// -----\n", id="empty last part"),
        pytest.param("\n// -----\nmodule @a {}\n", id="empty first part"),
        pytest.param("module @a {}\n// -----\n// -----\nmodule @b {}\n", id="two markers in a row"),
        pytest.param("module @a {} // -----\nmodule @b {}\n", id="marker after code"),
        pytest.param("module @a {}\n// -----module @b {}\n", id="code after the marker"),
        pytest.param("module @a {}\n// ------\nmodule @b {}\n", id="a dash too many"),
        pytest.param("module @a {}\n// ----\nmodule @b {}\n", id="a dash too few"),
        pytest.param("module @a {}\n// -----\nmodule @b {}\n// ---- x\n", id="near miss later"),
        pytest.param(f"module @a {{}}\n// -----\n{_UNKNOWN}\n", id="last part fails"),
        pytest.param(f"{_UNKNOWN}\n// -----\nmodule @a {{}}\n", id="first part fails"),
        pytest.param(
            f"module @a {{}}\n// -----\n\n{_UNKNOWN}\n// -----\nmodule @b {{}}\n",
            id="middle part fails",
        ),
        pytest.param(f"{_UNKNOWN}\n// -----\n\n\n{_UNKNOWN}\n", id="all parts fail"),
    ],
)
def test_splits_as_mlir_does(tool: Tool, source: str) -> None:
    """Parts, warnings, separators and exit code are mlir-opt's."""
    _assert_same(tool, source, "--split-input-file")


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        pytest.param("module @a {}\n// -----", 1, id="marker at the very end"),
        pytest.param("// -----\nmodule @a {}\n", 2, id="marker at the very beginning"),
        pytest.param("", 1, id="empty"),
    ],
)
def test_splits_better_than_mlir(tool: Tool, source: str, parts: int) -> None:
    """Where mlir-opt warns of a right marker, trips over one, or prints nothing, passel does not."""
    Path("input.mlir").write_text(source)
    code, out, err = tool("input.mlir", "--split-input-file")
    assert (code, err, out.count("builtin.module")) == (0, "", parts)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(f"{_UNKNOWN} // expected-error {{{{{_MESSAGE}}}}}", id="own line"),
        pytest.param(f"// expected-error@+1 {{{{{_MESSAGE}}}}}\n{_UNKNOWN}", id="offset"),
        pytest.param(f"{_UNKNOWN}\n\n// expected-error @-2 {{{{{_MESSAGE}}}}}", id="backwards"),
        pytest.param(f"{_UNKNOWN}\n// expected-error@above {{{{{_MESSAGE}}}}}", id="above"),
        pytest.param(f"// expected-error@below {{{{{_MESSAGE}}}}}\n{_UNKNOWN}", id="below"),
        pytest.param(
            f"// expected-error@below {{{{{_MESSAGE}}}}}\n// expected-note@below {{{{none}}}}\n{_UNKNOWN}",
            id="below skips directives",
        ),
        pytest.param(f"// expected-error@below {{{{{_MESSAGE}}}}}\n\n{_UNKNOWN}", id="below a gap"),
        pytest.param(f"{_UNKNOWN} // expected-error{{{{{_MESSAGE}}}}}  ", id="spaces at the end"),
        pytest.param(f"{_UNKNOWN} // Expected-Error {{{{{_MESSAGE}}}}}", id="upper case"),
        pytest.param(f"{_UNKNOWN} // expected-error {{{{something else}}}}", id="other text"),
        pytest.param(f"{_UNKNOWN} // expected-warning {{{{{_MESSAGE}}}}}", id="other severity"),
        pytest.param(f"{_UNKNOWN} // expected-error 2 {{{{{_MESSAGE}}}}}", id="count"),
        pytest.param(
            f"{_UNKNOWN} // expected-error {{{{{_MESSAGE}}}}} expected-note {{{{x}}}}",
            id="two in a line",
        ),
        pytest.param(
            f"{_UNKNOWN} // expected-error-re {{{{operation being {{{{[a-z]+}}}} with an}}}}",
            id="regular expression",
        ),
        pytest.param(
            f"{_UNKNOWN} // expected-error-re {{{{operation being {{{{[0-9]+}}}} with an}}}}",
            id="regular expression that does not match",
        ),
        pytest.param(
            f"{_UNKNOWN} // expected-error-re {{{{operation b.ing}}}}",
            id="literal outside of braces",
        ),
        pytest.param(
            f"{_UNKNOWN} // expected-error {{{{operation being {{{{[a-z]+}}}} with an}}}}",
            id="braces without -re",
        ),
        pytest.param("// expected-remark {{never}}\nmodule {}", id="unmet remark"),
        pytest.param(_UNKNOWN, id="unexpected"),
        pytest.param("module {}", id="nothing to expect"),
        pytest.param(
            "func.func @f() {\n"
            "  return %x : i32 // expected-error {{use of undeclared SSA value name}}\n}\n",
            id="undefined value",
        ),
        pytest.param(
            "func.func @f() {\n"
            "  cf.br ^bb1 // expected-error {{reference to an undefined block}}\n}\n",
            id="undefined block",
        ),
        pytest.param(
            f"{_UNKNOWN} // expected-error {{{{{_MESSAGE}}}}}\n// -----\nmodule @a {{}}\n"
            f"// -----\n{_UNKNOWN}\n// -----\n// expected-error@below {{{{{_MESSAGE}}}}}\n{_UNKNOWN}",
            id="split",
        ),
    ],
)
def test_expects_as_mlir_does(tool: Tool, source: str) -> None:
    """What is missing, what is unexpected, and the exit code are mlir-opt's."""
    _assert_same(tool, source, "--split-input-file", "--verify-diagnostics=all")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(_UNKNOWN, id="unexpected"),
        pytest.param(f"{_UNKNOWN} // expected-error {{{{{_MESSAGE}}}}}", id="expected"),
        pytest.param(f"{_UNKNOWN} // expected-error {{{{something else}}}}", id="other text"),
        pytest.param(f"{_UNKNOWN} // expected-warning {{{{{_MESSAGE}}}}}", id="other severity"),
    ],
)
def test_accepts_what_is_unexpected_as_mlir_does(tool: Tool, source: str) -> None:
    """With `only-expected`, missing diagnostics fail, and others do not."""
    _assert_same(tool, source, "--verify-diagnostics=only-expected")
