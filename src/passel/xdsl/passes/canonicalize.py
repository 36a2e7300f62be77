"""Canonicalization and dead code elimination."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait
from xdsl.transforms.canonicalize import CanonicalizationRewritePattern
from xdsl.transforms.dead_code_elimination import region_dce

from passel.errors import PassFailure
from passel.passes import Pass, option
from passel.xdsl.fast import are_on
from passel.xdsl.fast.dead_code import erase_dead_code
from passel.xdsl.fast.rewriting import QuickPattern, computes_with_integers, is_odd_loop
from passel.xdsl.passes.folding import fold_integers
from passel.xdsl.release import RELEASE

if TYPE_CHECKING:
    from xdsl.ir import Operation, Region
    from xdsl.pattern_rewriter import PatternRewriterListener

    from passel.passes import PassContext


class Canonicalizer(Pass["Operation"]):
    """Canonicalize operations: fold them and apply their canonicalization patterns.

    Of the options of MLIR's `canonicalize`, the pass has those that xDSL's rewriter supports. By
    default, the pass produces the same IR as xDSL's `canonicalize`, with two exceptions. Constants
    of type `index` wrap around at 64 bits, while xDSL's folders do not bound them. If an `scf.for`
    contains unregistered ops, nothing is hoisted out of it, while xDSL hoists the unregistered ops
    as if they were constants.

    Example:
        >>> str(Canonicalizer(max_iterations=2, region_simplify="disabled"))
        'canonicalize{max-iterations=2 region-simplify=disabled}'

    Source: `mlir/lib/Transforms/Canonicalizer.cpp`, MLIR 22, and xDSL's `canonicalize`.
    """

    name = "canonicalize"
    ir = "xdsl"
    top_down: bool = option(default=True, help="Seed the worklist in general top-down order.")
    region_simplify: Literal["disabled", "normal"] = option(
        default="normal", help="Erase dead ops and unreachable blocks between iterations."
    )
    max_iterations: int = option(
        default=-1, help="Maximum number of iterations over the op; -1 for no limit."
    )
    max_num_rewrites: int = option(
        default=-1, help="Maximum number of rewrites per iteration; -1 for no limit."
    )
    test_convergence: bool = option(
        default=False, help="Fail if a limit is reached before the rewrites converge."
    )
    disable_patterns: tuple[str, ...] = option(
        default=(), help="Class names of the patterns to disable."
    )
    enable_patterns: tuple[str, ...] = option(
        default=(), help="Class names of the patterns to enable; by default all."
    )

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Apply xDSL's greedy rewriter to each region until a fixed point or a limit is reached."""
        some = self.disable_patterns or self.enable_patterns
        patterns: RewritePattern = CanonicalizationRewritePattern()
        if some:
            patterns = _SomePatterns(self.disable_patterns, self.enable_patterns)
        # Folding fails on some constants before xDSL 0.64.
        folds = RELEASE >= (0, 64)
        applier = GreedyRewritePatternApplier([patterns], ctx=ctx.ir_context, folding_enabled=folds)
        without = (*self.disable_patterns, "RehoistConstInLoops")
        folding = _IndexFolding(applier, _SomePatterns(without, self.enable_patterns))
        is_fast = are_on()
        pattern = QuickPattern(folding) if is_fast and not some else folding
        erase = erase_dead_code if is_fast else region_dce
        limits = _Limits(pattern, self.max_iterations, self.max_num_rewrites)
        simplify = self.region_simplify == "normal"

        def end_iteration(region: Region, listener: PatternRewriterListener) -> bool:
            changed = simplify and erase(region, listener)
            limits.end_iteration(changed=changed)
            return changed

        walker = PatternRewriteWalker(
            limits if limits.exist else pattern,
            walk_reverse=not self.top_down,
            post_walk_func=end_iteration if limits.exist or simplify else None,
        )
        converged = True
        for region in op.regions if self.max_iterations else ():
            limits.start()
            try:
                walker.rewrite_region(region)
            except _LimitReachedError:
                converged = False
            converged = converged and limits.converged
        if self.test_convergence and not converged:
            raise PassFailure("canonicalization did not converge within its limits")


class DCE(Pass["Operation"]):
    """Eliminate unused ops without side effects, and unreachable blocks.

    Source: xDSL's `dce`, which is modeled on `mlir::runRegionDCE`.
    """

    name = "dce"
    ir = "xdsl"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Erase dead ops and blocks in each region, as xDSL's `region_dce` does."""
        for region in op.regions:
            (erase_dead_code if are_on() else region_dce)(region)


class _IndexFolding(RewritePattern):
    """A pattern that folds `index` ops at 64 bits, and applies another pattern to all other ops.

    A third pattern is applied to loops with unregistered ops. Unregistered ops have every trait,
    including that of constants, so xDSL would hoist them.
    """

    def __init__(self, pattern: RewritePattern, in_odd_loops: RewritePattern) -> None:
        self.pattern, self.in_odd_loops = pattern, in_odd_loops

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        # Cheap and rare conditions first: this runs for every op.
        if (
            (results := op.results)
            and type(kind := results[0].type) is IndexType
            and computes_with_integers(type(op))
        ):
            constants = [ConstantLike.get_constant_value(operand) for operand in op.operands]
            if None not in constants and (value := fold_integers(op, constants)) is not None:
                from xdsl.dialects.arith import ConstantOp

                # xDSL 0.70 renamed `replace_op`.
                replace = "replace" if hasattr(rewriter, "replace") else "replace_op"
                getattr(rewriter, replace)(op, ConstantOp(cast("IntegerAttr", value), kind))
                return
        (self.in_odd_loops if is_odd_loop(op) else self.pattern).match_and_rewrite(op, rewriter)


class _LimitReachedError(Exception):
    """Raised to end the rewriter's loop, which has no limit."""


class _Limits(RewritePattern):
    """A pattern that limits the rewrites and iterations of another pattern."""

    def __init__(self, pattern: RewritePattern, max_iterations: int, max_rewrites: int) -> None:
        self.pattern = pattern
        self.max_iterations, self.max_rewrites = max_iterations, max_rewrites
        self.exist = max_iterations >= 0 or max_rewrites >= 0
        self.start()

    def start(self) -> None:
        self.iterations = self.rewrites = 0
        self.converged = True

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if 0 <= self.max_rewrites <= self.rewrites:
            self.converged = False
            return
        self.pattern.match_and_rewrite(op, rewriter)
        self.rewrites += rewriter.has_done_action

    def end_iteration(self, *, changed: bool) -> None:
        self.iterations += 1
        changed, self.rewrites = changed or self.rewrites > 0, 0
        if not changed:
            return
        if 0 <= self.max_iterations <= self.iterations:
            raise _LimitReachedError
        # The next iteration performs the rewrites that exceeded the limit.
        self.converged = True


class _SomePatterns(RewritePattern):
    """The canonicalization patterns that are selected by class name."""

    def __init__(self, disabled: tuple[str, ...], enabled: tuple[str, ...]) -> None:
        self.disabled, self.enabled = frozenset(disabled), frozenset(enabled)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        for trait in op.get_traits_of_type(HasCanonicalizationPatternsTrait):
            for pattern in trait.get_patterns(type(op)):
                if self._is_chosen(type(pattern).__name__):
                    pattern.match_and_rewrite(op, rewriter)
                    if rewriter.has_done_action:
                        return

    def _is_chosen(self, name: str) -> bool:
        return name not in self.disabled and (not self.enabled or name in self.enabled)
