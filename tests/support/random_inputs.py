"""Valid inputs that are changed at random: passel-opt ends with 0, 1 or 2, without a traceback."""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import io
import os
import pkgutil
import re
import signal
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from random_programs.generator import random_program
from tool_fixtures import MLIR

import passel.mlir
import passel.tool
import passel.xdsl
from passel.tool import main

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PATIENCE: Final = 60
"""The seconds after which a run hangs, and is ended by SIGALRM."""

LIT: Final = Path(__file__).parents[1] / "lit"
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

# -- Changes ---------------------------------------------------------------------------------

_TOKENS = re.compile(r"[\w.$-]+|\s+|.", re.DOTALL)
_ODD: Final = (
    *("", " ", "\n", "\0", '"', "'", "\\", "{", "}", "(", ")", "[", "]", "<", ">", ",", "=", ":"),
    *("%", "@", "#", "!", "^", "//", "-", "{-#", "#-}", "é", "\u2028", "\U0001f600", "->", "::"),
    *("-1", "99999999999999999999", "0x", "0xFFFFFFFFFFFFFFFF", "1e999", "nan", "true", "any"),
)
"""Tokens for places where they may not belong."""


def _mutated(text: str, random: Random, others: Sequence[str]) -> str:
    """Return a text with a few of its tokens changed, some into tokens of other texts."""
    tokens: list[str] = _TOKENS.findall(text)
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        start = random.randrange(len(tokens) + 1)
        end = min(start + random.choice((0, 1, 1, 1, 2, 5, 20)), len(tokens))
        match random.randrange(5):
            case 0:
                new = tokens[start:end] * random.choice((0, 2))
            case 1:
                new = [random.choice(_ODD)]
            case 2:
                new = tokens[start:end][::-1]
            case 3:
                source: list[str] = _TOKENS.findall(random.choice(others)) or [""]
                at = random.randrange(len(source))
                new = source[at : at + random.choice((1, 1, 1, 3, 10))]
            case _:
                new = [random.choice(tokens or [""])]
        tokens[start:end] = new
    return "".join(tokens)


def _mutated_bytes(data: bytes, random: Random) -> bytes:
    """Return data with a few of its bytes changed, added or removed."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(changed) + 1)
        length = random.choice((0, 1, 1, 1, 4, 64))
        changed[at : at + length] = random.choice((b"", b"\0", b"\xff", random.randbytes(length)))
    return bytes(changed)


# -- Inputs ----------------------------------------------------------------------------------


@cache
def _sources() -> Sequence[str]:
    files = sorted(LIT.rglob("*.mlir"))
    return tuple(file.read_text("utf-8", "replace") for file in files)


def _text(random: Random) -> bytes:
    start = random_program(random.randrange(99)) if random.randrange(3) else None
    mutant = _mutated(start or random.choice(_sources()), random, _sources())
    return mutant.encode("utf-8", "surrogateescape")


def _resources(random: Random) -> bytes:
    body, start, end = random.choice(RESOURCES).partition("{-#")
    return (body + _mutated(start + end, random, RESOURCES)).encode()


@cache
def _bytecode_of(seed: int) -> bytes:
    source = RESOURCES[seed] if seed < len(RESOURCES) else random_program(seed)
    command = [MLIR / "bin" / "mlir-opt", "--emit-bytecode", "-"]
    return subprocess.run(
        command, input=source.encode(), capture_output=True, check=True, timeout=PATIENCE
    ).stdout


def _bytecode(random: Random) -> bytes:
    return _mutated_bytes(_bytecode_of(random.randrange(6)), random)


MAKERS: Final[dict[str, Callable[[Random], bytes]]] = {
    "ir": _text,
    "resources": _resources,
    "bytecode": _bytecode,
}


def _flags_for(random: Random, kind: str) -> list[str]:
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


# -- Runs ------------------------------------------------------------------------------------


def problem(kind: str, seed: int) -> str:
    """Return what is wrong with how passel-opt takes an input, or nothing."""
    _import_all()
    random = Random(seed)  # noqa: S311 - repeatable inputs
    data = MAKERS[kind](random)
    flags = _flags_for(random, kind)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mutant.mlir")
        file.write_bytes(data)
        code, said = _in_fork(lambda: main([str(file), *flags]))
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
    for options in (common, ["--cse"]):
        command = [MLIR / "bin" / "mlir-opt", file, *options]
        try:
            done = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return True
        if done.returncode < 0:
            return True
    return False


@cache
def _import_all() -> None:
    """Import what runs import, so that forks have it; MLIR's threads would not survive a fork."""
    importlib.import_module("mlir.passmanager")
    for package in (passel.tool, passel.mlir, passel.xdsl):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    with contextlib.redirect_stdout(io.StringIO()):
        main(["--ir=xdsl", "--cse", "--canonicalize", str(LIT / "actions" / "counter.mlir")])


def _in_fork(run: Callable[[], int]) -> tuple[int, str]:
    """Run a function in a fork of this process, in an empty directory.

    Args:
        run: Returns the exit code; 70 if it raises.

    Returns:
        The exit code, negative if a signal ended it, and its errors.
    """
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder, "said")
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            _end(run, said)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), said.read_text("utf-8", "replace")


def _end(run: Callable[[], int], said: Path) -> None:
    """Run the function, and end this process."""
    code = 70
    try:
        signal.alarm(PATIENCE)
        errors = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(errors, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        faulthandler.enable(sys.stderr)  # pytest's would write into its report
        os.chdir(said.parent)
        code = run()
    except BaseException:  # noqa: BLE001 - the fork must not go on as its parent
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
