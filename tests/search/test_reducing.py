"""Reduction of the corpus on both IRs, compared with what a person would report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from corpus import Input, grown, inputs, subject_of
from sweeps import STEP

from passel.frontend.generic_form import parse_generic
from passel.search import Case, Reducer, SameFailure, SearchError, Subject, Trials
from passel.search.starting import failure_of, narrowed, printed

if TYPE_CHECKING:
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
    "each", _INPUTS[:: min(STEP, 5)], ids=lambda each: f"{each.ir}-{each.name}"
)
def test_all_cases_get_as_small_as_a_person_makes_them(each: Input) -> None:
    """So has each case of the corpus."""
    _check(each, size=8)


def test_a_case_that_cannot_be_run_is_refused() -> None:
    """IR that does not parse has no failure to look for."""
    with pytest.raises(SearchError, match="cannot be read"):
        failure_of(subject_of("xdsl"), Case("func.func @f(", "builtin.module(cse)"))
