"""xDSL as one side of a crossing: ops from generic text, and back into the op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

    def __init__(self, context: Context | None = None) -> None:
        self.adapter = XDSLAdapter()
        self.context: Any = context
        if context is None:
            self.context = self.adapter.create_context()
            self.context.allow_unregistered = True

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
