"""From flags to what prints IR: one printer for all parts of the input.

Source: `registerPassManagerCLOptions`, MLIR 22.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from passel.ir import PrintFlags
from passel.tool.flags import UsageError

if TYPE_CHECKING:
    from passel.instruments.ir_printing import PrintIR
    from passel.passes import PassRegistry
    from passel.tool.flags import Arguments


def make_printer(arguments: Arguments, registry: PassRegistry) -> PrintIR | None:
    """Return what prints IR as the flags ask for, if they do.

    Raises:
        UsageError: A flag's value is wrong.
    """
    # Also without passes to print at: a wrong value is wrong in any case.
    flags = print_flags(arguments)
    before = arguments.flag("mlir-print-ir-before-all") or _passes(arguments, registry, "before")
    after = arguments.flag("mlir-print-ir-after-all") or _passes(arguments, registry, "after")
    only_on_failure = arguments.flag("mlir-print-ir-after-failure")
    diff = arguments.flag("mlir-print-ir-diff")
    symbol = _symbol(arguments)
    if not (before or after or only_on_failure or diff or symbol):
        return None
    from passel.instruments.ir_printing import PrintIR

    printer = PrintIR(
        before=before,
        after=after,
        module_scope=arguments.flag("mlir-print-ir-module-scope"),
        only_on_change=arguments.flag("mlir-print-ir-after-change"),
        only_on_failure=only_on_failure,
        flags=flags,
        directory=arguments.text("mlir-print-ir-tree-dir") or None,
        diff=diff,
        symbol=symbol,
    )
    printer.defers_complaint = True  # a later part of the input may have the symbol
    return printer


def finish_printing(printer: PrintIR | None) -> None:
    """Say what there is to say when the last part of the input has been processed."""
    if printer is not None and printer.complaint:
        sys.stderr.write(printer.complaint)


def print_flags(arguments: Arguments) -> PrintFlags:
    """Return how the flags want IR to be printed.

    Raises:
        UsageError: A limit is not a number.
    """
    return PrintFlags(
        generic=arguments.flag("mlir-print-op-generic"),
        debuginfo=arguments.flag("mlir-print-debuginfo"),
        local_scope=arguments.flag("mlir-print-local-scope"),
        elide_elements=_limit(arguments, "mlir-elide-elementsattrs-if-larger"),
        elide_resources=_limit(arguments, "mlir-elide-resource-strings-if-larger"),
        skip_regions=arguments.flag("mlir-print-skip-regions"),
        pretty_locations=arguments.flag("mlir-pretty-debuginfo"),
        name_locations=arguments.flag("mlir-use-nameloc-as-prefix"),
        assume_verified=arguments.flag("mlir-print-assume-verified"),
    )


def _limit(arguments: Arguments, flag: str) -> int | None:
    if flag not in arguments.given:
        return None
    text = arguments.text(flag)
    if not (text.isascii() and text.isdecimal()):
        raise UsageError(f"'--{flag}' takes a number, not '{text}'")
    return int(text)


def _symbol(arguments: Arguments) -> str:
    if "mlir-print-ir-op" not in arguments.given:
        return ""
    text = arguments.text("mlir-print-ir-op")
    name = text.removeprefix("@")
    if name[:1] == name[-1:] == '"':
        name = name[1:-1]
    if not name:
        raise UsageError(f"'--mlir-print-ir-op' takes a symbol such as @main, not '{text}'")
    return name


def _passes(arguments: Arguments, registry: PassRegistry, when: str) -> tuple[str, ...]:
    """Return the passes before or after which the IR is printed."""
    flag = f"mlir-print-ir-{when}"
    given = arguments.text(flag).split(",")
    names = tuple(name for each in given if (name := each.strip()))
    for name in names:
        if name not in registry:
            hint = registry.suggest(name)
            raise UsageError(f"for the --{flag} option: Cannot find option named '{name}'!{hint}")
    return names
