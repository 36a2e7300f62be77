"""An op's own invariants, checked once for all ops that are alike.

What an op's definition demands of it depends on its class, the types of its operands and
results, its attributes and the number of its successors, and on nothing outside of it. So one
check serves all ops that agree in these; only what traits and hand-written verifiers look
at is checked for each op. Ops with regions are always checked in full, and so are those with
constraints or attributes that are not xDSL's own: what these ask may change.
"""

from __future__ import annotations

from copy import copy

# Follows xDSL's private links: this runs for every op that is verified.
# pyright: reportPrivateUsage=false
# The walk follows xDSL's private links, and knows values by address: xDSL hashes in Python.
# pyright: reportPrivateUsage=false
from functools import cache, partial
from inspect import getclosurevars
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from weakref import ref

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Operation, OpTraits
from xdsl.irdl import AnyAttr, AnyOf, BaseAttr, IRDLOperation, ParamAttrConstraint
from xdsl.traits import IsolatedFromAbove, OpTrait, SymbolUserOpInterface

from passel.xdsl.fast import are_on
from passel.xdsl.fast.known import infers_by_known_code, is_known_attribute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xdsl.ir import Region
    from xdsl.irdl import OpDef

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


_MAX_REMEMBERED = 10_000
"""Signatures that are remembered; most modules have few, at half a kilobyte each."""

_NUMBERS = frozenset({IntegerAttr, FloatAttr})
"""Attributes of a value and a type, which differ from one constant to the next."""


class _Parts(NamedTuple):
    """Parts of the verifier of one class.

    Attributes:
        definition: Checks what only depends on the signature and, of ops with regions, on these;
            None if it cannot be told apart.
        specific: Checks that look at the op and its surroundings.
        typed: Names of properties of which the definition, if they are numbers, looks at the
            type and not at the value.
    """

    definition: Callable[[Operation], None] | None
    specific: tuple[Callable[[Any], None], ...]
    typed: frozenset[str]


class InvariantChecker:
    """Runs ops' verifiers, the expensive part once per signature.

    It knows types and attributes by their addresses, and forgets what it knows of one when it
    goes, so that it keeps none alive. Threads may share one.
    """

    __slots__ = ("_forget", "_is_on", "_seen")

    def __init__(self) -> None:
        self._is_on = are_on()
        self._seen: dict[tuple[object, ...], tuple[ref[object], ...]] = {}
        self._forget = self._seen.pop

    def check(self, op: Operation) -> None:
        """Verify `op`, but nothing nested in it.

        Raises:
            VerifyException: What the definition, a trait or the op's own verifier demands
                is not so. Verifiers may raise other exceptions as well.
        """
        kind = type(op)
        parts = _parts(kind, kind.traits.traits, kind.verify_)
        if parts.definition is None or not self._is_on:
            op.verify_()
            return
        if op.regions:
            parts.definition(op)
            for check in parts.specific:
                check(op)
            return
        operands, results, properties = op._operands, op.results, op.properties
        kept: tuple[object, ...] = (
            *[operand._type for operand in operands],
            *[result._type for result in results],
            *(_parts_seen(properties, parts.typed) if parts.typed else properties.values()),
            *op.attributes.values(),
        )
        # Names count as well: the same attribute may be right under one and wrong under another.
        signature = (
            kind,
            len(operands),
            len(results),
            len(op._successors),
            len(properties),
            *properties,
            *op.attributes,
            *map(id, kept),
        )
        if signature not in self._seen:
            parts.definition(op)
            # Of an attribute that is not known, what it consists of may change.
            if all(is_known_attribute(each) for each in kept if isinstance(each, Attribute)):
                self._remember(signature, kept)
        for check in parts.specific:
            check(op)

    def _remember(self, signature: tuple[object, ...], kept: tuple[object, ...]) -> None:
        if len(self._seen) >= _MAX_REMEMBERED:
            self._seen.clear()  # the frequent ones are soon back
        # Called with the reference to what goes, which `pop` takes for its default.
        forget = partial(self._forget, signature)
        self._seen[signature] = tuple(map(ref, kept, repeat(forget)))


@cache
def _parts(op_class: type[Operation], traits: frozenset[OpTrait], verifier: Any) -> _Parts:
    """Take the verifier of a class apart, if it is the one that xDSL generates.

    Args:
        op_class: The class.
        traits: Its traits now: some may be added later.
        verifier: Its `verify_` now: another one may be put in its place.
    """
    if not issubclass(op_class, IRDLOperation) or not infers_by_known_code(op_class):
        return _Parts(None, (), frozenset())
    # xDSL keeps the verifier that was written by hand nowhere else.
    variables = getclosurevars(verifier).nonlocals
    if set(variables) != {"custom_verify", "op_def"}:
        return _Parts(None, (), frozenset())
    definition: OpDef = variables["op_def"]
    own: Callable[[Any], None] = variables["custom_verify"]
    specific: list[Callable[[Any], None]] = [
        check_isolation if type(trait).verify is IsolatedFromAbove.verify else trait.verify
        for trait in traits
        if type(trait).verify is not OpTrait.verify
    ]
    if own is not Operation.verify_:
        specific.append(own)
    properties = cast("dict[str, Any]", definition.properties)
    typed = frozenset(name for name, it in properties.items() if _ignores_values(it.constr))
    without_traits = copy(definition)  # its verifier would call theirs
    without_traits.traits = OpTraits(tuple)
    return _Parts(without_traits.verify, tuple(specific), typed)


def outward_checks(op_class: type[Operation]) -> tuple[Callable[[Any], None], ...]:
    """Return the checks of a class's ops that may look outside of an enclosing isolated op.

    Definitions look at the op alone, and of xDSL's own traits those alone look that far which
    check uses of symbols. What is written by hand may look anywhere.
    """
    return _outward_checks(op_class, op_class.traits.traits, op_class.verify_)


@cache
def _outward_checks(
    op_class: type[Operation], traits: frozenset[OpTrait], verifier: Any
) -> tuple[Callable[[Any], None], ...]:
    parts = _parts(op_class, traits, verifier)
    whole = () if op_class.verify is Operation.verify else (_verify_itself,)
    if parts.definition is None:
        return (verifier, *whole)
    return (*(each for each in parts.specific if not _looks_near(each)), *whole)


def _verify_itself(op: Operation) -> None:
    op.verify(verify_nested_ops=False)


def _looks_near(check: Any) -> bool:
    trait = getattr(check, "__self__", None)
    known = isinstance(trait, OpTrait) and type(trait).__module__ == OpTrait.__module__
    return check is check_isolation or (known and not isinstance(trait, SymbolUserOpInterface))


def _ignores_values(constraint: Any) -> bool:
    """Return whether of a number it looks at the type alone; False if that is not sure."""
    kind = cast("type[object]", type(constraint))  # no subclass, which may look at more
    if kind is AnyOf:
        return all(map(_ignores_values, constraint.attr_constrs))
    if kind is ParamAttrConstraint:
        base: type[Attribute] = constraint.base_attr
        if base in _NUMBERS:
            return isinstance(constraint.param_constrs[0], AnyAttr)
        return not any(issubclass(number, base) for number in _NUMBERS)
    return kind is BaseAttr


def _parts_seen(properties: dict[str, Attribute], typed: frozenset[str]) -> Iterator[object]:
    """Yield the properties, but of numbers whose value does not matter class and type."""
    for name, value in properties.items():
        if name in typed and type(value) in _NUMBERS:
            yield type(value)
            yield cast("IntegerAttr | FloatAttr", value).type
        else:
            yield value
