"""Work of a thread that others end, and waits that Ctrl-C ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import Future
from threading import Timer

import pytest

from passel.execution.strategies.stopping import end, result_of, status_of

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


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not name children")
def test_what_a_child_has_started_ends_with_it() -> None:
    """A child that is late is killed together with its own children."""
    command = ["/bin/sh", "-c", "sleep 60 & echo; wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as late:
        assert late.stdout is not None
        late.stdout.readline()
        end(late.pid)
        status_of(late.pid)
        assert late.stdout.read() == ""  # its other writer has ended as well
        late.returncode = -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not name children")
def test_a_process_that_cannot_be_killed_saves_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what a child has started, all that can be killed is, whatever the first one is."""
    command = ["/bin/sh", "-c", "sleep 1 >&2 & sleep 60 & echo $!; wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as late:
        assert late.stdout is not None
        last, kill, killed = int(late.stdout.readline()), os.kill, list[int]()

        def refuse(process: int, number: int) -> None:
            killed.append(process)
            if process not in {last, late.pid}:
                raise PermissionError
            kill(process, number)

        monkeypatch.setattr(os, "kill", refuse)
        end(late.pid)
        status_of(late.pid)
        assert last in killed
        late.returncode = -signal.SIGKILL


def test_the_end_of_a_child() -> None:
    """Its status comes back once; a child that is late is killed."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(0.3); exit(3)"])
    status = status_of(child.pid)
    assert status is not None
    assert os.waitstatus_to_exitcode(status) == 3
    assert status_of(child.pid) is None
    child.returncode = 3  # it has been waited for
    late = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    end(late.pid)
    status = status_of(late.pid)
    assert status is not None
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    late.returncode = -signal.SIGKILL
