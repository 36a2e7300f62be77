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


SPLITS = {
    "two parts": "module @a {}\n// -----\nmodule @b {}\n",
    "empty last part": "module @a {}\n// -----\n",
    "empty first part": "\n// -----\nmodule @a {}\n",
    "two markers in a row": "module @a {}\n// -----\n// -----\nmodule @b {}\n",
    "marker after code": "module @a {} // -----\nmodule @b {}\n",
    "code after the marker": "module @a {}\n// -----module @b {}\n",
    "a dash too many": "module @a {}\n// ------\nmodule @b {}\n",
    "a dash too few": "module @a {}\n// ----\nmodule @b {}\n",
    "near miss later": "module @a {}\n// -----\nmodule @b {}\n// ---- x\n",
    "last part fails": f"module @a {{}}\n// -----\n{_UNKNOWN}\n",
    "first part fails": f"{_UNKNOWN}\n// -----\nmodule @a {{}}\n",
    "middle part fails": f"module @a {{}}\n// -----\n\n{_UNKNOWN}\n// -----\nmodule @b {{}}\n",
    "all parts fail": f"{_UNKNOWN}\n// -----\n\n\n{_UNKNOWN}\n",
}  # fmt: skip


@pytest.mark.parametrize("source", SPLITS.values(), ids=SPLITS)
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


EXPECTATIONS = {
    "own line": f"{_UNKNOWN} // expected-error {{{{{_MESSAGE}}}}}",
    "offset": f"// expected-error@+1 {{{{{_MESSAGE}}}}}\n{_UNKNOWN}",
    "backwards": f"{_UNKNOWN}\n\n// expected-error @-2 {{{{{_MESSAGE}}}}}",
    "above": f"{_UNKNOWN}\n// expected-error@above {{{{{_MESSAGE}}}}}",
    "below": f"// expected-error@below {{{{{_MESSAGE}}}}}\n{_UNKNOWN}",
    "below skips directives": f"// expected-error@below {{{{{_MESSAGE}}}}}\n// expected-note@below {{{{none}}}}\n{_UNKNOWN}",
    "below a gap": f"// expected-error@below {{{{{_MESSAGE}}}}}\n\n{_UNKNOWN}",
    "spaces at the end": f"{_UNKNOWN} // expected-error{{{{{_MESSAGE}}}}}  ",
    "upper case": f"{_UNKNOWN} // Expected-Error {{{{{_MESSAGE}}}}}",
    "other text": f"{_UNKNOWN} // expected-error {{{{something else}}}}",
    "other severity": f"{_UNKNOWN} // expected-warning {{{{{_MESSAGE}}}}}",
    "count": f"{_UNKNOWN} // expected-error 2 {{{{{_MESSAGE}}}}}",
    "two in a line": f"{_UNKNOWN} // expected-error {{{{{_MESSAGE}}}}} expected-note {{{{x}}}}",
    "regular expression": f"{_UNKNOWN} // expected-error-re {{{{operation being {{{{[a-z]+}}}} with an}}}}",
    "regular expression that does not match": f"{_UNKNOWN} // expected-error-re {{{{operation being {{{{[0-9]+}}}} with an}}}}",
    "literal outside of braces": f"{_UNKNOWN} // expected-error-re {{{{operation b.ing}}}}",
    "braces without -re": f"{_UNKNOWN} // expected-error {{{{operation being {{{{[a-z]+}}}} with an}}}}",
    "unmet remark": "// expected-remark {{never}}\nmodule {}",
    "unexpected": _UNKNOWN,
    "nothing to expect": "module {}",
    "undefined value": "func.func @f() {\n" "  return %x : i32 // expected-error {{use of undeclared SSA value name}}\n}\n",
    "undefined block": "func.func @f() {\n" "  cf.br ^bb1 // expected-error {{reference to an undefined block}}\n}\n",
    "split": f"{_UNKNOWN} // expected-error {{{{{_MESSAGE}}}}}\n// -----\nmodule @a {{}}\n" f"// -----\n{_UNKNOWN}\n// -----\n// expected-error@below {{{{{_MESSAGE}}}}}\n{_UNKNOWN}",
}  # fmt: skip


@pytest.mark.parametrize("source", EXPECTATIONS.values(), ids=EXPECTATIONS)
def test_expects_as_mlir_does(tool: Tool, source: str) -> None:
    """What is missing, what is unexpected, and the exit code are mlir-opt's."""
    _assert_same(tool, source, "--split-input-file", "--verify-diagnostics=all")


@pytest.mark.parametrize("name", ["unexpected", "own line", "other text", "other severity"])
def test_accepts_what_is_unexpected_as_mlir_does(tool: Tool, name: str) -> None:
    """With `only-expected`, missing diagnostics fail, and others do not."""
    _assert_same(tool, EXPECTATIONS[name], "--verify-diagnostics=only-expected")
