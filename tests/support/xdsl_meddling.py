"""What a pass can do on xDSL's ops between its function and the one beside, in ten ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import FunctionType, i64
from xdsl.dialects.test import TestOp as AnyOp

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation


def _first(function: Any) -> Operation:
    return function.body.block.first_op


def _last(function: Any) -> Operation:
    return function.body.block.last_op


def _take(own: Any, other: Any) -> None:
    last = _last(other)
    last.detach()
    own.body.block.add_op(last)


def _retype(own: Any, other: Any) -> None:
    other.properties["function_type"] = FunctionType.from_lists([i64], [i64])


def _mistype(own: Any, other: Any) -> None:
    new = AnyOp(result_types=[i64])
    first = _first(other)
    other.body.block.insert_op_before(new, first)
    first.operands[0] = new.results[0]


def _disorder(own: Any, other: Any) -> None:
    first = _first(other)
    first.detach()
    other.body.block.insert_op_before(first, _last(other))


def _borrow(own: Any, other: Any) -> None:
    _first(own).operands[0] = other.body.block.args[0]


def _rename(own: Any, other: Any) -> None:
    other.properties["sym_name"] = own.properties["sym_name"]


def _erase(own: Any, other: Any) -> None:
    other.detach()
    other.erase()


def _add(own: Any, other: Any) -> None:
    new = own.clone()
    _last(new).detach()
    own.parent.add_op(new)


XDSL_ACTS: dict[str, Callable[[Any, Any], None]] = {
    "spoil": lambda _, other: _last(other).detach(),
    "take": _take,
    "retype": _retype,
    "mistype": _mistype,
    "disorder": _disorder,
    "borrow": _borrow,
    "lend": lambda own, other: _borrow(other, own),
    "rename": _rename,
    "erase": _erase,
    "add": _add,
}
