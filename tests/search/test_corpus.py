"""Reduction of the corpus, compared with what a person would report."""

from __future__ import annotations

import pytest
from corpus import Input, grown, inputs, subject_of
from sweeps import STEP

from passel.search import Case, Reducer, SameFailure, Trials
from passel.search.generic import parse_generic
from passel.search.starting import failure_of, narrowed, printed

_INPUTS = list(inputs())
_SAMPLE = [each for each in _INPUTS if each.name == "joined"]


def _check(each: Input) -> None:
    subject = subject_of(each.ir)
    case = Case(printed(subject, grown(each.report)) or "", each.pipeline)
    identity = failure_of(subject, case)
    assert identity is not None
    trials = Trials(SameFailure(subject, identity))
    reducer = Reducer(case, trials)
    local = narrowed(subject, case)
    assert local is not None
    reducer.offer([local])
    reducer.run()
    report = sum(1 for _ in parse_generic(printed(subject, each.report) or "").walk())
    assert reducer.size.ops <= 1.5 * report
    assert reducer.size.passes == 1
    assert trials.calls <= 60


@pytest.mark.parametrize("each", _SAMPLE, ids=lambda each: f"{each.ir}-{each.name}")
def test_a_case_gets_as_small_as_a_person_makes_it(each: Input) -> None:
    """A sample has no more than 1.5 times the ops of the report, and one pass, in few calls."""
    _check(each)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "each", _INPUTS[:: min(STEP, 5)], ids=lambda each: f"{each.ir}-{each.name}"
)
def test_all_cases_get_as_small_as_a_person_makes_them(each: Input) -> None:
    """So has each case of the corpus."""
    _check(each)
