"""What a pass can do on MLIR's ops between its function and the one beside, in ten ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlir.ir import InsertionPoint, Location, Operation, Type, TypeAttr

if TYPE_CHECKING:
    from collections.abc import Callable


def _body(function: Any) -> Any:
    return function.operation.regions[0].blocks[0]


def _first(function: Any) -> Any:
    return _body(function).operations[0].operation


def _last(function: Any) -> Any:
    return list(_body(function).operations)[-1].operation


def _retype(own: Any, other: Any) -> None:
    kind = Type.parse("(i64) -> i64", own.operation.context)
    other.operation.attributes["function_type"] = TypeAttr.get(kind)


def _mistype(own: Any, other: Any) -> None:
    context, first = own.operation.context, _first(other)
    with Location.unknown(context):
        kind = Type.parse("i64", context)
        operations: Any = Operation
        new = operations.create("ub.poison", results=[kind], ip=InsertionPoint(first))
    first.operands[0] = new.results[0]


def _borrow(own: Any, other: Any) -> None:
    _first(own).operands[0] = _body(other).arguments[0]


def _rename(own: Any, other: Any) -> None:
    other.operation.attributes["sym_name"] = own.operation.attributes["sym_name"]


def _add(own: Any, other: Any) -> None:
    _last(own.operation.clone(ip=InsertionPoint(own.operation))).erase()


MLIR_ACTS: dict[str, Callable[[Any, Any], None]] = {
    "spoil": lambda _, other: _last(other).erase(),
    "take": lambda own, other: _last(other).move_after(_last(own)),
    "retype": _retype,
    "mistype": _mistype,
    "disorder": lambda _, other: _first(other).move_before(_last(other)),
    "borrow": _borrow,
    "lend": lambda own, other: _borrow(other, own),
    "rename": _rename,
    "erase": lambda _, other: other.operation.erase(),
    "add": _add,
}
