"""Changes outside of the op that passes ran on, as far out as the run's op."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.execution.context import OpContext
    from passel.execution.fingerprints import Fingerprinter
    from passel.execution.isolation import IsolationViolation


def enclosing_states(ctx: OpContext | None, fingerprints: Fingerprinter) -> list[object]:
    """Return the states of the op of a context and of the enclosing ops, each by itself."""
    states: list[object] = []
    while ctx is not None:
        states.append(fingerprints.take_own(ctx.op))
        ctx = ctx.parent
    return states


def changes_outside(ctx: OpContext) -> Iterator[IsolationViolation]:
    """Yield changes of the enclosing ops of a context's op, and of all that these enclose."""
    inner, outer = ctx, ctx.parent
    while outer is not None:
        if outer.siblings is not None:
            yield from outer.siblings.compare_others(inner.op)
        inner, outer = outer, outer.parent
