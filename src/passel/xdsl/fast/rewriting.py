"""Cached properties of op classes, which let `canonicalize`, `cse` and `dce` skip most questions.

Most ops of a program are not dead, do not fold, and match no pattern. xDSL examines the traits,
effects, folders and patterns of an op class anew for each op.
"""
# pyright: reportPrivateUsage=false
# Operands are read without detour: xDSL's property costs more than all else here.

from __future__ import annotations

import sys
from functools import cached_property
from inspect import getattr_static
from typing import TYPE_CHECKING, Any, Final

from xdsl.dialects.builtin import IntegerAttr, UnregisteredOp
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import OpResult, OpTraits
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import (
    ConstantLike,
    HasCanonicalizationPatternsTrait,
    HasFolder,
    IsTerminator,
    MemoryAllocEffect,
    MemoryEffect,
    MemoryFreeEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)
from xdsl.transforms.dead_code_elimination import would_be_trivially_dead

from passel.xdsl.fast.known import is_xdsl_class, is_xdsl_code, overridden_by
from passel.xdsl.symbols import ops_in

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue
    from xdsl.pattern_rewriter import PatternRewriter


def _effects_of(*traits: type[MemoryEffect]) -> frozenset[object]:
    return frozenset(vars(trait)["get_effects"].__func__ for trait in traits)


_HARMLESS: Final = _effects_of(NoMemoryEffect, MemoryReadEffect)
_HARMFUL: Final = _effects_of(MemoryWriteEffect, MemoryAllocEffect, MemoryFreeEffect)
"""The functions that return the same effects for all ops."""
(_RECURSIVE,) = _effects_of(RecursiveMemoryEffect)
_NONE: Final = _effects_of(NoMemoryEffect)

_SPECIAL: Final = frozenset({-1, 0, 1})
"""The neutral and absorbing operands of `arith` ops, with which the ops always fold."""

_ON_CONSTANTS: Final = frozenset(
    {"FoldConstConstOp", "FoldConstsByReassociation", "AddImmediates", "MultiplyImmediates"}
)
"""The names of patterns that match only ops with constant operands."""

_ON_EQUALS: Final = frozenset({"AdditionOfSameVariablesToMultiplyByTwo"})
"""The names of patterns that match only ops with equal operands."""


class OpClass:
    """Properties that all ops of a class have in common.

    Args:
        op_class: The op class.

    Attributes:
        traits: The traits of the class at the time when the other attributes were determined.
        is_known: Whether only xDSL's code runs when an op of the class is rewritten (see
            `passel.xdsl.fast.known`). If this is False, rewriting must not rely on the other
            attributes.
        harms: Whether the ops always write, allocate or free memory, or might do so because no
            trait declares their memory effects.
        is_pure: Whether the class is known, and the ops have no memory effects and are neither
            terminators nor symbols.
        is_recursive: Whether the memory effects of an op are exactly those of its nested ops.
        erasable: Whether ops with unused results can be erased. None means that each op must be
            examined.
        is_constant: Whether the ops are constants, or registers that may always be zero.
        is_copy: Whether the ops copy a register, so that RISC-V patterns look at what is copied.
    """

    def __init__(self, op_class: type[Operation]) -> None:
        self._op_class = op_class
        self.traits: object = op_class.traits.traits
        self.is_known: bool = _is_known(op_class)
        traits: list[Any] = [type(each) for each in op_class.get_traits_of_type(MemoryEffect)]
        # Other people's traits may define a function instead of a class method.
        effects: list[object] = [getattr(e.get_effects, "__func__", None) for e in traits]
        self.harms: bool = not effects or not _HARMFUL.isdisjoint(effects)
        self.is_recursive: bool = effects == [_RECURSIVE]
        is_kept = op_class.has_trait(IsTerminator) or op_class.has_trait(SymbolOpInterface)
        if_unused = True if _HARMLESS.issuperset(effects) else None
        self.erasable: bool | None = False if is_kept or self.harms else if_unused
        self.is_pure: bool = self.is_known and not is_kept and frozenset(effects) == _NONE
        bases = {each.__name__ for each in op_class.__mro__}
        self.is_constant: bool = op_class.has_trait(ConstantLike) or "GetRegisterOp" in bases
        self.is_copy: bool = "MVOp" in bases

    # On demand, as not all passes need them: xDSL imports the module of the patterns.

    @cached_property
    def patterns(self) -> tuple[RewritePattern, ...] | None:
        """The canonicalization patterns for the ops, in order.

        The value is None if the ops may also fold. It is also None if another package defines the
        patterns, which must then be requested anew for each op.
        """
        op_class = self._op_class
        folds = op_class.has_trait(HasFolder) and not op_class.has_trait(ConstantLike)
        return None if folds or computes_with_integers(op_class) else _patterns(op_class)

    @cached_property
    def is_arithmetic(self) -> bool:
        """Whether the ops are arithmetic ops of xDSL's dialects `arith` and `riscv`.

        Such an op folds or matches a pattern only if the left operand is a constant, or if the
        right operand is a constant that is neutral, absorbing or not an integer. Additions of
        `riscv` also match if the right operand is another constant, or equals the left operand.
        """
        op_class = self._op_class
        names = {type(each).__name__ for each in _patterns(op_class) or ()}
        matches = set[str]() < names <= _ON_CONSTANTS | _ON_EQUALS
        return is_xdsl_class(op_class) and (matches or computes_with_integers(op_class))


