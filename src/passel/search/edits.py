"""Edits that make a tree smaller: of each kind, all that there are, and how to make some of them.

Nothing here knows a dialect's ops: whether the result is valid, the IR itself says.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.search.generic import Op
from passel.search.repairs import (
    Repair,
    definitions,
    drop_unreachable,
    function_type,
    is_terminator,
    rename,
    set_function_type,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from passel.search.generic import Block

_SHAPED = re.compile(
    r"(tensor|vector|memref)<((?:\d+x|\?x|\[\d+\]x)*)([^<>x]+|![^<>]+<[^<>]*>)([^<>]*)>"
)
_NUMBER = re.compile(r"(?<![\w#.%@-])\d{2,}\b(?!x)")
_REFERENCE = re.compile(r'@"?([\w.$-]+)')
_FUNCTION_RETURN = re.compile(r"\w+\.return")


class Kind(NamedTuple):
    """A kind of edits.

    Attributes:
        title: What it makes fewer of.
        find: Yields the edits that a tree allows, each a value that finds its place in copies.
        make: Makes some of them, in place.
    """

    title: str
    find: Callable[[Op], Iterator[Any]]
    make: Callable[[Op, Collection[Any]], None]


# -- Symbols ---------------------------------------------------------------------------------


def _symbols(root: Op) -> Iterator[int]:
    return (op.number for op in root.walk() if op is not root and op.entry("sym_name"))


def _remove(root: Op, numbers: Collection[int]) -> None:
    for op in root.walk():
        for block in op.blocks():
            block.ops = [each for each in block.ops if each.number not in numbers]


def _remove_symbols(root: Op, numbers: Collection[int]) -> None:
    """Remove symbols, and the ops inside of others that refer to them."""
    names = {str(op.entry("sym_name")).strip('"') for op in root.walk() if op.number in numbers}
    users = {
        op.number
        for op in root.walk()
        if not op.entry("sym_name")
        and any(name in names for entry in op.properties for name in _REFERENCE.findall(entry))
    }
    _replace(root, {*numbers, *users} - {root.number})


def _bodies(root: Op) -> Iterator[int]:
    for op in root.walk():
        if op is not root and op.entry("sym_name") and any(block.ops for block in op.blocks()):
            yield op.number


def _empty(root: Op, numbers: Collection[int]) -> None:
    """Make functions declarations, which are private where there is a visibility."""
    for op in root.walk():
        if op.number in numbers:
            op.regions = [[] for _ in op.regions]
            if op.entry("sym_visibility") is None:
                op.properties.append('sym_visibility = "private"')


def _returned(root: Op) -> Iterator[int]:
    for op in root.walk():
        parts = function_type(op)
        if parts is not None and parts[1] not in ("", " -> ()"):
            yield op.number


def _return_nothing(root: Op, numbers: Collection[int]) -> None:
    for op in root.walk():
        parts = function_type(op)
        if op.number not in numbers or parts is None:
            continue
        set_function_type(op, f"({', '.join(parts[0])}) -> ()")
        op.properties = [each for each in op.properties if not each.startswith("res_attrs = ")]
        for block in op.blocks():
            if block.ops and _FUNCTION_RETURN.fullmatch(block.ops[-1].name):
                block.ops[-1].operands, block.ops[-1].operand_types = [], []


# -- Ops -------------------------------------------------------------------------------------


def _ops(root: Op) -> Iterator[int]:
    """Yield the ops, uses before definitions."""
    found = [
        each.number
        for op in root.walk()
        for block in op.blocks()
        for each in block.ops
        if not is_terminator(each, block)
    ]
    return reversed(found)


def _replace(root: Op, numbers: Collection[int], *, reuse: bool = True) -> None:
    """Remove ops, and put other values in the places of their results."""
    former = definitions(root)
    _remove(root, numbers)
    Repair(root, former, reuse=reuse)


def _renewable(root: Op) -> Iterator[int]:
    used = {name for op in root.walk() for name in op.operands}
    with_uses = {op.number for op in root.walk() if used.intersection(op.results)}
    return (number for number in _ops(root) if number in with_uses)


def _other_operands(root: Op) -> Iterator[tuple[int, int]]:
    """Yield operands that can take the place of a result, but the first, which `_replace` takes."""
    for op in root.walk():
        fitting: dict[str, int] = {}
        for index, (name, type_) in enumerate(zip(op.operands, op.operand_types, strict=False)):
            if type_ in op.result_types:
                fitting.setdefault(name, index)
        yield from ((op.number, index) for index in islice(fitting.values(), 1, None))


def _forward(root: Op, places: Collection[tuple[int, int]]) -> None:
    """Remove ops, and put these operands in the places of their results."""
    chosen = dict(places)
    former = definitions(root)
    for op in root.walk():
        if op.number in chosen:
            operands = [op.operands[chosen[op.number]], *op.operands]
            former.update((name, former[name]._replace(operands=operands)) for name in op.results)
    _remove(root, chosen)
    Repair(root, former)


# -- Blocks and regions ----------------------------------------------------------------------


def _hoistable(root: Op) -> Iterator[tuple[int, int]]:
    for op in root.walk():
        for index, region in enumerate(op.regions):
            if op is not root and len(region) == 1 and region[0].ops:
                yield op.number, index


def _hoist(root: Op, places: Collection[tuple[int, int]]) -> None:
    """Put what is inside of ops in their places."""
    chosen = dict(places)
    former = definitions(root)
    for op in tuple(root.walk()):
        for block in op.blocks():
            for each in tuple(block.ops):
                if each.number in chosen:
                    _put_inside_out(root, each, block, chosen[each.number])
    Repair(root, former)


def _put_inside_out(root: Op, op: Op, block: Block, region: int) -> None:
    inner = op.regions[region][0]
    at = block.ops.index(op)
    last = inner.ops[-1]
    ops = inner.ops
    if is_terminator(last, inner):
        ops = ops[:-1]
        if last.operand_types == op.result_types:
            rename(root.walk(), dict(zip(op.results, last.operands, strict=True)))
    block.ops[at : at + 1] = ops


def _branches(root: Op) -> Iterator[tuple[int, str]]:
    """Yield terminators with a successor to go on with, or none to go on as another block ends."""
    for op in root.walk():
        for region in op.regions:
            lasts = [block.ops[-1] for block in region if block.ops]
            ends = any(not last.successors for last in lasts)
            for last in lasts:
                if last.successors and ends:
                    yield last.number, ""
                if len(last.successors) > 1:
                    yield from ((last.number, label) for label in dict.fromkeys(last.successors))


def _straighten(root: Op, choices: Collection[tuple[int, str]]) -> None:
    chosen = dict(choices)
    former = definitions(root)
    for op in root.walk():
        for region in op.regions:
            labels = {block.label: block for block in region}
            lasts = [block.ops[-1] for block in region if block.ops]
            end = next((last for last in lasts if not last.successors), None)
            for block in region:
                if block.ops and block.ops[-1].number in chosen:
                    target = labels.get(chosen[block.ops[-1].number])
                    block.ops[-1] = _ending(block.ops[-1], target, end)
    drop_unreachable(root)
    Repair(root, former)


def _ending(last: Op, target: Block | None, end: Op | None) -> Op:
    """Return the terminator in place of another one; its operands are yet to be found."""
    if target is not None:
        name, types = f"{last.name.partition('.')[0]}.br", [type_ for _, type_ in target.args]
        new = Op(last.number, name, successors=[target.label], operand_types=types)
    elif end is not None:
        new = end.copy()
        new.number = last.number
    else:
        return last
    new.operands = ["%missing"] * len(new.operand_types)
    return new


# -- Parts of ops ----------------------------------------------------------------------------


def _operands(root: Op) -> Iterator[tuple[int, int]]:
    """Yield operands, but those of terminators, whose number others rely on."""
    for op in root.walk():
        for block in op.blocks():
            for each in block.ops:
                if not is_terminator(each, block):
                    yield from ((each.number, index) for index in range(len(each.operands)))


def _drop_operands(root: Op, places: Collection[tuple[int, int]]) -> None:
    for op in root.walk():
        kept = [i for i in range(len(op.operands)) if (op.number, i) not in places]
        if len(kept) < len(op.operands):
            op.operands = [op.operands[i] for i in kept]
            op.operand_types = [op.operand_types[i] for i in kept]


def _unused(root: Op) -> Iterator[str]:
    """Yield unused results, and unused arguments of regions; other blocks' are given values."""
    used = {name for op in root.walk() for name in op.operands}
    for op in root.walk():
        entries = [name for region in op.regions for block in region[:1] for name, _ in block.args]
        yield from (name for name in (*op.results, *entries) if name not in used)


