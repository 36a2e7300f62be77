"""Progress of runs from Python: on terminals and in notebooks, if it is asked for."""

from __future__ import annotations

import io
import sys
import time
from typing import Any

import pytest

from passel import Pass, PassManager
from passel.instruments import progress
from passel.testing import ToyAdapter, ToyOp, parse_toy


class Nap(Pass[ToyOp]):
    """Sleep."""

    name = "nap"

    def run(self, op: ToyOp, ctx: Any) -> None:
        """Sleep a bit."""
        time.sleep(0.1)


class Terminal(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        """Return whether it is one."""
        return True


class Cell(io.StringIO):
    """The output of a notebook's cell."""


Cell.__module__ = "ipykernel.iostream"


def run(
    monkeypatch: pytest.MonkeyPatch,
    *,
    jobs: int = 1,
    term: str = "xterm",
    delay: float = 0.01,
    **streams: Any,
) -> None:
    """Run a pipeline that takes a fifth of a second, with other streams."""
    monkeypatch.setattr(progress, "_DELAY", delay)
    monkeypatch.setenv("TERM", term)
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Nap())
    manager.add_instrumentation(progress.shown_progress())
    manager.run(parse_toy("toy.module(toy.func @f,toy.func @g)"), jobs=jobs)


def test_a_notebook_shows_how_far_a_run_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a notebook, spaces erase the line, since not all frontends support escape codes."""
    cell = Cell()
    run(monkeypatch, stdout=cell)
    assert "step 1/1, 0/2 ops: nap @f" in cell.getvalue()
    assert "\x1b" not in cell.getvalue()
    assert cell.getvalue().endswith("\r" + " " * 80 + "\r")


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        (io.StringIO, {}),
        (Terminal, {"term": "dumb"}),
        (Terminal, {"term": ""}),
        (Terminal, {"delay": 1}),
    ],
)
def test_no_line(
    monkeypatch: pytest.MonkeyPatch, kind: type[io.StringIO], how: dict[str, Any]
) -> None:
    """No line appears on streams that cannot overwrite it, or in short runs."""
    run(monkeypatch, stderr=(stream := kind()), **how)
    assert "step" not in stream.getvalue()


def test_the_line_keeps_nothing_from_workers(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The thread that draws the line does not prevent forking."""
    run(monkeypatch, jobs=2, stderr=Terminal())
    assert not caplog.messages
