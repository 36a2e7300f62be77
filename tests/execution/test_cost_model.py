"""Work is shared out only where its first tasks show that this saves time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel.errors import EncodingError
from passel.execution.outcome import CHANGED, UNCHANGED, Outcome
from passel.execution.strategies import cost_model
from passel.execution.strategies.cost_model import CostModel
from passel.execution.strategies.placement import Placement

if TYPE_CHECKING:
    from collections.abc import Sequence


class Pretended:
    """Tasks that take as long as they say, on a clock of their own.

    Args:
        noting: Seconds that are added for each task before it is done elsewhere.
        packing: The same after it.
        changes: Whether tasks change their ops, so that there is something to unpack.
    """

    def __init__(
        self,
        noting: float = 0.0,
        packing: float = 0.0,
        *,
        changes: bool = False,
    ) -> None:
        self.now = 0.0
        self.noting = noting
        self.packing = packing
        self.outcome = CHANGED if changes else UNCHANGED
        self.placement = Placement({}, "", is_declared=True)
        self.transport = self
        self.sends_copies = False

    def __call__(self, task: float) -> Outcome:
        """Take as long as the task is."""
        self.now += task
        return self.outcome

    def snapshot(self, task: float) -> None:
        """Take a while."""
        self.now += self.noting

    def pack(self, task: float, outcome: Outcome, snapshot: None) -> bytes:
        """Take a while."""
        self.now += self.packing
        return b""

    def parcel(self, tasks: Sequence[float]) -> bytes:
        """Take a while for each."""
        self.now += self.noting * len(tasks)
        return bytes(len(tasks))

    def open(self, parcel: bytes) -> None:
        """Take a while for each."""
        self.now += self.packing * len(parcel)


class CannotBeSent(Pretended):
    """Work on ops that cannot be sent."""

    def parcel(self, tasks: Sequence[float]) -> bytes:
        """Fail."""
        raise EncodingError("no")

    def pack(self, task: float, outcome: Outcome, snapshot: None) -> bytes:
        """Fail."""
        raise EncodingError("no")


def model_of(work: Any, jobs: int) -> CostModel:
    """Return the cost model of work for copies of this process."""
    return CostModel(work, jobs, 10)


def done_here(
    monkeypatch: pytest.MonkeyPatch, work: Any, seconds: float, count: int, jobs: int = 2
) -> int:
    """Return how many of so many tasks are done before the rest leaves."""
    monkeypatch.setattr(cost_model, "perf_counter", lambda: work.now)
    return len(list(model_of(work, jobs).run([seconds] * count)))


@pytest.mark.parametrize(
    ("seconds", "count", "stays"),
    [
        (1e-6, 1000, True),
        (1e-3, 50, True),
        (1e-3, 200, False),
        (0.5, 4, False),
        (0.5, 3, False),
        (0.5, 2, True),  # only one is left
    ],
)
def test_what_takes_long_leaves(
    monkeypatch: pytest.MonkeyPatch, seconds: float, count: int, stays: bool
) -> None:
    """It is known after a few tasks, and little work is done here."""
    here = done_here(monkeypatch, Pretended(), seconds, count)
    assert (here == count) == stays
    if not stays:
        assert here <= 12


@pytest.mark.parametrize(
    ("noting", "packing", "changes", "leaves"),
    [
        (0.0, 0.0, False, True),
        (0.1, 0.1, False, True),
        (0.3, 0.1, False, False),  # workers look at all ops once more, each of them
        (0.0, 0.2, True, True),
        (0.0, 0.4, True, False),
    ],
)
def test_what_is_costly_to_send_stays(
    monkeypatch: pytest.MonkeyPatch, noting: float, packing: float, changes: bool, leaves: bool
) -> None:
    """What is added in workers, and here when it comes back, may be more than they take over."""
    each = 1e-3
    work = Pretended(noting * each, packing * each, changes=changes)
    assert (done_here(monkeypatch, work, each, 1000) < 1000) == leaves


def test_what_cannot_be_sent_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """One op shows it."""
    assert done_here(monkeypatch, CannotBeSent(), 1e-2, 100) == 100


def test_tasks_that_get_longer_leave_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at again and again."""
    work = Pretended()
    monkeypatch.setattr(cost_model, "perf_counter", lambda: work.now)
    tasks = [1e-5] * 500 + [1e-2] * 500
    assert 500 < len(list(model_of(work, 2).run(tasks))) < 550


def copied(monkeypatch: pytest.MonkeyPatch, work: Any) -> int:
    """Return how many tasks of a second are done before copies of the rest are sent."""
    work.sends_copies = True
    return done_here(monkeypatch, work, 1.0, 100)


@pytest.mark.parametrize(
    ("sending", "reading", "changes", "leaves"),
    [
        (0.0, 0.0, True, True),
        (0.1, 0.1, True, True),
        (0.15, 0.15, False, True),  # nothing is to be read here
        (0.15, 0.15, True, False),
        (1.1, 0.0, False, False),
    ],
)
def test_what_is_costly_to_copy_stays(
    monkeypatch: pytest.MonkeyPatch, sending: float, reading: float, changes: bool, leaves: bool
) -> None:
    """This process has to send ops and to read what comes back, whatever workers do."""
    work = Pretended(sending, reading, changes=changes)
    assert copied(monkeypatch, work) == (11 if leaves else 100)


class CannotBeRead(Pretended):
    """Work on ops that cannot be read, as a worker would say."""

    def open(self, parcel: bytes) -> None:
        """Fail."""
        raise ValueError("no")


@pytest.mark.parametrize("kind", [CannotBeSent, CannotBeRead])
def test_what_cannot_be_copied_stays(
    monkeypatch: pytest.MonkeyPatch, kind: type[Pretended]
) -> None:
    """One share shows it."""
    assert copied(monkeypatch, kind()) == 100
