"""Verification of ops against their definitions, once for all ops with the same signature.

Whether an op satisfies its definition depends only on the op's signature: its class, the types of
its operands and results, its attributes, the number of its successors, and the number of blocks in
its regions. One check therefore suffices for all ops with the same signature, and only traits and
hand-written verifiers run for each op. An op is always checked in full if its definition constrains
block arguments, or contains constraints or attributes of other packages, which may depend on more
than the signature.
"""
# pyright: reportPrivateUsage=false
# Operands and types are read without detour, and values known by address: xDSL hashes in Python.

from __future__ import annotations

from contextvars import ContextVar
from copy import copy
from functools import cache, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast
from weakref import ref

from xdsl import irdl
from xdsl.dialects import builtin
from xdsl.ir import Attribute, OpTraits
from xdsl.irdl import AnyAttr, OpDef
from xdsl.traits import IsolatedFromAbove, OpTrait

from passel.xdsl.fast.known import infers_by_known_code, is_known_attribute, is_xdsl_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xdsl.ir import Operation, Region

_MAX_REMEMBERED: Final = 10_000
"""The size of the cache. Most modules have few signatures, of half a kilobyte each."""

_NUMBERS: Final = frozenset({builtin.IntegerAttr, builtin.FloatAttr})
_VARIED: Final = _NUMBERS | {builtin.StringAttr, builtin.SymbolRefAttr}
"""The attributes that usually differ between similar ops: numbers, strings and symbol names."""

TRAITS_OF_SIGNATURES: Final = "xdsl.backend.register_allocatable"
"""The module of traits that depend only on the signature and on which operands are equal."""

ISOLATED: Final = ContextVar["Operation | None"]("isolated", default=None)
"""The op that a walk has just found to be isolated from above, before its verifiers run."""

_KEPT: Final = "passel.parts"
"""The name of the field in which a definition stores its parts."""

_ANY_ARGUMENTS: Final = irdl.RangeOf(AnyAttr())

_plain: Final = OpDef.verify
"""xDSL's own method."""

_seen: dict[tuple[object, ...], tuple[ref[object], ...]] = {}
"""Valid signatures, with weak references to the types and attributes whose addresses they contain.
A signature is dropped when one of these is freed."""


def remember_definitions(*, remember: bool) -> None:
    """Make `OpDef.verify` check each op signature once; if not `remember`, restore xDSL's method.

    The setting applies to the whole process, and does not change the result of verification.
    """
    definitions: Any = OpDef
    definitions.verify = _verify if remember else _plain


class _Parts(NamedTuple):
    """A definition, split by how often its parts are checked.

    Attributes:
        op_class: The class of the ops.
        traits: The traits of the definition, to which traits may be added later.
        bare: The definition without traits, except those in `TRAITS_OF_SIGNATURES`; None if some
            of its constraints are not xDSL's own.
        typed: The names of properties whose values the definition ignores.
        checks: The verifiers of all other traits, which run for each op.
    """

    op_class: type[Operation]
    traits: frozenset[OpTrait]
    bare: OpDef | None
    typed: frozenset[str]
    checks: Sequence[Callable[[Operation], None]]


def _verify(definition: OpDef, op: Operation) -> None:
    """Verify an op as `OpDef.verify` does."""
    fields: dict[str, Any] = vars(definition)
    parts: _Parts | None = fields.get(_KEPT)
    if parts is None or parts[0] is not type(op) or parts[1] is not definition.traits.traits:
        fields[_KEPT] = parts = _parts(definition, type(op))
    op_class, traits, bare, typed, checks = parts
    if bare is None:
        _plain(definition, op)
        return
    operands, results, properties = op._operands, op.results, op.properties
    kept: tuple[object, ...] = (
        *[operand._type for operand in operands],
        *[result._type for result in results],
        *(_parts_seen(properties, typed) if typed else properties.values()),
        *op.attributes.values(),
    )
    # Names count as well: the same attribute may be right under one and wrong under another.
    signature = (
        op_class,
        traits,
        len(operands),
        len(results),
        len(op._successors),
        len(op.regions),
        *(map(_blocks_seen, op.regions) if op.regions else ()),
        len(properties),
        *properties,
        *op.attributes,
        *map(id, kept),
    )
    if signature not in _seen:
        _plain(bare, op)
        # Traits that accept different operands accept equal operands as well, but not vice versa.
        if not bare.traits.traits or len(set(operands)) == len(operands):
            _remember(signature, kept)
    for check in checks:
        check(op)


