"""Work of a thread that others end."""

from __future__ import annotations

import subprocess
import sys

STOPPED_IN_TIME = """
import sys
from contextlib import suppress
from passel.execution.strategies.stopping import Stoppable, Stopped

work = Stoppable()
with work, suppress(Stopped):
    work.stop()
sys.settrace(lambda *event: None)
(lambda: print("traced"))()
"""


def test_calls_are_traced_after_work_was_stopped() -> None:
    """Nothing is left behind that keeps debuggers and coverage from going on, as Python 3.11 may."""
    command = [sys.executable, "-c", STOPPED_IN_TIME]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.stdout, ended.stderr) == ("traced\n", "")
