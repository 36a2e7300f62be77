"""Printing the result: as MLIR, or by one of xDSL's targets (`-t riscv-asm`)."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import ArgSpec, parse_spec
from xdsl.utils.exceptions import ArgSpecParseError

from passel.diagnostics import suggest
from passel.ir.frontend import UsageError
from passel.xdsl.printing import make_printer
from passel.xdsl.registration import installed_universe

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.context import Context
    from xdsl.ir import Operation
    from xdsl.utils.target import Target

    from passel.ir.frontend import FrontendSettings


class Emitter:
    """Prints ops as the flags demand.

    Raises:
        UsageError: There is no such target, it cannot be loaded, or its options are wrong.
    """

    def __init__(self, settings: FrontendSettings) -> None:
        spec = _spec(settings.own.get("target", "mlir"))
        self._target: Target | None = _target(spec)
        self._is_mlir: bool = spec.name == "mlir"
        self._flags = settings.printing

    def emit(self, op: Operation, context: Context, metadata: str = "") -> str:
        """Return the op as text.

        Args:
            op: What to print.
            context: Its context.
            metadata: What to add to it if it is printed as MLIR.

        Raises:
            Exception: Whatever the target raises for IR that it does not take.
        """
        stream = StringIO()
        if self._target is not None and not self._is_mlir:
            if not isinstance(op, ModuleOp):
                msg = f"it takes a builtin.module, not '{op.name}'"
                raise TypeError(msg)
            self._target.emit(context, op, stream)
            return stream.getvalue()
        printer = make_printer(self._flags, stream=stream)
        printer.print_op(op)
        printer.print_metadata(context.loaded_dialects)
        if metadata:
            stream.write(f"\n\n{metadata}")
        # Like mlir-opt's, the output ends with an empty line, except for an op on its own.
        stream.write("\n" if self._flags.local_scope else "\n\n")
        return stream.getvalue()


def _target(spec: ArgSpec) -> Target | None:
    """Return a target; None for MLIR's text, which is no target of a package before 0.60."""
    targets = installed_universe().all_targets
    if spec.name not in targets:
        if spec.name == "mlir":
            return None
        names = sorted({"mlir", *targets})
        hint = suggest(spec.name, names) or f" (one of {', '.join(names)})"
        raise UsageError(f"no such target '{spec.name}'{hint}")
    try:
        return load_target(spec.name, targets[spec.name]).from_spec(spec)
    except ValueError as error:
        raise UsageError(f"target '{spec.name}': {error}") from None


def load_target(name: str, factory: Callable[[], type[Target]]) -> type[Target]:
    """Import a target, which may need packages that xDSL does not.

    Raises:
        UsageError: The target, or what it needs, is not installed.
    """
    try:
        return factory()
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        need = f"the Python module '{module}', which is not installed"
        raise UsageError(f"target '{name}' needs {need}") from error


def _spec(text: str) -> ArgSpec:
    try:
        return parse_spec(text)
    except ArgSpecParseError as error:  # a BaseException in xDSL
        raise UsageError(f"--target: {error}") from None
