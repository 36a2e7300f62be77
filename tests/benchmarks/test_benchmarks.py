"""The benchmarks run, so that they still do when a number is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sweeps import STEP

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
_SCRIPTS = sorted(BENCHMARKS.glob("bench_*.py"))
_ALWAYS = ("bench_dispatch", "bench_tool")


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            script, id=script.stem, marks=[] if script.stem in _ALWAYS else [pytest.mark.sweep]
        )
        for number, script in enumerate(_SCRIPTS)
        if script.stem in _ALWAYS or (number + 1) % min(STEP, 4) == 0
    ],
)
def test_benchmark_runs(script: Path) -> None:
    """Each benchmark runs at a tiny size and prints tables, whatever the numbers are."""
    done = subprocess.run(
        [sys.executable, script, "--quick"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "ratio" in done.stdout
