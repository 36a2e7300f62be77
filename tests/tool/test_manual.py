"""`--print-manual`: a page that man and mandoc show without complaint, with every flag."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from passel.mlir import MLIRAdapter
from passel.tool import opt_main
from passel.tool.flag_groups import GROUPS

if TYPE_CHECKING:
    from tool_fixtures import Tool

FORMATTERS = {
    "groff": ["groff", "-man", "-Tutf8", "-ww", "-P-cbou"],
    "mandoc": ["mandoc", "-T", "lint", "-W", "error"],
    "man": ["man", "--warnings", "-l", "-"],
}


@pytest.mark.parametrize("command", FORMATTERS.values(), ids=FORMATTERS)
def test_formatters_have_nothing_to_complain_of(command: list[str], tool: Tool) -> None:
    """Those that are installed read the page without a warning."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    page = tool("--print-manual").out
    done = subprocess.run(
        command,
        input=page,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "MANWIDTH": "100", "LC_ALL": "C.UTF-8", "PAGER": "cat"},
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_has_what_the_help_has(tool: Tool) -> None:
    """Every flag that the help lists, with its value and its words, and the examples."""
    page = tool("--print-manual").out.replace("\\(aq", "'").replace("\\-", "-")
    bare = re.sub(r"\\f[BIR]", "", page)
    for group in GROUPS:
        for flag in group.flags.values():
            if flag.help:
                assert f"-{flag.name}" in bare
                assert flag.metavar in bare
                assert flag.help[1:] in bare
    assert "passel-opt in.mlir -p cse,convert-scf-to-cf" in bare


def test_a_tool_of_ones_own_has_its_own_page(capsys: pytest.CaptureFixture[str]) -> None:
    """Its name stands for passel-opt's, and flags of other IRs are left out."""
    assert opt_main(["--print-manual"], name="my-opt", adapter=MLIRAdapter()) == 0
    page = capsys.readouterr().out
    assert '.TH "MY\\-OPT" 1' in page
    assert "passel\\-opt" not in page
    assert "irdl\\-file" in page
    assert "syntax\\-highlight" not in page
