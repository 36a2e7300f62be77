"""The passes that a pipeline may run: its own passes, and the passes in options of passes.

This module also computes the analyses that all reachable passes preserve, and checks the effects of
these passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from passel.analysis import EVERYTHING, in_common
from passel.errors import EffectsError, Problem
from passel.passes.base import Pass
from passel.passes.op_pass_manager import OpPassManager
from passel.passes.options import Options

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from passel.diagnostics import Span

Runnable: TypeAlias = "Pass[Any, Any] | OpPassManager"


class Visit(NamedTuple):
    """A pass that `walk` yields, with its span in the text of the pipeline.

    Attributes:
        pass_: The pass.
        span: The span of the pass in the text or, if it has none, of the enclosing pass or
            pipeline; None if the pipeline was built in Python.
        is_elsewhere: Whether the IR of the pass differs from the IR of the outermost pipeline.
    """

    pass_: Pass[Any, Any]
    span: Span | None
    is_elsewhere: bool


def walk(
    item: Runnable, span: Span | None = None, *, is_elsewhere: bool = False
) -> Iterator[Visit]:
    """Yield a pass, or all passes of a manager in text order.

    Each pass is followed by the passes that it may run.

    Args:
        item: A pass or a pass manager.
        span: The span of the item in the pipeline's text; None if the item was created in Python.
        is_elsewhere: Whether the IR of the item differs from the IR of the outermost pipeline.
    """
    if isinstance(item, OpPassManager):
        for inner, place in item.placed():
            yield from walk(inner, place or span, is_elsewhere=is_elsewhere)
        return
    yield Visit(item, span, is_elsewhere)
    for inner in run_by(item):
        yield from walk(inner, span, is_elsewhere=is_elsewhere or item.takes_elements)


def run_by(value: Any) -> Iterator[Runnable]:
    """Yield the passes and pipelines in the options of a pass. The pass may run them.

    Args:
        value: The pass, or the value of an option.
    """
    if isinstance(value, Options):
        value = tuple(vars(value).values())
    for each in cast("tuple[Any, ...]", value) if isinstance(value, tuple) else ():
        if isinstance(each, (Pass, OpPassManager)):
            yield each
        else:
            yield from run_by(each)


def preserved_by(items: Iterable[Runnable]) -> frozenset[type]:
    """Return the classes of the analyses that every pass in `items` preserves.

    Every pass in the options of these passes must preserve the analyses too. If `items` is empty,
    the result contains all analyses.
    """
    kept = EVERYTHING
    for item in items:
        for visit in walk(item):
            kept = in_common(kept, frozenset(visit.pass_.preserves))
    return kept


class EffectsGuard:
    """A guard that rejects passes whose effects outside the IR are not allowed.

    The guard only reads the declarations of passes. It neither runs nor initializes passes.

    Args:
        allowed: The allowed effects, such as `read-files`.
        remedy: Advice for the error message on how to allow more effects. In this advice,
            `{effects}` stands for the list of needed effects.

    Raises:
        DefinitionError: An effect does not exist.
    """

    def __init__(self, allowed: Collection[str] = (), remedy: str = "") -> None:
        from passel.passes.definition import check_effects

        check_effects(allowed, "allowed effects")
        self.allowed: frozenset[str] = frozenset(allowed)
        self._remedy = remedy

    def check(self, visits: Iterable[Visit]) -> None:
        """Reject passes with effects that are not allowed.

        Raises:
            EffectsError: A pass has an effect that is not allowed.
        """
        from passel.passes.definition import EFFECTS

        findings: dict[str, Span | None] = {}
        missing: set[str] = set()
        for pass_, span, _ in visits:
            if refused := sorted(set(pass_.own_effects()) - self.allowed):
                missing.update(refused)
                does = " and ".join(EFFECTS[effect] for effect in refused)
                findings.setdefault(f"pass '{pass_.short_name}' {does}", span)
        if missing:
            needed = sorted(missing | self.allowed)
            remedy = f"restrict_effects({', '.join(map(repr, needed))})"
            if self._remedy:
                remedy = self._remedy.replace("{effects}", ",".join(needed))
            message = f"{' and '.join(findings)}; if you trust the file, use {remedy}"
            place = next(iter(findings.values()))
            raise EffectsError(Problem(message, place))
