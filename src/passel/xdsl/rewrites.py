"""Counting and limiting the rewrites of xDSL's pattern rewriter."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker, RewritePattern

from passel.xdsl.fast import slow_paths
from passel.xdsl.locations import convert_location

if TYPE_CHECKING:
    from collections.abc import Generator

    from xdsl.ir import Operation, Region
    from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener


@contextmanager
def limited_rewrites(limit: int | None = None) -> Generator[list[str]]:
    """Limit the number of pattern rewrites inside the `with` block.

    A rewrite is a successful application of a pattern, or the erasure of dead code between two
    walks of a region. Inside the block, fast paths are disabled, so that the rewrites occur in the
    same order as in xDSL.

    Args:
        limit: The maximum number of rewrites, or None for no limit.

    Yields:
        A list to which each rewrite appends a line of text. For the application of a pattern, the
        line names the pattern and the op.
    """
    done: list[str] = []
    plain = PatternRewriteWalker.rewrite_region

    def rewrite_region(walker: PatternRewriteWalker, region: Region) -> bool:
        pattern, tidy = walker.pattern, walker.post_walk_func

        def counted(region: Region, listener: PatternRewriterListener) -> bool:
            if tidy is None or len(done) == limit or not tidy(region, listener):
                return False
            done.append("erasing dead code between walks")
            return True

        walker.pattern = _Counted(pattern, done, limit)
        if tidy is not None:
            walker.post_walk_func = counted
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
    """A pattern that records and limits the rewrites of another pattern and of its parts.

    Args:
        pattern: The pattern to apply.
        done: The list of recorded rewrites.
        limit: The maximum number of rewrites, or None for no limit.
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
