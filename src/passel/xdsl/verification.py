"""Verification of xDSL's IR, op by op.

xDSL's `Operation.verify` prints the whole top-level module to report an invalid op. This module
checks the structural rules itself, in xDSL's order, and calls the verifiers of ops directly, so
that an error names the invalid op. Verification accepts the same IR as `Operation.verify`, with two
exceptions. It rejects an operand whose definition does not dominate the use, and it accepts a
symbol reference in an op outside any symbol table.
"""
# pyright: reportPrivateUsage=false
# The tight loops follow xDSL's private links; the public iterators cost more than the checks.

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

from xdsl.ir import Block, ErasedSSAValue, Operation
from xdsl.traits import IsTerminator, NoTerminator, OpTrait, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from passel.ir import InvalidIR
from passel.xdsl.definitions import check_definitions
from passel.xdsl.fast.known import is_xdsl_class, is_xdsl_code
from passel.xdsl.fast.symbols import symbols_at_hand

_LOOKING_OUTWARD: Final = frozenset({"fsm", "hw"})
"""The dialects of xDSL whose hand-written verifiers look up symbols."""


def verify(op: Operation, *, recursive: bool, dominance: bool = True) -> None:
    """Verify an op, as `mlir::verify` does.

    Args:
        op: The op, which may be detached from any block.
        recursive: Whether to verify nested ops as well. If False, only `op`, its traits, the
            structure of nested ops and the relations between nested ops, such as a call to its
            callee, are checked. Non-recursive verification suffices if all changed nested ops have
            been verified individually.
        dominance: Whether recursive verification checks that definitions dominate uses. The
            dominance check runs last, since it relies on a valid structure.

    Raises:
        InvalidIR: If an op is invalid. The structure of an op is checked before the structure of
            its nested ops, but the verifiers of the nested ops run before the op's own verifier.
            Only the first error is raised, with the verifier's exception as its cause.
    """
    with symbols_at_hand(op if recursive else None):
        _verify(op, recursive=recursive)
    if recursive and dominance and op.regions:
        check_definitions(op)


def _verify(op: Operation, *, recursive: bool) -> None:
    _check_structure(op)
    if type(op).verify is Operation.verify:
        _verify_inside(op, recursive=recursive)
    _run_verifier(op, nested=recursive)


def _verify_inside(parent: Operation, *, recursive: bool = True) -> None:
    """Verify the ops nested in an op, but not the op itself.

    If not `recursive`, only those verifiers run that may relate nested ops to each other.
    """
    for block in _blocks(parent):
        op = block.first_op
        while op is not None:
            if op.parent is not block:
                raise InvalidIR(op, "parent pointer does not refer to the containing block")
            _check_structure(op)
            if op.regions and type(op).verify is Operation.verify:
                _verify_inside(op, recursive=recursive)
            if recursive:
                _run_verifier(op)
            else:
                _look_outward(op)
            op = op._next_op
        _check_not_empty(block)


def _blocks(op: Operation) -> Iterator[Block]:
    """Yield the blocks of an op, and check the parent of each block afterwards."""
    for region in op.regions:
        block = region.first_block
        while block is not None:
            following = block.next_block
            yield block
            if block.parent is not region:
                raise InvalidIR(op, "parent pointer of block does not refer to its region")
            block = following


def _check_structure(op: Operation) -> None:
    """Check the operands, the successors and the position of an op in its block."""
    for operand in op._operands:
        if operand.__class__ is ErasedSSAValue:  # `isinstance` would ask its abstract base
            raise InvalidIR(op, "operand is an erased value")
    if op._successors:
        _check_successors(op)
    block = op.parent
    if block is not None and block.last_op is op:
        _check_terminator(op, block)


def _check_successors(op: Operation) -> None:
    block = op.parent
    if block is None or block.parent is None:
        raise InvalidIR(op, "op with successors is not in a block of a region")
    if block.last_op is not op:
        raise InvalidIR(op, "op with successors must terminate its parent block")
    for successor in op._successors:
        if successor.parent is not block.parent:
            raise InvalidIR(op, "reference to block defined in another region")


def _check_terminator(op: Operation, block: Block) -> None:
    if not op.has_trait(IsTerminator) and _needs_terminator(block):
        raise InvalidIR(op, "block with no terminator")


def _check_not_empty(block: Block) -> None:
    is_alone = block.prev_block is None and block.next_block is None
    owner = block.parent_op()
    if block.first_op is None and is_alone and owner is not None and _needs_terminator(block):
        raise InvalidIR(owner, "empty block: expect at least a terminator")


def _needs_terminator(block: Block) -> bool:
    region, owner = block.parent, block.parent_op()
    if region is not None and region.first_block is not region.last_block:
        return True
    return owner is not None and not owner.has_trait(NoTerminator)


def _look_outward(op: Operation) -> None:
    try:
        for check in _outward_checks(type(op), op.traits.traits, type(op).verify_):
            check(op)
    except Exception as error:  # noqa: BLE001 - verifiers may raise anything
        _refuse(op, error)


@cache
def _outward_checks(
    op_class: type[Operation],
    traits: frozenset[OpTrait],  # some may be added later
    verifier: Any,  # and another one be put in its place
) -> tuple[Callable[[Any], None], ...]:
    """Return the checks of an op class that may depend on ops outside the closest isolated op.

    Among xDSL's own checks, only those of symbol uses do: in traits, and in the verifiers of some
    dialects. The checks of other packages may depend on any op.

    Source: `mlir::detail::verifySymbolTable`, MLIR 22, which checks uses of symbols.
    """
    if op_class.verify is not Operation.verify:
        return (op_class.verify,)
    dialect, _, _ = op_class.name.partition(".")
    if not (is_xdsl_class(op_class) and is_xdsl_code(verifier)) or dialect in _LOOKING_OUTWARD:
        return (verifier,)
    return tuple(
        trait.verify
        for trait in traits
        if type(trait).verify is not OpTrait.verify
        if isinstance(trait, SymbolUserOpInterface) or type(trait).__module__ != OpTrait.__module__
    )


def _run_verifier(op: Operation, *, nested: bool = True) -> None:
    if type(op).verify is not Operation.verify:
        _run_overriding_verifier(op, nested=nested)
        return
    try:
        op.verify_()
    except Exception as error:  # noqa: BLE001 - verifiers may raise anything
        _refuse(op, error)


def _run_overriding_verifier(op: Operation, *, nested: bool) -> None:
    """Run a class's own `verify`, which also verifies the op's regions.

    The casts of `llvm` extend `verify`. Up to xDSL 0.66, `verify` of stim's circuit accepts all IR.
    """
    try:
        op.verify(verify_nested_ops=nested)
    except Exception as rendered:  # noqa: BLE001 - verifiers may raise anything
        # What is wrong, without xDSL's picture of the whole module.
        error = rendered
        if nested:
            _verify_inside(op)
        try:
            op.verify_()
        except Exception as shorter:  # noqa: BLE001 - as above
            error = shorter
        _refuse(op, error)


def _refuse(op: Operation, error: Exception) -> None:
    """Raise the error of a verifier as `InvalidIR`, unless only a symbol table is missing."""
    if isinstance(error, VerifyException):
        raise InvalidIR(op, str(error)) from error
    if str(error).endswith("has no SymbolTable ancestor"):
        return  # xDSL's lookup: symbols are for the table to check, which is not here, as in MLIR
    message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    raise InvalidIR(op, f"verifier failed: {message}") from error
