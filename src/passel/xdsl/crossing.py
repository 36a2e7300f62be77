"""xDSL's side of the conversion between xDSL and another IR: parsing and printing generic text."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, UnregisteredOp
from xdsl.dialects.func import FuncOp
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError

from passel.errors import PassFailure
from passel.ir import outwards
from passel.xdsl.adapter import XDSLAdapter
from passel.xdsl.dense import bytes_for_mlir
from passel.xdsl.parsing import parse_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from xdsl.context import Context
    from xdsl.ir import Attribute, Operation

_WITHOUT_PROPERTIES = frozenset({"gpu.func"})
"""The names of ops that have a property in xDSL, but not in MLIR."""
_FEW_ELEMENTS = 100
"""The maximum number of elements in a constant that is printed as a list."""


class XDSLSide:
    """xDSL's half of a conversion to or from another IR: it parses and prints xDSL's ops.

    Args:
        context: The context in which ops are parsed. The default is a new context that allows
            unregistered dialects.
        adapter: The xDSL adapter. The default is a new adapter with all installed dialects.
    """

    def __init__(self, context: Context | None = None, adapter: XDSLAdapter | None = None) -> None:
        self.adapter: XDSLAdapter = adapter or XDSLAdapter()
        self.context: Any = context
        if context is None:
            self.context = self.adapter.create_context()
            self.context.allow_unregistered = True

    def write(self, op: Operation, known: Callable[[str], bool] | None = None) -> str:
        """Print an op in generic form with locations.

        Args:
            op: The op to print.
            known: A function that returns whether an op name is registered in the other IR. None
                means that every op name counts as registered.

        Raises:
            PassFailure: If xDSL cannot print the op.
        """
        stream = StringIO()
        printer = _Printer(stream=stream, print_generic_format=True, print_debuginfo=True)
        printer.known = known
        try:
            printer.print_op(op)
        except Exception as error:  # custom printers may raise any exception
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise PassFailure(f"xDSL cannot print the op: {reason}") from error
        return stream.getvalue()

    def knows(self, name: str) -> bool:
        """Return whether `name` is the name of an op that is registered in xDSL."""
        return self.adapter.kind_named(self.context, name) is not None

    def read(self, text: str, enclosing: Iterable[str] = ()) -> Operation:
        """Parse a text that contains exactly one top-level op.

        Raises:
            PassFailure: If xDSL cannot parse the text.
        """
        try:
            return parse_source(self.context, text, "<crossing>", implicit_module=False)
        except ParseError as error:
            raise PassFailure(f"xDSL cannot read the op: {error.msg}") from error

    def symbol(self, op: Operation, name: str) -> Operation | None:
        """Search the ops that enclose `op`, from the innermost outwards, for the symbol `name`.

        Returns:
            The op that defines the symbol, or None.
        """
        tables = outwards(self.adapter, op.parent_op())
        near = (each for table in tables for each in self.adapter.children(table))
        return next((each for each in near if self.adapter.symbol_name(each) == name), None)

    def function_type(self, op: Operation) -> str:
        """Return the type of a `func.func` as text, or an empty string for any other op."""
        return str(op.function_type) if isinstance(op, FuncOp) else ""

    def replace(self, op: Operation, new: Operation) -> None:
        """Replace the attributes, properties and regions of `op` with those of `new`."""
        for region, fresh in zip(op.regions, new.regions, strict=True):
            for block in reversed(region.blocks):
                region.erase_block(block, safe_erase=False)
            fresh.move_blocks(region)
        op.attributes = new.attributes
        op.properties = new.properties


class _Printer(Printer):
    """A printer that prints properties as attributes where MLIR would lose them.

    MLIR drops a property that is not in its own definition of the op. In an unregistered op, passes
    see attributes, but no properties. When the text is parsed again, both IRs convert the
    attributes back to properties.
    """

    known: Callable[[str], bool] | None = None

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute, with a large constant as a hexadecimal string in MLIR's format."""
        constant: Any = attribute
        if isinstance(attribute, DenseIntOrFPElementsAttr) and len(constant) > _FEW_ELEMENTS:
            data = bytes_for_mlir([*constant.get_values()], constant.get_element_type())
            if data is not None and not constant.is_splat():
                self.print_string(f'dense<"0x{data.hex().upper()}"> : ')
                self.print_attribute(constant.get_type())
                return
        super().print_attribute(cast("Attribute", attribute))

    def print_op_with_default_format(self, op: Operation) -> None:
        """Print an op, and print its properties as attributes if MLIR would drop the properties."""
        outer = self.print_properties_as_attributes
        clash = op.properties.keys() & op.attributes.keys()
        self.print_properties_as_attributes = not clash and self._loses_properties(op)
        super().print_op_with_default_format(op)
        self.print_properties_as_attributes = outer

    def _loses_properties(self, op: Operation) -> bool:
        if self.known is None or isinstance(op, UnregisteredOp):
            return False
        return op.name in _WITHOUT_PROPERTIES or not self.known(op.name)
