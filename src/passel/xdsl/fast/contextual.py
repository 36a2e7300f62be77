"""Declarations that authors of dialects can make about their parsers."""

from typing import Final, TypeVar
from weakref import WeakSet

from xdsl.ir import Operation

_OpClass = TypeVar("_OpClass", bound=type[Operation])

CONTEXTUAL: Final[WeakSet[type[Operation]]] = WeakSet()
"""Classes of which each op is parsed by the class's own parser."""


def parsed_in_context(op_class: _OpClass) -> _OpClass:
    """Have the parser of an op's class called for each op.

    A line like earlier ones is not parsed anew if passel saw that its op's parser consults
    nothing but the line and the types of its operands. It does not see a parser read or
    write variables of its module; such a class needs this decorator.

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
