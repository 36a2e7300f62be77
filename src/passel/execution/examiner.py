"""Finding and verifying the changes that passes make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.execution.options import VerifyEach
from passel.hooks import Bracket, Ended
from passel.ir import FindsDialects, InvalidIR, ability_of
from passel.passes.outcome import PLAIN, UNCHANGED, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.errors import Failure
    from passel.execution.failure_texts import Failures
    from passel.execution.options import RunOptions
    from passel.hooks import Instrumentor
    from passel.passes import PassContext
    from passel.schedule import Step


class Examiner:
    """Compares ops with their last valid states, and verifies them.

    Args:
        failing: The factory of failures.
        ir_context: The IR's own context.
        options: The checks to make.
        hooks: The hooks.

    Attributes:
        hooks: The hooks.
        verifies: Whether the IR is verified after passes.
        knows_changes: Whether outcomes record whether the op was changed.
        tracks: Whether fingerprints are taken to find the changes of passes.
        isolates: Whether changes by passes on other ops are detected.
        defers: Whether claims to preserve everything are checked only when the pipeline ends.
        is_needed: Whether an op is examined at all after a pass.
        dialects: The check of dependent dialects; None if the run makes none.
    """

    def __init__(
        self, failing: Failures, ir_context: Any, options: RunOptions, hooks: Instrumentor
    ) -> None:
        adapter = failing.adapter
        self.hooks: Instrumentor = hooks
        self._adapter = adapter
        self._failing = failing
        self._renew = adapter.renew_fingerprint
        is_strict, finds = options.analyses or options.isolation, adapter.finds_changes
        self.verifies: bool = options.verify is not VerifyEach.OFF
        self.knows_changes: bool = is_strict or (finds and self.verifies)
        self.tracks: bool = self.knows_changes or hooks.finds_changes
        self.isolates: bool = options.isolation or (self.tracks and finds)
        is_held_at_once = is_strict or options.verify is VerifyEach.ALWAYS
        self.defers: bool = not (self.knows_changes and is_held_at_once)
        self.is_needed: bool = self.verifies or self.tracks
        self._skips = finds and options.verify is VerifyEach.CHANGED
        finder = ability_of(adapter, FindsDialects) if options.analyses else None
        self.dialects: DialectCheck | None = (
            None if finder is None else DialectCheck(failing, finder, ir_context)
        )

    def examine(self, step: Step, ctx: PassContext[Any]) -> tuple[Outcome, Failure | None]:
        """Find out whether a pass has changed its op, and verify the op if needed.

        After a pass that has succeeded, its op is verified, unless the run does not verify, nothing
        has changed, or siblings are verified together.
        """
        was, changed, failure = ctx.valid_state, None, None
        if self.tracks:
            now = self._renew(ctx.op, was)
            changed = now is not was
            if not changed and self._skips and not ctx.deferred:
                return UNCHANGED, None
            ctx.is_changed = changed if ctx.last_state is None else now != ctx.last_state
            ctx.valid_state, ctx.last_state = now, None
        deferred, ctx.deferred = ctx.deferred, []
        if self.dialects is not None and changed:
            failure = self.dialects.check(step, ctx.op)
        if failure is None and ctx.preserves_all:
            failure = self._failing.broken_claim(step, ctx.op) if changed else None
        elif failure is None and (changed is not False or not self._skips):
            failure = self.verify(step, ctx.op, deferred)
        return PLAIN[changed if self.knows_changes else None], failure

    def defer(self, step: Step, ctx: PassContext[Any]) -> Outcome:
        """Put off the verification of a pass that preserves everything until its pipeline ends."""
        ctx.deferred.append(step)
        if self.hooks.finds_changes:
            before = ctx.valid_state if ctx.last_state is None else ctx.last_state
            ctx.last_state = self._renew(ctx.op, before)
            ctx.is_changed = ctx.last_state is not before
        return PLAIN[False if self.knows_changes else None]

    def examine_deferred(self, ctx: PassContext[Any]) -> tuple[Outcome, Failure | None]:
        """Check once that none of the passes that preserve everything has changed the op."""
        (*deferred, step), ctx.deferred, ctx.last_state = ctx.deferred, [], None
        was, ctx.valid_state = ctx.valid_state, None
        if self.knows_changes:
            ctx.valid_state = self._renew(ctx.op, was)
            if ctx.valid_state is was:
                return UNCHANGED, None
        return PLAIN[self.knows_changes], self.verify(step, ctx.op, deferred)

    def verify(self, step: Step, op: Any, deferred: Sequence[Step] = ()) -> Failure | None:
        """Verify an op with all that is nested in it, and return the failure if it is invalid.

        Args:
            step: The step that has just run.
            op: The op.
            deferred: Earlier steps that may be at fault as well.
        """
        error = self.error_in(step, op, recursive=True)
        return None if error is None else self._failing.invalid(step, op, error, deferred)

    def error_in(self, step: Step, op: Any, *, recursive: bool) -> InvalidIR | None:
        """Return the verifier's error about an op after a step, if the step is verified."""
        if not self.verifies:
            return None
        with Bracket(self.hooks, "verification", step, op) as hooks:
            try:
                self._adapter.verify(op, recursive=recursive)
            except InvalidIR as error:
                hooks.ended = Ended(failed=True)
                return error
        return None


class DialectCheck:
    """Check of `dependent_dialects`, for IRs that do not enforce them.

    Args:
        failures: The factory of failures.
        finder: The adapter, which finds the dialects of ops.
        context: The IR's own context.
    """

    def __init__(self, failures: Failures, finder: FindsDialects, context: Any) -> None:
        self._failures = failures
        self._finder = finder
        self._context = context
        self._known: set[str] = set()

    def start(self, op: Any) -> None:
        """Take the dialects of the input as known."""
        self._known = set(self._finder.dialects_in(op))

    def check(self, step: Step, op: Any) -> Failure | None:
        """Return the failure of a pass that made an op of a dialect that is not loaded."""
        known = self._known | set(self._finder.loaded_dialects(self._context))
        found = self._finder.dialects_in(op)
        new = [dialect for dialect in found if dialect not in known]
        self._known.update(new)
        if not new or not self._finder.declares_dialects(step.pass_):
            return None
        return self._failures.undeclared(step, op, found[new[0]], new[0])
