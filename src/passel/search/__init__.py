"""Searching for the pass that breaks the IR, and for the smallest case that still fails.

`bisect` finds the pass execution that makes an op bad. The op can be in any IR.

A `Stretch` is a gate that runs only the passes between two places in a pipeline.

`ddmin` minimizes a list of items. `Trials` runs an oracle on cases in child processes, since a case
may crash the process. `Reducer` makes a case smaller as long as the case remains interesting.
"""

from passel.search.bisecting import Found, bisect
from passel.search.children import SearchError
from passel.search.oracle import Answer, Oracle, SameFailure, Verdict
from passel.search.places import Place, Stretch
from passel.search.reducing import Reducer, ddmin
from passel.search.subject import Case, Subject
from passel.search.trials import Trials

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
    "Verdict",
    "bisect",
    "ddmin",
]
