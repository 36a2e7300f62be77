"""How failures are replayed on dialects that no installed package brings."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ZOO = """\
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition

from passel import Pass, PassFailure


@irdl_op_definition
class Cat(IRDLOperation):
    name = "zoo.cat"


class Scare(Pass):
    name = "scare"

    def run(self, op, ctx):
        raise PassFailure("no cat is left")


ZOO = Dialect("zoo", [Cat], [])
"""
SCARE = """\
from passel import Pass, PassFailure


class Scare(Pass):
    name = "scare"

    def run(self, op, ctx):
        raise PassFailure("all cats are gone")
"""
MAIN = """\
from passel import PassFailedError, PassManager
from passel.xdsl import XDSLAdapter, parse_source
from {passes} import Scare
from zoo import ZOO

context = XDSLAdapter().create_context()
context.load_dialect(ZOO)
module = parse_source(context, '"zoo.cat"() : () -> ()', "in.mlir")
pm = PassManager("builtin.module", context).add(Scare())
pm.enable_crash_reproducer("r.mlir")
{more}
try:
    pm.run(module)
except PassFailedError as error:
    print(error.__notes__[0])
"""


def _ran(folder: Path, *words: str) -> str:
    command = (sys.executable, *words)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _told(folder: Path, passes: str, more: str = "") -> str:
    (folder / "zoo.py").write_text(ZOO)
    (folder / "pests.py").write_text(SCARE)
    (folder / "main.py").write_text(MAIN.format(passes=passes, more=more))
    return _ran(folder, "main.py").partition("\n")[2].rstrip("\n")


@pytest.mark.parametrize(
    ("passes", "files", "why"),
    [
        ("zoo", ["zoo.py"], "no cat is left"),
        ("pests", ["zoo.py", "pests.py"], "all cats are gone"),
    ],
)
def test_a_plugin_brings_the_dialect(
    tmp_path: Path, passes: str, files: list[str], why: str
) -> None:
    """The command names the file with the dialect, whose passes do not stand in for others."""
    told = _told(tmp_path, passes)
    flags = [f"--load-pass-plugin={file}" for file in files]
    words = ["--run-reproducer", *flags, "r.mlir"]
    assert told == f"to replay: passel-opt {' '.join(words)}"
    assert f"'scare' failed: {why}" in _ran(
        tmp_path, "-c", "from passel.tool import main; main()", *words
    )


def test_where_no_command_will_do(tmp_path: Path) -> None:
    """Lines of Python ask for a context with the dialect."""
    told = _told(tmp_path, "zoo", "pm.add_gate(lambda step, op: True)")
    assert told.startswith("to replay, in Python, where you have `context`, a context that has the")
