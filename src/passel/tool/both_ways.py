"""`PASSEL_FAST=check`: a run with fast paths and one without, which have to give the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from difflib import unified_diff
from itertools import islice

_MOST_LINES = 40
"""Lines of a difference that are shown."""

_TIME = re.compile(r"[0-9]+\.[0-9]+")


def run_both_ways(program: str) -> int:
    """Run the command of this process again, without fast paths and then with them.

    The output of the run with fast paths is this process's output.

    Args:
        program: The tool's name.

    Returns:
        Its exit code; 1 if the runs differ in what they print or in their exit codes.
    """
    # Both read what a pipe gives once.
    given = None if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read()
    slow, fast = _run("0", given), _run("1", given)
    sys.stdout.buffer.write(fast.stdout)
    sys.stdout.flush()
    sys.stderr.buffer.write(fast.stderr)
    expected, found = _described(slow), _described(fast)
    if expected == found:
        return fast.returncode
    print(f"{program}: error: with fast paths the result is another one:", file=sys.stderr)
    names = "without fast paths", "with fast paths"
    difference = unified_diff(expected, found, *names, lineterm="", n=1)
    for line in islice(difference, _MOST_LINES):
        print(line, file=sys.stderr)
    return 1


def _run(switch: str, given: bytes | None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 - the command of this process
        [sys.executable, *sys.orig_argv[1:]],
        env={**os.environ, "PASSEL_FAST": switch},
        input=given,
        capture_output=True,
        check=False,
    )


def _described(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    """Return a result line by line, without times."""
    out = done.stdout.decode(errors="replace")
    err = _TIME.sub("0.0", done.stderr.decode(errors="replace"))
    return [*out.splitlines(), *err.splitlines(), f"exit code {done.returncode}"]
