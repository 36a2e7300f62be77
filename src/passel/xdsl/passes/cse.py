"""Common subexpression elimination."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.transforms.common_subexpression_elimination import CSEDriver, KnownOps

from passel.passes import Pass, Statistic
from passel.xdsl.analyses.dominance import DominanceInfo, PostDominanceInfo
from passel.xdsl.fast import subexpression_eliminator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.ir import Block, Operation, Region

    from passel.passes import PassContext


class CSE(Pass["Operation"]):
    """Eliminate common sub-expressions, also those of dominating blocks.

    Example:
        >>> from passel import PassManager
        >>> pm = PassManager("builtin.module")
        >>> _ = pm.add_nested("func.func", CSE())
        >>> str(pm)
        'builtin.module(func.func(cse))'

    Source: `mlir/lib/Transforms/CSE.cpp` by way of xDSL's `cse`.
    """

    name = "cse"
    can_fork = True
    ir = "xdsl"
    preserves: ClassVar[tuple[type, ...]] = (DominanceInfo, PostDominanceInfo)
    replaced: ClassVar[Statistic] = Statistic("Number of operations CSE'd", name="num-cse'd")
    dead: ClassVar[Statistic] = Statistic("Number of operations DCE'd", name="num-dce'd")

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Simplify the op's regions, of one block or several."""

        def preorder(region: Region) -> Iterable[tuple[Block, int]]:
            return ctx.analysis(DominanceInfo).tree(region).preorder()

        eliminator = subexpression_eliminator(op)
        driver = _Driver(ctx) if eliminator is None else eliminator(preorder)
        driver.simplify(op)
        if not driver.replaced and not driver.erased:
            ctx.preserve_all()
            return
        ctx.count(self.replaced, driver.replaced)
        ctx.count(self.dead, driver.dead)


class _Driver(CSEDriver):
    """xDSL's driver, which sees what dominating blocks compute, and counts.

    Attributes:
        replaced: How many ops were found to be computed already.
        dead: How many ops were unused to begin with.
        erased: How many ops were erased.
    """

    def __init__(self, ctx: PassContext) -> None:
        super().__init__()
        self._ctx = ctx
        self.replaced = 0
        self.dead = 0
        self.erased = 0

    def _replace_and_delete(self, op: Operation, existing: Operation) -> None:
        unused = self.dead
        super()._replace_and_delete(op, existing)
        self.dead = unused  # it is erased, but not because it was dead
        self.replaced += 1

    def _mark_erasure(self, op: Operation) -> None:
        super()._mark_erasure(op)
        self.dead += 1
        self.erased += 1

    def _simplify_region(self, region: Region) -> None:
        """Walk down the dominator tree; what was found on the way is known below.

        Blocks that cannot be reached are left alone.
        """
        if len(region.blocks) < 2:  # noqa: PLR2004
            super()._simplify_region(region)
            return
        enclosing = self._known_ops
        # What is known in each block from the top of the tree to where the walk stands.
        path = [enclosing]
        for block, depth in self._ctx.analysis(DominanceInfo).tree(region).preorder():
            del path[depth + 1 :]
            self._known_ops = KnownOps(path[-1])
            path.append(self._known_ops)
            self._simplify_block(block)
        self._known_ops = enclosing
