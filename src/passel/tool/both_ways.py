"""`PASSEL_FAST=check`: a run with fast paths and one without, which have to give the same."""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
from difflib import unified_diff
from itertools import islice
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

SWITCH = "PASSEL_FAST"
"""The environment variable: 0 turns fast paths off, `check` compares."""

_MOST_LINES = 40
"""Lines of a difference that are shown."""

_TIME = re.compile(rb"[0-9]+\.[0-9]+")


class _Result(NamedTuple):
    """Exit code and output of a run."""

    code: int
    out: bytes
    err: bytes

    def described(self) -> list[str]:
        """Return the result line by line, without times."""
        streams = (self.out, _TIME.sub(b"0.0", self.err))
        lines = [line for each in streams for line in each.decode(errors="replace").splitlines()]
        return [*lines, f"exit code {self.code}"]


def run_both_ways(program: str, run: Callable[[], int]) -> int:
    """Run a tool without fast paths and then with them, each in a process of its own.

    What the run with fast paths prints is printed.

    Args:
        program: The tool's name.
        run: Runs it, and returns its exit code.

    Returns:
        Its exit code; 1 if the runs differ in what they print or in their exit codes.
    """
    with tempfile.TemporaryFile() as given:
        if stat.S_ISFIFO(os.fstat(0).st_mode):  # which can be read only once
            given.write(sys.stdin.buffer.read())
            given.flush()
            os.dup2(given.fileno(), 0)
        slow, fast = (_run(run, switch) for switch in ("0", "1"))
    sys.stdout.buffer.write(fast.out)
    sys.stdout.flush()
    sys.stderr.buffer.write(fast.err)
    expected, found = slow.described(), fast.described()
    if expected == found:
        return fast.code
    print(f"{program}: error: with fast paths the result is another one:", file=sys.stderr)
    names = "without fast paths", "with fast paths"
    difference = unified_diff(expected, found, *names, lineterm="", n=1)
    for line in islice(difference, _MOST_LINES):
        print(line, file=sys.stderr)
    return 1


def _run(run: Callable[[], int], switch: str) -> _Result:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if not process:
            _run_apart(run, switch, out, err)
        _, status = os.waitpid(process, 0)
        out.seek(0)
        err.seek(0)
        return _Result(os.waitstatus_to_exitcode(status), out.read(), err.read())


def _run_apart(run: Callable[[], int], switch: str, out: IO[bytes], err: IO[bytes]) -> None:
    """Run in this process, which is a copy made for that, and end it."""
    code = 1
    try:
        os.environ[SWITCH] = switch
        if stat.S_ISREG(os.fstat(0).st_mode):
            os.lseek(0, 0, os.SEEK_SET)  # the other run may have read it
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        code = run()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
