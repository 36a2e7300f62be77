"""All that there is to see of an op's fields."""

from __future__ import annotations

from collections import deque
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, cast

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, Use

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NODES: Final[frozenset[type[object]]] = frozenset({Operation, Region, Block, SSAValue, Use})


def layout(root: Operation) -> list[object]:
    """Return all that there is to see of an op's fields and of all that they refer to.

    Ops that differ in anything, also in the order of uses or in a hint, have different layouts.
    A field that is not set has the value that its class gives it.
    """
    return layouts(root)[0]


def layouts(*roots: Operation) -> list[list[object]]:
    """Return the layouts of ops that share attributes, each of which is printed once."""
    texts: dict[int, tuple[Attribute, str]] = {}
    return [_layout(root, texts) for root in roots]


def _layout(root: Operation, texts: dict[int, tuple[Attribute, str]]) -> list[object]:
    numbers: dict[int, int] = {id(root): 0}
    nodes: deque[object] = deque([root])

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
            seen = {each.name: getattr(node, each.name, None) for each in fields(cast("Any", node))}
            named = [(name, shown(value)) for name, value in sorted({**seen, **vars(node)}.items())]
            yield type(node).__qualname__, named

    return list(rows())


def fields_of(root: Operation) -> list[object]:
    """Return all that there is to see of an op, but for fields that may be left out."""
    rows: list[Any] = layout(root)
    return [(kind, [field for field in fields if field[1] is not None]) for kind, fields in rows]
