"""Invalid IR never leaves a run as a success, whatever passes do, and wherever they do it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from event_recorder import FullEventRecorder
from hypothesis import given
from hypothesis import strategies as st
from meddling import ACTS, ADAPTER, TARGETS, Meddle, is_valid, make

from passel import OpPassManager, PassFailedError, PassManager

if TYPE_CHECKING:
    from passel import Failure

SYMBOLS = ["root", "a", "b", "in", "c", "deep", "d", "e", "f", "z"]


class Case(NamedTuple):
    """How passes are run.

    Attributes:
        verify: When the IR is verified.
        gate: The symbol of an op on which no pass runs.
        isolation: Whether each pass is held to its op.
        claims: Whether each pass is held to what it states.
        watched: Whether all hooks are observed.
    """

    verify: Any
    gate: str
    isolation: bool
    claims: bool
    watched: bool


cases = st.builds(
    Case,
    verify=st.sampled_from([True, "always"]),
    gate=st.sampled_from(["", *SYMBOLS]),
    isolation=st.booleans(),
    claims=st.booleans(),
    watched=st.booleans(),
)


meddlers = st.builds(
    Meddle,
    act=st.sampled_from(["change", *ACTS]),
    target=st.sampled_from(["own", *TARGETS]),
    at=st.sampled_from(SYMBOLS),
    preserves_all=st.sampled_from([False, False, True]),
    dynamic=st.sampled_from([False, False, True]),
)
"""Passes of all kinds, most of which do nothing."""


def managers(depth: int) -> st.SearchStrategy[OpPassManager]:
    """Nested managers of at most this depth."""
    entries = meddlers | managers(depth - 1) if depth else meddlers
    anchors = st.sampled_from(["builtin.module", "func.func", "any"])
    return st.builds(_managed, anchors, st.lists(entries, min_size=1, max_size=3))


def _managed(anchor: str, entries: list[Any]) -> OpPassManager:
    return OpPassManager(anchor).add(*entries)


pipelines = st.lists(meddlers | managers(2), min_size=1, max_size=4)
"""What stands in the pipeline of the module at the top."""


def run(entries: list[Any], case: Case) -> tuple[Any, list[tuple[Failure, Any]]]:
    """Run passes on a new module; return it, and each failure with what had run before it."""
    pm = PassManager("builtin.module", adapter=ADAPTER).add(*entries)
    pm.enable_verifier(case.verify)
    pm.enable_isolation_check(case.isolation)
    pm.enable_analysis_verifier(case.claims)
    if case.watched:
        pm.add_instrumentation(FullEventRecorder())
    if case.gate:
        pm.add_gate(lambda _, op: ADAPTER.symbol_name(op) != case.gate)
    Meddle.log.clear()
    module = make()
    ran: dict[int, list[tuple[str, bool]]] = {}
    try:
        pm.run(module, on_diagnostic=lambda each: ran.update({id(each): list(Meddle.log)}))
    except PassFailedError as error:
        return module, [(each, ran[id(each.diagnostic)]) for each in error.failures]
    return module, []


@given(pipelines, cases)
def test_what_leaves_a_successful_run_is_valid(entries: list[Any], case: Case) -> None:
    """What a verification of the whole would refuse afterwards, the run has refused."""
    module, failures = run(entries, case)
    assert failures or is_valid(module)


@given(pipelines, cases)
def test_the_first_failure_names_who_ran_since_all_was_valid(
    entries: list[Any], case: Case
) -> None:
    """No pass is blamed that ran while everything was fine, or that has not run."""
    _, failures = run(entries, case)
    if not failures:
        return
    failure, ran = failures[0]
    if failure.kind == "invalid":
        good = max(number for number, (_, valid) in enumerate(ran) if valid)
        ran = ran[good:]
    assert failure.kind in ("invalid", "isolation", "failed"), failure
    named = [path for path, _ in ran if path.startswith(failure.path)]
    assert named, (failure, ran)
