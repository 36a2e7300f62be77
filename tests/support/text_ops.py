"""Ops whose parsers are written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loose_ops import LooseOp
from xdsl.irdl import irdl_op_definition

if TYPE_CHECKING:
    from xdsl.ir import SSAValue
    from xdsl.parser import Parser


@irdl_op_definition
class TextOp(LooseOp):
    """Base of ops that a test parses, under their own name."""

    name = "t.op"


def operand_of(parser: Parser) -> SSAValue[Any]:
    """Parse an operand."""
    return parser.parse_operand()  # pyright: ignore[reportDeprecated]
