"""xDSL as one side of a crossing: ops from generic text, and back into the op."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError

from passel.errors import PassFailure
from passel.xdsl.adapter import XDSLAdapter
from passel.xdsl.parsing import parse_source

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.ir import Operation


class XDSLSide:
    """xDSL.

    Args:
        context: Where ops are read into; by default a new context, in which what xDSL does not
            know is unregistered.
    """

    title = "xDSL"

    def __init__(self, context: Context | None = None) -> None:
        self.adapter = XDSLAdapter()
        self.context: Any = context
        if context is None:
            self.context = self.adapter.create_context()
            self.context.allow_unregistered = True

    def write(self, op: Operation) -> str:
        """Return an op as generic text with locations.

        Raises:
            PassFailure: xDSL cannot print it.
        """
        stream = StringIO()
        printer = _Printer(stream=stream, print_generic_format=True, print_debuginfo=True)
        try:
            printer.print_op(op)
        except Exception as error:  # printers raise what they like
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise PassFailure(f"xDSL cannot print it: {reason}") from error
        return stream.getvalue()

    def read(self, text: str) -> Operation:
        """Return the op that a text stands for.

        Raises:
            PassFailure: xDSL cannot read it.
        """
        try:
            return parse_source(self.context, text, "<crossing>", implicit_module=False)
        except ParseError as error:
            raise PassFailure(f"xDSL cannot read it: {error.msg}") from error

    def replace(self, op: Operation, new: Operation) -> None:
        """Give an op the attributes, properties and regions of another one."""
        for region, fresh in zip(op.regions, new.regions, strict=True):
            for block in reversed(region.blocks):
                region.erase_block(block, safe_erase=False)
            fresh.move_blocks(region)
        op.attributes = new.attributes
        op.properties = new.properties


class _Printer(Printer):
    """Prints properties as attributes: MLIR drops a property that its op does not have.

    It keeps such an attribute, takes those that its op has as properties, and so does xDSL.
    """

    def print_op_with_default_format(self, op: Operation) -> None:
        """Print an op."""
        is_known = not isinstance(op, UnregisteredOp)
        self.print_properties_as_attributes = (
            is_known and not op.properties.keys() & op.attributes.keys()
        )
        super().print_op_with_default_format(op)
