"""Assumptions of the fast paths about xDSL beyond its public API, and whether they hold.

Ops built by example get their fields without xDSL's constructors, and what an op's parser
consults is watched where xDSL's parser hands itself on. Both hold for the versions of xDSL
that have the members named here and whose constructors leave the same fields behind.
"""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections import deque
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from xdsl.context import Context
from xdsl.dialects.builtin import UnitAttr, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, Use
from xdsl.parser import Parser
from xdsl.parser.core import UnresolvedOperand

from passel.xdsl.fast.templates import Template, append

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    _Create = Callable[[list[SSAValue[Any]], list[Block]], Operation]
    _Append = Callable[[Block, Operation], None]

MEMBERS: Final[dict[type[object], tuple[str, ...]]] = {
    Context: ("get_optional_op",),
    Parser: (
        # Called for, or by, each op.
        *("parse_optional_operation", "_parse_block_body", "_register_ssa_definition"),
        # Where names are told from other text.
        *("_parse_op_result_list", "parse_optional_unresolved_operand", "resolve_operand"),
        *("_parse_optional_operand_without_type", "parse_optional_successor"),
        *("_get_block_from_name", "parse_optional_characters"),
        # By which all that parses regions goes.
        "parse_optional_region",
        # Where the parser is handed to code of dialects.
        *("_get_op_by_name", "_parse_generic_operation", "_parse_dialect_type_or_attribute_body"),
    ),
    SSAValue: ("is_valid_name", "extract_valid_name"),
    Block: ("is_default_block_name", "is_valid_name"),
}
_STATE: Final[dict[str, type[object]]] = {
    **dict.fromkeys(("ssa_values", "blocks", "forward_ssa_references"), dict),
    "forward_block_references": dict,
}
_NODES: Final[frozenset[type[object]]] = frozenset({Operation, Region, Block, SSAValue, Use})


@cache
def mismatches() -> tuple[str, ...]:
    """Return what is not as assumed in the version of xDSL that is installed."""
    found = [
        f"{owner.__name__}.{name} is missing"
        for owner, names in MEMBERS.items()
        for name in names
        if not hasattr(owner, name)
    ]
    context = Context()
    parser = Parser(context, "")
    found += [
        f"Parser.{name} is no {kind.__name__}"
        for name, kind in _STATE.items()
        if not isinstance(getattr(parser, name, None), kind)
    ]
    if not isinstance(getattr(context, "_loaded_ops", None), dict):
        found.append("Context._loaded_ops is no dict")
    operand = UnresolvedOperand(cast("Any", None), 0)
    if vars(operand).keys() != {"span", "index"}:
        found.append("UnresolvedOperand has other fields")
    try:
        if not found and layout(_sample(_create_publicly, Block.add_op)) != layout(
            _sample(_create_by_example, append)
        ):
            found.append("ops, values, uses or blocks have other fields")
    except (AttributeError, TypeError) as error:
        found.append(f"ops, values, uses or blocks are made otherwise: {error}")
    return tuple(found)


def layout(root: Operation) -> list[object]:
    """Return all that there is to see of an op's fields and of all that they refer to.

    Ops that differ in anything, also in the order of uses, in a hint or in a field that only
    one of them has, have different layouts.
    """
    numbers: dict[int, int] = {id(root): 0}
    nodes: deque[object] = deque([root])
    texts: dict[int, tuple[Attribute, str]] = {}

    def shown(value: Any) -> object:
        # Not by `isinstance`: each subclass of an abstract class keeps what it has denied.
        bases = type(cast("object", value)).__mro__
        if not _NODES.isdisjoint(bases):
            address = id(cast("object", value))
            if address not in numbers:
                numbers[address] = len(numbers)
                nodes.append(cast("object", value))
            return numbers[address]
        if Attribute in bases:
            if id(value) not in texts:
                texts[id(value)] = (value, str(value))  # kept, so that the address is its own
            return type(value).__qualname__, texts[id(value)][1]
        if isinstance(value, dict):
            items = cast("dict[object, object]", value).items()
            return [(key, shown(each)) for key, each in items]
        if isinstance(value, tuple | list):
            return type(cast("object", value)).__name__, *map(
                shown, cast("Sequence[object]", value)
            )
        return value

    def rows() -> Iterator[object]:
        while nodes:
            node = nodes.popleft()
            # Locations of their own class print as others do.
            fields = [(name, shown(value)) for name, value in sorted(vars(node).items())]
            yield type(node).__qualname__, fields

    return list(rows())


class _Sample(Operation):
    name = "sample"


def _sample(create: _Create, append: _Append) -> Operation:
    """Return an op with a region of two blocks of two ops each."""
    blocks = [Block(arg_types=[i32]), Block()]
    argument = blocks[0].args[0]
    for block in blocks:
        first = create([argument, argument], [])
        append(block, first)
        append(block, create([first.results[0], argument], blocks[1:]))
    return _Sample.create(regions=[Region(blocks)])


def _create_publicly(operands: list[SSAValue[Any]], successors: list[Block]) -> Operation:
    op = _Sample.create(
        operands=operands,
        result_types=[i32],
        properties={"property": UnitAttr()},
        attributes={"attribute": UnitAttr()},
        successors=successors,
    )
    op.results[0].name_hint = "name"
    return op


def _create_by_example(operands: list[SSAValue[Any]], successors: list[Block]) -> Operation:
    template = Template(
        op_class=_Sample,
        bound=1,
        name_offset=0,
        operands=(),
        successors=(),
        result_types=(i32,),
        properties={"property": UnitAttr()},
        attributes={"attribute": UnitAttr()},
    )
    op = template.build(operands, successors)
    op.results[0]._name = "name"
    return op
