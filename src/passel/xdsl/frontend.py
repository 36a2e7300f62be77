"""xDSL's IR as files, for tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from xdsl.utils.exceptions import MultipleSpansParseError, ParseError

from passel.diagnostics import Diagnostic, Location, Severity
from passel.ir.frontend import Frontend, Parsed, UnreadableError, UsageError
from passel.ir.left_out import report_left_out
from passel.xdsl.parsing import parse_source
from passel.xdsl.targets import Emitter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from xdsl.context import Context
    from xdsl.utils.lexer import Span

    from passel.ir.frontend import FrontendSettings, SourcePart
    from passel.ir.resources import ExternalResource

_NEEDS_MLIR = "needs --ir=mlir: xDSL has no such thing"
_NOT_KNOWN = re.compile("not found|not registered|unregistered|[Uu]nknown")
"""Messages about names that a package may have, which cannot be used."""

_BYTECODE = b"ML\xefR"


class XDSLFrontend(Frontend):
    """xDSL's parser, printer and targets."""

    refused: ClassVar[Mapping[str, str]] = dict.fromkeys(
        (
            "emit-bytecode",
            "emit-bytecode-version",
            "irdl-file",
            "mlir-pretty-debuginfo",
            "mlir-print-assume-verified",
            "mlir-use-nameloc-as-prefix",
            "verify-roundtrip",
        ),
        _NEEDS_MLIR,
    )

    def configure(self, settings: FrontendSettings) -> None:
        """Find the target."""
        self.settings = settings
        self._emitter = Emitter(settings)
        self._base: Context = self.adapter.create_context()
        self._base.allow_unregistered = settings.allow_unregistered

    def is_binary(self, data: bytes, name: str) -> bool:
        """Refuse bytecode."""
        if data.startswith(_BYTECODE):
            raise UsageError(
                f"'{name}' is MLIR bytecode, which xDSL cannot read; --ir=mlir can, and so can "
                "--ir=jaxlib and --ir=iree"
            )
        return False

    def new_context(self) -> Context:
        """Return a context with the dialects of the installation."""
        return self._base.clone()

    def parse(
        self, part: SourcePart, context: Context, warn: Callable[[Diagnostic], None]
    ) -> Parsed:
        """Parse with positions; nothing is verified."""
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

    def emit(self, parsed: Parsed, context: Context) -> str:
        """Print as MLIR, or by the target that was asked for."""
        if not parsed.resources:
            return self._emitter.emit(parsed.op, context)
        from passel.ir.resources import print_resources

        return self._emitter.emit(parsed.op, context, print_resources(parsed.resources))

    def dialect_names(self) -> Iterable[str]:
        """Return the dialects of the installation."""
        names = sorted(self.adapter.create_context().registered_dialect_names)
        report_left_out()
        return names


def _unreadable(error: ParseError) -> UnreadableError:
    """Return an error of xDSL's parser as tools report it."""
    diagnostic = Diagnostic(Severity.ERROR, error.msg, _location(error.span))
    if _NOT_KNOWN.search(error.msg):
        report_left_out()
    if isinstance(error, MultipleSpansParseError):
        for span, note in error.refs:
            diagnostic.attach_note(note or error.ref_text or "see here", _location(span))
    return UnreadableError([diagnostic])


def _location(span: Span[str] | Span[bytes]) -> Location:
    return Location(*span.get_location())
