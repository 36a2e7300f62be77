"""Passes with contracts."""

from __future__ import annotations

from typing import Any

from passel import Pass, PassContext


class Schedule:
    """An analysis."""

    def __init__(self, op: Any) -> None: ...


class Generate(Pass):
    """Produce the schedule."""

    name = "generate"
    produces = (Schedule,)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Compute it."""
        ctx.analysis(Schedule)


class Materialize(Pass):
    """Use the schedule."""

    name = "materialize"
    requires = (Schedule,)

    def run(self, op: Any, ctx: PassContext) -> None:
        """Use it."""
        ctx.analysis(Schedule)


class Careless(Pass):
    """Preserve nothing."""

    name = "careless"

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""
