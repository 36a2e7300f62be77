"""Reduction of a case that goes wrong to one as small as it gets by leaving things out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects import arith, cf, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, Operation
from xdsl.traits import IsTerminator

from passel.ir import PrintFlags
from passel.xdsl import XDSLAdapter
from random_programs.checks import Case, Finding, check, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xdsl.ir import SSAValue

    Edit = Callable[[], object]


def reduced(finding: Finding, attempts: int = 500) -> Finding:
    """Return a smaller case that goes wrong in the same way, or the finding itself.

    Passes are left out first, then ops, those with most in them first. Nothing is left out
    whose absence makes a program undefined: memory stays initialized, and what replaces a
    value is 1, which can be divided by.

    Args:
        finding: What went wrong.
        attempts: How many cases to try at most.
    """
    finding = _without_passes(finding)
    position, shrunk = 0, True
    while attempts > 0:
        case = _edited(finding.case, position)
        attempts -= case is not None
        if case is not None and (smaller := _same(finding, case)) is not None:
            finding, shrunk = smaller, True  # what comes next has moved here
        elif position < len(_edits(parse(finding.case.program))):
            position += 1
        elif shrunk:
            position, shrunk = 0, False
        else:
            break
    return finding


def _same(finding: Finding, case: Case) -> Finding | None:
    """Return what goes wrong in a case, if it is of the same kind."""
    found = check([case])
    return found[0] if found and found[0].kind == finding.kind else None


def _without_passes(finding: Finding) -> Finding:
    index = 0
    while index < len(finding.case.pipeline):
        elements = finding.case.pipeline
        case = finding.case._replace(pipeline=elements[:index] + elements[index + 1 :])
        if (smaller := _same(finding, case)) is not None:
            finding = smaller
        else:
            index += 1
    return finding


def _edited(case: Case, position: int) -> Case | None:
    """Return a case with one thing left out; None if it can not be, or nothing is gained."""
    module = parse(case.program)
    before = sum(1 for _ in module.walk())
    edits = _edits(module)
    if position >= len(edits):
        return None
    try:
        edits[position]()
        module.verify()
    except Exception:  # noqa: BLE001 - not every edit leaves valid IR
        return None
    # Constants that nothing uses come and go; a constant is simpler than any other op.
    after = sum(1 for _ in module.walk())
    text = XDSLAdapter().print_op(module, PrintFlags())
    return case._replace(program=text) if (after, len(text)) < (before, len(case.program)) else None


def _edits(module: Operation) -> list[Edit]:
    """Return what can be left out, most ops first; a parse of the same text has the same."""
    called = {op.callee.string_value() for op in module.walk() if isinstance(op, func.CallOp)}
    found: list[tuple[int, Edit]] = []
    for op in reversed(list(module.walk())):
        size = sum(1 for _ in op.walk())
        found += ((-size, edit) for edit in _edits_of(op, called))
    return [edit for _, edit in sorted(found, key=lambda each: each[0])]


def _edits_of(op: Operation, called: set[str]) -> Iterator[Edit]:
    match op:
        case func.FuncOp():
            if op.sym_name.data != "entry" and op.sym_name.data not in called:
                yield lambda: _erase(op)
        case cf.ConditionalBranchOp():
            yield lambda: _replace(op, cf.BranchOp(op.then_block, *op.then_arguments))
            yield lambda: _replace(op, cf.BranchOp(op.else_block, *op.else_arguments))
        case scf.IfOp():
            bodies = [block for region in op.regions for block in region.blocks]
            yield from (partial(_splice, op, body) for body in bodies)
            yield lambda: _forget(op)
        case memref.StoreOp():
            if not _initializes(op):
                yield lambda: _erase(op)
        case _ if op.parent is not None and not op.has_trait(IsTerminator):
            yield lambda: _forget(op)
            yield from (partial(_forward, op, value) for value in _simpler(op))
        case _:
            pass


def _simpler(op: Operation) -> Iterator[SSAValue]:
    """Yield values that may take the place of an op's only result."""
    if len(op.results) != 1:
        return
    yield from (operand for operand in op.operands if operand.type == op.results[0].type)
    if isinstance(op, memref.LoadOp):
        users = (use.operation for use in op.memref.uses)
        yield from (user.value for user in users if isinstance(user, memref.StoreOp))


def _forward(op: Operation, value: SSAValue) -> None:
    op.results[0].replace_all_uses_with(value)
    _erase(op)


def _initializes(store: memref.StoreOp) -> bool:
    """Return whether memory is written for the first time, and used after that."""
    memory = store.memref
    users = [use.operation for use in memory.uses]
    if isinstance(memory.owner, Block) or all(isinstance(op, memref.StoreOp) for op in users):
        return False
    return memory.owner.parent is store.parent


def _forget(op: Operation) -> None:
    """Erase an op, with constants in the place of its results."""
    block = op.parent
    assert block is not None
    for result in op.results:
        kind: Any = result.type
        if result.first_use is None:
            continue
        if isinstance(op, arith.ConstantOp) or not isinstance(kind, IntegerType | IndexType):
            raise TypeError("nothing simpler can take its place")
        one = arith.ConstantOp.from_int_and_width(1, cast("IndexType", kind))
        block.insert_op_before(one, op)
        result.replace_all_uses_with(one.result)
    _erase(op)


def _splice(op: Operation, body: Block) -> None:
    """Put what a block does and yields in the place of an op."""
    block, last = op.parent, body.last_op
    assert block is not None
    assert last is not None
    for result, value in zip(op.results, last.operands, strict=True):
        result.replace_all_uses_with(value)
    for inner in list(body.ops)[:-1]:
        inner.detach()
        block.insert_op_before(inner, op)
    _erase(op)


def _replace(op: Operation, new: Operation) -> None:
    block = op.parent
    assert block is not None
    block.insert_op_before(new, op)
    _erase(op)


def _erase(op: Operation) -> None:
    op.detach()
    op.erase()
