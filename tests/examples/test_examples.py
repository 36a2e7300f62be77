"""The examples and the demo do what they show, from a process of their own as for a user."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel import PassManager
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from passel import RunResult

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def load_example(name: str) -> Any:
    """Import one of the examples, which are in no package."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


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


def hoist(text: str, limit: int = 100) -> tuple[str, RunResult]:
    """Run the example's pass on all functions; return the IR and the result."""
    adapter = XDSLAdapter()
    context = adapter.create_context()
    module = parse_source(context, text, "input.mlir")
    pass_ = load_example("hoist_constants").HoistConstants(limit=limit)
    result = PassManager("builtin.module", context).add_nested("func.func", pass_).run(module)
    return str(module), result


def moved(result: RunResult) -> int:
    """Return how many constants the pass says to have moved."""
    return sum(counts["moved"] for counts in result.statistics.values())


def test_constants_move_to_the_start_in_program_order() -> None:
    """Every constant of the kernels ends up before its function's first other op."""
    text, result = hoist((EXAMPLES / "kernels.mlir").read_text(encoding="utf-8"))
    assert moved(result) == 5
    for function in text.split("func.func @")[1:]:
        is_constant = ["arith.constant" in line for line in function.splitlines()[1:]]
        assert is_constant == sorted(is_constant, reverse=True)
    names = [line.split()[0] for line in text.split("@leaky_relu")[1].splitlines()[1:8]]
    assert names == ["%lower", "%half", "%step", "%tracing", "%zero", "%slope", "%upper"]


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
    assert max(len(line) for line in shown.stdout.splitlines() if line[:3] != "to ") <= 80
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
