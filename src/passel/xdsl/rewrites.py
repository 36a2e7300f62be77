"""Rewrites of xDSL's pattern rewriter: counted, and stopped after some."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriteWalker,
    RewritePattern,
)

from passel.xdsl.fast import slow_paths
from passel.xdsl.locations import convert_location

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from xdsl.ir import Operation, Region
    from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener


@contextmanager
def limited_rewrites(limit: int | None = None) -> Generator[list[str]]:
    """Let rewriters inside the `with` block make so many rewrites, and then none.

    A rewrite is one application of a pattern, or the tidying of a region between walks. The order
    is that of the passes as they are, but for fast paths, which are off.

    Args:
        limit: How many rewrites are made; None for all.

    Yields:
        A line about each rewrite that was made: the pattern, and the op that it matched.
    """
    done: list[str] = []
    plain = PatternRewriteWalker.rewrite_region

    def rewrite_region(walker: PatternRewriteWalker, region: Region) -> bool:
        pattern, tidy = walker.pattern, walker.post_walk_func
        walker.pattern = _Counted(pattern, done, limit)
        if tidy is not None:
            walker.post_walk_func = _counted(tidy, done, limit)
        try:
            return plain(walker, region)
        finally:
            walker.pattern, walker.post_walk_func = pattern, tidy

    walkers: Any = PatternRewriteWalker
    walkers.rewrite_region = rewrite_region
    try:
        with slow_paths():
            yield done
    finally:
        walkers.rewrite_region = plain


class _Counted(RewritePattern):
    """A pattern that writes down what it rewrites, up to a limit; parts of it do so themselves.

    Args:
        pattern: The pattern.
        done: Where rewrites are written down.
        limit: How many there may be; None for any number.
    """

    def __init__(self, pattern: RewritePattern, done: list[str], limit: int | None) -> None:
        self._name = "rewriting" if (name := type(pattern).__name__).startswith("_") else name
        if type(pattern) is GreedyRewritePatternApplier:
            self._name = "folding"
            parts = [_Counted(each, done, limit) for each in pattern.rewrite_patterns]
            pattern = replace(pattern, rewrite_patterns=parts)
        self._pattern, self._done, self._limit = pattern, done, limit

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        before = len(self._done)
        if before == self._limit:
            return
        self._pattern.match_and_rewrite(op, rewriter)
        if rewriter.has_done_action and len(self._done) == before:
            self._done.append(f"{self._name} on {op.name} at {convert_location(op.location)}")


def _counted(
    tidy: Callable[[Region, PatternRewriterListener], bool], done: list[str], limit: int | None
) -> Callable[[Region, PatternRewriterListener], bool]:
    def counted(region: Region, listener: PatternRewriterListener) -> bool:
        if len(done) == limit:
            return False
        changed = tidy(region, listener)
        if changed:
            done.append("erasing dead code between walks")
        return changed

    return counted
