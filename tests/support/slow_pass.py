"""Passes that say where they are, in a module that other processes can import."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from passel import Pass, PassContext

if TYPE_CHECKING:
    from passel.testing import ToyOp


class Sleep(Pass):
    """Say which process this is, and sleep for a minute."""

    name = "sleep"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        os.write(1, b"%d\n" % os.getpid())
        time.sleep(60)


class Say(Pass):
    """Say which process this is."""

    name = "say"

    def run(self, op: ToyOp, ctx: PassContext) -> None:
        """Do it."""
        print(f"{os.getpid()}\n", end="", flush=True)  # noqa: T201 - to be seen, in one piece
