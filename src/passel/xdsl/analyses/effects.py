"""Memory effects of ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from xdsl.dialects.builtin import MemRefType
from xdsl.traits import (
    IsTerminator,
    MemoryEffect,
    RecursiveMemoryEffect,
    get_effects,
)
from xdsl.traits import MemoryEffectKind as Kind

from passel.xdsl.symbols import is_callable, is_table, ops_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.dialects.builtin import SymbolRefAttr
    from xdsl.ir import Operation, SSAValue
    from xdsl.traits import EffectInstance

_NAMING_DIALECTS = frozenset({"affine", "memref"})
"""The dialects whose ops affect only the memory of operands or results."""


class EffectSummary(NamedTuple):
    """The memory effects that an op and its nested ops may have.

    The set for each kind of effect contains the values and symbols whose memory is affected. The
    element None represents unspecified memory.

    Attributes:
        reads: The memory that may be read.
        writes: The memory that may be written.
        allocates: The memory that may be allocated.
        frees: The memory that may be freed.
        unknown: Whether the op may have effects that the sets do not contain.
    """

    reads: frozenset[SSAValue | SymbolRefAttr | None] = frozenset()
    writes: frozenset[SSAValue | SymbolRefAttr | None] = frozenset()
    allocates: frozenset[SSAValue | SymbolRefAttr | None] = frozenset()
    frees: frozenset[SSAValue | SymbolRefAttr | None] = frozenset()
    unknown: bool = False

    def union(self, others: Iterable[EffectSummary]) -> EffectSummary:
        """Return the union of this summary and other summaries."""
        every = [self, *others]
        *kinds, unknown = zip(*every, strict=True)
        return EffectSummary(*(frozenset().union(*kind) for kind in kinds), unknown=any(unknown))


class Effects:
    """An analysis that determines the memory effects of ops from their traits.

    An op without an effect trait may have any effect, unless it is a branch, return or yield.
    Symbol tables and callables have the effects of their bodies. The first query about an op takes
    one walk, and later queries take O(1). The analysis is valid as long as nothing in the op
    changes.

    Example:
        >>> from xdsl.dialects.memref import AllocaOp, LoadOp
        >>> from xdsl.dialects.builtin import ModuleOp, i32
        >>> a = AllocaOp.get(i32, shape=[])
        >>> load = LoadOp.get(a, [])
        >>> Effects(ModuleOp([a, load])).of(load).reads == {a.memref}
        True

    Source: `mlir/lib/Interfaces/SideEffectInterfaces.cpp`, MLIR 22.
    """

    def __init__(self, op: Operation) -> None:
        self.op = op
        self._summaries: dict[Operation, EffectSummary] = {}

    def __eq__(self, other: object) -> bool:
        """Return whether two analyses agree on all existing ops that either analysis summarized."""
        if not isinstance(other, Effects):
            return NotImplemented
        return self._agrees(other) and other._agrees(self)

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def _agrees(self, other: Effects) -> bool:
        known = [op for op in self._summaries if self.op.is_ancestor(op)]
        return all(other.of(op) == self._summaries[op] for op in known)

    def of(self, op: Operation) -> EffectSummary:
        """Return the effects of an op, which for a callable are the effects of its body."""
        if op not in self._summaries:
            for inner in reversed(list(op.walk())):  # inner ops first
                if inner not in self._summaries:
                    self._summaries[inner] = self._summarize(inner)
        return self._summaries[op]

    def _summarize(self, op: Operation) -> EffectSummary:
        inside = [self._summaries[inner] for inner in ops_in(op)]
        if is_callable(op) or is_table(op):
            return EffectSummary(unknown=is_callable(op) and not inside).union(inside)
        if op.has_trait(RecursiveMemoryEffect, value_if_unregistered=False):
            return EffectSummary().union(inside)
        if op.regions and not op.has_trait(MemoryEffect, value_if_unregistered=False):
            return EffectSummary(unknown=True)
        return _own_effects(op)


def _own_effects(op: Operation) -> EffectSummary:
    effects = get_effects(op)
    if effects is None:
        return EffectSummary(unknown=not _only_passes_control(op))
    reads, writes, allocates, frees = (
        frozenset(_target(op, effect) for effect in effects if effect.kind is kind)
        for kind in (Kind.READ, Kind.WRITE, Kind.ALLOC, Kind.FREE)
    )
    return EffectSummary(reads, writes, allocates, frees)


def _target(op: Operation, effect: EffectInstance) -> SSAValue | SymbolRefAttr | None:
    """Return the memory that an effect applies to, or None if it is unspecified."""
    if effect.value is not None or op.name.partition(".")[0] not in _NAMING_DIALECTS:
        return effect.value
    values = op.results if effect.kind is Kind.ALLOC else op.operands
    memory = [value for value in values if isinstance(value.type, MemRefType)]
    return memory[0] if len(memory) == 1 else None


def _only_passes_control(op: Operation) -> bool:
    """Return whether an op is a terminator that only passes values on."""
    if not op.has_trait(IsTerminator, value_if_unregistered=False):
        return False
    return op.name.startswith("cf.") or op.name.endswith((".return", ".yield", ".br", ".cond_br"))
