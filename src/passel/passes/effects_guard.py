"""Refusing pipelines for what their passes do outside the IR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.errors import EffectsError, Problem
from passel.passes.definition import EFFECTS, check_effects

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from passel.diagnostics import Span
    from passel.passes.base import Pass
    from passel.passes.walking import Visit


class EffectsGuard:
    """Refuses pipelines with effects outside the IR that are not allowed.

    Passes that other passes may run count. It looks at declarations alone: nothing is
    run or initialized.

    Args:
        allowed: The effects that are allowed.
        remedy: How to allow more, for the error; `{effects}` stands for all that it takes.

    Raises:
        DefinitionError: There is no such effect.
    """

    def __init__(self, allowed: Collection[str] = (), remedy: str = "") -> None:
        check_effects(allowed, "allowed effects")
        self.allowed: frozenset[str] = frozenset(allowed)
        self._remedy = remedy

    def check(self, visits: Iterable[Visit]) -> None:
        """Check the passes of a manager.

        Raises:
            EffectsError: Some have effects that are not allowed.
        """
        missing: set[str] = set()
        findings: dict[str, None] = {}
        place: Span | None = None
        for pass_, span, _ in visits:
            refused = sorted(set(pass_.own_effects()) - self.allowed)
            if refused:
                place = place if missing else span
                missing.update(refused)
                findings[_finding(pass_, refused)] = None
        if missing:
            names = sorted(missing)
            message = (
                f"{_listed(list(findings))}, which a pipeline from a file may do only if you "
                f"trust it: {self._remedy_for(names)}"
            )
            raise EffectsError(Problem(message, place), effects=names)

    def _remedy_for(self, names: Sequence[str]) -> str:
        if not self._remedy:
            allowed = ", ".join(map(repr, sorted({*self.allowed, *names})))
            return f"restrict_effects({allowed})"
        return self._remedy.replace("{effects}", ",".join(sorted({*self.allowed, *names})))


def _finding(pass_: Pass[Any, Any], effects: Sequence[str]) -> str:
    by = "" if set(effects) <= set(pass_.effects) else ", by what is in its options,"
    does = _listed([EFFECTS[effect] for effect in effects])
    return f"pass '{pass_.name or pass_.display_name}'{by} {does}"


def _listed(clauses: list[str]) -> str:
    *others, last = clauses
    return f"{', '.join(others)} and {last}" if others else last
