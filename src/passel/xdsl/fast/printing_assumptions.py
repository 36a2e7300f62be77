"""Assumptions of printing by example about xDSL beyond its public API, and whether they hold.

A printer by example gives names to values, and prints blocks, without asking xDSL's. Both are
right for the versions of xDSL that have the members named here, and whose printer gives the
same text for a sample and remembers the same names.
"""

from __future__ import annotations

from functools import cache
from io import StringIO
from typing import Any, Final

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i1, i32
from xdsl.ir import Block, Operation, OpTraits, Region
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove

from passel.xdsl.fast.example_printer import ExamplePrinter

STATE: Final[dict[str, type[object]]] = {
    **dict.fromkeys(("_ssa_values", "_blocks"), dict),
    **dict.fromkeys(("_ssa_names", "_next_valid_name_id", "_next_line_callback"), list),
    **dict.fromkeys(("_indent", "indent_num_spaces", "_current_line", "_current_column"), int),
    **dict.fromkeys(("print_generic_format", "print_debuginfo"), bool),
    "print_properties_as_attributes": bool,
}
"""Fields of a printer that are read or written."""

MEMBERS: Final = (
    *("print_string", "print_attribute", "print_ssa_value", "print_block_name", "print_block"),
    *("print_block_argument", "print_region", "print_op", "print_symbol_name", "print_metadata"),
    *("print_resource_handle", "enter_scope", "exit_scope", "_print_new_line", "in_location"),
)
"""Methods of a printer that are overridden, or called where xDSL's printer calls them."""

_REMEMBERED: Final = ("_ssa_names", "_next_valid_name_id", "_current_line", "_current_column")


@cache
def mismatches() -> tuple[str, ...]:
    """Return what is not as assumed in the version of xDSL that is installed."""
    printer = Printer()
    found = [
        f"Printer.{name} is no {kind.__name__}"
        for name, kind in STATE.items()
        if not isinstance(getattr(printer, name, None), kind)
    ]
    found += [f"Printer.{name} is missing" for name in MEMBERS if not hasattr(Printer, name)]
    try:
        if not found and any(_result(ExamplePrinter, g) != _result(Printer, g) for g in (0, 1)):
            found.append("a sample is printed otherwise")
    except Exception as error:  # noqa: BLE001 - whatever another version raises
        found.append(f"a sample is not printed: {error!r}")
    return tuple(found)


def _result(printer_class: type[Printer], generic: int) -> list[object]:
    """Return what a printer prints for a sample, and all names that it remembers."""
    stream = StringIO()
    printer: Any = printer_class(stream=stream, print_generic_format=bool(generic))
    printer.print_op(_sample())
    return [
        stream.getvalue(),
        list(printer._ssa_values.values()),
        list(printer._blocks.values()),
        [getattr(printer, name) for name in _REMEMBERED],
    ]


class _Sample(Operation):
    name = "sample"
    traits = OpTraits(tuple)


class _Custom(Operation):
    name = "custom"
    traits = OpTraits(lambda: (IsolatedFromAbove(),))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.results[0].type)
        printer.print_successors(self.successors)
        for region in self.regions:
            printer.print_string(" %")
            printer.print_list(region.block.args, printer.print_block_argument)
            printer.print_region(region, print_entry_block_args=False)


def _sample() -> ModuleOp:
    """Return a module with ops of each kind, each often enough to be learned."""
    blocks = [Block(arg_types=[i32, i32]), Block(arg_types=[i32])]
    first, second = blocks[0].args
    second.name_hint = "hint"
    attributes = {"n": IntegerAttr(-2, i32), "s": StringAttr('"%s\n'), "b": IntegerAttr(1, i1)}
    for number in range(3):
        for op_class in (_Sample, _Custom):
            op = op_class.create(
                operands=[first, second], result_types=[i32, i1], attributes=attributes
            )
            op.results[0].name_hint = ("hint", "other", None)[number]
            blocks[0].add_op(op)
            first = op.results[0]
        blocks[0].add_op(_Custom.create(result_types=[i1], successors=blocks[1:]))
        nested = Region(Block([_Sample.create(operands=[first])], arg_types=[i32]))
        blocks[1].add_op(_Custom.create(result_types=[i1], regions=[nested]))
    return ModuleOp([_Sample.create(regions=[Region(blocks)])])
