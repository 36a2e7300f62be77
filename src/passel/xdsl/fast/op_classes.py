"""Facts about ops that depend on their class alone, asked once for each class.

xDSL answers whether an op has a trait by going through the traits of its class. Rewriting asks
several such questions of each op each time that it looks at it, which is most of what
canonicalization spends its time on.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

import sys
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, cast
from weakref import WeakKeyDictionary

from xdsl.ir import Attribute, OpResult
from xdsl.traits import (
    ConstantLike,
    HasCanonicalizationPatternsTrait,
    HasFolder,
    IsolatedFromAbove,
    IsTerminator,
    MemoryAllocEffect,
    MemoryEffect,
    MemoryEffectKind,
    MemoryFreeEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)

from passel.xdsl.fast.known import is_known_class

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from xdsl.ir import Operation, SSAValue
    from xdsl.pattern_rewriter import RewritePattern
    from xdsl.traits import EffectInstance

    from passel.xdsl.fast.inert import Inertness, KnowsConstants


class Source(Enum):
    """Where the memory effects of an op are known from, besides those of its class."""

    CLASS = "class"
    """Nowhere else: they are those of the class."""
    NESTED = "nested"
    """They are also those of the ops nested in it."""
    TYPES = "types"
    """They are also those of the registers that are its operands and results."""
    OP = "op"
    """The op has to be asked."""
    NOTHING = "nothing"
    """They are not known."""


READ: Final = 1
WRITE: Final = 2
UNKNOWN: Final = 16
_BITS: Final = {
    MemoryEffectKind.READ: READ,
    MemoryEffectKind.WRITE: WRITE,
    MemoryEffectKind.ALLOC: 4,
    MemoryEffectKind.FREE: 8,
}
"""Kinds of effects, as bits of a number: 0 stands for none."""

_FIXED: Final = tuple(
    vars(trait)["get_effects"].__func__
    for trait in (
        NoMemoryEffect,
        MemoryReadEffect,
        MemoryWriteEffect,
        MemoryAllocEffect,
        MemoryFreeEffect,
    )
)
_RECURSIVE: Final = vars(RecursiveMemoryEffect)["get_effects"].__func__
_OF_REGISTERS: Final = ("xdsl.backend.register_type", "RegisterAllocatedMemoryEffect.get_effects")
"""By name, so that what most programs have no use for is not loaded."""

_ARITH: Final = "xdsl.dialects.arith"
"""By name as well: it takes longer to load than a small program to canonicalize."""

_MAX_SIGNATURES: Final = 10_000
"""Combinations of types of which the effects are remembered."""


class OpClass:
    """Facts about all ops of one class.

    Args:
        op_class: The class.

    Attributes:
        traits: The traits that the facts were found with.
        ends_blocks: Whether the ops are terminators, whose successors may be reached.
        may_be_terminator: The same, but true if they are unregistered.
        is_isolated: Whether they are isolated from above; true if they are unregistered.
        erasable: Whether they can be erased if their results are unused, as neither terminators
            nor symbols, with no effects but reads; None if the op has to be asked.
        source: Where the effects are known from.
        kinds: The kinds of effects that every op of the class has.
        memory: The traits that tell of effects.
        of_types: The one of them that tells of effects on registers.
        folder: The trait that folds them; None for constants, and if there is none.
        constant: The trait that gives the values of constants; None for others.
        patterns: The canonicalization patterns, in their order; None if they have to be asked for
            at each visit, as the class or one of its traits is not xDSL's.
        is_inert: Returns whether an op neither folds nor is rewritten by its patterns; None if
            only trying will tell.
        folds_index: Whether they compute with integers in a way that xDSL folds.
    """

    def __init__(self, op_class: type[Operation]) -> None:
        self.traits: object = op_class.traits.traits
        self.ends_blocks: bool = op_class.has_trait(IsTerminator())
        self.may_be_terminator: bool = op_class.has_trait(IsTerminator)
        self.is_isolated: bool = op_class.has_trait(IsolatedFromAbove)
        self.memory: Sequence[MemoryEffect] = op_class.get_traits_of_type(MemoryEffect)
        self.source: Source
        self.kinds: int
        self.of_types: MemoryEffect | None
        self.source, self.kinds, self.of_types = _effects(self.memory)
        self.erasable: bool | None = self._is_erasable(op_class)
        folder = op_class.get_trait(HasFolder)
        is_constant = op_class.has_trait(ConstantLike)
        self.folder: HasFolder | None = (
            None
            if op_class.has_trait(ConstantLike, value_if_unregistered=True)
            or not op_class.has_trait(HasFolder, value_if_unregistered=False)
            else folder
        )
        self.constant: HasFolder | None = folder if is_constant else None
        self.patterns: tuple[RewritePattern, ...] | None = _patterns(op_class)
        self.is_inert: Inertness | None = (
            None if self.patterns is None else _inertness(op_class, self.patterns, self.folder)
        )
        self.folds_index: bool = computes_with_integers(op_class)

    def _is_erasable(self, op_class: type[Operation]) -> bool | None:
        kept = any(
            op_class.has_trait(trait, value_if_unregistered=False)
            for trait in (IsTerminator, SymbolOpInterface)
        )
        if kept or self.kinds & ~READ or self.source is Source.NOTHING:
            return False
        return True if self.source is Source.CLASS else None


def computes_with_integers(op_class: type[Operation]) -> bool:
    """Return whether ops of a class compute with integers in a way that xDSL folds."""
    arith = sys.modules.get(_ARITH)
    if arith is None:
        return False
    kind, base = cast("Any", op_class), arith.SignlessIntegerBinaryOperation
    return issubclass(kind, base) and kind.py_operation is not base.py_operation


def _inertness(
    op_class: type[Operation], patterns: Sequence[RewritePattern], folder: HasFolder | None
) -> Inertness | None:
    if not patterns and folder is None:
        return _is_inert_by_class
    if op_class.__module__ != _ARITH:
        return None
    from passel.xdsl.fast.inert import inertness

    return inertness(op_class, patterns, folder)


def _is_inert_by_class(op: Operation, classes: Mapping[type[Operation], KnowsConstants]) -> bool:  # noqa: ARG001 - one of several
    return True


def kinds_of(effects: AbstractSet[EffectInstance] | None) -> int:
    """Return the kinds of effects; None stands for effects that are not known."""
    if effects is None:
        return UNKNOWN
    kinds = 0
    for effect in effects:
        kinds |= _BITS[effect.kind]
    return kinds


def _effects(traits: Sequence[MemoryEffect]) -> tuple[Source, int, MemoryEffect | None]:
    if not traits:
        return Source.NOTHING, UNKNOWN, None
    sources: set[Source] = set()
    kinds, of_types = 0, None
    for trait in traits:
        get_effects: Any = type(trait).get_effects
        if get_effects.__func__ in _FIXED:
            # The same for every op, so that none is looked at.
            kinds |= kinds_of(trait.get_effects(cast("Operation", None)))
        elif get_effects.__func__ is _RECURSIVE:
            sources.add(Source.NESTED)
        elif (get_effects.__module__, get_effects.__qualname__) == _OF_REGISTERS:
            sources.add(Source.TYPES)
            of_types = trait
        else:
            sources.add(Source.OP)
    if not sources:
        return Source.CLASS, kinds, None
    if len(sources) > 1 or Source.OP in sources:
        return Source.OP, 0, None
    return sources.pop(), kinds, of_types


def _patterns(op_class: type[Operation]) -> tuple[RewritePattern, ...] | None:
    traits = op_class.get_traits_of_type(HasCanonicalizationPatternsTrait)
    # A trait of xDSL's may hand out patterns of the class, which may keep state.
    classes = (op_class, *map(type, traits)) if traits else ()
    if not all(each.__module__.startswith("xdsl.") for each in classes):
        return None
    return tuple(pattern for trait in traits for pattern in trait.get_patterns(op_class))


_known: WeakKeyDictionary[type[Operation], OpClass] = WeakKeyDictionary()
"""Facts about xDSL's own classes."""


