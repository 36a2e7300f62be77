"""`--draw-pipeline` on a terminal, and pipelines too large to be written by hand."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from passel.builder import PipelineBuilder
from passel.tool import main

if TYPE_CHECKING:
    import pytest


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


def test_a_tree_on_a_terminal_is_styled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the styles, it is what is written to a file."""
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    text = "builtin.module(func.func(canonicalize{max-iterations=3},cse),symbol-dce)"
    assert main(["-p", text, "--draw-pipeline"]) == 0
    drawn = terminal.getvalue()
    assert "\x1b[" in drawn
    plain = re.sub(r"\x1b\[[0-9;]*m", "", drawn)
    expected = PipelineBuilder.parse(text).draw()
    assert [line.rstrip() for line in plain.splitlines()] == expected.splitlines()
