"""The passes that a pipeline may run: its own passes, and the passes in options of passes.

This module also computes the analyses that all reachable passes preserve, and checks the effects of
these passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from passel.analysis import EVERYTHING, in_common
from passel.errors import EffectsError, Problem
from passel.passes.base import Pass
from passel.passes.op_pass_manager import OpPassManager
from passel.passes.options import Options

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from passel.diagnostics import Span

Runnable: TypeAlias = "Pass[Any, Any] | OpPassManager"


Visit: TypeAlias = "tuple[Pass[Any, Any], Span | None]"
"""A pass, and its span in the text of the pipeline; see `walk`."""


def walk(item: Runnable, span: Span | None = None, *, crosses: bool = True) -> Iterator[Visit]:
    """Yield a pass, or all passes of a manager in text order.

    Each pass is followed by the passes that it may run.

    Args:
        item: A pass or a pass manager.
        span: The span of the item in the pipeline's text; None if the item was created in Python.
        crosses: Whether to yield the passes that a crossing runs on another IR.

    Yields:
        Each pass, and its span in the text or, if it has none, the span of the enclosing pass or
        pipeline; None if the pipeline was built in Python.
    """
    if isinstance(item, OpPassManager):
        for inner, place in item.placed():
            yield from walk(inner, place or span, crosses=crosses)
        return
    yield item, span
    for inner in run_by(item) if crosses or not item.takes_elements else ():
        yield from walk(inner, span, crosses=crosses)


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
        for pass_, _ in walk(item):
            kept = in_common(kept, frozenset(pass_.preserves))
    return kept


def refuse_effects(visits: Iterable[Visit], allowed: Collection[str]) -> None:
    """Reject passes with effects outside the IR that are not allowed.

    The function only reads the declarations of passes. It neither runs nor initializes passes.

    Args:
        visits: The passes, as `walk` yields them.
        allowed: The allowed effects, such as `read-files`.

    Raises:
        EffectsError: A pass has an effect that is not allowed.
    """
    from passel.passes.definition import EFFECTS

    findings: dict[str, Span | None] = {}
    missing: set[str] = set()
    for pass_, span in visits:
        if refused := sorted(set(pass_.own_effects()).difference(allowed)):
            missing.update(refused)
            does = " and ".join(EFFECTS[effect] for effect in refused)
            findings.setdefault(f"pass '{pass_.short_name}' {does}", span)
    if missing:
        needed = sorted(missing.union(allowed))
        message = (
            f"{' and '.join(findings)}; if you trust the file, use "
            f"--allow-effects={','.join(needed)} or, in Python, "
            f"restrict_effects({', '.join(map(repr, needed))})"
        )
        raise EffectsError(Problem(message, next(iter(findings.values()))))
