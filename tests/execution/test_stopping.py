"""Work of a thread that others end, and waits that Ctrl-C ends."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import Future
from threading import Timer

import pytest

from passel.execution.strategies.stopping import result_of, status_of

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


class Watched(Future[int]):
    """A future that must not be waited for without an end."""

    def result(self, timeout: float | None = None) -> int:
        """Return the result."""
        assert timeout is not None or self.done()
        return super().result(timeout)


def test_a_wait_for_a_future_is_in_short_periods() -> None:
    """An interrupt that comes right before one of them is seen after it."""
    late = Watched()
    Timer(0.3, late.set_result, [7]).start()
    assert result_of(late) == 7
    wrong = Watched()
    wrong.set_exception(TimeoutError("its own"))
    with pytest.raises(TimeoutError, match="its own"):
        result_of(wrong)


@pytest.mark.parametrize("waits_in_periods", [True, False])
def test_the_end_of_a_child(waits_in_periods: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its status comes back, also where the system knows no descriptors of processes."""
    if not waits_in_periods:
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3); exit(3)"])
    status = status_of(child.pid)
    assert status is not None
    assert os.waitstatus_to_exitcode(status) == 3
    assert status_of(child.pid) is None
    child.returncode = 3  # it has been waited for
