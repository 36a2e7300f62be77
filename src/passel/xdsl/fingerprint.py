"""Change detection for xDSL IR: did anything in an op change since it was last looked at?

MLIR hashes what identifies an op and everything nested in it.  Here the same facts are
collected as references into one flat list, and compared by identity: cheaper than hashing
attributes, and blind to the attribute classes whose equality is wrong.  The list keeps what
it refers to alive, so an address cannot be used again by another object.
"""
# pyright: reportPrivateUsage=false
# The loop follows xDSL's private links: its speed is what this module is for.

from operator import is_
from typing import ClassVar, Final

from xdsl.ir import Attribute, Block, Operation

# What separates sections of the list that hold the same kind of object.  (Elsewhere the kind
# itself tells: operands end at the successors, these at the location, and so on.)
_PROPERTIES: Final = object()
_ATTRIBUTES: Final = object()
_REGION: Final = object()


class Fingerprint:
    """Contents of an op and everything nested in it, when `fingerprint` was called.

    Two fingerprints are equal if nothing changed in between: identities of ops, blocks,
    block arguments and regions, their nesting and order, operands, successors, result and
    argument types, attributes, properties, locations. Name hints do not count, nor where the
    root op itself stands. An attribute replaced by an equal one counts as a change.
    """

    __slots__ = ("_references",)
    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def __init__(self, references: list[object]) -> None:
        self._references = references

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fingerprint):
            return NotImplemented
        ours, theirs = self._references, other._references
        # Not `ours == theirs`: that falls back on the equality of attributes.
        return len(ours) == len(theirs) and all(map(is_, ours, theirs))


def fingerprint(op: Operation, *, recursive: bool = True) -> Fingerprint:
    """Take the fingerprint of `op` and everything nested in it, or of its own parts alone.

    The semantics are those of `mlir::OperationFingerPrint`.

    Example:
        >>> from xdsl.dialects.builtin import ModuleOp, UnitAttr
        >>> module = ModuleOp([])
        >>> before = fingerprint(module)
        >>> module.attributes["seen"] = UnitAttr()
        >>> fingerprint(module) == before
        False
    """
    references: list[object] = []
    try:
        if recursive:
            _collect(references, op)
        else:
            _collect_own(references, op)
    except AttributeError:
        # Some of xDSL's passes make ops past their constructor, without a location.
        return Fingerprint([object()])
    return Fingerprint(references)


def _collect(references: list[object], op: Operation) -> None:
    _add_op(references, op)
    # Breadth first, so that nesting needs no stack: the list grows while it is read.
    parents = [op] if op.regions else []
    for parent in parents:
        for region in parent.regions:
            references += (_REGION, region)
            block = region._first_block
            while block is not None:
                _add_block(references, block, parents)
                block = block._next_block


def _collect_own(references: list[object], op: Operation) -> None:
    _add_op(references, op)
    for region in op.regions:
        references += (_REGION, region)
        block = region._first_block
        while block is not None:
            _add_block_itself(references, block)
            child = block._first_op
            while child is not None:
                references.append(child)
                child = child._next_op
            block = block._next_block


def _add_block(references: list[object], block: Block, parents: list[Operation]) -> None:
    _add_block_itself(references, block)
    op = block._first_op
    while op is not None:
        _add_op(references, op)
        if op.regions:
            parents.append(op)
        op = op._next_op


def _add_block_itself(references: list[object], block: Block) -> None:
    references.append(block)
    for arg in block._args:
        references += (arg, arg._type, arg.location)


def _add_op(references: list[object], op: Operation) -> None:
    references += (op, *op._operands, *op._successors, op.location)
    for result in op.results:
        references += (result, result._type)
    if op.properties:
        references.append(_PROPERTIES)
        _add_dict(references, op.properties)
    if op.attributes:
        references.append(_ATTRIBUTES)
        _add_dict(references, op.attributes)
    if op.regions:
        references += op.regions


def _add_dict(references: list[object], attributes: dict[str, Attribute]) -> None:
    # The order of a dict is no fact about the op: printing an unregistered op changes it.
    names = attributes if len(attributes) == 1 else sorted(attributes)
    for name in names:
        references += (name, attributes[name])