def _remember(signature: tuple[object, ...], kept: Sequence[object]) -> None:
    # Of an attribute that is not known, what it consists of may change.
    if all(is_known_attribute(each) for each in kept if isinstance(each, Attribute)):
        if len(_seen) >= _MAX_REMEMBERED:
            _seen.clear()  # the frequent ones are soon back
        # Called with the reference to what goes, which `pop` takes for its default.
        _seen[signature] = tuple(map(ref, kept, repeat(partial(_seen.pop, signature))))


def _blocks_seen(region: Region) -> int:
    """Return 0, 1 or 2 for no block, one block or more blocks, as definitions distinguish them."""
    return 0 if region.first_block is None else 1 + (region.first_block is not region.last_block)


def _parts(definition: OpDef, op_class: type[Operation]) -> _Parts:
    bare, properties = copy(definition), cast("dict[str, Any]", definition.properties)
    traits, once = definition.traits.traits, list[OpTrait]()
    checks: list[Callable[[Operation], None]] = []
    for trait in traits:
        if is_xdsl_class(op_class) and type(trait).__module__ == TRAITS_OF_SIGNATURES:
            once.append(trait)
        elif type(trait).verify is IsolatedFromAbove.verify:
            checks.append(check_isolation)
        elif type(trait).verify is not OpTrait.verify:
            checks.append(trait.verify)
    bare.traits = OpTraits(lambda: tuple(once))
    is_known = infers_by_known_code(definition) and all(
        region.entry_args == _ANY_ARGUMENTS for _, region in definition.regions
    )
    typed = frozenset(name for name, it in properties.items() if _ignores_values(it.constr))
    return _Parts(op_class, traits, bare if is_known else None, typed, checks)


def _ignores_values(constraint: Any) -> bool:
    """Return whether a constraint is known to ignore the values of attributes in `_VARIED`."""
    kind = cast("type[object]", type(constraint))  # no subclass, which may look at more
    if kind is irdl.AnyOf:
        return all(map(_ignores_values, constraint.attr_constrs))
    if kind is irdl.MessageConstraint:
        return _ignores_values(constraint.constr)
    if kind is irdl.ParamAttrConstraint:
        base: type[Attribute] = constraint.base_attr
        if base in _VARIED:
            return isinstance(constraint.param_constrs[0], AnyAttr)
        return not any(issubclass(each, base) for each in _VARIED)
    return kind in {irdl.BaseAttr, builtin.SymbolNameConstraint}


def _parts_seen(properties: dict[str, Attribute], typed: frozenset[str]) -> Iterator[object]:
    """Yield each property, but only the class and type of a property in `typed`."""
    for name, value in properties.items():
        kind = type(value)
        if name not in typed or kind not in _VARIED or getattr(value, "nested_references", ()):
            yield value
        else:
            yield kind
            if kind in _NUMBERS:
                yield cast("builtin.IntegerAttr | builtin.FloatAttr", value).type


def check_isolation(op: Operation) -> None:
    """Check that an op is isolated from above, unless a walk has just found that it is.

    Raises:
        VerifyException: If a nested op uses a value from outside `op`. In some releases of xDSL,
            the error is also raised if a nested op uses a result of `op`.
    """
    if ISOLATED.get() is not op:
        IsolatedFromAbove().verify(op)


@cache
def may_be_isolated(op_class: type[Operation]) -> bool:
    """Return whether an op class is isolated from above, or unregistered."""
    return op_class.has_trait(IsolatedFromAbove)
