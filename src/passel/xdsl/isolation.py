"""Verification that an op which is isolated from above uses what is defined inside of it.

xDSL's trait goes from each operand up through all that encloses its definition. Here the values
that have been met are remembered; where one is used that was not met before, the trait decides.
"""
# pyright: reportPrivateUsage=false
# The walk follows xDSL's private links, and knows values by address: xDSL hashes in Python.

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from xdsl.traits import IsolatedFromAbove

if TYPE_CHECKING:
    from xdsl.ir import Operation, Region

_TRAIT = IsolatedFromAbove()


def check_isolation(op: Operation) -> None:
    """Check what `IsolatedFromAbove.verify` does.

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
                    if id(operand) not in met:
                        _TRAIT.verify(op)
                        return
                for result in child.results:
                    meet(id(result))
                if child.regions and not _may_be_isolated(type(child)):
                    regions += child.regions
                child = child._next_op
            block = block.next_block


@cache
def _may_be_isolated(op_class: type[Operation]) -> bool:
    return op_class.has_trait(IsolatedFromAbove)
