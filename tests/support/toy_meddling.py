"""What a pass can do on toy ops between its function and the one beside, in ten ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.testing import ToyOp, parse_toy

if TYPE_CHECKING:
    from collections.abc import Callable


def _source() -> str:
    """Return a module of functions, with two more levels of them inside."""
    text = ""
    for prefix in "hgf":  # from the inside out
        parts = [f"toy.func @{prefix}{number}(toy.op 1,toy.op 2)" for number in range(5)]
        text = f"toy.module @in_{prefix}({','.join([*parts, text]).rstrip(',')})"
    return text


def parse(*_: object) -> ToyOp:
    """Return the module, whatever text is given."""
    return parse_toy(_source())


def _set(op: ToyOp, value: int) -> None:
    op.value = value


def _move(op: ToyOp, target: ToyOp | None) -> None:
    assert op.parent is not None
    op.parent.body.remove(op)
    op.parent = None
    if target is not None:
        target.add(op)


def _rename(own: ToyOp, other: ToyOp) -> None:
    other.symbol = own.symbol


def _add(own: ToyOp, _: ToyOp) -> None:
    assert own.parent is not None
    own.parent.add(parse_toy(f"toy.func @{own.symbol}"))


TOY_ACTS: dict[str, Callable[[ToyOp, ToyOp], None]] = {
    "spoil": lambda _, other: _set(other, -1),
    "take": lambda own, other: _move(other.body[-1], own),
    "retype": lambda _, other: _set(other, 7),
    "mistype": lambda _, other: _set(other.body[0], -1),
    "disorder": lambda _, other: other.body.reverse(),
    "borrow": lambda own, other: _set(own.body[0], -other.body[0].value),
    "lend": lambda own, other: _set(other.body[0], -own.body[0].value),
    "rename": _rename,
    "erase": lambda _, other: _move(other, None),
    "add": _add,
}
