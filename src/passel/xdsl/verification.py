"""Verification of xDSL's IR, op by op.

xDSL's `Operation.verify` prints the whole top-level module to report an invalid op. This module
checks the structural rules itself, in xDSL's order, and calls the verifiers of ops directly, so
that an error names the invalid op. Verification accepts the same IR as `Operation.verify`, with two
exceptions. It rejects an operand whose definition does not dominate the use, and it accepts a
symbol reference in an op outside any symbol table.
"""
# pyright: reportPrivateUsage=false
# The tight loops follow xDSL's private links; the public iterators cost more than the checks.

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from xdsl.ir import Block, ErasedSSAValue, Operation, SSAValue
from xdsl.traits import IsTerminator, NoTerminator, OpTrait, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from passel.ir import InvalidIR
from passel.xdsl.fast.invariants import ISOLATED, TRAITS_OF_SIGNATURES, may_be_isolated
from passel.xdsl.fast.known import is_xdsl_class, is_xdsl_code
from passel.xdsl.fast.symbols import symbols_at_hand
from passel.xdsl.regions import has_ssa_dominance

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
    walk = _Walk(recursive=recursive)
    token = ISOLATED.set(None)
    try:
        with symbols_at_hand(op if recursive else None):
            for operand in op.operands:
                walk.examine(operand, op, set())
            _check_place(op)
            walk.verify_inside(op)
            _run_verifier(op, nested=recursive)
    finally:
        ISOLATED.reset(token)
    if recursive and dominance and op.regions and (walk.doubts or walk.crossings):
        from passel.xdsl.definitions import check_definitions

        check_definitions(op, None if walk.doubts else walk.crossings)


class _Walk:
    """A walk that verifies nested ops, and notes which of their operands may be undominated.

    The blocks of a region are visited in their order in the region. In nearly all IR, a value is
    therefore met before its uses. Since the values of a region are forgotten at its end, a value
    that was met in a region with a single block dominates the current op.

    Args:
        recursive: Whether all verifiers run, or only those that may relate nested ops to each
            other.

    Attributes:
        visible: By address, the values that the walk has met and not left. The entry of a value in
            a region with several blocks is the block of the value; other entries are True.
        crossings: Pairs of blocks in the same region: a value of the first block is used in the
            second block, or inside an op of the second block.
        doubts: The number of operands that were not visible, which may be valid nevertheless.
    """

    def __init__(self, *, recursive: bool = True) -> None:
        self._verify = _run_verifier if recursive else _look_outward
        self.visible: dict[int, Block | bool] = {}
        self.crossings: list[tuple[Block, Block]] = []
        self.doubts = 0

    def verify_inside(self, parent: Operation, *, always: bool = False) -> None:
        """Verify the ops nested in an op, unless the op's class does it and not `always`."""
        if type(parent).verify is not Operation.verify and not always:
            self.doubts += 1
            return
        outside, doubts, is_isolated = self.visible, self.doubts, may_be_isolated(type(parent))
        for region in parent.regions:
            if is_isolated:
                self.visible = {}
            known, block = len(self.visible), region.first_block
            if block is not None and not has_ssa_dominance(region):
                self.visible.update((id(value), True) for op in block.ops for value in op.results)
            while block is not None:
                following = block.next_block
                self._verify_block(block, region.first_block is region.last_block or block)
                if block.parent is not region:
                    raise InvalidIR(parent, "parent pointer of block does not refer to its region")
                block = following
            while not is_isolated and len(self.visible) > known:
                self.visible.popitem()
        self.visible = outside
        if is_isolated and self.doubts == doubts:
            ISOLATED.set(parent)

    def _verify_block(self, block: Block, home: Block | bool) -> None:
        visible, homes = self.visible, set[int]()
        for argument in block.args:
            visible[id(argument)] = home
        op = block.first_op
        while op is not None:
            if op.parent is not block:
                raise InvalidIR(op, "parent pointer does not refer to the containing block")
            for operand in op._operands:
                found = visible.get(id(operand))
                if found is not True and found is not block and id(found) not in homes:
                    self.examine(operand, op, homes)
            if op._next_op is None or op._successors:
                _check_place(op)
            if op.regions:
                self.verify_inside(op)
            self._verify(op)
            for result in op.results:
                visible[id(result)] = home
            op = op._next_op
        _check_not_empty(block)

    def examine(self, operand: SSAValue, op: Operation, homes: set[int]) -> None:
        """Note that an operand is of another block, or not visible.

        Args:
            operand: The operand.
            op: The op that has the operand.
            homes: The addresses of the blocks that were noted for the block of the op.

        Raises:
            InvalidIR: If the operand is an erased value.
        """
        if operand.__class__ is ErasedSSAValue:  # `isinstance` would ask its abstract base
            raise InvalidIR(op, "operand is an erased value")
        home = self.visible.get(id(operand))
        if not isinstance(home, Block):
            self.doubts += 1
            return
        homes.add(id(home))
        block = op.parent
        while block is not None and block.parent is not home.parent:
            enclosing = block.parent_op()
            block = None if enclosing is None else enclosing.parent
        if block is not None and block is not home:
            self.crossings.append((home, block))


def _check_place(op: Operation) -> None:
    """Check the successors and the position of an op in its block."""
    if op._successors:
        _check_successors(op)
    block = op.parent
    if block is None or block.last_op is not op or op.has_trait(IsTerminator):
        return
    if _needs_terminator(block):
        raise InvalidIR(op, "block with no terminator")


def _check_successors(op: Operation) -> None:
    block = op.parent
    if block is None or block.parent is None:
        raise InvalidIR(op, "op with successors is not in a block of a region")
    if block.last_op is not op:
        raise InvalidIR(op, "op with successors must terminate its parent block")
    for successor in op._successors:
        if successor.parent is not block.parent:
            raise InvalidIR(op, "reference to block defined in another region")


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
        if isinstance(trait, SymbolUserOpInterface)
        or type(trait).__module__ not in {OpTrait.__module__, TRAITS_OF_SIGNATURES}
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
            _Walk().verify_inside(op, always=True)
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
