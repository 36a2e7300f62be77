"""Analyses that steps keep because of what is declared of their passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.passes.preservation import EVERYTHING, in_common, preserved_by
from passel.schedule import passes_in, passes_of

if TYPE_CHECKING:
    from passel.schedule import Pipeline, Step


class KeptAnalyses:
    """Knows what steps keep whatever happens in them, each looked at once.

    Nested and fused passes have to preserve an analysis all of them, and so do those of pipelines
    that a pass may run.
    """

    def __init__(self) -> None:
        self._steps: dict[Step, tuple[frozenset[type], frozenset[type]]] = {}
        self._pipelines: dict[Pipeline, frozenset[type]] = {}

    def by_step(self, step: Step, ran: frozenset[type] = EVERYTHING) -> frozenset[type]:
        """Return the analyses of an op that a step on it keeps.

        Args:
            step: The step.
            ran: The analyses that all pipelines preserve which its passes have run.
        """
        known = self._steps.get(step)
        if known is None:
            preserved = preserved_by(inner.pass_ for inner in passes_in(step))
            produced: tuple[type, ...] = ()
            if step.pass_ is not None and not step.is_fused:
                produced = step.pass_.contract.produces
            known = self._steps[step] = preserved, frozenset(produced)
        return in_common(known[0], ran) | known[1]

    def by_pipeline(self, pipeline: Pipeline) -> frozenset[type]:
        """Return the analyses of an op that a pipeline on it, or inside of it, keeps."""
        kept = self._pipelines.get(pipeline)
        if kept is None:
            passes = (step.pass_ for step in passes_of(pipeline))
            kept = self._pipelines[pipeline] = preserved_by(passes)
        return kept
