"""Scripts in processes of their own, for what could end the process."""

from __future__ import annotations

import atexit
import subprocess
from contextlib import ExitStack
from functools import cache
from typing import TYPE_CHECKING

from warm_programs import warm_programs

if TYPE_CHECKING:
    from pathlib import Path


@cache
def _python() -> Path:
    """Return Python as a program that has loaded both IRs."""
    stack = ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(warm_programs({"python": "__main__:run_script"}, "passel.mlir"))
    return folder / "python"


def survived(script: str, *arguments: str, code: int = 0) -> str:
    """Run a script to its end; return its output without what is around it.

    Args:
        script: Python.
        *arguments: What it finds in `sys.argv[1:]`.
        code: The exit code that it must have; a signal is a negative one.
    """
    command = [_python(), script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout.strip()
