"""Change tracking: what an op's fingerprint was, is, and was when the op was last good.

Only runs that have to know keep a tracker: to verify what changed and nothing else, to tell
who asked, or to check claims.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passel.execution.context import OpContext
    from passel.ir import IRAdapter


class ChangeTracker:
    """Knows whether steps change the op that they run on.

    Args:
        adapter: Takes fingerprints.
    """

    __slots__ = ("_fingerprint",)

    def __init__(self, adapter: IRAdapter) -> None:
        self._fingerprint = adapter.fingerprint

    def before(self, ctx: OpContext) -> None:
        """Take the op's fingerprint before a pass, if it is not known from what came before."""
        ctx.good = self._fingerprint(ctx.op)

    def after(self, ctx: OpContext) -> bool:
        """Return whether the op has changed since it was last good; that is now its state."""
        now = self._fingerprint(ctx.op)
        changed = now != ctx.good
        ctx.good, ctx.claims = now, ()
        return changed

    def looks_changed(self, ctx: OpContext) -> bool:
        """Return whether the op has changed since the last look, whatever steps have claimed."""
        before, ctx.seen = ctx.seen if ctx.seen is not None else ctx.good, self._fingerprint(ctx.op)
        return before != ctx.seen

    def forget(self, ctx: OpContext) -> None:
        """Let the op's state be unknown, after what changes more than can be told."""
        ctx.good = None

    def broke_claims(self, ctx: OpContext) -> bool:
        """Return whether the op has changed although all steps since it was good deny it."""
        return bool(ctx.claims) and ctx.good is not None and self.after(ctx)
