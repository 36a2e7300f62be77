"""`passel-opt --ir=mlir -j 2`: everything is as with one process."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tool_fixtures import Tool

PLUGIN = '''
"""A plugin beside which there is a module."""

import os

from beside import WORD
from mlir.ir import StringAttr

from passel import OpPassManager, Pass, PassFailure, Statistic


class Tell(Pass):
    """Say which process this is, report, count and fail."""

    name = "tell"
    seen = Statistic("Ops seen")
    process: bool = False

    def run(self, op, ctx):
        name = StringAttr(op.attributes["sym_name"]).value
        ctx.count(self.seen)
        ctx.emit_warning(f"{WORD} {name}")
        word = str(os.getpid()) if self.process else WORD
        op.attributes["word"] = StringAttr.get(word, op.context)
        if name.endswith("bad"):
            raise PassFailure("it is bad")
        ctx.run_pipeline(OpPassManager("func.func").add("quiet"))


class Quiet(Pass):
    """Do nothing; found by its name."""

    name = "quiet"

    def run(self, op, ctx):
        ctx.preserve_all()
'''


@pytest.fixture(autouse=True)
def _files(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("plugin.py").write_text(PLUGIN)
    Path("beside.py").write_text("WORD = 'hello'")
    parts = [[f"@{part}{number}" for number in range(6)] for part in "ab"]
    parts[1][3] += "bad"
    texts = ["".join(f"func.func {name}() {{ return }}\n" for name in names) for names in parts]
    Path("good.mlir").write_text(texts[0])
    Path("in.mlir").write_text("// -----\n".join(texts))


def pipeline(nested: str) -> tuple[str, ...]:
    """Return flags for passes on functions."""
    return "--ir=mlir", "--load-pass-plugin=plugin.py", f"-p=builtin.module(func.func({nested}))"


@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("--split-input-file",),
        ("--split-input-file", "--verify-diagnostics"),
        ("--mlir-pass-statistics-display=json", "--mlir-pass-statistics"),
        ("--mlir-timing", "--mlir-timing-columns=wall"),
        ("--mlir-print-ir-after-all",),
        ("--mlir-pass-pipeline-crash-reproducer=r.mlir",),
        ("--mlir-pass-pipeline-crash-reproducer=r.mlir", "--mlir-pass-pipeline-local-reproducer"),
    ],
    ids=" ".join,
)
def test_all_is_the_same(tool: Tool, flags: tuple[str, ...]) -> None:
    """What is written, said, counted and left behind, but for times and `-j` itself."""
    found: list[tuple[int, str, str, str]] = []
    for jobs in ("1", "2"):
        outcome = tool("in.mlir", *pipeline("tell,cse,tell"), *flags, "-j", jobs)
        about_jobs = r".* Waiting for workers\n| -j \d"
        said = re.sub(rf"{about_jobs}|[\d.]+ +\(.*?%\)|[\d.]+ seconds", "", outcome.err)
        left = Path("r.mlir").read_text() if Path("r.mlir").exists() else ""
        found.append((outcome.code, outcome.out, said, re.sub(r" -j \d", "", left)))
    assert found[0] == found[1]


def test_other_processes_do_the_work(tool: Tool) -> None:
    """They have the plugin and what lies beside it."""
    alone, shared = (
        set(re.findall(r'word = "(\d+)"', tool("good.mlir", *pipeline(passes), "-j", jobs).out))
        for passes, jobs in (("tell{process}", "1"), ("tell{process}", "2"))
    )
    assert len(alone) == 1
    assert shared
    assert not alone & shared
