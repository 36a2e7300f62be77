"""A check that no pass invalidates an analysis that the pass claims to preserve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.analysis import EVERYTHING
from passel.diagnostics import brief
from passel.errors import PassFailure
from passel.hooks import PassInstrumentation
from passel.ir import FindsDialects, ability_of

if TYPE_CHECKING:
    from passel.hooks import ObservedRun
    from passel.passes import PassContext
    from passel.schedule import Step


class AnalysisCheck(PassInstrumentation):
    """An instrumentation that makes a pass fail if the pass falsely claims to preserve analyses.

    A pass that claims to preserve all analyses must not change its op. Each preserved analysis that
    defines equality is computed again and compared with the preserved result. Computing an analysis
    must not change the op. If the IR accepts ops of unloaded dialects, a pass must also declare the
    dialects of the ops that it creates.
    """

    finds_changes = True
    flag = "--verify-analyses"
    crosses = True

    def before_run(self, run: ObservedRun) -> None:
        """Store the dialects that the input uses."""
        if run.outer is None:
            self._before: list[object] = []
            self._known: dict[ObservedRun, set[str]] = {}
        if (finder := ability_of(run.adapter, FindsDialects)) is not None:
            self._known[run] = set(finder.dialects_in(run.op))

    def after_run(self, run: ObservedRun, *, failed: bool) -> None:
        """Drop the stored dialects of the run."""
        self._known.pop(run, None)

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Compute a fingerprint of the op before an analysis is computed."""
        self._before.append(self.run.adapter.fingerprint(op))

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Check that computing an analysis has not changed the fingerprint of the op.

        Raises:
            PassFailure: If computing the analysis changed the op.
        """
        before = self._before.pop()
        if not self.ended.failed and self.run.adapter.fingerprint(op) != before:
            raise PassFailure(f"analysis {name} changed its op", op=op)

    def after_pass(self, step: Step, op: Any) -> None:
        """Check that the pass preserved the analyses that it claims to preserve.

        Raises:
            PassFailure: If the pass did not preserve an analysis, or did not declare a dialect.
        """
        ctx: PassContext[Any] | None = self.ended.context
        if self.ended.changed:
            if ctx is not None and ctx.preserved is EVERYTHING:
                raise PassFailure("it claims to preserve everything, but changed the op")
            self._check_dialects(step, op)
        if ctx is not None and ctx.cached is not None and not self.ended.skipped:
            try:
                ctx.cached.check()
            except PassFailure:
                raise
            except Exception as error:
                raise PassFailure(f"comparing the op's analyses raised {brief(error)}") from error

    def _check_dialects(self, step: Step, op: Any) -> None:
        adapter = self.run.adapter
        if (finder := ability_of(adapter, FindsDialects)) is None:
            return
        known, found = self._known[self.run], finder.dialects_in(op)
        known.update(finder.loaded_dialects(self.run.ir_context))
        new = next((dialect for dialect in found if dialect not in known), None)
        known.update(found)
        if new is not None and finder.declares_dialects(step.pass_):
            raise PassFailure(
                f"it creates ops of dialect '{new}', which neither the input nor any pass has "
                f"loaded; declare dependent_dialects = ('{new}',)",
                op=found[new],
            )
