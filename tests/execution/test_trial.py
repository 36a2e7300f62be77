"""Work is shared out only where its first tasks show that this saves time."""

from __future__ import annotations

from typing import Any

import pytest

from passel.errors import EncodingError
from passel.execution.outcome import CHANGED, UNCHANGED, Outcome
from passel.execution.strategies import trial
from passel.execution.strategies.trial import Trial


class Pretended:
    """Tasks that take as long as they say, on a clock of their own.

    Args:
        noting: Seconds that are added for each task before it is done elsewhere.
        packing: The same after it.
        changes: Whether tasks change their ops, so that there is something to unpack.
        trusted: Whether its passes are.
        stays: Whether this process would work as well.
    """

    def __init__(
        self,
        noting: float = 0.0,
        packing: float = 0.0,
        *,
        changes: bool = False,
        trusted: bool = False,
        stays: bool = False,
    ) -> None:
        self.now = 0.0
        self.noting = noting
        self.packing = packing
        self.outcome = CHANGED if changes else UNCHANGED
        self.is_trusted = trusted
        self.may_stay = stays

    def __call__(self, task: float) -> Outcome:
        """Take as long as the task is."""
        self.now += task
        return self.outcome

    def note(self, task: float) -> None:
        """Take a while."""
        self.now += self.noting

    def pack(self, task: float, outcome: Outcome, noted: None) -> bytes:
        """Take a while."""
        self.now += self.packing
        return b""


class CannotBeSent(Pretended):
    """Work on ops that cannot be sent."""

    def pack(self, task: float, outcome: Outcome, noted: None) -> bytes:
        """Fail."""
        raise EncodingError("no")


def done_here(
    monkeypatch: pytest.MonkeyPatch, work: Any, seconds: float, count: int, jobs: int = 2
) -> int:
    """Return how many of so many tasks are done before the rest leaves."""
    monkeypatch.setattr(trial, "perf_counter", lambda: work.now)
    return len(list(Trial(work, jobs).run([seconds] * count)))


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
    ("noting", "packing", "flags", "leaves"),
    [
        (0.0, 0.0, set[str](), True),
        (0.3, 0.1, set[str](), False),  # workers look at all ops once more, each of them
        (0.3, 0.1, {"trusted"}, True),
        (0.6, 0.6, {"trusted"}, False),
        (0.6, 0.6, {"trusted", "stays"}, True),  # of two, one has nothing to send
        (0.0, 0.4, {"changes", "trusted"}, False),
        (0.0, 0.4, {"changes", "trusted", "stays"}, True),
        (0.5, 1.2, {"changes", "trusted", "stays"}, False),
    ],
)
def test_what_is_costly_to_send_stays(
    monkeypatch: pytest.MonkeyPatch, noting: float, packing: float, flags: set[str], leaves: bool
) -> None:
    """What is added in workers, and here when it comes back, may be more than they take over."""
    each = 1e-3
    work = Pretended(noting * each, packing * each, **dict.fromkeys(flags, True))
    assert (done_here(monkeypatch, work, each, 1000) < 1000) == leaves


def test_what_cannot_be_sent_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """One op shows it."""
    assert done_here(monkeypatch, CannotBeSent(), 1e-2, 100) == 100


def test_tasks_that_get_longer_leave_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked at again and again."""
    work = Pretended()
    monkeypatch.setattr(trial, "perf_counter", lambda: work.now)
    tasks = [1e-5] * 500 + [1e-2] * 500
    assert 500 < len(list(Trial(work, 2).run(tasks))) < 550  # pyright: ignore[reportArgumentType]
