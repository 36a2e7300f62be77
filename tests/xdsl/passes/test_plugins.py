"""Packages that add passes and dialects by entry points, good ones and broken ones."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

UNIVERSE = '''
from dataclasses import dataclass

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe


@dataclass(frozen=True)
class Greet(ModulePass):
    """Say hello."""

    name = "greet"
    whom: str = "world"

    def apply(self, ctx, op):
        from xdsl.dialects.builtin import StringAttr

        op.attributes["demo.hello"] = StringAttr(self.whom)


def greet():
    return Greet


def taken():
    raise AssertionError("xDSL's own pass has this name")


UNIVERSE = Universe(
    all_dialects={"greeting": lambda: Dialect("greeting")},
    all_passes={"greet": greet, "convert-arith-to-varith": taken, "two words": greet},
)
NOT_A_UNIVERSE = 3
'''

PASSES = '''
from passel import Pass


class Wave(Pass):
    """Wave."""

    name = "wave"

    def run(self, op, ctx):
        print("waving at", op.name)


def register(registry):
    registry.register(Wave)


def broken(registry):
    registry.register("half", lambda: Wave)
    raise RuntimeError("broken on purpose")
'''

ENTRY_POINTS = """
[xdsl.universe]
a_broken = no_such_module:UNIVERSE
demo = demo_universe:UNIVERSE
not_a_universe = demo_universe:NOT_A_UNIVERSE

[passel.passes]
a_broken = no_such_module:register
broken = demo_passes:broken
demo = demo_passes:register
"""


@pytest.fixture
def with_plugins(tmp_path: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Run Python code where packages with plugins, good and broken, are installed."""
    (tmp_path / "demo_universe.py").write_text(UNIVERSE, encoding="utf-8")
    (tmp_path / "demo_passes.py").write_text(PASSES, encoding="utf-8")
    info = tmp_path / "demo_plugins-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: demo-plugins\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")

    def run_code(code: str) -> subprocess.CompletedProcess[str]:
        prefix = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n"
        command = [sys.executable, "-c", prefix + code]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    return run_code


def test_plugins(with_plugins: Callable[[str], subprocess.CompletedProcess[str]]) -> None:
    """Installed packages add passes and dialects; broken ones are logged when something is lacking."""
    result = with_plugins("""
from xdsl.dialects.builtin import ModuleOp
from passel import PassManager, default_registry
from passel.xdsl import XDSLAdapter

registry = default_registry()
assert registry.lookup_pass("greet").pass_class.summary() == "Say hello."
assert registry.lookup_pass("wave").pass_class.name == "wave"
assert registry.lookup_pass("cse") is not None
assert registry.lookup_pass("lower-riscv-func") is not None
assert registry.lookup_pass("convert-arith-to-varith").pass_class.name == "convert-arith-to-varith"
context = XDSLAdapter().create_context()
assert "greeting" in context.registered_dialect_names
assert "arith" in context.registered_dialect_names
module = ModuleOp([])
PassManager.parse("builtin.module(greet{whom=you},wave)", context).run(module)
print(module)
try:
    context.load_registered_dialect("arith")
    XDSLAdapter().load_dialects(context, ["gone"])
except LookupError as error:
    print(error)
""")
    assert result.returncode == 0, result.stderr
    assert result.stdout == (
        'waving at builtin.module\nbuiltin.module attributes {demo.hello = "you"} {\n}\n'
        "no dialect 'gone' is registered\n"
    )
    left_out = "package 'demo_plugins' 1.0 is left out"
    for line in (
        f"{left_out}: ModuleNotFoundError: No module named 'no_such_module' (entry point 'a_broken'",
        f"{left_out}: AttributeError: 'int' object has no attribute 'all_dialects' (entry point",
        f"{left_out}: RuntimeError: broken on purpose (entry point 'broken' of passel.passes)",
        "'convert-arith-to-varith' of xdsl.universe 'demo' is defined already; skipped",
        "'two words' of xdsl.universe 'demo' skipped: names are not empty and have no white space",
    ):
        assert result.stderr.count(line) == 1
