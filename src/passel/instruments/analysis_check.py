"""A check that no pass invalidates an analysis that the pass claims to preserve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.analysis import EVERYTHING
from passel.diagnostics import brief
from passel.errors import PassFailure
from passel.hooks import PassInstrumentation

if TYPE_CHECKING:
    from passel.passes import PassContext
    from passel.schedule import Step


class AnalysisCheck(PassInstrumentation):
    """An instrumentation that makes a pass fail if the pass falsely claims to preserve analyses.

    A pass that claims to preserve all analyses must not change its op. Each preserved analysis that
    defines equality is computed again, and the result is compared with the cached result.
    """

    finds_changes = True
    flag = "--verify-analyses"
    crosses = True

    def after_pass(self, step: Step, op: Any) -> None:
        """Check that the pass preserved the analyses that it claims to preserve.

        Raises:
            PassFailure: If the pass did not preserve an analysis.
        """
        ctx: PassContext[Any] | None = self.ended.context
        if ctx is None or self.ended.skipped:
            return
        if self.ended.changed and ctx.preserved is EVERYTHING:
            raise PassFailure("the pass claims to preserve all analyses, but changed its op")
        if ctx.cached is not None:
            try:
                ctx.cached.check()
            except PassFailure:
                raise
            except Exception as error:
                raise PassFailure(f"comparing the op's analyses raised {brief(error)}") from error
