"""Common subexpression elimination."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.transforms.common_subexpression_elimination import cse

from passel.passes import Pass

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from passel.context import PassContext


class CommonSubexpressionElimination(Pass["Operation"]):
    """Eliminate common sub-expressions.

    Example:
        >>> from passel import PassManager
        >>> pm = PassManager("builtin.module")
        >>> _ = pm.add_nested("func.func", CommonSubexpressionElimination())
        >>> str(pm)
        'builtin.module(func.func(cse))'

    Source: `mlir/lib/Transforms/CSE.cpp` by way of xDSL's `cse`.
    """

    name = "cse"

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Apply xDSL's driver to the op's regions."""
        cse(op)
