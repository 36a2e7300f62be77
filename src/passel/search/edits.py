"""Edits that reduce a tree of ops.

An `EditKind` object finds all possible edits of one kind, and applies a subset of the edits. Edits
do not depend on dialects. The verifier of the IR decides whether an edited tree is valid.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.frontend.generic_form import Value, references_in, types
from passel.search.repairs import (
    definitions,
    function_type,
    is_terminator,
    repair,
    replace_uses,
    set_function_type,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from passel.frontend.generic_form import Block, Op


class EditKind(NamedTuple):
    """A kind of edit.

    Attributes:
        find: A function that yields the possible edits of a tree. An edit of a tree can also be
            applied to a copy of the tree.
        apply: A function that applies a collection of edits to a tree in place.
    """

    find: Callable[[Op], Iterator[Any]]
    apply: Callable[[Op, Collection[Any]], None]


# -- Symbols ---------------------------------------------------------------------------------


def _symbols(root: Op) -> Iterator[int]:
    return (op.number for op in root.walk() if op is not root and op.entry("sym_name"))


def _remove_symbols(root: Op, numbers: Collection[int]) -> None:
    """Remove symbols, and the ops that refer to a removed symbol."""
    names = {str(op.entry("sym_name")).strip('"') for op in root.walk() if op.number in numbers}
    users = {
        op.number
        for op in root.walk()
        if not op.entry("sym_name")
        and any(name in names for entry in op.properties for name in references_in(entry))
    }
    _replace(root, [(number, 0) for number in {*numbers, *users} - {root.number}])


# -- Ops -------------------------------------------------------------------------------------


def _ops(root: Op) -> Iterator[tuple[int, int]]:
    """Yield each op with the index of its first operand, uses before definitions."""
    found = [
        (each.number, 0)
        for op in root.walk()
        for block in op.blocks()
        for each in block.ops
        if not is_terminator(each, block)
    ]
    return reversed(found)


def _other_operands(root: Op) -> Iterator[tuple[int, int]]:
    """Yield each op with the other operands that can replace a result."""
    for op in root.walk():
        fitting = {value for value in op.operands if value.type in types(op.results)}
        numbers = sorted(map(op.operands.index, fitting))
        yield from ((op.number, index) for index in numbers[1:])


def _replace(root: Op, places: Collection[tuple[int, int]]) -> None:
    """Remove ops, and replace their results with other values, preferably the given operands."""
    chosen = dict(places)
    former = definitions(root)
    for op in root.walk():
        if index := chosen.get(op.number):
            operands = [op.operands[index], *op.operands]
            former.update((value.name, operands) for value in op.results)
    for op in root.walk():
        for block in op.blocks():
            block.ops = [each for each in block.ops if each.number not in chosen]
    repair(root, former)


# -- Blocks and regions ----------------------------------------------------------------------


def _hoistable(root: Op) -> Iterator[tuple[int, int]]:
    for op in root.walk():
        for index, region in enumerate(op.regions):
            if op is not root and len(region) == 1 and region[0].ops:
                yield op.number, index


def _hoist(root: Op, places: Collection[tuple[int, int]]) -> None:
    """Replace each chosen op with the contents of the chosen region of the op."""
    chosen = dict(places)
    former = definitions(root)
    for op in tuple(root.walk()):
        for block in op.blocks():
            for each in tuple(block.ops):
                if each.number in chosen:
                    _replace_by_contents(root, each, block, chosen[each.number])
    repair(root, former)


def _replace_by_contents(root: Op, op: Op, block: Block, region: int) -> None:
    inner = op.regions[region][0]
    at = block.ops.index(op)
    last = inner.ops[-1]
    ops = inner.ops
    if is_terminator(last, inner):
        ops = ops[:-1]
        if types(last.operands) == types(op.results):
            replace_uses(op.results, last.operands, root)
    block.ops[at : at + 1] = ops


def _branches(root: Op) -> Iterator[tuple[int, str]]:
    """Yield each terminator with a block to merge into its place, or with an empty string.

    A block can be merged if no other terminator branches to the block. An empty string means that
    the terminator is replaced with a copy of another terminator.
    """
    for op in root.walk():
        for region in op.regions:
            lasts = [block.ops[-1] for block in region if block.ops]
            times = Counter(label for last in lasts for label in last.successors)
            ends = any(not last.successors for last in lasts)
            for last in lasts:
                yield from ((last.number, label) for label in last.successors if times[label] == 1)
                if last.successors and ends:
                    yield last.number, ""


def _straighten(root: Op, choices: Collection[tuple[int, str]]) -> None:
    chosen = dict(choices)
    former = definitions(root)
    for op in root.walk():
        for region in op.regions:
            lasts = [block.ops[-1] for block in region if block.ops]
            end = next((last for last in lasts if not last.successors), None)
            for last in lasts:
                if last.number in chosen:
                    _replace_terminator(root, region, last, chosen[last.number], end)
            _drop_unreachable(region)
    repair(root, former)


def _replace_terminator(
    root: Op, region: list[Block], last: Op, label: str, end: Op | None
) -> None:
    """Replace a terminator with the ops of a block or, without a label, with a terminator."""
    here = next((block for block in region if block.ops and block.ops[-1] is last), None)
    target = next((block for block in region if block.label == label), None)
    if here is None or here is target:
        return
    if target is not None:
        if len(target.args) == len(last.operands):
            replace_uses(target.args, last.operands, root)
        here.ops[-1:] = target.ops
        region.remove(target)
    elif end is not None and not label:
        here.ops[-1] = new = end.copy()
        new.number = last.number
        new.operands = [Value("%missing", type_) for type_ in types(new.operands)]


def _drop_unreachable(region: list[Block]) -> None:
    """Remove all blocks without predecessors, except the entry block."""
    while True:
        targets = {each for block in region for op in block.ops for each in op.successors}
        gone = [block for block in region[1:] if block.label not in targets]
        if not gone:
            return
        for block in gone:
            region.remove(block)


# -- Parts of ops ----------------------------------------------------------------------------


def _unused(root: Op) -> Iterator[str]:
    """Yield unused results, and unused arguments of entry blocks."""
    used = {value.name for op in root.walk() for value in op.operands}
    for op in root.walk():
        entries = [value for region in op.regions for block in region[:1] for value in block.args]
        yield from (each.name for each in (*op.results, *entries) if each.name not in used)


def _drop_values(root: Op, names: Collection[str]) -> None:
    """Remove results and block arguments, and adapt yielded values and function types."""

    def kept(values: list[Value], others: list[Value]) -> list[Value]:
        """Return the values whose counterparts in `others` are not removed."""
        return [
            value for value, other in zip(values, others, strict=True) if other.name not in names
        ]

    for op in root.walk():
        for last in (block.ops[-1] for block in op.blocks() if block.ops):
            if not last.successors and len(last.operands) == len(op.results):
                last.operands = kept(last.operands, op.results)
        op.results = kept(op.results, op.results)
        parts = function_type(op)
        for block in op.blocks():
            block.args = kept(block.args, block.args)
        if parts is not None and len(parts[0]) > len(args := next(op.blocks()).args):
            set_function_type(op, f"({', '.join(types(args))}){parts[1]}")
            op.properties = [each for each in op.properties if not each.startswith("arg_attrs = ")]


def _attributes(root: Op) -> Iterator[tuple[int, str]]:
    """Yield attributes, except the visibility of symbols, which MLIR requires of declarations."""
    for op in root.walk():
        for entry in (*op.attributes, *op.properties):
            if not entry.startswith("sym_visibility"):
                yield op.number, entry


def _drop_attributes(root: Op, places: Collection[tuple[int, str]]) -> None:
    for op in root.walk():
        op.attributes = [each for each in op.attributes if (op.number, each) not in places]
        op.properties = [each for each in op.properties if (op.number, each) not in places]


KINDS = (
    EditKind(_symbols, _remove_symbols),
    EditKind(_ops, _replace),
    EditKind(_other_operands, _replace),
    EditKind(_hoistable, _hoist),
    EditKind(_branches, _straighten),
    EditKind(_unused, _drop_values),
    EditKind(_attributes, _drop_attributes),
)
"""All kinds of edits, starting with the most effective ones."""
