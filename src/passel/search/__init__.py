"""Searches over runs: the place in a pipeline, the smallest case that still fails.

A `Stretch` is what lies between two places of a pipeline.

`ddmin` finds which of some items are needed; `Trials` ask an oracle about cases in child
processes, which they may crash; `Reducer` makes a case smaller.
"""

from passel.search.ddmin import ddmin
from passel.search.oracle import (
    Case,
    Command,
    FailureIdentity,
    Oracle,
    SameFailure,
    Subject,
    Verdict,
)
from passel.search.places import Place, Stretch
from passel.search.reducing import Reducer, Size
from passel.search.starting import SearchError, failure_of, narrowed, printed
from passel.search.trials import Trials, UnsteadyError

__all__ = [
    "Case",
    "Command",
    "FailureIdentity",
    "Oracle",
    "Place",
    "Reducer",
    "SameFailure",
    "SearchError",
    "Size",
    "Stretch",
    "Subject",
    "Trials",
    "UnsteadyError",
    "Verdict",
    "ddmin",
    "failure_of",
    "narrowed",
    "printed",
]
