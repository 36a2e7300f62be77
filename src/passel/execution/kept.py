"""Analyses that steps keep because of what is declared of their passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.passes.preservation import preserved_by
from passel.schedule import passes_in, passes_of

if TYPE_CHECKING:
    from passel.passes.preservation import Contracts
    from passel.schedule import Pipeline, Step


class KeptAnalyses:
    """Knows what steps keep whatever happens in them, each looked at once.

    Nested and fused passes have to preserve an analysis all of them, and so do those of pipelines
    that a pass runs.

    Args:
        contracts: Knows what passes declare.
    """

    def __init__(self, contracts: Contracts) -> None:
        self._contracts = contracts
        self._known: dict[Step | Pipeline, frozenset[type]] = {}

    def by_step(self, step: Step) -> frozenset[type]:
        """Return the analyses of an op that a step on it keeps."""
        kept = self._known.get(step)
        if kept is None:
            kept = preserved_by((inner.pass_ for inner in passes_in(step)), self._contracts)
            if step.pass_ is not None and not step.is_fused:
                kept |= frozenset(self._contracts.contract_of(step.pass_).produces)
            self._known[step] = kept
        return kept

    def by_pipeline(self, pipeline: Pipeline) -> frozenset[type]:
        """Return the analyses of an op that a pipeline on it keeps for whoever runs it."""
        kept = self._known.get(pipeline)
        if kept is None:
            passes = (step.pass_ for step in passes_of(pipeline))
            kept = self._known[pipeline] = preserved_by(passes, self._contracts)
        return kept
