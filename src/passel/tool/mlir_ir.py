"""MLIR itself as the tool's IR, through its Python bindings.

Source: `mlir::MlirOptMain`, MLIR 22.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Diagnostic, Location, Severity
from passel.ir import PrintFlags
from passel.ir.resources import add_resources, read_resources
from passel.mlir import MLIRAdapter, ParseError, parse_file, parse_source
from passel.tool.flags import UsageError
from passel.tool.ir_printing import print_flags
from passel.tool.irs import Parsed, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.ir import IRAdapter
    from passel.ir.resources import ExternalResource
    from passel.tool.flags import Arguments
    from passel.tool.splitting import Chunk

_DROPPED = "ignoring unknown external resources"
"""What MLIR says of resources that are kept here."""

_REFERENCE = PrintFlags(generic=True, debuginfo=True)

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

_NEWEST_BYTECODE = 6


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
        self._implicit_module = not arguments.flag("no-implicit-module")
        self.reads_files: bool = self._implicit_module and not arguments.text("split-input-file")
        self._as_bytecode = arguments.flag("emit-bytecode")
        self._version = self._bytecode_version()
        self._irdl = arguments.text("irdl-file")
        if self._irdl and not Path(self._irdl).is_file():
            raise UsageError(f"cannot open IRDL file '{self._irdl}'")

    def _bytecode_version(self) -> int | None:
        text = self._arguments.text("emit-bytecode-version")
        if not text:
            return None
        if not (text.isascii() and text.isdecimal()):
            raise UsageError(f"'--emit-bytecode-version' takes a number, not '{text}'")
        if not self._as_bytecode:
            raise UsageError("bytecode version while not emitting bytecode: add --emit-bytecode")
        if int(text) > _NEWEST_BYTECODE:
            raise UsageError(
                f"unsupported bytecode version {text}, must be in range [0, {_NEWEST_BYTECODE}]"
            )
        return int(text)

    def new_context(self) -> Any:
        """Return a context with the dialects of the bindings, and of an IRDL file."""
        context = self.adapter.create_context()
        context.allow_unregistered_dialects = self._arguments.flag("allow-unregistered-dialect")
        if self._arguments.flag("mlir-disable-threading"):
            context.enable_multithreading(False)
        if self._irdl:
            self._define_dialects(context)
        return context

    def _define_dialects(self, context: Any) -> None:
        try:
            parse_file(self._irdl, context)
        except ParseError as error:
            raise UnreadableError(error.diagnostics, f"{error}\n") from error
        module = self._mlir.bindings.ir.Module.parseFile(self._irdl, context)
        self._mlir.bindings.module("dialects.irdl").load_dialects(module)

    def parse(
        self, chunk: Chunk, name: str, context: Any, warn: Callable[[Diagnostic], None]
    ) -> Parsed:
        """Parse and verify; a whole file is read by MLIR itself."""
        is_text = isinstance(chunk.text, str)
        resources = read_resources(chunk.text) if is_text else []

        def on_warning(diagnostic: Diagnostic) -> None:
            if not (is_text and diagnostic.message.startswith(_DROPPED)):
                warn(diagnostic)

        try:
            op = self._parsed(chunk, name, context, on_warning)
        except ParseError as error:
            raise UnreadableError(error.diagnostics, f"{error}\n") from error
        if resources and self._as_bytecode:
            message = "MLIR's bindings write no external resources to bytecode"
            warn(
                Diagnostic(Severity.WARNING, message, chunk.location(resources[0].key_start, name))
            )
        if self._arguments.flag("verify-roundtrip"):
            self._check_roundtrip(op)
        return Parsed(op, resources)

    def _parsed(
        self, chunk: Chunk, name: str, context: Any, on_warning: Callable[[Diagnostic], None]
    ) -> Any:
        path = self._arguments.inputs[0] if self._arguments.inputs else "-"
        if self.reads_files and path == name and _is_plain(path):
            return parse_file(path, context, on_warning=on_warning)
        op = parse_source(
            context,
            chunk.text,
            name,
            implicit_module=self._implicit_module,
            line_offset=chunk.line_offset,
            on_warning=on_warning,
        )
        if chunk.column and self.adapter.location(op) == Location(name):
            # The implicit module of a part is where the part begins.
            location = self._mlir.bindings.ir.Location
            line = chunk.line_offset + 1
            op.operation.location = location.file(name, line, chunk.column, context=context)
        return op

    def _check_roundtrip(self, op: Any) -> None:
        """Print and parse the op, as text and as bytecode, in a context of its own each.

        Raises:
            UnreadableError: What comes back is something else.

        Source: `doVerifyRoundTrip`, MLIR 22.
        """
        reference = self.adapter.print_op(op, _REFERENCE)
        forms: dict[str, str | bytes] = {"textual": reference}
        if op.operation.name == "builtin.module":
            forms["bytecode"] = self._bytecode(op)  # the bindings read no other op's
        for form, source in forms.items():
            try:
                back = parse_source(self.new_context(), source, "-", implicit_module=False)
                again = self.adapter.print_op(back, _REFERENCE)
                because = "roundtripped module differs from reference:\n"
            except ParseError as error:
                again, because = "", f"failed: {error.diagnostics[0].message}\n"
            if again != reference:
                message = (
                    f"'{op.operation.name}' op {form} roundTrip testing {because}"
                    f"<<<<<<Reference\n{reference}\n=====\n{again}\n>>>>>roundtripped\n"
                )
                place = self.adapter.location(op)
                diagnostic = Diagnostic(Severity.ERROR, message, place)
                raise UnreadableError([diagnostic], f"{diagnostic}\n")

    def emit(self, op: Any, context: Any, resources: list[ExternalResource]) -> str | bytes:
        """Print as mlir-opt does, or as bytecode."""
        if self._as_bytecode:
            return self._bytecode(op)
        text = self.adapter.print_op(op, self._flags)
        if self._flags.local_scope:  # it has nothing of the file, not even its empty last line
            return f"{text}\n"
        return add_resources(text, resources, self._flags.elide_resources) + "\n\n"

    def _bytecode(self, op: Any) -> bytes:
        if not self._mlir.bindings.abilities.bytecode:
            self._mlir.bindings.require("bytecode")
        stream = BytesIO()
        op.operation.write_bytecode(stream, desired_version=self._version)
        return stream.getvalue()


def _is_plain(path: str) -> bool:
    """Tell whether MLIR can read a file by itself: again, and without a byte order mark."""
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(BOM_UTF8)) != BOM_UTF8
