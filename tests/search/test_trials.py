"""Trials of cases in child processes."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from passel.search import Answer, Case, Oracle, SearchError, Trials, Verdict
from passel.search.children import Died, in_children

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from passel.search.children import Scratch


class _Oracle(Oracle):
    """Says of a case what its text says."""

    def __init__(self, on_call: Callable[[], object] = lambda: None) -> None:
        self._on_call = on_call

    def __call__(self, case: Case, scratch: Scratch) -> Answer:
        self._on_call()
        if case.ir.startswith("dies"):
            scratch.note("here")
            os.kill(os.getpid(), signal.SIGKILL)
        return Answer(Verdict[case.ir.partition(" ")[0].upper()])

    def of_death(self, died: Died) -> Answer:
        return Answer(Verdict.INTERESTING if died.note == "here" else Verdict.DULL)


def _cases(*texts: str) -> list[Case]:
    return [Case(text) for text in texts]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_the_first_interesting_case_is_found(jobs: int) -> None:
    """Of several interesting cases it is the first, however many are tried at once."""
    trials = Trials(_Oracle(), jobs=jobs)
    texts = [f"dull {n}" for n in range(9)]
    texts[5] = texts[7] = "interesting"
    assert trials.first(_cases(*texts)) == 5
    assert trials.first(_cases("dull", "invalid")) is None
    assert trials.invalid == 1


def test_no_more_calls_than_needed() -> None:
    """One job asks about no case after the first interesting one, and about none twice."""
    trials = Trials(_Oracle())
    assert trials.first(_cases("dull 1", "dull 1", "interesting 2", "dull 3")) == 1 + 1
    assert trials.calls == 2
    assert trials.first(_cases("dull 1", "interesting 2")) == 1
    assert trials.calls == 2


def test_a_case_may_kill_the_process() -> None:
    """A crash is a verdict as any other, with what the child took note of before."""
    trials = Trials(_Oracle(), jobs=2)
    assert trials.first(_cases("dull", "dies", "dull 2", "dull 3")) == 1


def test_an_oracle_that_contradicts_itself_is_found(tmp_path: Path) -> None:
    """The first case is asked about twice, and two answers are an error."""
    seen = tmp_path / "seen"

    class Unsteady(_Oracle):
        def __call__(self, case: Case, scratch: Scratch) -> Answer:
            if seen.exists():
                return Answer(Verdict.DULL)
            seen.touch()
            return Answer(Verdict.INTERESTING)

    with pytest.raises(SearchError, match="'interesting', then 'not interesting'"):
        Trials(Unsteady()).check(Case("x"))


def test_a_case_that_hangs_is_ended() -> None:
    """An item that takes longer than the timeout is killed, and the others get their results."""

    def work(item: int, _: Scratch) -> int:
        if item == 1:
            time.sleep(30)
        return item

    results = in_children(work, [0, 1, 2], lambda _: False, timeout=0.3)
    died = results[1]
    assert isinstance(died, Died)
    assert died.cause == "SIGALRM"
    assert (results[0], results[2]) == (0, 2)


def test_what_a_child_writes_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    """Output of a case is not shown; of one that dies, what it wrote last is kept."""

    def work(item: int, _: Scratch) -> int:
        os.write(1, b"out")
        os.write(2, b"LLVM ERROR: no\n")
        os.abort()

    died = in_children(work, [0], lambda _: False)[0]
    assert isinstance(died, Died)
    assert (died.cause, died.stderr) == ("SIGABRT", "LLVM ERROR: no\n")
    assert capfd.readouterr() == ("", "")
