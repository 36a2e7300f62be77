"""Common subexpression elimination."""
# pyright: reportPrivateUsage=false
# Operands are read without detour, as each op is hashed.

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.ir import Region
from xdsl.rewriter import Rewriter
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    RecursiveMemoryEffect,
    get_effects,
)
from xdsl.transforms.common_subexpression_elimination import OperationInfo
from xdsl.transforms.dead_code_elimination import would_be_trivially_dead

from passel.passes import Pass, Statistic
from passel.xdsl.analyses.dominance import DominanceInfo, PostDominanceInfo
from passel.xdsl.fast import are_on
from passel.xdsl.fast.rewriting import ClassTable

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from xdsl.ir import Block, Operation
    from xdsl.traits import EffectInstance

    from passel.passes import PassContext


class CSE(Pass["Operation"]):
    """Eliminate common sub-expressions, within and across blocks.

    Example:
        >>> from passel import PassManager
        >>> pm = PassManager("builtin.module")
        >>> _ = pm.add_nested("func.func", CSE())
        >>> str(pm)
        'builtin.module(func.func(cse))'

    Source: `mlir/lib/Transforms/CSE.cpp` and xDSL's `cse`.
    """

    name = "cse"
    ir = "xdsl"
    preserves: ClassVar[tuple[type, ...]] = (DominanceInfo, PostDominanceInfo)
    replaced: ClassVar[Statistic] = Statistic("Number of operations CSE'd", name="num-cse'd")
    dead: ClassVar[Statistic] = Statistic("Number of operations DCE'd", name="num-dce'd")

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Eliminate common sub-expressions and dead ops in the regions of an op."""
        eliminator = _Eliminator(self, ctx)
        for region in op.regions:
            eliminator.simplify_region(region)
        if not eliminator.erase() and not eliminator.replaced:
            ctx.preserve_all()


class _Key(OperationInfo):
    """An op with a cached hash. Ops with the same hash are compared as in xDSL's `cse`."""

    def __init__(self, op: Operation) -> None:
        self.op = op
        # Few ops of one name have the same operands; hashing attributes costs most of this.
        operands = op._operands
        self._hash = hash((op.name, *map(id, operands))) if operands else super().__hash__()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: Any) -> bool:  # noqa: PYI032 - called by a dict of keys
        one, two = self.op, other.op
        return (
            one.name == two.name
            and one.attributes == two.attributes
            and one.properties == two.properties
            and one._operands == two._operands
            and one.result_types == two.result_types
            and len(one.regions) == len(two.regions)
            and all(map(Region.is_structurally_equivalent, one.regions, two.regions))
        )


class _Eliminator:
    """A walk down the dominator trees that replaces ops with equal dominating ops.

    The ops of a block are known during the walk of the blocks that it dominates. Afterwards, the
    ops are forgotten in reverse order.

    Attributes:
        replaced: Whether any op was replaced.
    """

    def __init__(self, options: CSE, ctx: PassContext) -> None:
        self.replaced = False
        self._options = options
        self._ctx = ctx
        self._classes = ClassTable() if are_on() else None
        # With each op how many ops of its block may have written before it.
        self._known: dict[_Key, tuple[Operation, int]] = {}
        self._added: list[tuple[_Key, tuple[Operation, int] | None]] = []
        self._erased: dict[Operation, None] = {}

    def erase(self) -> bool:
        """Erase the replaced and dead ops, and return whether any op was erased."""
        for op in self._erased:
            if op.parent is not None:
                Rewriter.erase_op(op)
        return bool(self._erased)

    def simplify_region(self, region: Region) -> set[EffectInstance] | None:
        """Eliminate common sub-expressions and dead ops in the reachable blocks of a region.

        Returns:
            The memory effects of the ops in the region, or None if the effects are unknown.
        """
        start = len(self._added)
        effects: set[EffectInstance] | None = set()
        if region.first_block is not region.last_block:
            effects = None
            starts: list[int] = []
            for block, depth in self._ctx.analysis(DominanceInfo).tree(region).preorder():
                if depth < len(starts):
                    self._forget(starts[depth])
                    del starts[depth:]
                starts.append(len(self._added))
                self._simplify_block(block)
        elif region.first_block is not None:
            effects = self._simplify_block(region.first_block)
        self._forget(start)
        return effects

    def _forget(self, start: int) -> None:
        while len(self._added) > start:
            key, former = self._added.pop()
            if former is None:
                del self._known[key]
            else:
                self._known[key] = former

    def _simplify_block(self, block: Block) -> set[EffectInstance] | None:
        writes = 0
        known: set[EffectInstance] | None = set()
        for op in block.ops:
            if self._classes is not None and not op.regions and self._classes[type(op)].is_pure:
                self._simplify_op(op, set(), writes)
                continue
            effects = self._simplify_inside(op) if op.regions else get_effects(op)
            if effects is None:
                known = None
            elif known is not None:
                known |= effects
            if effects is None or MemoryEffectKind.WRITE in [each.kind for each in effects]:
                writes += 1
            elif not op.has_trait(IsTerminator):
                self._simplify_op(op, effects, writes)
        return known

    def _simplify_inside(self, op: Operation) -> AbstractSet[EffectInstance] | None:
        outside = self._known
        if op.has_trait(IsolatedFromAbove):  # or is unregistered, and may be
            self._known = {}
        inside = [self.simplify_region(region) for region in op.regions]
        self._known = outside
        # xDSL asks all that is inside again, for each op around it.
        if [*map(type, op.get_traits_of_type(MemoryEffect))] != [RecursiveMemoryEffect]:
            return get_effects(op)
        known = [each for each in inside if each is not None]
        return frozenset(chain(*known)) if len(known) == len(inside) else get_effects(op)

    def _simplify_op(
        self, op: Operation, effects: AbstractSet[EffectInstance], writes: int
    ) -> None:
        if all(result.first_use is None for result in op.results) and would_be_trivially_dead(op):
            self._erased[op] = None
            self._ctx.count(self._options.dead)
            return
        if op.regions and any(each.first_block is not each.last_block for each in op.regions):
            return
        if any(each.kind is not MemoryEffectKind.READ for each in effects):
            return
        key = _Key(op)
        former = self._known.get(key)
        if former is not None:
            existing, written = former
            if not effects or (existing.parent is op.parent and written == writes):
                self._replace(op, existing)
                return
        self._added.append((key, former))
        self._known[key] = op, writes

    def _replace(self, op: Operation, existing: Operation) -> None:
        self.replaced = True
        self._ctx.count(self._options.replaced)
        for old, new in zip(op.results, existing.results, strict=True):
            # In graph regions there may be users that were visited before.
            if not any(_Key(use.operation) in self._known for use in old.uses):
                old.replace_all_uses_with(new)
        if all(result.first_use is None for result in op.results):
            self._erased[op] = None
