"""The line of progress: on terminals only, after a second, and never in the way."""

from __future__ import annotations

import io
import os
import re
import subprocess
import threading
from typing import TYPE_CHECKING

import pytest
from terminals import screen

from passel import Pass, PassContext, PassManager
from passel.instruments.progress import Progress, StatusLine
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


pty = pytest.importorskip("pty")

PLUGIN = """
import os, sys, time
from xdsl.dialects.func import FuncOp
from passel import OperationPass, PassContext, PassFailure
from passel.instruments import progress

progress._DELAY = float(os.environ["DELAY"])

class Nap(OperationPass[FuncOp]):
    '''Sleep, perhaps talk and fail.'''

    name = "nap"
    seconds: float = 0.0
    talk: bool = False
    fail: bool = False

    def run(self, op: FuncOp, ctx: PassContext) -> None:
        time.sleep(self.seconds)
        if self.talk:
            ctx.emit_warning("tired")
            sys.stderr.write("half ")
            time.sleep(0.1)
            sys.stderr.write("line\\n")
        if self.fail:
            raise PassFailure("slept in")
"""
FUNCTIONS = "".join(f"func.func @f{i}() {{ return }}\n" for i in range(4))


def run(programs: Path, tmp_path: Path, pipeline: str, delay: float) -> tuple[str, str]:
    """Run the tool with its error stream on a terminal, and return both streams.

    The line appears after `delay` seconds.
    """
    (tmp_path / "nap.py").write_text(PLUGIN)
    (tmp_path / "in.mlir").write_text(FUNCTIONS)
    command = [programs / "passel-opt", "in.mlir", "--load-pass-plugin=nap.py"]
    master, slave = pty.openpty()
    with subprocess.Popen(
        [*command, f"-p=builtin.module(func.func({pipeline}))"],
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80", "DELAY": str(delay)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=slave,
        text=True,
    ) as process:
        os.close(slave)
        seen = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:
                break
            if not part:
                break
            seen += part
        out = process.stdout.read() if process.stdout else ""
    os.close(master)
    return out, seen.decode()


def test_a_long_run_shows_how_far_it_is(programs: Path, tmp_path: Path) -> None:
    """Ops done of all, pass, symbol, time; nothing is left of it in the end."""
    out, err = run(programs, tmp_path, "nap{seconds=0.2}", 0.3)
    drawn = re.findall(r"step 1/1, (\d)/4 ops: nap @f(\d) \((\d\.\d) s\)", err)
    assert drawn
    assert all(float(seconds) >= 0.3 for _, _, seconds in drawn)
    assert {(done, symbol) for done, symbol, _ in drawn} >= {("2", "2"), ("3", "3")}
    assert all(done == symbol for done, symbol, _ in drawn)
    assert screen(err) == ""
    assert out.count("func.func") == 4


def test_messages_and_lines_take_its_place(programs: Path, tmp_path: Path) -> None:
    """What is printed stands alone, also a line that is written in two parts."""
    _, err = run(programs, tmp_path, "nap{seconds=0.1 talk=true}", 0.05)
    shown = screen(err)
    assert "step " not in shown
    assert shown.count("half line\n") == 4
    assert shown.count("warning: tired\n") == 4
    assert "step 1/1" in err


def test_an_error_ends_it(programs: Path, tmp_path: Path) -> None:
    """The failure's message starts on a clean line, and is the last that is seen."""
    _, err = run(programs, tmp_path, "nap{seconds=0.1 fail=true}", 0.05)
    shown = screen(err)
    assert "step 1/1" in err
    assert "step " not in shown
    assert shown.count("error: 'func.func' op pass 'nap{fail=true seconds=0.1}' failed") == 1
    assert "and 3 more like it: @f1, @f2, @f3" in shown


class Shown(StatusLine):
    """A terminal that draws nothing, and can say what it would."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.text: Callable[[], str] = str

    def show(self, text: Callable[[], str], delay: float) -> None:
        """Take note of what tells the text."""
        self.text = text


def test_the_line_is_drawn_without_looking_at_ops() -> None:
    """What draws it asks nothing of the IR, which a pass may be changing."""
    terminal, adapter = Shown(), ToyAdapter()
    drawn: list[str] = []

    class Draws(Pass[ToyOp]):
        """Lets the line be drawn while its op cannot be asked."""

        name = "draws"

        def run(self, op: ToyOp, ctx: PassContext) -> None:
            """Break the op, and draw."""
            symbol, op.symbol, body = op.symbol, None, op.body
            del op.body
            thread = threading.Thread(target=lambda: drawn.append(terminal.text()))
            thread.start()
            thread.join()
            op.symbol, op.body = symbol, body

    manager = PassManager("toy.module", adapter=adapter)
    manager.add_nested("toy.func", Draws())
    with manager.instrument(Progress(terminal)):
        manager.run(parse_toy("toy.module(toy.func @f(toy.op),toy.func @g)"))
    assert [re.sub(r"\(.*", "", line) for line in drawn] == [
        "step 1/1, 0/2 ops: draws @f ",
        "step 1/1, 1/2 ops: draws @g ",
    ]
