"""Running an oracle on cases, finding the first interesting case, and counting calls."""

from __future__ import annotations

import time
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING

from passel.search.children import Died, SearchError, in_children
from passel.search.oracle import Answer, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passel.search.oracle import Oracle
    from passel.search.subject import Case

_WINDOW = 64
"""The maximum number of cases for a set of child processes."""

_SLOWER = 10
"""The ratio of the time limit for other cases to the time that a checked case takes."""

_GRACE = 5.0
"""The number of seconds to add to the time limit."""


class Trials:
    """A runner of trials. Each trial calls an oracle on a case in a child process.

    Answers are cached, but `check` always calls the oracle.

    Args:
        oracle: The oracle to run.
        jobs: The number of cases to test in parallel.

    Attributes:
        oracle: The oracle to run.
        calls: The number of calls to the oracle, except calls with the verdict `INVALID`.
        invalid: The number of calls with the verdict `INVALID`.
    """

    def __init__(self, oracle: Oracle, *, jobs: int = 1) -> None:
        self.oracle: Oracle = oracle
        self._jobs = jobs
        self._timeout = 0.0
        self._known: dict[bytes, Answer] = {}
        self._crashes = False
        self.calls: int = 0
        self.invalid: int = 0

    def check(self, case: Case) -> Answer:
        """Test a case twice. The time of these tests determines the time limit for other cases.

        Raises:
            SearchError: If the two answers of the oracle differ.
        """
        answers: list[Answer] = []
        for _ in range(2):
            started = time.monotonic()
            answers += self._ask([case]).values()
            limit = _SLOWER * (time.monotonic() - started) + _GRACE
            self._timeout = max(self._timeout, limit)
        first, second = answers
        if first.verdict is not second.verdict:
            raise SearchError(
                f"the check is not deterministic: the same IR is first '{first.verdict.value}', "
                f"then '{second.verdict.value}'"
            )
        return first

    def answer(self, case: Case) -> Answer:
        """Return the oracle's answer about a case.

        If the child process dies or exceeds the time limit, `Oracle.of_death` gives the answer.
        """
        self.first([case])
        return self._known[_key(case)]

    def first(self, cases: Iterable[Case]) -> int | None:
        """Return the index of the first interesting case, or None if no case is interesting."""
        rest, start, size = iter(cases), 0, 2 * self._jobs
        while window := list(islice(rest, self._jobs if self._crashes else size)):
            unknown = [case for case in dict.fromkeys(window) if _key(case) not in self._known]
            self._ask(unknown)
            for index, case in enumerate(window):
                known = self._known.get(_key(case))
                if known is not None and known.verdict is Verdict.INTERESTING:
                    return start + index
            start += len(window)
            size = min(2 * size, _WINDOW)
        return None

    def _ask(self, cases: Sequence[Case]) -> dict[int, Answer]:
        """Test cases, and return the available answers by the index of the case."""

        def answer(result: Answer | Died) -> Answer:
            return self.oracle.of_death(result) if isinstance(result, Died) else result

        def is_interesting(result: Answer | Died) -> bool:
            return answer(result).verdict is Verdict.INTERESTING

        results = in_children(
            self.oracle, cases, is_interesting, jobs=self._jobs, timeout=self._timeout
        )
        answers = {index: answer(result) for index, result in results.items()}
        for index, given in answers.items():
            self._known[_key(cases[index])] = given
            if given.verdict is Verdict.INVALID:
                self.invalid += 1
                continue
            self.calls += 1
            if given.verdict is Verdict.INTERESTING:
                self._crashes = isinstance(results[index], Died)
        return answers


def _key(case: Case) -> bytes:
    """Return a short key for a case, which may be large."""
    return sha256(case.text().encode("utf-8", "surrogateescape")).digest()