class ClassTable(dict["type[Operation]", OpClass]):
    """Facts by class, for one run of a rewrite.

    Facts of earlier runs are taken over for xDSL's own classes, if their traits are still the same.
    """

    __slots__ = ("_kept", "_kinds")

    def __init__(self) -> None:
        super().__init__()
        self._kinds: dict[tuple[int | None, ...], int] = {}
        # Addresses are those of types that are alive.
        self._kept: list[Attribute] = []

    def kinds_of(self, op: Operation, facts: OpClass) -> int:
        """Return the kinds of effects of an op, of which they are known from class and types."""
        if facts.of_types is None:
            return facts.kinds
        operands = [operand._type for operand in op._operands]
        results = [result._type for result in op.results]
        signature = (*map(id, operands), None, *map(id, results))
        kinds = self._kinds.get(signature)
        if kinds is None:
            if len(self._kinds) >= _MAX_SIGNATURES:
                self._kinds.clear()
                self._kept.clear()
            kinds = self._kinds[signature] = kinds_of(facts.of_types.get_effects(op))
            self._kept += operands
            self._kept += results
        return facts.kinds | kinds

    def __missing__(self, op_class: type[Operation]) -> OpClass:
        """Find out about a class."""
        facts = _known.get(op_class)
        if facts is None or facts.traits is not op_class.traits.traits:
            facts = OpClass(op_class)
            if is_known_class(op_class):
                _known[op_class] = facts
        self[op_class] = facts
        return facts

    def constant_of(self, value: SSAValue) -> Attribute | None:
        """Return what `ConstantLike.get_constant_value` does."""
        if not isinstance(value, OpResult):
            return None
        op = value.op
        trait = self[type(op)].constant
        if trait is None or (values := trait.fold(op)) is None:
            return None
        constant = values[value.index]
        return constant if isinstance(constant, Attribute) else None
