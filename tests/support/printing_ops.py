"""Ops without a custom form, with one, and with what one likes in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.ir import Operation, OpTraits
from xdsl.traits import IsolatedFromAbove

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.printer import Printer

    Consult = Callable[[Any, Any], object]


class PlainOp(Operation):
    """An op without a custom form."""

    name = "t.plain"
    traits = OpTraits(tuple)


class IsolatedOp(PlainOp):
    """An op inside of which names are counted by themselves."""

    name = "t.isolated"
    traits = OpTraits(lambda: (IsolatedFromAbove(),))


class CustomOp(Operation):
    """Base of ops with a custom form."""

    name = "t.op"
    traits = OpTraits(tuple)

    def print(self, printer: Printer) -> None:
        """Print the operands."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)


def op_that(consult: Consult) -> type[Operation]:
    """Return an op that prints what its printer learns from something."""

    class ConsultingOp(CustomOp):
        def print(self, printer: Printer) -> None:
            super().print(printer)
            printer.print_string(f" {consult(self, printer)}")

    return ConsultingOp