class ClassTable(dict["type[Operation]", OpClass]):
    """A table with the properties of each op class, for one run of a pass.

    If `is_known` is True for a class, its properties are reused in later runs as long as its traits
    do not change.
    """

    def __missing__(self, op_class: type[Operation]) -> OpClass:
        """Compute the properties of a class."""
        facts = _kept.get(op_class)
        if facts is None or facts.traits is not op_class.traits.traits:
            facts = OpClass(op_class)
            if is_xdsl_class(op_class):
                _kept[op_class] = facts
        self[op_class] = facts
        return facts

    def may_erase(self, op: Operation) -> bool:
        """Return whether an unused op can be erased, as xDSL's `would_be_trivially_dead` does."""
        facts = self[type(op)]
        if facts.erasable is not None:
            return facts.erasable
        if facts.is_recursive and self._harms_inside(op):
            return False
        return would_be_trivially_dead(op)

    def _harms_inside(self, root: Operation) -> bool:
        """Return whether nested ops have effects other than reads, up to the first such op."""
        for op in ops_in(root):
            facts = self[type(op)]
            if facts.harms or (facts.is_recursive and self._harms_inside(op)):
                return True
        return False


_kept: dict[type[Operation], OpClass] = {}
"""The properties of xDSL's classes, which later runs reuse."""


class QuickPattern(RewritePattern):
    """A wrapper that applies a pattern, but skips ops that the pattern cannot rewrite.

    Args:
        pattern: The wrapped pattern, which erases, folds and rewrites ops as xDSL's `canonicalize`
            does.
    """

    def __init__(self, pattern: RewritePattern) -> None:
        self._pattern = pattern
        self._classes = ClassTable()

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        """Apply the wrapped pattern to an op, unless the wrapped pattern cannot rewrite the op."""
        facts = self._classes[type(op)]
        if not facts.is_known or (
            facts.erasable is not False
            # In nearly all ops, the first result is used.
            and not (op.results and op.results[0].first_use)
            and not any(each.first_use for each in op.results)
            and self._classes.may_erase(op)
        ):
            self._pattern.match_and_rewrite(op, rewriter)
        elif facts.is_arithmetic and self._cannot_match(op):
            return
        elif facts.patterns is None or is_odd_loop(op):
            self._pattern.match_and_rewrite(op, rewriter)
        else:
            for pattern in facts.patterns:
                pattern.match_and_rewrite(op, rewriter)
                if rewriter.has_done_action:
                    return

    def _cannot_match(self, op: Operation) -> bool:
        """Return whether an arithmetic op cannot fold since it has no suitable constant operand."""
        left, right = op._operands
        if self._possible_constant(left) is not None:
            return False
        constant = self._possible_constant(right)
        if constant is None:
            return left is not right
        value = constant.properties.get("value") or constant.attributes.get("immediate")
        return (
            op.name != "riscv.add"
            and constant.name in {"arith.constant", "rv32.li", "rv64.li"}
            and type(value) is IntegerAttr
            and value.value.data not in _SPECIAL
        )

    def _possible_constant(self, value: SSAValue, *, copied: bool = False) -> Operation | None:
        """Return the op that defines a value, possibly copied once, if it may be a constant."""
        if not isinstance(value, OpResult):
            return None
        op = value.op
        facts = self._classes[type(op)]
        if facts.is_copy and facts.is_known and not copied:
            return self._possible_constant(op._operands[0], copied=True)
        return op if facts.is_constant or facts.is_copy or not facts.is_known else None


def is_odd_loop(op: Operation) -> bool:
    """Return whether an op is a loop whose unregistered ops xDSL would hoist like constants."""
    return op.name == "scf.for" and any(
        each.name == UnregisteredOp.name for each in op.regions[0].ops
    )


def computes_with_integers(op_class: Any) -> bool:
    """Return whether the ops of a class are integer arithmetic that xDSL folds."""
    # Without it there are no such ops, and loading it takes longer than a small program.
    arith = sys.modules.get("xdsl.dialects.arith")
    if arith is None:
        return False
    base = arith.SignlessIntegerBinaryOperation
    return issubclass(op_class, base) and op_class.py_operation is not base.py_operation


def _is_known(op_class: type[Operation]) -> bool:
    """Return whether a rewrite of an op only runs xDSL's code."""
    if overridden_by(op_class) - {"__init__"}:
        return False
    if type(getattr_static(op_class, "traits")) is not OpTraits:  # they may be computed anew
        return False
    if issubclass(op_class, HasFolderInterface) and not is_xdsl_code(op_class.fold):
        return False
    return all(is_xdsl_class(type(trait)) for trait in op_class.traits)


def _patterns(op_class: type[Operation]) -> tuple[RewritePattern, ...] | None:
    traits = op_class.get_traits_of_type(HasCanonicalizationPatternsTrait)
    # A trait of xDSL's may hand out patterns of the class, which may keep state.
    if traits and not all(map(is_xdsl_class, (op_class, *map(type, traits)))):
        return None
    return tuple(pattern for trait in traits for pattern in trait.get_patterns(op_class))
