"""Reading and printing xDSL's IR in command-line tools."""

from __future__ import annotations

from io import BufferedWriter, BytesIO, TextIOWrapper
from typing import IO, TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ArgSpecParseError, MultipleSpansParseError, ParseError

from passel.diagnostics import Diagnostic, Location, Severity, suggest
from passel.frontend import Frontend, Parsed, UnreadableError, UsageError
from passel.xdsl.parsing import parse_source
from passel.xdsl.printing import make_printer
from passel.xdsl.registration import installed_universe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from xdsl.context import Context
    from xdsl.utils.target import Target

    from passel.frontend import FrontendSettings, SourcePart
    from passel.frontend.resources import ExternalResource


def _target(text: str) -> Target | None:
    """Return the target with a specification, or None if the specification is `mlir`.

    Raises:
        UsageError: If the target does not exist, needs a package that is missing, or rejects its
            options.
    """
    try:
        spec = parse_spec(text)
    except ArgSpecParseError as error:  # a BaseException in xDSL
        raise UsageError(f"--target: {error}") from None
    targets = installed_universe().all_targets
    if spec.name not in (names := sorted({"mlir", *targets})):
        hint = suggest(spec.name, names) or f"; use one of {', '.join(names)}"
        raise UsageError(f"no such target '{spec.name}'{hint}")
    try:
        target = targets[spec.name]().from_spec(spec) if spec.name in targets else None
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        need = f"the Python module '{module}', which is not installed"
        raise UsageError(f"target '{spec.name}' needs {need}") from error
    except ValueError as error:
        raise UsageError(f"target '{spec.name}': {error}") from None
    return None if spec.name == "mlir" else target


_BYTECODE = b"ML\xefR"


class XDSLFrontend(Frontend):
    """The frontend that runs xDSL's parser, printer and targets."""

    def configure(self, settings: FrontendSettings) -> None:
        """Apply the settings of a tool: look up the output target, and create a context."""
        self.settings = settings
        self._target: Target | None = _target(settings.own.get("target", "mlir"))
        self._base: Context = self.adapter.create_context()
        self._base.allow_unregistered = settings.allow_unregistered

    def is_binary(self, data: bytes, name: str) -> bool:
        """Return False for text, and raise an error for MLIR bytecode."""
        if data.startswith(_BYTECODE):
            raise UsageError(f"'{name}' is MLIR bytecode, which xDSL cannot read; use --ir=mlir")
        return False

    def new_context(self) -> Context:
        """Return a new context in which the installed dialects are registered."""
        return self._base.clone()

    def read(
        self, part: SourcePart, context: Context, warn: Callable[[Diagnostic], None]
    ) -> Parsed:
        """Parse a source into an op with locations, without verifying the op."""
        resources: list[ExternalResource] = []
        try:
            op = parse_source(
                context,
                part.text,
                part.name,
                implicit_module=self.settings.implicit_module,
                line_offset=part.line_offset,
                resources=resources,
            )
        except ParseError as error:
            raise _unreadable(error) from error
        return Parsed(op, resources)

    def emit(self, parsed: Parsed, context: Context) -> bytes:
        """Print a parsed op as MLIR text, or in the format of the chosen target.

        Raises:
            Exception: If the target fails.
        """
        # Bytes, since a growing string would take far more memory.
        result = BytesIO()
        # A stream that can also read would reset its decoder at each write.
        writer = BufferedWriter(result)
        stream = TextIOWrapper(writer, "utf-8", "surrogateescape", newline="")
        self._print(parsed, context, stream)
        stream.flush()
        return result.getvalue()

    def _print(self, parsed: Parsed, context: Context, stream: IO[str]) -> None:
        op, flags = parsed.op, self.settings.printing
        if self._target is not None:
            if not isinstance(op, ModuleOp):
                raise TypeError(f"the target takes a builtin.module, not '{op.name}'")
            self._target.emit(context, op, stream)
            return
        printer = make_printer(flags, stream=stream)
        printer.print_op(op)
        printer.print_metadata(context.loaded_dialects)
        if parsed.resources:
            from passel.frontend.resources import print_resources

            if text := print_resources(parsed.resources, flags.elide_resources):
                stream.write(f"\n\n{text}")
        # Like mlir-opt's, the output ends with an empty line, except for an op on its own.
        stream.write("\n" if flags.local_scope else "\n\n")

    def dialect_names(self) -> Iterable[str]:
        """Return the names of the installed dialects in sorted order."""
        return sorted(self.adapter.create_context().registered_dialect_names)


def _unreadable(error: ParseError) -> UnreadableError:
    """Convert an error of xDSL's parser to the error that tools report."""
    diagnostic = Diagnostic(Severity.ERROR, error.msg, Location(*error.span.get_location()))
    if isinstance(error, MultipleSpansParseError):
        for span, note in error.refs:
            place = Location(*span.get_location())
            diagnostic.attach_note(note or error.ref_text or "see here", place)
    return UnreadableError([diagnostic])
