"""What a pass can do between its function and the one beside, in ten ways, on three IRs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlir.ir import InsertionPoint, Location, Operation, Type, TypeAttr
from xdsl.dialects.builtin import FunctionType, i64
from xdsl.dialects.test import TestOp as AnyOp

from passel.testing import parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation as XDSLOperation

    from passel.testing import ToyOp


def _toy_set(op: ToyOp, value: int) -> None:
    op.value = value


def _toy_move(op: ToyOp, target: ToyOp | None) -> None:
    assert op.parent is not None
    op.parent.body.remove(op)
    op.parent = None
    if target is not None:
        target.add(op)


def _toy_rename(own: ToyOp, other: ToyOp) -> None:
    other.symbol = own.symbol


def _toy_add(own: ToyOp, _: ToyOp) -> None:
    assert own.parent is not None
    own.parent.add(parse_toy(f"toy.func @{own.symbol}"))


def _mlir_body(function: Any) -> Any:
    return function.operation.regions[0].blocks[0]


def _mlir_first(function: Any) -> Any:
    return _mlir_body(function).operations[0].operation


def _mlir_last(function: Any) -> Any:
    return list(_mlir_body(function).operations)[-1].operation


def _mlir_retype(own: Any, other: Any) -> None:
    kind = Type.parse("(i64) -> i64", own.operation.context)
    other.operation.attributes["function_type"] = TypeAttr.get(kind)


def _mlir_mistype(own: Any, other: Any) -> None:
    context, first = own.operation.context, _mlir_first(other)
    with Location.unknown(context):
        kind = Type.parse("i64", context)
        operations: Any = Operation
        new = operations.create("ub.poison", results=[kind], ip=InsertionPoint(first))
    first.operands[0] = new.results[0]


def _mlir_borrow(own: Any, other: Any) -> None:
    _mlir_first(own).operands[0] = _mlir_body(other).arguments[0]


def _mlir_rename(own: Any, other: Any) -> None:
    other.operation.attributes["sym_name"] = own.operation.attributes["sym_name"]


def _mlir_add(own: Any, other: Any) -> None:
    _mlir_last(own.operation.clone(ip=InsertionPoint(own.operation))).erase()


def _xdsl_first(function: Any) -> XDSLOperation:
    return function.body.block.first_op


def _xdsl_last(function: Any) -> XDSLOperation:
    return function.body.block.last_op


def _xdsl_take(own: Any, other: Any) -> None:
    last = _xdsl_last(other)
    last.detach()
    own.body.block.add_op(last)


def _xdsl_retype(own: Any, other: Any) -> None:
    other.properties["function_type"] = FunctionType.from_lists([i64], [i64])


def _xdsl_mistype(own: Any, other: Any) -> None:
    new = AnyOp(result_types=[i64])
    first = _xdsl_first(other)
    other.body.block.insert_op_before(new, first)
    first.operands[0] = new.results[0]


def _xdsl_disorder(own: Any, other: Any) -> None:
    first = _xdsl_first(other)
    first.detach()
    other.body.block.insert_op_before(first, _xdsl_last(other))


def _xdsl_borrow(own: Any, other: Any) -> None:
    _xdsl_first(own).operands[0] = other.body.block.args[0]


def _xdsl_rename(own: Any, other: Any) -> None:
    other.properties["sym_name"] = own.properties["sym_name"]


def _xdsl_erase(own: Any, other: Any) -> None:
    other.detach()
    other.erase()


def _xdsl_add(own: Any, other: Any) -> None:
    new = own.clone()
    _xdsl_last(new).detach()
    own.parent.add_op(new)


ACTS: dict[str, dict[str, Callable[[Any, Any], None]]] = {
    "toy": {
        "spoil": lambda _, other: _toy_set(other, -1),
        "take": lambda own, other: _toy_move(other.body[-1], own),
        "retype": lambda _, other: _toy_set(other, 7),
        "mistype": lambda _, other: _toy_set(other.body[0], -1),
        "disorder": lambda _, other: other.body.reverse(),
        "borrow": lambda own, other: _toy_set(own.body[0], -other.body[0].value),
        "lend": lambda own, other: _toy_set(other.body[0], -own.body[0].value),
        "rename": _toy_rename,
        "erase": lambda _, other: _toy_move(other, None),
        "add": _toy_add,
    },
    "mlir": {
        "spoil": lambda _, other: _mlir_last(other).erase(),
        "take": lambda own, other: _mlir_last(other).move_after(_mlir_last(own)),
        "retype": _mlir_retype,
        "mistype": _mlir_mistype,
        "disorder": lambda _, other: _mlir_first(other).move_before(_mlir_last(other)),
        "borrow": _mlir_borrow,
        "lend": lambda own, other: _mlir_borrow(other, own),
        "rename": _mlir_rename,
        "erase": lambda _, other: other.operation.erase(),
        "add": _mlir_add,
    },
    "xdsl": {
        "spoil": lambda _, other: _xdsl_last(other).detach(),
        "take": _xdsl_take,
        "retype": _xdsl_retype,
        "mistype": _xdsl_mistype,
        "disorder": _xdsl_disorder,
        "borrow": _xdsl_borrow,
        "lend": lambda own, other: _xdsl_borrow(other, own),
        "rename": _xdsl_rename,
        "erase": _xdsl_erase,
        "add": _xdsl_add,
    },
}
"""The acts by the names of the IRs."""
