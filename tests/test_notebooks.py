"""Objects as notebooks show them, and tracebacks there and in tests."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from passel import (
    Pass,
    PassContext,
    PassFailedError,
    PassFailure,
    PassManager,
)
from passel.record import Recorder
from passel.testing import ToyAdapter, ToyOp, parse_toy

if TYPE_CHECKING:
    from pathlib import Path

SUMMARY = '<details><summary style="list-style-position:outside">'


class Change(Pass):
    """Change an op, but not one."""

    name = "change"
    but: str = "<&>"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Look at the symbol."""
        if op.symbol == "g":
            raise PassFailure("<g> & none")
        op.value += 1


def test_a_record_shows_its_passes(tmp_path: Path) -> None:
    """A record shows the passes with their changes, diffs behind their names, and the failures."""
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Change())
    manager.add_instrumentation(Recorder(tmp_path / "r"))
    with pytest.raises(PassFailedError) as info:
        manager.run(parse_toy("toy.module(toy.func @f,toy.func @g)"))
    plain, html = forms(info.value.record)
    lines = plain.splitlines()
    assert lines[0].startswith("toy.module(toy.func(change)) (toy, passel ")
    assert lines[1].split() == ["ops", "changed", "failed", "time", "own"]
    assert lines[4].split()[:4] == ["change", "2", "1", "1"]
    assert lines[5] == "failed: toy.module/toy.func/0:change on 'toy.func' @g"
    assert "&lt;g&gt; &amp; none" in html
    assert "<g>" not in html
    assert f"\n{SUMMARY}{lines[4]}</summary>toy.func @f\n" in html
    assert '">+toy.func @f 1</span></details><span style="background:#f8514940">failed: ' in html


def test_each_pass_that_changed_something_unfolds(tmp_path: Path) -> None:
    """Every pass with changes has diffs, also at the end; the number of other ops is shown."""
    functions, passes = 40, [Change() for _ in range(9)]
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", *passes)
    manager.add_instrumentation(Recorder(tmp_path / "r"))
    ops = ",".join(f"toy.func @f{n}" for n in range(functions))
    _, html = forms(manager.run(parse_toy(f"toy.module({ops})")).record)
    assert html.count("<details>") == 9
    assert html.count("... and 35 more ops") == 9


def forms(shown: Any) -> tuple[str, str]:
    """Return the text and the HTML that a notebook gets of an object."""
    bundle = shown._repr_mimebundle_()
    return bundle["text/plain"], bundle["text/html"]


TEST = """
from passel import Pass, PassManager
from passel.testing import ToyAdapter, parse_toy

class Bad(Pass):
    name = "bad"

    def run(self, op, ctx):
        raise ValueError("too large")

def test():
    manager = PassManager("toy.module", adapter=ToyAdapter()).add_nested("toy.func", Bad())
    manager.enable_timing()
    manager.run(parse_toy("toy.module(toy.func @f)"))
"""


def test_tracebacks_are_those_of_the_pass(tmp_path: Path) -> None:
    """Frames of passel are hidden in a failing test."""
    (tmp_path / "test_it.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "test_it.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    said = done.stdout
    assert "test_it.py:9: in run" in said
    assert "test_it.py:14: in test" in said
    assert "execution/loop.py" not in said
    assert "pass_manager.py" not in said
