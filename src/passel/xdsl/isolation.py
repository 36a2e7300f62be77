"""Verification that an op which is isolated from above uses what is defined inside of it.

xDSL's trait goes from each operand up through all that is around its definition. Here the values
that have been met are remembered, and only others are searched for like that.
"""
# pyright: reportPrivateUsage=false
# The walk follows xDSL's private links, and knows values by address: xDSL hashes in Python.

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Region
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from xdsl.ir import Operation

_OUTSIDE = "Operation using value defined out of its IsolatedFromAbove parent"


def check_isolation(op: Operation) -> None:
    """Check what `IsolatedFromAbove.verify` does, in its order.

    Nested ops that are isolated themselves are left to their own check, and so are unregistered
    ones.

    Raises:
        VerifyException: A nested op uses a value from outside, or a result of `op` if xDSL's
            trait in the installed release refuses that.
    """
    met: set[int] = set()
    meet = met.add
    regions: list[Region] = list(op.regions)
    while regions:
        block = regions.pop().first_block
        while block is not None:
            met.update(map(id, block.args))
            child = block.first_op
            while child is not None:
                for operand in child._operands:
                    if id(operand) not in met and (
                        not op.is_ancestor(owner := operand.owner)
                        or (owner is op and _refuses_own_results())
                    ):
                        raise VerifyException(f"{_OUTSIDE}: {child}")
                for result in child.results:
                    meet(id(result))
                if child.regions and not _may_be_isolated(type(child)):
                    regions += child.regions
                child = child._next_op
            block = block.next_block


@cache
def _may_be_isolated(op_class: type[Operation]) -> bool:
    return op_class.has_trait(IsolatedFromAbove)


@cache
def _refuses_own_results() -> bool:
    """Try out whether the trait refuses an op inside that uses a result of the op around."""
    from xdsl.dialects.test import TestOp

    op = TestOp.create(result_types=[i32], regions=[Region(Block())])
    op.regions[0].block.add_op(TestOp.create(operands=op.results))
    try:
        IsolatedFromAbove().verify(op)
    except VerifyException:
        return True
    return False
