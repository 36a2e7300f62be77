"""The frontend of command-line tools for MLIR's Python bindings.

Source: `mlir::MlirOptMain`, MLIR 22.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from passel.diagnostics import Diagnostic, Location, Severity
from passel.frontend import Frontend, Parsed, UnreadableError, UsageError
from passel.frontend.resources import add_resources, read_resources
from passel.ir import PrintFlags
from passel.mlir.bindings import MAGIC, on_threads
from passel.mlir.contents import printed
from passel.mlir.diagnostics import ParseError
from passel.mlir.parsing import parse_file, parse_source
from passel.mlir.standard_error import end_at_fatal_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from passel.frontend import FrontendSettings, SourcePart
    from passel.mlir.bindings import Bindings

_DROPPED = "ignoring unknown external resources"
"""The start of MLIR's warning about resources, which the frontend preserves."""

_REFERENCE = PrintFlags(generic=True, debuginfo=True)

_NEWEST_BYTECODE = 6

_PRODUCER = 5
"""The offset of the producer in bytecode, after the magic number and the version byte."""


class MLIRFrontend(Frontend):
    """The frontend that uses MLIR's parser, verifier and printer.

    Args:
        adapter: The `MLIRAdapter` for the build.
    """

    verifies = True
    byte_columns = True
    is_native = True
    refused: ClassVar[Mapping[str, str]] = {
        "disable-verify": "does not work with --ir=mlir: MLIR's bindings verify whatever they "
        "parse; --verify-each=false turns off the verification after passes",
    }

    def __init__(self, adapter: Any) -> None:
        super().__init__(adapter)
        self._bare_context: Callable[[], Any] = adapter.create_bare_context
        self._bindings: Bindings = adapter.bindings

    def configure(self, settings: FrontendSettings) -> None:
        """Check and store the settings of the tool.

        Raises:
            UsageError: If a setting is invalid.
        """
        end_at_fatal_errors(self._bindings.path)
        self.settings = settings
        self.reads_files: bool = settings.implicit_module
        self._as_bytecode: bool = settings.own.get("emit-bytecode", False)
        self._version: int | None = settings.own.get("emit-bytecode-version")
        if self._version is not None:
            if not self._as_bytecode:
                raise UsageError(
                    "bytecode version while not emitting bytecode: add --emit-bytecode"
                )
            if self._version > _NEWEST_BYTECODE:
                raise UsageError(
                    f"unsupported bytecode version {self._version}, "
                    f"must be in range [0, {_NEWEST_BYTECODE}]"
                )
        self._irdl: str = settings.own.get("irdl-file", "")
        if self._irdl and not Path(self._irdl).is_file():
            raise UsageError(f"cannot open IRDL file '{self._irdl}'")

    def is_binary(self, data: bytes, name: str) -> bool:
        """Return whether the input is MLIR bytecode."""
        return data.startswith(MAGIC)

    def new_context(self) -> Any:
        """Return a new context with the bindings' dialects and any dialects from the IRDL file."""
        context = self._bare_context()
        context.allow_unregistered_dialects = self.settings.allow_unregistered
        if not self.settings.threading:
            self.set_threading(context, enable=False)
        if self._irdl:
            self._define_dialects(context)
        return context

    def set_threading(self, context: Any, enable: bool) -> None:
        """Enable or disable MLIR's threads in a context."""
        context.enable_multithreading(enable)

    def _define_dialects(self, context: Any) -> None:
        try:
            parse_file(self._irdl, context)
        except ParseError as error:
            raise UnreadableError(error.diagnostics) from error
        module = self._bindings.ir.Module.parseFile(self._irdl, context)
        self._bindings.module("dialects.irdl").load_dialects(module)

    def read(self, part: SourcePart, context: Any, warn: Callable[[Diagnostic], None]) -> Parsed:
        """Parse and verify the input, or one part of a split input.

        If implicit modules are enabled, and the input file is not split, MLIR itself reads the
        file.
        """
        is_text = isinstance(part.text, str)

        def on_warning(diagnostic: Diagnostic) -> None:
            if not (is_text and diagnostic.message.startswith(_DROPPED)):
                warn(diagnostic)

        try:
            with on_threads(context, 1):  # with several threads, MLIR would lock its tables
                op = self._parsed(part, context, on_warning)
        except ParseError as error:
            raise UnreadableError(error.diagnostics) from error
        # Only parsed text is known to have matching braces.
        resources = read_resources(part.text) if is_text else []
        if resources and self._as_bytecode:
            message = "MLIR's bindings cannot write external resources to bytecode"
            place = part.location(resources[0].key_start)
            warn(Diagnostic(Severity.WARNING, message, place))
        if self.settings.own.get("verify-roundtrip"):
            self._check_roundtrip(op)
        return Parsed(op, resources)

    def _parsed(
        self, part: SourcePart, context: Any, on_warning: Callable[[Diagnostic], None]
    ) -> Any:
        if self.reads_files and part.path is not None:
            return parse_file(part.path, context, on_warning=on_warning)
        op = parse_source(
            context,
            part.text,
            part.name,
            implicit_module=self.settings.implicit_module,
            line_offset=part.line_offset,
            on_warning=on_warning,
        )
        if part.column and self.adapter.location(op) == Location(part.name):
            # The implicit module of a part is located at the start of the part.
            location = self._bindings.ir.Location
            line = part.line_offset + 1
            op.operation.location = location.file(part.name, line, part.column, context=context)
        return op

    def _check_roundtrip(self, op: Any) -> None:
        """Check that an op survives printing and parsing, both as text and as bytecode.

        Raises:
            UnreadableError: If a parsed op differs from the original op.

        Source: `doVerifyRoundTrip`, MLIR 22.
        """
        reference = self.adapter.print_op(op, _REFERENCE)
        forms: dict[str, str | bytes] = {"textual": reference}
        if op.operation.name == "builtin.module":
            forms["bytecode"] = self._bytecode(op)  # the bindings read only modules
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
                raise UnreadableError([Diagnostic(Severity.ERROR, message, place)])

    def emit(self, parsed: Parsed, context: Any) -> bytes:
        """Return a parsed op as text in the format of mlir-opt, or as bytecode."""
        if self._as_bytecode:
            return self._bytecode(parsed.op)
        flags = self.settings.printing
        text = printed(parsed.op.operation, flags).rstrip(b"\n")
        if parsed.resources and not flags.local_scope:
            text = add_resources(text.decode(), parsed.resources, flags.elide_resources).encode()
        # With local scope, an op is printed without the file's empty last line.
        return text + (b"\n" if flags.local_scope else b"\n\n")

    def _bytecode(self, op: Any) -> bytes:
        stream = BytesIO()
        op.operation.write_bytecode(stream, desired_version=self._version)
        return stream.getvalue()

    def version(self) -> str:
        """Return the name of the MLIR release that the bindings write into bytecode."""
        ir = self._bindings.ir
        stream = BytesIO()
        ir.Module.parse("module {}", context=ir.Context()).operation.write_bytecode(stream)
        producer = stream.getvalue()[_PRODUCER:].partition(b"\0")[0].decode()
        return producer.replace("MLIR", "MLIR's bindings ", 1)

    def dialect_names(self) -> Iterable[str]:
        """Return the names of the dialects that the bindings register."""
        return self._bindings.dialect_names(self._bare_context())
