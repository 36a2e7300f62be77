"""Scripts in processes of their own, for what could end the process."""

from __future__ import annotations

import subprocess
import sys


def survived(script: str, *arguments: str, code: int = 0) -> str:
    """Run a script to its end; return its output without what is around it.

    Args:
        script: Python.
        *arguments: What it finds in `sys.argv[1:]`.
        code: The exit code that it must have; a signal is a negative one.
    """
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout.strip()
