"""Templates by key, and texts of attributes, learned from ops that were printed."""
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from passel.xdsl.fast.contents import Contents
from passel.xdsl.fast.ghost_printer import print_alone
from passel.xdsl.fast.text_templates import NEVER, TextShape, TextTemplate, attribute_at, learn

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from xdsl.dialects.builtin import IntegerAttr
    from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

    from passel.xdsl.fast.text_templates import Seen

_MAX_KEYS: Final = 20_000
"""Keys that are remembered; at half a kilobyte each."""

_MAX_ATTRIBUTES: Final = 20_000
"""Attributes of which the text, or what they consist of, is remembered."""

_MAX_LENGTH: Final = 1_000
"""Longer texts of attributes hardly come twice."""

_FREE_EXAMPLES: Final = 64
"""Ops whose ghosts are printed in any case. It costs about as much as printing ten."""

_OPS_PER_EXAMPLE: Final = 16
"""Ops printed by example that pay for the ghosts of another one."""


class Examples:
    """Templates and texts for printing with the same flags.

    Args:
        flags: The flags, as arguments of xDSL's printer.

    Attributes:
        flags: The same.
        texts: The text of an attribute, by its address; empty if it has none of its own.
        filled: How many ops have been printed from templates.
    """

    def __init__(self, flags: dict[str, bool]) -> None:
        self.flags: dict[str, bool] = flags
        self.texts: dict[int, str] = {}
        self.filled: int = 0
        self.shapes: dict[Hashable, TextShape] = {}
        self._examples = 0

        self._keys = 0
        self._contents = Contents(self._keep)
        self._met: set[int] = set()
        self._suffixes: dict[int, str] = {}
        # Addresses are those of attributes that are alive.
        self._kept: list[Attribute] = []

    # ---- keys ------------------------------------------------------------------------

    def shape_of(self, op: Operation) -> TextShape:
        """Return the shape of an op."""
        operands = op._operands
        key: list[Any] = [op.__class__]
        key += [value._type.__class__ for value in operands]
        key.append(None)
        key += [value._type.__class__ for value in op.results]
        if properties := op.properties:
            key += "properties", *properties, *[each.__class__ for each in properties.values()]
        if attributes := op.attributes:
            key += "attributes", *attributes, *[each.__class__ for each in attributes.values()]
        if len(operands) > 1 and len({*map(id, operands)}) < len(operands):
            key.append(_pattern(operands))
        if op._successors:
            key += "successors", _pattern(op._successors)
        for region in op.regions:
            key.append(self._key_of_region(region))
        whole = tuple(key)
        shape = self.shapes.get(whole)
        if shape is None:
            shape = self.shapes[whole] = TextShape()
            self._count_key()
        return shape

    def _key_of_region(self, region: Region) -> Hashable:
        first = region._first_block
        if first is None:
            return False
        numbers = [self._contents.number(argument._type) for argument in first._args]
        # A type without a number is like no other.
        types = [object() if number is None else number for number in numbers]
        return first is region._last_block, *types

    def key_of(self, op: Operation, shape: TextShape) -> tuple[int, ...] | None:
        """Return what else the text of an op of a shape depends on, but for holes.

        Returns:
            The key; None if an attribute in it is too large.
        """
        contents = self._contents
        numbers = contents.numbers
        key: list[int] = []
        for place in shape.keyed:
            attribute = attribute_at(op, place)
            number = numbers.get(id(attribute))
            if number is None and (number := contents.number(attribute)) is None:
                return None
            key.append(number)
        return tuple(key)

    def _keep(self, attribute: Attribute) -> None:
        # What is noted of it afterwards must not outlive it.
        if len(self._kept) >= _MAX_ATTRIBUTES:
            self.clear()
        self._kept.append(attribute)

    # ---- templates -------------------------------------------------------------------

    def learn(self, op: Operation, shape: TextShape) -> TextTemplate | None:
        """Learn from an op, if that seems to pay."""
        if self._examples > _FREE_EXAMPLES + self.filled // _OPS_PER_EXAMPLE:
            return None
        self._examples += 1
        template = learn(op, shape, self.flags)
        key = self.key_of(op, shape)
        if key is not None:
            self.remember(shape, key, template or NEVER)
        return template

    def remember(self, shape: TextShape, key: tuple[Any, ...], what: TextTemplate | Seen) -> None:
        """Remember what is known of a key."""
        if key not in shape.templates:
            self._count_key()
        shape.templates[key] = what

    def _count_key(self) -> None:
        self._keys += 1
        if self._keys > _MAX_KEYS:
            self.clear()

    def clear(self) -> None:
        """Forget everything; what comes often is soon back."""
        for shape in self.shapes.values():
            shape.templates = {}
        for table in (self.shapes, self._contents, self.texts, self._suffixes):
            table.clear()
        self._met.clear()
        self._kept.clear()
        self._keys = 0

    # ---- texts of attributes ---------------------------------------------------------

    def is_met_again(self, attribute: Attribute) -> bool:
        """Return whether an attribute was printed before; remember that it was."""
        # An address that another attribute has had makes this true too early, and no harm.
        address = id(attribute)
        if address in self._met:
            return True
        if len(self._met) > _MAX_ATTRIBUTES:
            self._met.clear()
        self._met.add(address)
        return False

    def learn_text(self, attribute: Attribute) -> str:
        """Return an attribute's text; empty if it depends on more than the attribute."""
        text = print_alone(attribute, self.flags, anywhere=True) or ""
        if len(text) > _MAX_LENGTH:
            return ""
        self._keep(attribute)
        self.texts[id(attribute)] = text
        return text

    def text_of_integer(self, attribute: IntegerAttr[Any]) -> str:
        """Return the text of an integer with its type; empty if it is no number."""
        digits = f"{attribute.value.data:d}"
        suffix = self._suffixes.get(id(attribute.type))
        if suffix is None:
            text = print_alone(attribute, self.flags, anywhere=True) or ""
            suffix = text[len(digits) :] if text.startswith(f"{digits} : ") else ""
            self._suffixes[id(attribute.type)] = suffix
            self._keep(attribute.type)
        return digits + suffix if suffix else ""


def _pattern(used: Sequence[SSAValue[Any] | Block]) -> tuple[int, ...]:
    """Return for each operand or successor where it is used first."""
    places: dict[int, int] = {}
    return tuple([places.setdefault(id(each), at) for at, each in enumerate(used)])
