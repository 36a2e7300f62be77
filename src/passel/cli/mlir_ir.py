"""MLIR itself as the tool's IR, through its Python bindings.

Source: `mlir::MlirOptMain`, MLIR 22.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.cli.flags import UsageError
from passel.cli.ir_printing import print_flags
from passel.cli.irs import Parsed, UnreadableError
from passel.mlir import MLIRAdapter, ParseError, parse_file, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.cli.flags import Arguments
    from passel.cli.splitting import Chunk
    from passel.diagnostics import Diagnostic
    from passel.ir import IRAdapter
    from passel.xdsl.resources import ExternalResource

_METADATA = "{-#"

_REFUSED = {
    "disable-verify": "MLIR's bindings verify whatever they parse; --verify-each=false turns "
    "off the verification after passes",
    "target": "xDSL's targets print xDSL's IR",
    "print-no-properties": "MLIR's printer has no such form; --mlir-print-op-generic shows all",
    "syntax-highlight": "MLIR's printer has no colours",
    "parsing-diagnostics": "it is for xDSL's tests",
    "shrink": "it is for xDSL's passes",
}
"""Flags that mean nothing to MLIR, and why."""


class MLIRTool:
    """MLIR's parser, verifier and printer.

    Args:
        arguments: The command line.

    Raises:
        UsageError: A flag's value is wrong, or has no meaning here.
    """

    reads_bytecode = True
    verifies_input = True

    def __init__(self, arguments: Arguments) -> None:
        for flag, reason in _REFUSED.items():
            if flag in arguments.given:
                raise UsageError(f"'--{flag}' does not work with --ir=mlir: {reason}")
        self._mlir = MLIRAdapter()
        self.adapter: IRAdapter = self._mlir
        self._arguments = arguments
        self._flags = print_flags(arguments)
        self._as_bytecode = arguments.flag("emit-bytecode")

    def new_context(self) -> Any:
        """Return a context with the dialects of the bindings."""
        context = self.adapter.create_context()
        context.allow_unregistered_dialects = self._arguments.flag("allow-unregistered-dialect")
        if self._arguments.flag("mlir-disable-threading"):
            context.enable_multithreading(False)
        return context

    def parse(
        self, chunk: Chunk, name: str, context: Any, warn: Callable[[Diagnostic], None]
    ) -> Parsed:
        """Parse and verify; a whole file is read by MLIR itself."""
        implicit_module = not self._arguments.flag("no-implicit-module")
        resources = self._resources(chunk, name)
        path = self._arguments.inputs[0] if self._arguments.inputs else "-"
        is_whole = path == name and not self._arguments.text("split-input-file")
        try:
            if is_whole and implicit_module and Path(path).is_file():
                return Parsed(parse_file(path, context, on_warning=warn), resources)
            op = parse_source(
                context,
                chunk.text,
                name,
                implicit_module=implicit_module,
                line_offset=chunk.line_offset,
                on_warning=warn,
            )
        except ParseError as error:
            raise UnreadableError(error.diagnostics, f"{error}\n") from error
        return Parsed(op, resources)

    def _resources(self, chunk: Chunk, name: str) -> list[ExternalResource]:
        """Return the external resources of a text, which the bindings drop.

        xDSL's parser reads them: it is given the end of the text at its place.
        """
        if not isinstance(chunk.text, str) or "external_resources" not in chunk.text:
            return []
        from xdsl.context import Context
        from xdsl.utils.exceptions import ParseError as XDSLParseError

        from passel.xdsl.parsing import parse_source as parse_with_xdsl

        start = chunk.text.rindex(_METADATA) if _METADATA in chunk.text else len(chunk.text)
        before = "".join(each if each == "\n" else " " for each in chunk.text[:start])
        resources: list[ExternalResource] = []
        try:
            parse_with_xdsl(
                Context(),
                before + chunk.text[start:],
                name,
                line_offset=chunk.line_offset,
                resources=resources,
            )
        except XDSLParseError:
            return []  # what is wrong, MLIR says
        return resources

    def emit(self, op: Any, context: Any, resources: list[ExternalResource]) -> str | bytes:
        """Print as mlir-opt does, or as bytecode."""
        if self._as_bytecode:
            return self._bytecode(op)
        text = self.adapter.print_op(op, self._flags)
        if resources:
            from passel.xdsl.resources import print_resources

            text += f"\n\n{print_resources(resources)}"
        return text + "\n\n"

    def _bytecode(self, op: Any) -> bytes:
        if not self._mlir.bindings.abilities.bytecode:
            self._mlir.bindings.require("bytecode")
        stream = BytesIO()
        op.operation.write_bytecode(stream)
        return stream.getvalue()
