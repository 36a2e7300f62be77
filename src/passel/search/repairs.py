"""Repairing a tree of ops by replacing the uses of undefined values with other values."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from passel.frontend.generic_form import Block, Op, Value, types

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_NUMERIC = re.compile(r"i\d+|index|f\d+|bf16")


def definitions(root: Op) -> dict[str, Sequence[Value]]:
    """Return a dict that maps the name of each value in a tree to the operands of its op.

    Any of these operands may replace the value. A block argument has no operands.
    """
    found: dict[str, Sequence[Value]] = {}
    for op in root.walk():
        found.update((value.name, op.operands) for value in op.results)
        found.update((value.name, ()) for block in op.blocks() for value in block.args)
    return found


def is_terminator(op: Op, block: Block) -> bool:
    """Return whether an op is the last op of its block and may be a terminator."""
    return op is block.ops[-1] and not op.results and not op.regions


def function_type(op: Op) -> tuple[list[str], str] | None:
    """Return the argument types of a function, and the rest of the function's type as text.

    The result is None if the op is not a function.
    """
    text = op.entry("function_type")
    entry = next(op.blocks(), None)
    if text is None or entry is None:
        return None
    found = types(entry.args)
    before = f"({', '.join(found)})"
    return (found, text[len(before) :]) if text.startswith(before) else None


def set_function_type(op: Op, text: str) -> None:
    """Set the `function_type` property of an op to a type, which is given as text."""
    op.properties = [
        f"function_type = {text}" if each.startswith("function_type = ") else each
        for each in op.properties
    ]


def repair(root: Op, former: Mapping[str, Sequence[Value]]) -> None:
    """Replace the uses of values in a tree that are no longer defined.

    The replacement has the same type as the old value. In order of preference, the replacement is
    a value that the old value was computed from, another visible value, a new argument of the
    enclosing function, or a constant.

    Args:
        root: The tree to repair.
        former: The result of `definitions` before the edit.
    """
    _Repair(root, former).ops_in(root, [], None)


class _Repair:
    def __init__(self, root: Op, former: Mapping[str, Sequence[Value]]) -> None:
        self._former = former
        self._defined = definitions(root)
        known = (int(name.strip("%")) for name in (*former, *self._defined))
        self._numbers = itertools.count(1 + max(known, default=0))

    def ops_in(self, op: Op, outer: Sequence[Value], function: Op | None) -> None:
        """Repair the ops nested in an op, given the values that are visible there."""
        if function_type(op) is not None:
            function, outer = op, ()
        for region in op.regions:
            entry = list(outer)
            for index, block in enumerate(region):
                visible = entry if not index else list(entry)
                visible += block.args
                for each in tuple(block.ops):
                    self._operands(each, block, visible, function)
                    self.ops_in(each, visible, function)
                    visible += each.results

    def _operands(self, op: Op, block: Block, visible: list[Value], function: Op | None) -> None:
        for index, (name, type_) in enumerate(op.operands):
            if name in self._defined:
                continue
            known = [each for each in visible if each.type == type_]
            fitting = [each for each in self._origins(name) if each in known] or known
            if not fitting:
                fitting.append(self._new(type_, op, block, function))
                visible += fitting
            op.operands[index] = fitting[0]

    def _origins(self, name: str) -> Iterator[Value]:
        """Yield the values that a value was computed from, nearest value first."""
        todo, seen = [name], {name}
        while todo:
            for operand in self._former.get(todo.pop(0), ()):
                if operand.name not in seen:
                    seen.add(operand.name)
                    todo.append(operand.name)
                    yield operand

    def _new(self, type_: str, op: Op, block: Block, function: Op | None) -> Value:
        value = Value(f"%{next(self._numbers)}", type_)
        self._defined[value.name] = ()
        parts = None if function is None else function_type(function)
        if function is not None and parts is not None:
            found, rest = parts
            next(function.blocks()).args.append(value)
            set_function_type(function, f"({', '.join([*found, type_])}){rest}")
        else:
            constant = Op(-1, "ub.poison", [value], properties=["value = #ub.poison"])
            if _NUMERIC.fullmatch(type_):
                constant.name = "arith.constant"
                zero = "0" if type_[0] == "i" else "0.0"
                constant.properties = [f"value = {zero} : {type_}"]
            block.ops.insert(block.ops.index(op), constant)
        return value


def replace_uses(old: Sequence[Value], new: Sequence[Value], root: Op) -> None:
    """Replace all uses of values inside an op with the corresponding new values."""
    others = {value.name: other for value, other in zip(old, new, strict=True)}
    for op in root.walk():
        op.operands = [others.get(value.name, value) for value in op.operands]
