"""Trials of cases: which is the first interesting one, and how often the oracle was asked."""

from __future__ import annotations

import time
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING

from passel.search.children import Children, Died, SearchError, in_child
from passel.search.oracle import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from passel.search.oracle import Case, Oracle

_WINDOW = 64
"""How many cases are given to the same children at most."""

_PATIENCE = 10
"""How many times longer than the first case another one may take."""

_GRACE = 5.0
"""How many seconds longer than that."""


class Trials:
    """Asks an oracle about cases, each once, in child processes.

    Args:
        oracle: The oracle.
        jobs: How many cases are tried at once.
        on_call: Called after the oracle was asked.

    Attributes:
        oracle: The oracle.
        calls: How often the oracle was asked, not counting cases that are not valid.
        invalid: How many cases were not valid.
    """

    def __init__(
        self, oracle: Oracle, *, jobs: int = 1, on_call: Callable[[], object] = lambda: None
    ) -> None:
        self.oracle: Oracle = oracle
        self._jobs = jobs
        self._on_call = on_call
        self._children = Children(oracle.__call__, self._is_interesting, jobs=jobs)
        self._known: dict[bytes, Verdict] = {}
        self._dies = False
        self.calls: int = 0
        self.invalid: int = 0

    def check(self, case: Case) -> Verdict:
        """Ask about a case twice, and take note of how long that may take for others.

        Raises:
            UnsteadyError: The oracle contradicts itself.
        """
        verdicts: list[Verdict] = []
        for _ in range(2):
            started = time.monotonic()
            (result,) = self._children.results([case]).values()
            verdicts.append(self._taken(case, result))
            limit = _PATIENCE * (time.monotonic() - started) + _GRACE
            self._children.timeout = max(self._children.timeout or 0.0, limit)
        first, second = verdicts
        if first is not second:
            raise UnsteadyError(first, second)
        return first

    def why(self, case: Case) -> str:
        """Return the oracle's reason for its verdict."""
        said = in_child(lambda scratch: self.oracle.why(case, scratch))
        return "" if isinstance(said, Died) else said

    def verdict(self, case: Case) -> Verdict:
        """Return the verdict on a case."""
        self.first([case])
        return self._known[_key(case)]

    def first(self, cases: Iterable[Case]) -> int | None:
        """Return the index of the first interesting case; None if none is."""
        rest, start, size = iter(cases), 0, 2 * self._jobs
        while window := list(islice(rest, self._jobs if self._dies else size)):
            unknown = [case for case in dict.fromkeys(window) if _key(case) not in self._known]
            for index, result in self._children.results(unknown).items():
                self._taken(unknown[index], result)
            for index, case in enumerate(window):
                if self._known.get(_key(case)) is Verdict.INTERESTING:
                    return start + index
            start += len(window)
            size = min(2 * size, _WINDOW)
        return None

    def _is_interesting(self, result: Verdict | Died) -> bool:
        return self._verdict(result) is Verdict.INTERESTING

    def _verdict(self, result: Verdict | Died) -> Verdict:
        return self.oracle.of_death(result) if isinstance(result, Died) else result

    def _taken(self, case: Case, result: Verdict | Died) -> Verdict:
        verdict = self._known[_key(case)] = self._verdict(result)
        if verdict is Verdict.INVALID:
            self.invalid += 1
            return verdict
        self.calls += 1
        if verdict is Verdict.INTERESTING:
            self._dies = isinstance(result, Died)
        self._on_call()
        return verdict


def _key(case: Case) -> bytes:
    """Return what identifies a case, which may be large."""
    return sha256(case.text().encode("utf-8", "surrogateescape")).digest()


class UnsteadyError(SearchError):
    """An oracle gives two answers about one case."""

    def __init__(self, first: Verdict, second: Verdict) -> None:
        super().__init__(
            f"the same IR is '{first.value}', then '{second.value}': a search needs an answer that "
            "does not change"
        )
