"""From flags to what prints IR: one printer for all parts of the input.

Source: `registerPassManagerCLOptions`, MLIR 22.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from passel.ir.frontend import UsageError

if TYPE_CHECKING:
    from passel.instruments.ir_printing import PrintIR
    from passel.passes import PassRegistry
    from passel.tool.settings import Settings


def make_printer(settings: Settings, registry: PassRegistry) -> PrintIR | None:
    """Return what prints IR as the flags ask for, if they do.

    Raises:
        UsageError: A flag's value is wrong.
    """
    given = settings.printing
    before = given.mlir_print_ir_before_all or _known(
        "mlir-print-ir-before", given.mlir_print_ir_before, registry
    )
    after = given.mlir_print_ir_after_all or _known(
        "mlir-print-ir-after", given.mlir_print_ir_after, registry
    )
    only_on_failure = given.mlir_print_ir_after_failure
    diff, symbol = given.mlir_print_ir_diff, given.mlir_print_ir_op
    if not (before or after or only_on_failure or diff or symbol):
        return None
    from passel.instruments.ir_printing import PrintIR

    printer = PrintIR(
        before=before,
        after=after,
        module_scope=given.mlir_print_ir_module_scope,
        only_on_change=given.mlir_print_ir_after_change,
        only_on_failure=only_on_failure,
        flags=settings.print_flags,
        directory=given.mlir_print_ir_tree_dir or None,
        diff=diff,
        symbol=symbol,
    )
    printer.defers_complaint = True  # a later part of the input may have the symbol
    return printer


def finish_printing(printer: PrintIR | None) -> None:
    """Say what there is to say when the last part of the input has been processed."""
    if printer is not None and printer.complaint:
        sys.stderr.write(printer.complaint)


def _known(flag: str, names: tuple[str, ...], registry: PassRegistry) -> tuple[str, ...]:
    """Return names of passes, all of which exist."""
    for name in names:
        if name not in registry:
            hint = registry.suggest(name)
            raise UsageError(f"for the --{flag} option: Cannot find option named '{name}'!{hint}")
    return names
