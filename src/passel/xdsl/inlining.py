"""Rules for what may be inlined, by dialect.

xDSL has no counterpart of MLIR's `DialectInlinerInterface`, so the dialects whose ops MLIR
inlines are listed here; a dialect's author gives a dialect the interface `InlinerInterface`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialect_interfaces import DialectInterface
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.utils.exceptions import UnregisteredConstructException

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.ir import Operation

_INLINABLE = frozenset(
    {
        *("affine", "arith", "bufferization", "cf", "complex", "func", "gpu", "index", "linalg"),
        *("math", "memref", "scf", "shape", "tensor", "tosa", "ub", "vector"),
        "printf",  # xDSL's own
    }
)


class InlinerInterface(DialectInterface):
    """Lets the ops of a dialect be inlined.

    Example:
        >>> from xdsl.ir import Dialect
        >>> dialect = Dialect("mine", [], [], [InlinerInterface()])

    Source: `mlir::DialectInlinerInterface`, MLIR 22.
    """

    def is_legal_to_inline(self, op: Operation, call: Operation) -> bool:
        """Return whether an op of the dialect may stand where a call stands; by default it may."""
        return True


def is_legal_to_inline(op: Operation, call: Operation, context: Context) -> bool:
    """Return whether an op may stand in the place of a call.

    Ops that are not registered may not, as it is not known what they mean elsewhere.
    """
    if isinstance(op, UnregisteredOp):
        return False
    dialect = op.dialect_name()
    if dialect == "affine":
        # What is a symbol or a dimension in the body of a function may be none in a loop.
        enclosing, home = call.parent_op(), op.parent_op()
        while home is not None and home.dialect_name() in ("affine", "scf"):
            home = home.parent_op()
        return enclosing is not None and home is not None and enclosing.name == home.name
    try:
        interface = context.get_dialect(dialect).get_interface(InlinerInterface)
    except UnregisteredConstructException:
        interface = None
    if interface is not None:
        return interface.is_legal_to_inline(op, call)
    return dialect in _INLINABLE
