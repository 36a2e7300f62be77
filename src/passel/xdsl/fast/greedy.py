"""Greedy rewriting as xDSL's `canonicalize` does it, in the same order, with less asking.

Rewritten is what `PatternRewriteWalker` rewrites with the patterns, folders and dead code
elimination of `CanonicalizePass`: the same ops are visited in the same order, and the same is
done to each. What does not depend on the op is asked once for its class, and an op that is
seen to be left alone as it is costs no more than that look.
"""
# pyright: reportPrivateUsage=false
# The loop follows xDSL's private links, and knows ops by address: xDSL hashes in Python.

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from xdsl.dialects.builtin import IndexType
from xdsl.folder import Folder
from xdsl.ir import ErasedSSAValue, Operation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalize import CanonicalizationRewritePattern

from passel.xdsl.fast.dead_code import erase_dead_code
from passel.xdsl.fast.effects import is_dead
from passel.xdsl.fast.op_classes import ClassTable, OpClass
from passel.xdsl.versions import FOLDS, erase_op, replace_op

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.context import Context
    from xdsl.dialects.builtin import IntegerAttr
    from xdsl.ir import Attribute, Region, SSAValue

    IntegerFolder = Callable[[Operation, Sequence[Attribute | None]], Attribute | None]

_PATTERNS: Final = CanonicalizationRewritePattern()
"""Asks an op for its patterns and applies them."""


class GreedyRewriter:
    """Folds ops and applies their canonicalization patterns until nothing changes.

    Args:
        context: Knows the dialects, which make constants.
        fold_integers: Folds ops on constants of type `index`.
    """

    def __init__(self, context: Context, fold_integers: IntegerFolder) -> None:
        self._folder = Folder(context)
        self._fold_integers = fold_integers
        self._classes = ClassTable()
        self._worklist = _Worklist()
        self._listener = PatternRewriterListener(
            operation_insertion_handler=[self._worklist.push],
            operation_removal_handler=[self._worklist.note_removal],
            operation_modification_handler=[self._worklist.push],
            operation_replacement_handler=[self._worklist.note_replacement],
        )

    def rewrite(self, region: Region) -> None:
        """Rewrite the ops nested in a region."""
        changed = True
        while changed:
            self._worklist.push_all(region)
            changed = self._process()
            self._worklist.release()
            changed |= erase_dead_code(region, self._listener, self._classes)

    def _process(self) -> bool:
        """Visit ops until none is left to visit, and return whether anything was done."""
        worklist, classes, acted = self._worklist, self._classes, False
        rewriter = None
        while (op := worklist.pop()) is not None:
            if rewriter is None:
                rewriter = PatternRewriter(op)
                rewriter.extend_from_listener(self._listener)
            elif op.parent is None:
                InsertPoint.before(op)  # raises, as for an insertion there
            facts = classes[type(op)]
            try:
                if facts.folds_index and self._fold_index(op, rewriter):
                    acted = True
                elif facts.erasable is not False and is_dead(op, facts, classes):
                    erase_op(rewriter, op)
                    acted = True
                elif facts.is_inert is None or not facts.is_inert(op, classes):
                    acted |= self._rewrite_op(op, facts, rewriter)
            except Exception as error:  # noqa: BLE001 - patterns may raise anything
                op.emit_error(f"Error while applying pattern: {error}", underlying_error=error)
        return acted

    def _fold_index(self, op: Operation, rewriter: PatternRewriter) -> bool:
        """Fold an op of type `index` on constants, and return whether it was."""
        kind = op.results[0].type
        if type(kind) is not IndexType:
            return False
        constants: list[Attribute] = []
        for operand in op._operands:
            if (constant := self._classes.constant_of(operand)) is None:
                return False
            constants.append(constant)
        value = self._fold_integers(op, constants)
        if value is None:
            return False
        from xdsl.dialects.arith import ConstantOp

        rewriter.name_hint = None
        replace_op(rewriter, op, ConstantOp(cast("IntegerAttr", value), kind))
        return True

    def _rewrite_op(self, op: Operation, facts: OpClass, rewriter: PatternRewriter) -> bool:
        """Fold an op or apply the first pattern that matches, and return whether it was done."""
        rewriter.has_done_action = False
        rewriter.current_operation = op
        rewriter.insertion_point = InsertPoint.before(op)
        rewriter.name_hint = None
        if FOLDS and facts.folder is not None and facts.folder.fold(op) is not None:
            folded = self._folder.try_fold(op)
            if folded is not None:
                values, constants = folded
                replace_op(rewriter, op, constants, values)
                return True
        if facts.patterns is None:
            _PATTERNS.match_and_rewrite(op, rewriter)
            return rewriter.has_done_action
        for pattern in facts.patterns:
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                return True
        return False


class _Worklist:
    """Ops to visit, the last one first; each is in it once.

    An op that is taken out stays on the stack, but is not visited: a set of addresses takes
    half the memory of a dict that says where each op is.
    """

    def __init__(self) -> None:
        self._stack: list[Operation] = []
        self._listed: set[int] = set()

    def push(self, op: Operation) -> None:
        """Add an op, unless it is there."""
        if id(op) not in self._listed:
            self._listed.add(id(op))
            self._stack.append(op)

    def push_all(self, region: Region) -> None:
        """Add all ops nested in a region, so that they are visited in program order."""
        ops = list(region.walk(reverse=True, region_first=True))
        if not self._listed:
            self._stack = ops
            self._listed = set(map(id, ops))
            return
        for op in ops:
            self.push(op)

    def pop(self) -> Operation | None:
        """Take the last op out, and return it; None if there is none."""
        stack, listed = self._stack, self._listed
        while stack:
            op = stack.pop()
            if id(op) in listed:
                listed.remove(id(op))
                return op
        return None

    def release(self) -> None:
        """Give back the memory of an empty worklist, of which a set keeps what it ever had."""
        self._listed = set()

    def note_removal(self, op: Operation) -> None:
        """Visit what only this op used, and not this op, which is about to go."""
        for operand in op._operands:
            if (
                operand.has_one_use()
                and not isinstance(operand, ErasedSSAValue)
                and isinstance(definition := operand.owner, Operation)
            ):
                self.push(definition)
        self._listed.difference_update(map(id, op.walk()))

    def note_replacement(self, op: Operation, values: Sequence[SSAValue | None]) -> None:
        """Visit the ops that use what is being replaced."""
        for result in op.results:
            for use in result.uses:
                self.push(use.operation)
