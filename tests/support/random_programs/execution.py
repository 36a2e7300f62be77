"""Execution of programs in mlir-runner, many at once."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from tool_fixtures import MLIR

if TYPE_CHECKING:
    from collections.abc import Sequence

_LOWERING = (
    "--arith-expand",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--convert-to-llvm",
    "--reconcile-unrealized-casts",
)
_RUNTIME = """
func.func private @printI64(i64)
func.func private @printNewline()
func.func private @printOpen()
"""
_TIMEOUT = 10
"""Seconds; programs that end do so in a few milliseconds."""


def execute_all(programs: Sequence[str], level: int = 0) -> list[str]:
    """Return what each program prints, or why there is no telling.

    They are compiled and run together, as starting the tools costs more than most programs.

    Args:
        programs: Modules with a function `entry`, whose external functions are those that
            print.
        level: How far LLVM optimizes, from 0 to 3.

    Returns:
        What `entry` printed; if the program could not be compiled or did not end, a text that
        starts with `failed:`.
    """
    if not programs:
        return []
    output = _execute(programs, level)
    if isinstance(output, list):
        return output
    if len(programs) == 1:
        return [output]
    half = len(programs) // 2
    return execute_all(programs[:half], level) + execute_all(programs[half:], level)


def _execute(programs: Sequence[str], level: int) -> list[str] | str:
    """Return what the programs print, or why one of them fails."""
    compiled = _tool(MLIR / "bin" / "mlir-opt", _linked(programs), *_LOWERING)
    if compiled.returncode:
        return f"failed: mlir-opt: {compiled.stderr.strip()}"
    libraries = f"--shared-libs={MLIR / 'lib' / 'libmlir_c_runner_utils.so'}"
    runner = MLIR / "bin" / "mlir-runner"
    flags = (f"-O{level}", "-e", "all", "--entry-point-result=void", libraries)
    result = _tool(runner, compiled.stdout, *flags)
    if result.returncode:
        return f"failed: mlir-runner ends with {result.returncode}: {result.stderr.strip()[:500]}"
    return result.stdout.split("( ")[1:]


def _tool(tool: object, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(tool), *arguments]
    try:
        return subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, timeout=_TIMEOUT
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, "", f"does not end in {_TIMEOUT} s")


def _linked(programs: Sequence[str]) -> str:
    """Return one module with the functions of all programs, each with names of its own."""
    texts = [_with_prefix(program, f"p{index}_") for index, program in enumerate(programs)]
    calls = "".join(
        f"func.call @printOpen() : () -> ()\nfunc.call @p{index}_entry() : () -> ()\n"
        for index in range(len(programs))
    )
    return "\n".join([_RUNTIME, *texts, "func.func @all() {", calls, "func.return", "}"])


def _with_prefix(program: str, prefix: str) -> str:
    text = re.sub(r"@(?!print[A-Z])(\w+)", rf"@{prefix}\1", program.strip())
    text = re.sub(r"^\s*func\.func private @print\w+\(.*\)$", "", text, flags=re.MULTILINE)
    if text.startswith("builtin.module {"):
        text = text.removeprefix("builtin.module {").removesuffix("}")
    return text
