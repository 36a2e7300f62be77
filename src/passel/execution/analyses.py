"""Services of a run to its analyses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.analysis import analysis_name
from passel.errors import PassFailure
from passel.hooks import Bracket

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from passel.hooks import Instrumentor
    from passel.ir import IRAdapter


class AnalysisRunner:
    """Computes analyses for a run.

    Args:
        adapter: Answers for the IR.
        hooks: The hooks of the run.
        verify_analyses: Whether analyses are checked.
    """

    def __init__(self, adapter: IRAdapter, hooks: Instrumentor, *, verify_analyses: bool) -> None:
        self.adapter = adapter
        self.identity_of: Callable[[Any], Hashable] = adapter.identity_of
        self.hooks = hooks
        self.verify_analyses = verify_analyses

    def compute(self, kind: Any, op: Any, construct: Callable[[], Any]) -> Any:
        """Compute an analysis, between its hooks.

        Raises:
            PassFailure: The analysis changed the op, if that is checked.
        """
        name, hooks = analysis_name(kind), self.hooks
        before: object = None
        with Bracket(hooks, "analysis", name, kind, op):
            if self.verify_analyses:
                before = self.adapter.fingerprint(op)
            result = construct()
        if self.verify_analyses and self.adapter.fingerprint(op) != before:
            raise PassFailure(f"analysis {name} changed the op that it looked at", op=op)
        return result

    def check_preserved(self, kind: Any, old: Any, op: Any, construct: Callable[[], Any]) -> None:
        """Compute an analysis that a pass preserved again, if its results can be compared.

        Raises:
            PassFailure: The result is another one.
        """
        if type(old).__eq__ is object.__eq__:
            return
        if construct() != old:
            where = self.adapter.symbol_name(op)
            on = f" of @{where}" if where else ""
            message = f"it states that it preserves {analysis_name(kind)}{on}, but changed it"
            raise PassFailure(message, op=op)
