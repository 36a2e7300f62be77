"""passel-opt on odd input: it ends with 0, 1 or 2, in time, without a traceback."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from random_programs.generator import random_program
from tool_fixtures import MLIR

from passel.tool import main
from random_inputs.forks import PATIENCE, import_all, in_fork
from random_inputs.mutation import mutated, mutated_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LIT: Final = Path(__file__).parents[2] / "lit"
RESOURCES: Final = (
    """func.func @f() { return }
{-#
  dialect_resources: { builtin: { blob: "0x08000000010203", other: "0x04000000" } },
  external_resources: {
    mlir_reproducer: { pipeline: "builtin.module(func.func(cse,canonicalize{max-iterations=3}))",
                       disable_threading: true, verify_each: false },
    zoo: { "two words": "line\\n\\22", flag: true, blob: "0x0800000001" }
  }
#-}
""",
    """func.func @f() -> tensor<2xi8> {
  %0 = arith.constant dense_resource<blob> : tensor<2xi8>
  return %0 : tensor<2xi8>
}
{-# dialect_resources: { builtin: { blob: "0x010000000102" } } #-}
""",
)


@cache
def _sources() -> Sequence[str]:
    files = sorted(LIT.rglob("*.mlir"))
    return tuple(file.read_text("utf-8", "replace") for file in files)


def text(random: Random) -> bytes:
    """Return IR as text."""
    start = random_program(random.randrange(99)) if random.randrange(3) else None
    mutant = mutated(start or random.choice(_sources()), random, _sources())
    return mutant.encode("utf-8", "surrogateescape")


def resources(random: Random) -> bytes:
    """Return IR with resources behind it."""
    body, start, end = random.choice(RESOURCES).partition("{-#")
    return (body + mutated(start + end, random, RESOURCES)).encode()


@cache
def _bytecode(seed: int) -> bytes:
    source = RESOURCES[seed] if seed < len(RESOURCES) else random_program(seed)
    command = [MLIR / "bin" / "mlir-opt", "--emit-bytecode", "-"]
    return subprocess.run(
        command, input=source.encode(), capture_output=True, check=True, timeout=PATIENCE
    ).stdout


def bytecode(random: Random) -> bytes:
    """Return IR as bytecode."""
    return mutated_bytes(_bytecode(random.randrange(6)), random)


def flags_for(random: Random, kind: str) -> list[str]:
    """Return flags with which an input may be processed."""
    ir = "mlir" if kind == "bytecode" else random.choice(("xdsl", "mlir"))
    choices = (
        ("--cse", "--canonicalize"),
        ("-p", "builtin.module(func.func(cse),symbol-dce)"),
        ("--split-input-file", "--verify-diagnostics"),
        ("--run-reproducer",),
        ("--allow-unregistered-dialect", "--mlir-print-op-generic", "--mlir-print-debuginfo"),
        ("--no-implicit-module", "--mlir-timing"),
    )
    reads = "--run-reproducer" if kind == "resources" and random.randrange(2) else "--cse"
    return [f"--ir={ir}", reads, *random.choice(choices)]


MAKERS: Final[dict[str, Callable[[Random], bytes]]] = {
    "ir": text,
    "resources": resources,
    "bytecode": bytecode,
}


def problem(kind: str, seed: int) -> str:
    """Return what is wrong with how passel-opt takes an input, or nothing."""
    import_all()
    random = Random(seed)  # noqa: S311 - repeatable inputs
    data = MAKERS[kind](random)
    flags = flags_for(random, kind)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mutant.mlir")
        file.write_bytes(data)
        code, said = in_fork(lambda: main([str(file), *flags]))
        wrong = _wrong(code, said)
        if wrong and code < 0 and _dies_too(file, flags):
            return ""
    return f"{wrong}: passel-opt {' '.join(flags)}\n{said[-2000:]}\n{data!r}" if wrong else ""


def _wrong(code: int, said: str) -> str:
    if code == -signal.SIGALRM:
        return "it hangs"
    if code < 0:
        return f"it dies of {signal.Signals(-code).name}"
    if "Traceback (most recent call last)" in said:
        return "a traceback"
    return "" if code in (0, 1, 2) else f"exit code {code}"


def _dies_too(file: Path, flags: Sequence[str]) -> bool:
    """Return whether mlir-opt does not survive the input either, with the same flags or none."""
    common = [flag for flag in flags if not flag.startswith("--ir=")]
    return any(
        _dies([MLIR / "bin" / "mlir-opt", file, *options]) for options in (common, ["--cse"])
    )


def _dies(command: Sequence[str | Path]) -> bool:
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode < 0
