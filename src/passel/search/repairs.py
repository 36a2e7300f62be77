"""Repair of a tree in which definitions are missing: other values take their places."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from passel.search.generic import Block, Op

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
_NUMERIC = re.compile(r"i\d+|index|f\d+|bf16")


class Definition(NamedTuple):
    """The definition of a value.

    Attributes:
        type: The value's type.
        operands: The operands of the op that defines it, which may take its place.
    """

    type: str
    operands: Sequence[str] = ()


def definitions(root: Op) -> dict[str, Definition]:
    """Return the definitions of all values, by name."""
    found: dict[str, Definition] = {}
    for op in root.walk():
        for name, type_ in zip(op.results, op.result_types, strict=True):
            found[name] = Definition(type_, op.operands)
        for block in op.blocks():
            found.update((name, Definition(type_)) for name, type_ in block.args)
    return found


def is_terminator(op: Op, block: Block) -> bool:
    """Return whether an op is the last of its block, and may be its terminator."""
    return op is block.ops[-1] and not op.results and not op.regions


def function_type(op: Op) -> tuple[list[str], str] | None:
    """Return the types of a function's arguments, and the text after them, if it is one."""
    text = op.entry("function_type")
    entry = next(op.blocks(), None)
    if text is None or entry is None:
        return None
    types = [type_ for _, type_ in entry.args]
    before = f"({', '.join(types)})"
    return (types, text[len(before) :]) if text.startswith(before) else None


def set_function_type(op: Op, text: str) -> None:
    """Set the type of a function."""
    op.properties = [
        f"function_type = {text}" if each.startswith("function_type = ") else each
        for each in op.properties
    ]


class Repair:
    """Replaces values that are no longer defined.

    An operand of the op that defined one, of the same type, is best; then a value of that type
    that is there, a new argument of the function, and a constant.

    Args:
        root: The tree, which is changed.
        former: The definitions before.
    """

    def __init__(self, root: Op, former: Mapping[str, Definition]) -> None:
        self._former = former
        self._defined = definitions(root)
        known = (int(name.strip("%")) for name in (*former, *self._defined))
        self._numbers = itertools.count(1 + max(known, default=0))
        self._in(root, [], None)

    def _in(self, op: Op, outer: Sequence[tuple[str, str]], function: Op | None) -> None:
        """Repair what is nested in an op, given the values that can be used there."""
        if function_type(op) is not None:
            function, outer = op, ()
        for region in op.regions:
            entry = list(outer)
            for index, block in enumerate(region):
                visible = entry if not index else list(entry)
                visible += block.args
                for each in tuple(block.ops):
                    self._operands(each, block, visible, function)
                    self._in(each, visible, function)
                    visible += zip(each.results, each.result_types, strict=True)

    def _operands(
        self, op: Op, block: Block, visible: list[tuple[str, str]], function: Op | None
    ) -> None:
        for index, (name, type_) in enumerate(zip(op.operands, op.operand_types, strict=False)):
            if name in self._defined:
                continue
            known = [each for each, its in visible if its == type_]
            fitting = [each for each in self._origins(name) if each in known] or known
            op.operands[index] = fitting[0] if fitting else self._new(type_, op, block, function)
            if not fitting:
                visible.append((op.operands[index], type_))

    def _origins(self, name: str) -> Iterator[str]:
        """Yield the values that a value was computed from, nearest first."""
        todo, seen = [name], {name}
        while todo:
            definition = self._former.get(todo.pop(0))
            for operand in definition.operands if definition else ():
                if operand not in seen:
                    seen.add(operand)
                    todo.append(operand)
                    yield operand

    def _new(self, type_: str, op: Op, block: Block, function: Op | None) -> str:
        name = f"%{next(self._numbers)}"
        self._defined[name] = Definition(type_)
        parts = None if function is None else function_type(function)
        if function is not None and parts is not None:
            types, rest = parts
            next(function.blocks()).args.append((name, type_))
            set_function_type(function, f"({', '.join([*types, type_])}){rest}")
        else:
            constant = Op(-1, "ub.poison", [name], result_types=[type_])
            constant.properties = ["value = #ub.poison"]
            if _NUMERIC.fullmatch(type_):
                constant.name = "arith.constant"
                zero = "0" if type_[0] == "i" else "0.0"
                constant.properties = [f"value = {zero} : {type_}"]
            block.ops.insert(block.ops.index(op), constant)
        return name


def rename(ops: Iterable[Op], names: Mapping[str, str]) -> None:
    """Let ops, and what is nested in them, use other values."""
    for op in ops:
        for each in op.walk():
            each.operands = [names.get(name, name) for name in each.operands]
