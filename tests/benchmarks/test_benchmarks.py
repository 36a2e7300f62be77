"""The benchmarks run, so that they still do when a number is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sweeps import STEP

BENCHMARKS = sorted((Path(__file__).parents[2] / "benchmarks").glob("bench_*.py"))


@pytest.mark.sweep
@pytest.mark.parametrize("script", BENCHMARKS[:: min(STEP, 9)], ids=lambda script: script.stem)
def test_benchmark_runs(script: Path) -> None:
    """Each benchmark runs at a tiny size and prints tables, whatever the numbers are."""
    done = subprocess.run(
        [sys.executable, script, "--quick"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "ratio" in done.stdout
