"""Reduction of the corpus on both IRs, compared with what a person would report; delta debugging."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from corpus import Input, grown, inputs, subject_of
from hypothesis import given
from hypothesis import strategies as st
from sweeps import STEP

from passel.frontend.generic_form import parse_generic
from passel.search import Case, Reducer, SameFailure, SearchError, Subject, Trials, ddmin
from passel.search.starting import failure_of, narrowed, printed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from passel.search.subject import FailureIdentity


_INPUTS = list(inputs())
_KINDS = {"constant": "xdsl", "carried": "xdsl", "compared": "mlir", "joined": "mlir"}
"""Bugs that raise, exit, give up, and crash the process."""
_SAMPLE = [each for each in _INPUTS if _KINDS.get(each.name) == each.ir]


def _started(each: Input, size: int) -> tuple[Subject, Case, FailureIdentity]:
    """Return how an input is run, as a case, and how that fails."""
    subject = subject_of(each.ir)
    case = Case(printed(subject, grown(each.report, size)) or "", each.pipeline)
    identity = failure_of(subject, case)
    assert identity is not None
    return subject, case, identity


def _check(each: Input, size: int) -> None:
    subject, case, identity = _started(each, size)
    trials = Trials(SameFailure(subject, identity))
    reducer = Reducer(case, trials)
    local = narrowed(subject, case)
    assert local is not None
    assert reducer.offer([local])
    reducer.run()
    report = sum(1 for _ in parse_generic(printed(subject, each.report) or "").walk())
    assert reducer.size.ops <= 1.5 * report
    assert reducer.size.passes == 1
    assert "symbol-dce" not in reducer.best.pipeline
    assert "other=1" not in reducer.best.pipeline
    assert failure_of(subject, reducer.best) == identity
    assert trials.calls <= 60


@pytest.mark.parametrize("each", _SAMPLE, ids=lambda each: f"{each.ir}-{each.name}")
def test_a_case_gets_as_small_as_a_person_makes_it(each: Input) -> None:
    """A sample has no more than 1.5 times the ops of the report, and one pass, in few calls."""
    _check(each, size=3)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "each", _INPUTS[:: min(STEP, 9)], ids=lambda each: f"{each.ir}-{each.name}"
)
def test_all_cases_get_as_small_as_a_person_makes_them(each: Input) -> None:
    """So has each case of the corpus."""
    _check(each, size=8)


def test_a_case_that_cannot_be_run_is_refused() -> None:
    """IR that does not parse has no failure to look for."""
    with pytest.raises(SearchError, match="cannot be read"):
        failure_of(subject_of("xdsl"), Case("func.func @f(", "builtin.module(cse)"))


# -- Delta debugging --------------------------------------------------------------------------


def one_by_one(
    is_interesting: Callable[[list[int]], bool],
) -> Callable[[Iterable[list[int]]], int | None]:
    """Return what tries lists one after the other."""
    return lambda lists: next((n for n, each in enumerate(lists) if is_interesting(each)), None)


@given(st.integers(0, 60).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, 59)))))
def test_what_is_needed_is_left(given: tuple[int, set[int]]) -> None:
    """Of any items, exactly those are left, in order, that are needed."""
    count, needed = given
    needed = {each for each in needed if each < count}
    assert ddmin(range(count), one_by_one(lambda kept: needed <= set(kept))) == sorted(needed)


@given(st.lists(st.integers(0, 9), max_size=30))
def test_nothing_more_can_be_left_out(items: list[int]) -> None:
    """Also where items stand for each other, none of those that are left can be left out."""

    def is_interesting(kept: list[int]) -> bool:
        return sum(kept) >= sum(items) // 2

    left = ddmin(items, one_by_one(is_interesting))
    assert is_interesting(left)
    for index in range(len(left)):
        assert not is_interesting(left[:index] + left[index + 1 :]) or not any(left)
