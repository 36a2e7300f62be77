"""The examples and the demo do what they show, from a process of their own as for a user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command from the project's root."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}"
    # A terminal's width or colours must not change what is printed.
    environment = {**os.environ, "NO_COLOR": "1", "PATH": path}
    return subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        check=True,
        timeout=120,
    )


def test_run_pipeline_shows_a_success_and_a_failure() -> None:
    """The script prints the pipeline, its statistics, and where a check failed."""
    output = run(sys.executable, EXAMPLES / "run_pipeline.py").stdout
    assert (
        output
        == """\
builtin.module(func.func(hoist-constants{limit=8},cse),symbol-dce) changed the module: True
  builtin.module/func.func/0:hoist-constants: {'moved': 5}
  builtin.module/func.func/1:cse: {"num-cse'd": 1, "num-dce'd": 1}
kernels.mlir:33:7: 'func.call' op pass 'check-leaf' failed: calls @trace [builtin.module/func.func/0:check-leaf on @leaky_relu]
kernels.mlir:45:3: 'func.call' op pass 'check-leaf' failed: calls @print_f32 [builtin.module/func.func/0:check-leaf on @trace]
  failed on 'func.func' @leaky_relu: calls @trace
  failed on 'func.func' @trace: calls @print_f32
"""
    )


def test_the_demo_shows_all_its_parts(programs: Path, tmp_path: Path) -> None:
    """It fits 80 columns but for commands to copy, ends with the pass that broke a kernel, and leaves its files there."""
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(programs)
    (tmp_path / "examples").symlink_to(EXAMPLES)
    shown = run("sh", tmp_path / "examples" / "demo.sh")
    assert shown.stderr == ""
    wide = [line for line in shown.stdout.splitlines() if len(line) > 80]
    assert all(line.startswith(("to ", "// to run it again: ")) for line in wide)
    parts = shown.stdout.split("\n==== ")[1:]
    in_each = [
        "$ cat kernels.mlir",
        "did you mean 'canonicalize'?\nbuiltin.module(func.func(canonicalise))",
        "-p 'builtin.module(func.func(cse,canonicalize),symbol-dce)'\nbuiltin.module {",
        "+  %zero = arith.constant 0.000000e+00 : f32",
        "----Wall Time----  ----Name----",
        "--mlir-pass-pipeline-crash-reproducer=repro.mlir",
        "\ncommute on func.func @leaky_relu  [builtin.module/func.func/1:commute]\n",
        "All files are in ",
    ]
    for expected, part in zip(in_each, parts, strict=True):
        assert expected in " ".join(part.split(" \n"))
    folder = Path(parts[-1].removeprefix("All files are in ").partition(":")[0])
    try:
        left = {path.name for path in folder.iterdir()}
        assert left >= {"repro.mlir", "run.passel", "report.html", "hoist_constants.py"}
    finally:
        shutil.rmtree(folder)