def _drop_values(root: Op, names: Collection[str]) -> None:
    """Remove results and arguments; what regions yield for them, and a function's type, follow."""
    for op in root.walk():
        kept = [i for i, name in enumerate(op.results) if name not in names]
        lasts = [block.ops[-1] for block in op.blocks() if block.ops]
        for last in lasts if len(kept) < len(op.results) else ():
            if not last.successors and len(last.operands) == len(op.results):
                last.operands = [last.operands[i] for i in kept]
                last.operand_types = [last.operand_types[i] for i in kept]
        op.result_types = [op.result_types[i] for i in kept]
        op.results = [op.results[i] for i in kept]
        parts = function_type(op)
        for block in op.blocks():
            block.args = [(name, type_) for name, type_ in block.args if name not in names]
        if parts is not None and len(parts[0]) > len(next(op.blocks()).args):
            types = [type_ for _, type_ in next(op.blocks()).args]
            set_function_type(op, f"({', '.join(types)}){parts[1]}")
            op.properties = [each for each in op.properties if not each.startswith("arg_attrs = ")]


def _attributes(root: Op) -> Iterator[tuple[int, str]]:
    """Yield attributes, but the visibility of symbols, which xDSL does without."""
    for op in root.walk():
        for entry in (*op.attributes, *op.properties):
            if not entry.startswith("sym_visibility"):
                yield op.number, entry


