"""xDSL's printer with support for `PrintFlags`.

Source: `OpPrintingFlags` and `AsmPrinter::Impl::printAttributeImpl`, MLIR 22.
"""

from __future__ import annotations

from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, UnregisteredAttr, UnregisteredOp
from xdsl.ir import Dialect
from xdsl.printer import Printer

from passel.ir import PrintFlags
from passel.xdsl.fast import make_parser, printer_class

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.context import Context
    from xdsl.ir import Attribute, Operation, Region

_EXPLICIT_TERMINATORS = frozenset({"scf.execute_region"})
"""The names of ops whose terminators xDSL's printer omits, but xDSL's parser does not add."""


class _Printer(Printer):
    """A printer that supports `PrintFlags`.

    The printer elides long resources and large constants. An elided constant is parsed as a missing
    resource. The printer also prints the terminators that xDSL omits although its parser does not
    add them.
    """

    flags: PrintFlags

    def print_region(self, region: Region, *arguments: bool, **keywords: bool) -> None:
        """Print a region, or `{...}` if the flags skip regions."""
        if self.flags.skip_regions:
            self.print_string("{...}")
            return
        if region.parent is not None and region.parent.name in _EXPLICIT_TERMINATORS:
            arguments, keywords["print_block_terminators"] = arguments[:2], True
        super().print_region(region, *arguments, **keywords)

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute, or elide a large constant that is not a splat."""
        limit, constant = self.flags.elide_elements, cast("Any", attribute)
        if (
            limit is not None
            and isinstance(attribute, DenseIntOrFPElementsAttr)
            and len(constant) > limit
            and not constant.is_splat()
        ):
            self.print_string("dense_resource<__elided__> : ")
            self.print_attribute(constant.get_type())
            return
        super().print_attribute(constant)

    def print_metadata(self, dialects: Iterable[Dialect]) -> None:
        """Print the dialects' resources, except for resources that exceed the length limit."""
        if (limit := self.flags.elide_resources) is not None:
            dialects = [
                Dialect(each.name, [], [], [_ShortResources(interface, limit)])
                for each in dialects
                if (interface := each.get_interface(OpAsmDialectInterface))
            ]
        super().print_metadata(dialects)


class _ShortResources(OpAsmDialectInterface):
    """A wrapper of a dialect's interface that omits long resources."""

    def __init__(self, full: OpAsmDialectInterface, limit: int) -> None:
        super().__init__()
        self.full, self.limit = full, limit

    def build_resources(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the text of each resource within the length limit."""
        resources = self.full.build_resources(keys)
        return {key: text for key, text in resources.items() if len(text) <= self.limit}


def printed(op: Operation, flags: PrintFlags, dialects: Iterable[Dialect] | None = None) -> str:
    """Print an op, and the resources of dialects if given, to a string without a final newline.

    Raises:
        Exception: If the custom printer of an op fails, usually because the IR is invalid.
    """
    stream = StringIO()
    printer = make_printer(flags, stream=stream)
    printer.print_op(op)
    if dialects is not None:
        printer.print_metadata(dialects)
    return stream.getvalue()


def make_printer(flags: PrintFlags, **arguments: Any) -> Printer:
    """Create a printer that applies printing flags.

    Args:
        flags: The printing flags. `local_scope` has no effect, since xDSL prints no aliases.
        arguments: Additional keyword arguments for xDSL's printer.
    """
    arguments |= {"print_generic_format": flags.generic, "print_debuginfo": flags.debuginfo}
    printer = _combined(printer_class())(**arguments)
    printer.flags = flags
    return printer


@cache
def _combined(base: type[Printer]) -> type[_Printer]:
    return _Printer if base is Printer else type("CombinedPrinter", (_Printer, base), {})


def print_source(op: Operation, context: Context) -> str:
    """Return an op in generic form and its dialect resources as text."""
    return printed(op, PrintFlags(generic=True), context.loaded_dialects)


def readable_source(text: str, context: Context) -> str:
    """Convert generic text to custom form if the custom form parses to the same IR.

    Otherwise, the text is returned unchanged.
    """
    try:
        custom = printed(_parse(text, context), PrintFlags(), context.loaded_dialects)
        again = print_source(_parse(custom, context), context)
    except Exception:  # noqa: BLE001 - dialects' printers and parsers raise what they like
        return text
    return custom if again == text else text


def _parse(text: str, context: Context) -> Operation:
    context = context.clone()  # parsing loads dialects
    context.allow_unregistered = True
    (op,) = make_parser(context, text).parse_top_level()
    return op


def is_unregistered(op: Operation) -> bool:
    """Return whether an op or one of its attributes, properties or result types is unregistered."""
    if isinstance(op, UnregisteredOp):
        return True
    attributes = [*op.attributes.values(), *op.properties.values(), *op.result_types]
    return any(isinstance(attribute, UnregisteredAttr) for attribute in attributes)
