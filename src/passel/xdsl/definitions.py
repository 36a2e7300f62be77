"""Verification that values are defined before they are used, as MLIR demands it.

One walk keeps the set of values that are defined where it stands; only regions of several
blocks need a dominator tree. What the set does not know is asked of `DominanceInfo`, which
also sees what encloses the root.
"""
# pyright: reportPrivateUsage=false
# The walk follows xDSL's private links, and knows values by address: xDSL hashes in Python.

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from xdsl.ir import BlockArgument, OpResult
from xdsl.traits import IsolatedFromAbove

from passel.ir import InvalidIR
from passel.xdsl.regions import has_ssa_dominance

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation, Region, SSAValue

    from passel.xdsl.analyses.dominance import DominanceInfo

_UNREACHABLE = -1


def check_definitions(root: Operation) -> None:
    """Check that the operands of ops inside `root` dominate their uses.

    Blocks that cannot be reached may use anything, and so may graph regions within a block.

    Raises:
        InvalidIR: For the first op with an operand that does not.

    Source: `OperationVerifier::verifyDominanceOfContainedRegions`, `mlir/lib/IR/Verifier.cpp`,
        MLIR 22.
    """
    _Walk(root).run()


class _Scope:
    """A region that is being walked.

    Attributes:
        steps: What is left to visit, last first: a block and its depth in the dominator tree.
        closed: Whether nothing outside is seen, so that a set of its own will do.
        outer: What is defined outside, to go back to from a set of its own.
        path: The blocks down the dominator tree to where the walk stands.
        user: The op whose own regions are being walked.
        reachable: Whether the block that the walk stands in is.
    """

    __slots__ = ("closed", "outer", "path", "reachable", "steps", "user")

    def __init__(self, steps: list[tuple[Block, int]], *, closed: bool) -> None:
        self.steps = steps
        self.closed = closed
        self.outer: set[int] = set()
        self.path: list[Block] = []
        self.user: Operation | None = None
        self.reachable = True


class _Walk:
    def __init__(self, root: Operation) -> None:
        self.root = root
        self.defined: set[int] = set()

    @cached_property
    def exact(self) -> DominanceInfo:
        """Dominance in the root; regions of one block rarely ask for it."""
        from passel.xdsl.analyses.dominance import DominanceInfo

        return DominanceInfo(self.root)

    def run(self) -> None:
        """Walk the root's regions, depth first, without recursion."""
        scopes = self._scopes(self.root)
        while scopes:
            scope = scopes[-1]
            if scope.user is not None:
                user = self._visit(scope, self._after(scope, scope.user))
            elif scope.steps:
                user = self._visit(scope, self._enter(scope, *scope.steps.pop()))
            else:
                self._close(scopes.pop())
                continue
            scope.user = user
            if user is not None:
                scopes += self._scopes(user)

    def _visit(self, scope: _Scope, op: Operation | None) -> Operation | None:
        """Check ops up to the next one with regions, and return that one."""
        if not scope.reachable:
            while op is not None and not op.regions:
                op = op._next_op
            return op
        defined = self.defined
        define = defined.add
        while op is not None:
            for operand in op._operands:
                if id(operand) not in defined and not self.exact.properly_dominates(operand, op):
                    raise _undominated(op, operand)
            if op.regions:
                return op
            for result in op.results:
                define(id(result))
            op = op._next_op
        return None

    def _after(self, scope: _Scope, user: Operation) -> Operation | None:
        """Leave an op with regions: what it defines counts only now."""
        if scope.reachable:
            self.defined.update(map(id, user.results))
        return user._next_op

    def _scopes(self, op: Operation) -> list[_Scope]:
        """Return the scopes of an op's regions, the first one last."""
        closed = op is self.root or _is_isolated(type(op))
        steps = [self._steps(region) for region in reversed(op.regions)]
        return [_Scope(blocks, closed=closed) for blocks in steps if blocks]

    def _steps(self, region: Region) -> list[tuple[Block, int]]:
        first = region.first_block
        if first is None:
            return []
        if first is region.last_block:
            return [(first, 0)]
        tree = self.exact.tree(region)
        steps = [(block, _UNREACHABLE) for block in region.blocks if block not in tree]
        return steps + list(tree.preorder())[::-1]

    def _enter(self, scope: _Scope, block: Block, depth: int) -> Operation | None:
        """Go on to a block, and return its first op."""
        scope.reachable = depth != _UNREACHABLE
        if not scope.reachable:
            self._leave(scope, 0)
            return block.first_op
        if scope.closed and not scope.path:
            scope.outer, self.defined = self.defined, set()
        self._leave(scope, depth)
        scope.path.append(block)
        self.defined.update(map(id, block.args))
        if block.parent is not None and not has_ssa_dominance(block.parent):
            for op in block.ops:
                self.defined.update(map(id, op.results))
        return block.first_op

    def _leave(self, scope: _Scope, depth: int) -> None:
        """Go up the dominator tree: what the blocks below define is not seen any more."""
        forget = self.defined.difference_update
        while len(scope.path) > depth:
            block = scope.path.pop()
            forget(map(id, block.args))
            for op in block.ops:
                forget(map(id, op.results))

    def _close(self, scope: _Scope) -> None:
        if scope.closed:
            self.defined = scope.outer
        else:
            self._leave(scope, 0)


@cache
def _is_isolated(op_class: type[Operation]) -> bool:
    return op_class.has_trait(IsolatedFromAbove, value_if_unregistered=False)


def _undominated(user: Operation, operand: SSAValue) -> InvalidIR:
    number = next(n for n, value in enumerate(user._operands) if value is operand)
    message = f"operand #{number} does not dominate this use"
    if isinstance(operand, OpResult):
        note = f"operand defined here (op {_relation(user, operand.op.parent)})"
        return InvalidIR(user, message, [(operand.op, note)])
    if not isinstance(operand, BlockArgument) or (enclosing := operand.block.parent_op()) is None:
        return InvalidIR(user, message)
    block = operand.block
    blocks = () if block.parent is None else block.parent.blocks
    number = next(n for n, each in enumerate(blocks) if each is block)
    relation = _relation(user, block).replace("is neither in", "neither in")
    note = f"operand defined as a block argument (block #{number} {relation})"
    return InvalidIR(user, message, [(enclosing, note)])


def _relation(user: Operation, block: Block | None) -> str:
    """Say in MLIR's words how far a definition is from its use."""
    if block is user.parent:
        return "in the same block"
    here = None if user.parent is None else user.parent.parent
    there = None if block is None else block.parent
    if here is there:
        return "in the same region"
    if here is not None and there is not None:
        if there.is_ancestor(here):
            return "in a parent region"
        if here.is_ancestor(there):
            return "in a child region"
    return "is neither in a parent nor in a child region"
