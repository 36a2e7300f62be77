"""How often each op occurs."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from passel.mlir.bindings import bindings_of


class OpCounts:
    """How many ops of each name are in an op, itself included.

    Attributes:
        counts: Number of ops by name.

    Example:
        >>> from mlir.ir import Context, Module
        >>> module = Module.parse("func.func private @f()", context=Context())
        >>> OpCounts(module).counts
        Counter({'builtin.module': 1, 'func.func': 1})

    Source: `mlir/lib/Transforms/OpStats.cpp`, MLIR 22.
    """

    def __init__(self, op: Any) -> None:
        self.counts: Counter[str] = Counter()
        walk = bindings_of(op).ir
        advance = walk.WalkResult.ADVANCE
        names: list[str] = []

        def visit(inner: Any) -> Any:
            names.append(inner.name)
            return advance

        op.operation.walk(visit, walk.WalkOrder.PRE_ORDER)
        self.counts.update(names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpCounts) and self.counts == other.counts

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def __getitem__(self, name: str) -> int:
        """Return how many ops have a name; 0 if none has."""
        return self.counts[name]

    @property
    def total(self) -> int:
        """How many ops there are."""
        return self.counts.total()
