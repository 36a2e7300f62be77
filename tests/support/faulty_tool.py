"""A plugin with a pass that does to any process all that a pass should not do."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from faulty_passes import DEADLY, RAISED, SURVIVED

from passel import Pass, PassContext, PassFailure

if TYPE_CHECKING:
    from collections.abc import Callable


def _fail() -> None:
    raise PassFailure("no")


def _say_much() -> None:
    print("x" * 1_000_000)  # noqa: T201
    print("y" * 1_000_000, file=sys.stderr)  # noqa: T201


def _start_thread() -> None:
    threading.Thread(target=time.sleep, args=(0.2,)).start()


def _handle_signals() -> None:
    for number in (signal.SIGINT, signal.SIGALRM, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)


KINDS: dict[str, Callable[[], object]] = {
    **{how: act for how, (act, _) in DEADLY.items()},
    **RAISED,
    **SURVIVED,
    "give up": _fail,
    "much output": _say_much,
    "changed directory": lambda: os.chdir("/"),
    "own thread": _start_thread,
    "signal handlers": _handle_signals,
}


class FaultyAnywhere(Pass[Any]):
    """Take a while, so that work is shared, and do something bad on one op."""

    name = "faulty-anywhere"
    how: str = ""

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do it."""
        time.sleep(0.01)
        if ctx.adapter.symbol_name(op) == "f30":
            KINDS[self.how]()
