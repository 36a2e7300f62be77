"""Whole source files: printing IR so that parsing gives the same IR again."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, UnregisteredAttr, UnregisteredOp

from passel.xdsl.fast import printer_class
from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.ir import Operation


def print_source(
    op: Operation, context: Context, *, generic: bool = True, locations: bool = False
) -> str:
    """Return an op as a file, with the resources that it refers to; without a final newline."""
    stream = StringIO()
    printer = printer_class()(
        stream=stream, print_generic_format=generic, print_debuginfo=locations
    )
    printer.print_op(op)
    printer.print_metadata(context.loaded_dialects)
    return stream.getvalue()


def readable_source(text: str, context: Context) -> str:
    """Return a file of generic form in custom form, if that reads back as the same IR.

    Some custom forms do not: they leave something out, or do not parse.
    """
    try:
        custom = print_source(_parse(text, context), context, generic=False)
        again = print_source(_parse(custom, context), context)
    except Exception:  # noqa: BLE001 - dialects' printers and parsers raise what they like
        return text
    return custom if again == text else text


def reading_flags(op: Operation) -> tuple[str, ...]:
    """Return the flags that a tool needs to read the op's file."""
    flags: list[str] = []
    if not isinstance(op, ModuleOp):
        flags.append("--no-implicit-module")
    if any(map(_is_unregistered, op.walk())):
        flags.append("--allow-unregistered-dialect")
    return tuple(flags)


def _parse(text: str, context: Context) -> Operation:
    context = context.clone()  # parsing loads dialects
    context.allow_unregistered = True
    (op,) = SourceParser(context, text).parse_top_level()
    return op


def _is_unregistered(op: Operation) -> bool:
    if isinstance(op, UnregisteredOp):
        return True
    attributes = [*op.attributes.values(), *op.properties.values(), *op.result_types]
    return any(isinstance(attribute, UnregisteredAttr) for attribute in attributes)
