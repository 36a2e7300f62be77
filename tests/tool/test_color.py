"""When what the tool writes has colours."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from passel.tool import main

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import Tool

BAD = "func.func @f() -> i32 { func.return }\n"
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


@pytest.fixture
def seen(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs the tool with its error stream on a terminal, and returns what is seen there."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    Path("bad.mlir").write_text(BAD)

    def run(*arguments: str) -> str:
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        main(arguments)
        return terminal.getvalue()

    return run


WRITERS = {
    "diagnostic": ("bad.mlir",),
    "wrong pipeline": ("in.mlir", "-p=builtin.module(csx)"),
    "wrong flag": ("in.mlir", "--csx"),
    "lint": ("in.mlir", "--lint", "-p=builtin.module(cse,cse)"),
}


@pytest.mark.parametrize("arguments", WRITERS.values(), ids=WRITERS)
def test_terminals_show_colours_unless_told_otherwise(
    arguments: tuple[str, ...], seen: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`auto` minds NO_COLOR and TERM; a flag wins over both; the text is always the same."""
    coloured = seen(*arguments)
    plain = seen(*arguments, "--color=never")
    assert "\x1b[" in coloured
    assert "\x1b[" not in plain
    assert ESCAPE.sub("", coloured) == plain.replace(" --color=never", "")
    monkeypatch.setenv("TERM", "dumb")
    assert seen(*arguments) == plain
    assert "\x1b[" in seen(*arguments, "--color")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert seen(*arguments, "--color=auto") == plain
    assert seen(*arguments, "--color=always") == coloured


@pytest.mark.parametrize("arguments", WRITERS.values(), ids=WRITERS)
def test_files_and_pipes_have_none_unless_told(arguments: tuple[str, ...], tool: Tool) -> None:
    """What goes into a pipe is coloured by `--color` alone."""
    Path("bad.mlir").write_text(BAD)
    assert "\x1b[" not in tool(*arguments).err
    assert "\x1b[" in tool(*arguments, "--color=true").err