def _drop_attributes(root: Op, places: Collection[tuple[int, str]]) -> None:
    for op in root.walk():
        op.attributes = [each for each in op.attributes if (op.number, each) not in places]
        op.properties = [each for each in op.properties if (op.number, each) not in places]


# -- Types, numbers and names ----------------------------------------------------------------


def _types(root: Op) -> Iterator[tuple[str, str]]:
    """Yield shaped types with simpler ones: the element, or fewer or smaller dimensions."""
    for whole, name, shape, element, rest in dict.fromkeys(
        (m[0], *m.groups()) for m in _SHAPED.finditer(str(root))
    ):
        dims = shape.split("x")[:-1]
        yield whole, element
        if rest:
            yield whole, f"{name}<{shape}{element}>"
        for index, dim in enumerate(dims):
            fewer = "".join(f"{each}x" for each in (*dims[:index], *dims[index + 1 :]))
            yield whole, f"{name}<{fewer}{element}{rest}>"
            if dim.isdigit() and len(dim) > 1:
                smaller = "".join(f"{each}x" for each in (*dims[:index], "2", *dims[index + 1 :]))
                yield whole, f"{name}<{smaller}{element}{rest}>"


def _numbers(root: Op) -> Iterator[tuple[str, str]]:
    for op in root.walk():
        for entry in (*op.properties, *op.attributes):
            for digit in "01":
                if (simpler := _NUMBER.sub(digit, entry)) != entry:
                    yield entry, simpler


def _names(root: Op) -> Iterator[tuple[str, str]]:
    names = {str(op.entry("sym_name")).strip('"') for op in root.walk() if op.entry("sym_name")}
    free = (letter for letter in "fghkmnpqrstuvwxyzabcde" if letter not in names)
    for name in sorted(names):
        if len(name) > 1 and re.fullmatch(r"[\w.$]+", name):
            yield from ((name, letter) for letter in [next(free, "")] if letter)


def _substitute(root: Op, pairs: Collection[tuple[str, str]]) -> None:
    for old, new in pairs:
        _change_texts(root, lambda text, old=old, new=new: text.replace(old, new))


def _rename_symbols(root: Op, pairs: Collection[tuple[str, str]]) -> None:
    for old, new in pairs:
        use = re.compile(rf'@"?{re.escape(old)}\b"?|(?<=sym_name = ")({re.escape(old)})(?=")')
        _change_texts(
            root, lambda text, use=use, new=new: use.sub(lambda m: new if m[1] else f"@{new}", text)
        )


def _change_texts(root: Op, change: Callable[[str], str]) -> None:
    for op in root.walk():
        op.properties = [change(each) for each in op.properties]
        op.attributes = [change(each) for each in op.attributes]
        op.operand_types = [change(each) for each in op.operand_types]
        op.result_types = [change(each) for each in op.result_types]
        for block in op.blocks():
            block.args = [(name, change(type_)) for name, type_ in block.args]


KINDS = (
    Kind("symbols", _symbols, _remove_symbols),
    Kind("bodies", _bodies, _empty),
    Kind("returned values", _returned, _return_nothing),
    Kind("ops", _ops, _replace),
    Kind("ops", _renewable, partial(_replace, reuse=False)),
    Kind("ops", _other_operands, _forward),
    Kind("regions", _hoistable, _hoist),
    Kind("branches", _branches, _straighten),
    Kind("operands", _operands, _drop_operands),
    Kind("values", _unused, _drop_values),
    Kind("attributes", _attributes, _drop_attributes),
    Kind("types", _types, _substitute),
    Kind("numbers", _numbers, _substitute),
    Kind("names", _names, _rename_symbols),
)
"""All kinds of edits, those that make a tree much smaller first."""
