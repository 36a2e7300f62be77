"""Runs in forks, which are fast as all is imported, and may end as they like."""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import io
import os
import pkgutil
import signal
import sys
import tempfile
import traceback
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import passel.mlir
import passel.tool
import passel.xdsl
from passel.tool import main

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE: Final = 60
"""The seconds after which a run hangs, and is ended by SIGALRM."""


@cache
def import_all() -> None:
    """Import what runs import, so that forks have it; MLIR's threads would not survive a fork."""
    importlib.import_module("mlir.passmanager")
    for package in (passel.tool, passel.mlir, passel.xdsl):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    source = Path(__file__).parents[2] / "lit" / "actions" / "counter.mlir"
    with contextlib.redirect_stdout(io.StringIO()):
        main(["--ir=xdsl", "--cse", "--canonicalize", str(source)])


def in_fork(run: Callable[[], int]) -> tuple[int, str]:
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
