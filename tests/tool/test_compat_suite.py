"""xDSL's own suite of its tool, run with passel's tool in the place of xdsl-opt.

Its files come with xDSL's wheel. Each sixteenth of them is run through both tools in this process,
and what they print is compared. A sweep takes all files, and runs the suite itself, by lit, with
an `xdsl-opt` that is passel-opt.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

import pytest
from sweeps import STEP
from warm_programs import warm_programs
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Attribute
from xdsl.universe import Universe
from xdsl.utils.diagnostic import Diagnostic
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl.xdsl_opt_main import xDSLOptMain
from xdsl_inputs import CORPUS

from passel.tool import main

if TYPE_CHECKING:
    from collections.abc import Callable

_ROUNDTRIPS = {
    "XDSL_ROUNDTRIP": "xdsl-opt %s --print-op-generic --split-input-file | xdsl-opt --split-input-file",
    "XDSL_GENERIC_ROUNDTRIP": "xdsl-opt %s --print-op-generic --split-input-file",
}
_RUN = re.compile(r"RUN:\s*(.*(?:\\\n.*)*)")
# What differs from one run to the next in one process, or from one clock tick to the next.
_VOLATILE = re.compile(
    r'dense_resource<\w+>|\w+(?=: "0x)|took [0-9.e-]+ seconds|\b(0x)?[0-9a-f]{12,}\b'
)
_installed = cache(Universe.get_multiverse)  # which each tool looks for five times


class _Result(NamedTuple):
    failed: bool
    output: str


def _commands(path: Path) -> list[list[list[str]]]:
    """Return the chains of xdsl-opt's arguments in a file's RUN lines that can be run here."""
    chains: list[list[list[str]]] = []
    for match in _RUN.finditer(path.read_text(encoding="utf-8")):
        line = re.sub(r"\\\n\s*//\s*(RUN:)?", " ", match[1])
        for name, expansion in _ROUNDTRIPS.items():
            line = re.sub(rf"\b{name}\b", expansion, line)
        line = line.replace("%s", shlex.quote(str(path))).replace("%S", str(path.parent))
        chain = _chain(line)
        if chain:
            chains.append(chain)
    return chains


def _chain(line: str) -> list[list[str]]:
    """Return the arguments of the xdsl-opts at the head of a line, each the next one's input."""
    if "mlir-opt" in line or "%t" in line:
        return []
    chain: list[list[str]] = []
    for command in _split(line):
        words = command[1:] if command[:1] == ["not"] else command
        if words[:1] != ["xdsl-opt"] or "<" in words:
            break
        chain.append([word for word in words[1:] if not re.match(r"[12]?>", word)])
    return chain


def _split(line: str) -> list[list[str]]:
    """Split a line at its pipes, outside of quotes."""
    lexer = shlex.shlex(line.partition("&&")[0], posix=True, punctuation_chars="|")
    lexer.whitespace_split = True
    commands: list[list[str]] = [[]]
    for word in lexer:
        if word == "|":
            commands.append([])
        else:
            commands[-1].append(word)
    return commands


def _run(tool: Callable[[list[str]], int], arguments: list[str], text: str) -> _Result:
    """Run a tool in this process on a text, apart from what xDSL remembers for all contexts."""
    resources = Builtin.get_interface(OpAsmDialectInterface)
    assert resources is not None
    # What ends with the process of a tool.
    resources._blob_storage.clear()  # pyright: ignore[reportPrivateUsage]
    verify_attribute, colored, stdin = Attribute.__post_init__, Diagnostic.colored, sys.stdin
    out = io.StringIO()
    try:
        sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
        with (
            warnings.catch_warnings(record=True),
            redirect_stdout(out),
            redirect_stderr(io.StringIO()),
            patch.object(Universe, "get_multiverse", _installed),
        ):
            warnings.simplefilter("ignore")
            code = tool(arguments)
    finally:
        sys.stdin = stdin
        Attribute.__post_init__, Diagnostic.colored = verify_attribute, colored
    return _Result(code != 0, _VOLATILE.sub("...", out.getvalue()))


def _passel_opt(arguments: list[str]) -> int:
    return main(["--compat=xdsl", *arguments])


def _xdsl_opt(arguments: list[str]) -> int:
    try:
        xDSLOptMain(args=arguments).run()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except (Exception, ArgSpecParseError):  # noqa: BLE001 - xdsl-opt lets all through
        return 1
    return 0


_FILES = [path for path in sorted(CORPUS.rglob("*.mlir")) if _commands(path)]
assert _FILES, "the tests of xDSL are not where its wheel puts them"


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path,
            id=path.relative_to(CORPUS).as_posix(),
            marks=[pytest.mark.sweep] if index % 16 else [],
        )
        for index, path in enumerate(_FILES)
        if index % 16 == 0 or index % min(STEP, 9) == 0
    ],
)
def test_prints_what_xdsl_opt_prints(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For each RUN line, both tools agree on the standard output, and on whether they fail."""
    monkeypatch.chdir(path.parent)
    for chain in _commands(path):
        text = ""
        for arguments in chain:
            expected = _run(_xdsl_opt, arguments, text)
            assert _run(_passel_opt, arguments, text) == expected, shlex.join(arguments)
            text = expected.output


def test_every_part_is_printed_between_passes_alone() -> None:
    """After the last pass nothing is printed in between, in no part of a split input."""
    text = "func.func @f() { func.return }\n// -----\nfunc.func @g() { func.return }\n"
    arguments = ["--split-input-file", "-p", "cse,canonicalize,dce", "--print-between-passes"]
    theirs = _run(_xdsl_opt, arguments, text)
    assert theirs.output.count("IR after") == 4
    assert _run(_passel_opt, arguments, text) == theirs


@pytest.mark.sweep
def test_passes_the_suite(tmp_path: Path) -> None:
    """The suite of xDSL passes if the `xdsl-opt` on the PATH is passel-opt."""
    tools = Path(sys.executable).parent
    programs = {"xdsl-opt": "passel.tool:main", "filecheck": "filecheck.main:main"}
    command = [tools / "lit", "-q", "-o", tmp_path / "report.json", CORPUS]
    with warm_programs(programs) as folder:
        path = os.pathsep.join([str(folder), str(tools), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path}
        result = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False
        )
    assert result.returncode == 0, result.stdout
