"""Searches over runs: the place in a pipeline, the smallest case that still fails.

`bisect` finds the execution of a pass after which an op is bad, on any IR.

A `Stretch` is what lies between two places of a pipeline.

`ddmin` finds which of some items are needed; `Trials` ask an oracle about cases in child
processes, which they may crash; `Reducer` makes a case smaller.
"""

from passel.search.bisecting import Found, bisect
from passel.search.children import SearchError
from passel.search.oracle import Answer, Oracle, SameFailure, Verdict
from passel.search.places import Place, Stretch
from passel.search.reducing import Reducer, ddmin
from passel.search.subject import Case, Subject
from passel.search.trials import Trials, UnsteadyError

__all__ = [
    "Answer",
    "Case",
    "Found",
    "Oracle",
    "Place",
    "Reducer",
    "SameFailure",
    "SearchError",
    "Stretch",
    "Subject",
    "Trials",
    "UnsteadyError",
    "Verdict",
    "bisect",
    "ddmin",
]
