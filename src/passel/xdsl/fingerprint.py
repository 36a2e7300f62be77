"""Change detection for xDSL's IR.

MLIR's fingerprint is a hash of addresses. In this module, a fingerprint contains references to the
parts of an op and compares the parts by identity. Comparison by identity is cheaper than hashing
attributes, and works even if an attribute class defines equality incorrectly. The references in a
fingerprint keep objects alive, so that no address is reused.
"""
# pyright: reportPrivateUsage=false
# The loop follows xDSL's private links: its speed is what this module is for.

import pickle
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from io import BytesIO
from operator import is_
from typing import Any, ClassVar, cast

from xdsl.ir import Attribute, Data, Operation

from passel.xdsl.symbols import parts_of


class Fingerprint:
    """The contents of an op and its nested ops at the time when `fingerprint` was called.

    Two fingerprints are equal if the ops, regions, blocks and block arguments are the same objects
    in the same order, with the same operands, successors, types, attributes, properties and
    locations. The comparison ignores name hints and the position of the root op in its block.
    Replacing an attribute with a different attribute object counts as a change, even if the two are
    equal.

    Args:
        objects: The ops, blocks and regions in the order of the walk. Each op is followed by the
            tuples of its operands, results, successors and regions, and by the names of its
            properties and attributes. Each block is followed by the tuple of its arguments. `True`
            precedes the names of an op's properties, and `False` precedes the names of its
            attributes. The names of attributes are sorted, since printing an unregistered op
            reorders its attributes.
        attributes: All attributes, properties, types and locations, in the order of the walk.
    """

    __slots__ = ("_attributes", "_objects", "_states")
    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def __init__(self, objects: list[object], attributes: list[Attribute]) -> None:
        self._objects = objects
        self._attributes = attributes
        # An attribute may stay the same object while its payload changes.
        self._states = [*map(_state_of, payloads_in(attributes))]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fingerprint):
            return NotImplemented
        # Not `==` for attributes: some are equal to others.
        return (
            self._objects == other._objects
            and self._states == other._states
            and all(map(is_, self._attributes, other._attributes))
        )

    def renewed(self, objects: list[object], attributes: list[Attribute]) -> "Fingerprint":
        """Return the fingerprint of new contents, which is this object if nothing has changed."""
        # Without a call of `__eq__`: this is most of what runs do.
        if not self._states and objects == self._objects:
            if all(map(is_, attributes, self._attributes)):
                return self
            return Fingerprint(objects, attributes)
        now = Fingerprint(objects, attributes)
        return self if now == self else now


def fingerprint(  # noqa: C901 - one loop over all ops, in which calls would cost more than the rest
    op: Operation, last: Fingerprint | None = None, *, recursive: bool = True
) -> Fingerprint:
    """Return the fingerprint of an op, which covers nested ops if `recursive` is True.

    If nothing has changed since `last` was taken, the result is `last` itself.

    The fingerprint detects the same changes as `mlir::OperationFingerPrint`.

    Example:
        >>> from xdsl.dialects.builtin import ModuleOp, UnitAttr
        >>> module = ModuleOp([])
        >>> before = fingerprint(module)
        >>> fingerprint(module, before) is before
        True
        >>> module.attributes["seen"] = UnitAttr()
        >>> fingerprint(module) == before
        False
    """
    objects: list[object] = []
    attributes: list[Attribute] = []
    # Block by block, so that nesting needs no stack: the list grows while it is read.
    first_ops = [op]
    try:
        for first in first_ops:
            each: Operation | None = first
            while each is not None:
                objects.append(each)
                objects.append(each._operands)
                attributes.append(each.location)
                if results := each.results:
                    objects.append(results)
                    for result in results:  # nearly always one
                        attributes.append(result._type)  # noqa: PERF401 - a list takes longer
                if named := each.properties:
                    objects.append(True)
                    for name, value in named.items():
                        objects.append(name)
                        attributes.append(value)
                if named := each.attributes:
                    objects.append(False)
                    for name in sorted(named) if len(named) > 1 else named:
                        objects.append(name)
                        attributes.append(named[name])
                if each._successors:
                    objects.append(each._successors)
                if each.regions:
                    _add_regions(each, objects, attributes, first_ops if recursive else None)
                if each is op:
                    break  # the position of the root op does not count
                each = each._next_op
    except AttributeError:
        # Some of xDSL's passes make ops past their constructor, without a location.
        return Fingerprint([object()], [])
    return Fingerprint(objects, attributes) if last is None else last.renewed(objects, attributes)


def _add_regions(
    op: Operation,
    objects: list[object],
    attributes: list[Attribute],
    first_ops: list[Operation] | None,
) -> None:
    """Add the regions of an op to a fingerprint.

    Args:
        op: The op.
        objects: The list to which the op's regions and blocks are added; see `Fingerprint`.
        attributes: The list to which the types and locations of block arguments are added.
        first_ops: The list to which the first op of each block is added, or None to add all ops of
            the blocks to `objects`.
    """
    objects.append(op.regions)
    for region in op.regions:
        block = region.first_block
        while block is not None:
            objects.append(block)
            if args := block._args:
                objects.append(args)
                for arg in args:
                    attributes += (arg._type, arg.location)
            if first_ops is None:
                objects += block.ops
            elif (inner := block.first_op) is not None:
                objects.append(inner)
                first_ops.append(inner)
            block = block.next_block
        objects.append(region)


# -- Mutable payloads: attributes of some dialects contain Python objects that change in place ----

_DATA: Any = Data

_CONSTANT = (str, int, float, complex, bytes, Enum, type(None))


@lru_cache(1)
def _foreign_kinds(count: int) -> tuple[type[Any], ...]:  # noqa: ARG001 - there may be new ones
    """Return the attribute classes outside xDSL that contain Python objects."""
    kinds: list[type[Any]] = _DATA.__subclasses__()
    return tuple([each for each in kinds if not each.__module__.startswith("xdsl.")])


def payloads_in(attributes: Iterable[object]) -> Iterator[object]:
    """Yield the mutable Python objects in attributes, including nested attributes."""
    kinds = _foreign_kinds(len(_DATA.__subclasses__()))
    seen, left = set[int](), list(attributes) if kinds else []
    while left:
        each = left.pop()
        if not isinstance(each, Attribute) or id(each) in seen:
            continue
        seen.add(id(each))
        if not isinstance(each, kinds):
            left += parts_of(each)
        elif not _is_constant(data := getattr(each, "data", ())):
            yield data


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple | frozenset):
        return all(map(_is_constant, cast("Iterable[Any]", value)))
    return isinstance(value, _CONSTANT)


def _state_of(payload: object) -> bytes:
    state = BytesIO()
    with suppress(Exception):  # its own code runs
        _StatePickler(state, pickle.HIGHEST_PROTOCOL).dump(payload)
    return state.getvalue()


class _StatePickler(pickle.Pickler):
    """A pickler that writes the identity of objects that have a name or cannot be pickled."""

    def persistent_id(self, obj: Any, /) -> Any:
        """Return the identity of a class, function or module, and None for other objects."""
        return id(obj) if hasattr(obj, "__name__") else None

    def reducer_override(self, obj: Any, /) -> Any:
        """Return an object's reduction, or its identity and fields if it has no reduction."""
        with suppress(Exception):
            parts: Any = obj.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
            if not isinstance(parts, str):
                return parts
        return id, (id(obj),), getattr(obj, "__dict__", None)
