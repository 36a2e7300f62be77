"""Memory effects of ops, and which values may name the same memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import BlockArgument, OpResult
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

_VIEWS = frozenset(
    {
        "builtin.unrealized_conversion_cast",
        "llvm.bitcast",
        "llvm.getelementptr",
        "memref.cast",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.memory_space_cast",
        "memref.reinterpret_cast",
        "memref.subview",
        "memref.view",
    }
)
"""Ops whose result names (a part of) what their first operand names."""

_ALLOCATIONS = frozenset({"llvm.alloca", "memref.alloc", "memref.alloca"})
"""Ops whose result names memory that nothing else named before."""

_GLOBALS = {"memref.get_global": "name", "llvm.mlir.addressof": "global_name"}
"""Ops whose result names the memory of a symbol, and where they say which."""

_NAMING_DIALECTS = frozenset({"affine", "memref"})
"""Dialects whose ops affect the memory that they name, and no other."""


class EffectSummary(NamedTuple):
    """Effects that executing an op, with all that is inside, may have.

    Each set holds the values and symbols that are affected; None in it stands for memory that
    is not named.

    Attributes:
        reads: What is read.
        writes: What is written.
        allocates: What is allocated.
        frees: What is freed.
        unknown: Whether anything else may happen; nothing is certain then.
    """

    reads: frozenset[SSAValue | SymbolRefAttr | None] = frozenset()
    writes: frozenset[SSAValue | SymbolRefAttr | None] = frozenset()
    allocates: frozenset[SSAValue | SymbolRefAttr | None] = frozenset()
    frees: frozenset[SSAValue | SymbolRefAttr | None] = frozenset()
    unknown: bool = False

    def union(self, others: Iterable[EffectSummary]) -> EffectSummary:
        """Return what this and others do together."""
        every = [self, *others]
        *kinds, unknown = zip(*every, strict=True)
        return EffectSummary(*(frozenset().union(*kind) for kind in kinds), unknown=any(unknown))


class Effects:
    """The memory effects of ops, as far as their traits tell.

    An op without a trait about memory may do anything, unless it is a branch, return or
    yield. A symbol table or callable is summarized as its body. Summaries are made on demand,
    inner ops first, in one walk of the op asked about. Valid while nothing in the op changes.

    Example:
        >>> from xdsl.dialects.memref import AllocaOp, LoadOp
        >>> from xdsl.dialects.builtin import ModuleOp, i32
        >>> a, b = AllocaOp.get(i32, shape=[]), AllocaOp.get(i32, shape=[])
        >>> load = LoadOp.get(a, [])
        >>> effects = Effects(ModuleOp([a, b, load]))
        >>> effects.of(load).reads == {a.memref}, effects.may_alias(a.memref, b.memref)
        (True, False)

    Source: `mlir/lib/Interfaces/SideEffectInterfaces.cpp` and
        `mlir/lib/Analysis/AliasAnalysis/LocalAliasAnalysis.cpp`, MLIR 22.
    """

    def __init__(self, op: Operation) -> None:
        self.op = op
        self._summaries: dict[Operation, EffectSummary] = {}

    def __eq__(self, other: object) -> bool:
        """Return whether two agree on the ops, among those that are left, that either knows."""
        if not isinstance(other, Effects):
            return NotImplemented
        return self._agrees(other) and other._agrees(self)

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def _agrees(self, other: Effects) -> bool:
        known = [op for op in self._summaries if self.op.is_ancestor(op)]
        return all(other.of(op) == self._summaries[op] for op in known)

    def of(self, op: Operation) -> EffectSummary:
        """Return what executing an op may do; of a callable, what its body may do."""
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

    def may_alias(self, a: SSAValue, b: SSAValue) -> bool:
        """Return whether two values may name overlapping memory.

        They do not if they come, through views, from different allocations, from different
        symbols, or one from an allocation and one from an argument of the enclosing function
        or a symbol. Anything else may.
        """
        first, second = _origin(a), _origin(b)
        if first is second:
            return True
        ours, theirs = _site(first), _site(second)
        if ours is None or theirs is None:
            return not (_is_new(first, second) or _is_new(second, first))
        return ours == theirs


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
    """Return what an effect is on; xDSL's traits leave out what MLIR's ops name."""
    if effect.value is not None or op.name.partition(".")[0] not in _NAMING_DIALECTS:
        return effect.value
    values = op.results if effect.kind is Kind.ALLOC else op.operands
    memory = [value for value in values if isinstance(value.type, MemRefType)]
    return memory[0] if len(memory) == 1 else None


def _only_passes_control(op: Operation) -> bool:
    """Return whether an op is a terminator that only leads elsewhere, with what it passes."""
    if not op.has_trait(IsTerminator, value_if_unregistered=False):
        return False
    return op.name.startswith("cf.") or op.name.endswith((".return", ".yield", ".br", ".cond_br"))


def _origin(value: SSAValue) -> SSAValue:
    """Follow views back to what they are views of."""
    while isinstance(value, OpResult) and value.op.name in _VIEWS and value.op.operands:
        value = value.op.operands[0]
    return value


def _site(origin: SSAValue) -> object:
    """Return what identifies the memory of a value; None if that is not known."""
    if not isinstance(origin, OpResult):
        return None
    if origin.op.name in _ALLOCATIONS:
        return origin
    attribute = _GLOBALS.get(origin.op.name)
    return None if attribute is None else origin.op.get_attr_or_prop(attribute)


def _is_new(allocated: SSAValue, other: SSAValue) -> bool:
    """Return whether one value is allocated after the other was passed to the function."""
    if not isinstance(allocated, OpResult) or allocated.op.name not in _ALLOCATIONS:
        return False
    if not isinstance(other, BlockArgument) or (function := other.block.parent_op()) is None:
        return False
    is_entry = other.block is other.block.parent.first_block if other.block.parent else False
    return is_entry and is_callable(function) and function.is_ancestor(allocated.op)
