"""Legality rules for inlining, and the inlining of a single call.

xDSL has no counterpart to MLIR's `DialectInlinerInterface`, so this module lists the dialects whose
ops MLIR inlines. To make the ops of another dialect inlinable, add `InlinerInterface` to that
dialect's interfaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialect_interfaces import DialectInterface
from xdsl.dialects.builtin import CallSiteLoc, UnknownLoc, UnregisteredOp
from xdsl.dialects.cf import BranchOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Region
from xdsl.rewriter import InsertPoint, Rewriter

from passel.xdsl.symbols import closest_enclosing, enclosing_table, references, symbol_name

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.func import CallOp
    from xdsl.ir import Attribute, Block, Operation, SSAValue

_INLINABLE = frozenset(
    {
        *("affine", "arith", "bufferization", "cf", "complex", "func", "gpu", "index", "linalg"),
        *("math", "memref", "scf", "shape", "tensor", "tosa", "ub", "vector"),
        "printf",  # xDSL's own
    }
)


class InlinerInterface(DialectInterface):
    """A dialect interface that allows the dialect's ops to be inlined.

    Example:
        >>> from xdsl.ir import Dialect
        >>> dialect = Dialect("mine", [], [], [InlinerInterface()])

    Source: `mlir::DialectInlinerInterface`, MLIR 22.
    """

    def is_legal_to_inline(self, op: Operation, call: Operation) -> bool:
        """Return whether an op of the dialect may be inlined at a call.

        By default, all ops of the dialect may be inlined.
        """
        return True


def is_legal_to_inline(op: Operation, call: Operation, context: Context) -> bool:
    """Return whether an op in a callee may be inlined at a call.

    Unregistered ops must not be inlined, since their semantics might depend on the enclosing op.
    """
    if isinstance(op, UnregisteredOp):
        return False
    dialect = op.dialect_name()
    if dialect == "affine":
        # A value that is a valid symbol or dimension in a function may be invalid in a loop.
        enclosing = call.parent_op()
        outer = closest_enclosing(op, lambda each: each.dialect_name() not in ("affine", "scf"))
        return enclosing is not None and outer is not None and enclosing.name == outer.name
    home = context.get_optional_dialect(dialect)
    interface = None if home is None else home.get_interface(InlinerInterface)
    return dialect in _INLINABLE if interface is None else interface.is_legal_to_inline(op, call)


_SEVERAL_BLOCKS = frozenset({"func.func", "scf.execute_region"})
"""Ops whose regions may have several blocks."""


def rejection(call: CallOp, callee: FuncOp, context: Context) -> str:
    """Return why a callee cannot be inlined at a call, or an empty string if nothing prevents it.

    Source: `Inliner::Impl::shouldInline`, `mlir/lib/Transforms/Utils/Inliner.cpp`, MLIR 22.
    """
    body, enclosing = callee.body, call.parent_op()
    entry = body.first_block
    if entry is None:
        return "the callee has no body"
    if callee.is_ancestor(call):
        return "the callee is recursive"
    if _is_marked(call) or _is_marked(callee):
        return "the call or the callee is marked no_inline"
    if entry is body.last_block:
        fits = isinstance(entry.last_op, ReturnOp)
    else:
        fits = enclosing is not None and enclosing.name in _SEVERAL_BLOCKS
    if entry.predecessors() or not fits:
        return "the blocks of the callee cannot be inlined here"
    same_table = enclosing_table(call) is enclosing_table(callee)
    for op in body.walk():
        illegal = symbol_name(op) is not None or not is_legal_to_inline(op, call, context)
        # In another table, a reference would mean something else.
        if illegal or (not same_table and any(True for _ in references(op))):
            return f"{op.name} in the callee cannot be inlined"
    return ""


def _is_marked(op: Operation) -> bool:
    return "no_inline" in op.attributes or "no_inline" in op.properties


def inline_call(call: CallOp, callee: FuncOp, *, in_place: bool) -> list[Operation]:
    """Replace a call with the callee's body or with a copy of the body.

    Args:
        call: The call, which is erased.
        callee: The called function, which must have a body.
        in_place: Whether to move the body out of the callee instead of copying the body.

    Returns:
        The inlined ops, without the ops nested inside them.
    """
    body = Region()
    if in_place:
        callee.body.move_blocks(body)
    else:
        callee.body.clone_into(body)
    ops = [op for block in body.blocks for op in block.ops]
    _move_locations(ops, call.location)
    for argument, operand in zip(body.blocks[0].args, call.arguments, strict=True):
        argument.replace_all_uses_with(operand)
    if body.first_block is body.last_block:
        _splice_block(call, body.block)
    else:
        _splice_blocks(call, body)
    return [op for op in ops if op.parent is not None]


def _splice_block(call: CallOp, body: Block) -> None:
    last: Any = body.last_op
    results = tuple(last.operands)
    Rewriter.erase_op(last)
    Rewriter.inline_block(body, InsertPoint.before(call))
    _replace(call, results)


def _splice_blocks(call: CallOp, body: Region) -> None:
    block: Any = call.parent
    following: Block = block.split_before(call, arg_types=call.result_types)
    for argument in following.args:
        argument.location = call.location
    for last in [inner.last_op for inner in body.blocks]:
        if isinstance(last, ReturnOp):
            branch = BranchOp(following, *last.operands)
            branch.location = last.location
            Rewriter.replace_op(last, branch)
    Rewriter.inline_block(body.blocks[0], InsertPoint.at_end(block))
    body.move_blocks_before(following)
    _replace(call, following.args)


def _replace(call: CallOp, values: tuple[SSAValue, ...]) -> None:
    for result, value in zip(call.results, values, strict=True):
        if value.name_hint is None:
            value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
    Rewriter.erase_op(call)


def _move_locations(ops: list[Operation], caller: Attribute) -> None:
    """Wrap the locations of inlined ops in call-site locations."""
    unknown = isinstance(caller, UnknownLoc)
    for op in ops:
        for inner in op.walk():
            if not unknown or not isinstance(inner.location, UnknownLoc):
                inner.location = CallSiteLoc(inner.location, caller)
