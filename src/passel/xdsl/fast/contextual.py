"""Declarations that authors of dialects can make about their parsers and printers."""

from typing import Final, TypeVar
from weakref import WeakSet

from xdsl.ir import Operation

_OpClass = TypeVar("_OpClass", bound=type[Operation])

CONTEXTUAL: Final[WeakSet[type[Operation]]] = WeakSet()
"""Classes of which each op is parsed and printed by the class's own methods."""


def parsed_in_context(op_class: _OpClass) -> _OpClass:
    """Have the parser of an op's class called for each op.

    A line like earlier ones is not parsed anew if passel saw that its op's parser consults
    nothing but the line and the types of its operands. It does not see a parser read or
    write variables of its module; such a class needs this decorator.

    The same holds for its printer, which is called for each op too: an op is not printed
    anew if passel saw that the printer consults nothing but the op's attributes, types and
    number of operands. That it asks whether two attributes are one object is not seen.

    Args:
        op_class: The class, which has a parser of its own.

    Returns:
        The class.

    Example:
        >>> @parsed_in_context
        ... class NumberedOp(Operation):
        ...     name = "example.numbered"
    """
    CONTEXTUAL.add(op_class)
    return op_class
