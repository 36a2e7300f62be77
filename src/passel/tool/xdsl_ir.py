"""xDSL as the tool's IR."""

from __future__ import annotations

import gc
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.utils.exceptions import MultipleSpansParseError, ParseError

from passel.diagnostics import Diagnostic, Location, Severity
from passel.ir.resources import print_resources
from passel.tool.flags import UsageError
from passel.tool.irs import Parsed, UnreadableError
from passel.tool.targets import Emitter
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.context import Context
    from xdsl.ir import Operation
    from xdsl.utils.lexer import Span

    from passel.ir import IRAdapter
    from passel.ir.resources import ExternalResource
    from passel.tool.flags import Arguments
    from passel.tool.splitting import Chunk

_ONLY_MLIR = (
    "emit-bytecode",
    "emit-bytecode-version",
    "irdl-file",
    "mlir-pretty-debuginfo",
    "mlir-print-assume-verified",
    "mlir-use-nameloc-as-prefix",
    "verify-roundtrip",
)


_NO_DIALECT = re.compile(r"Dialect `(\w+)' not found")


class XDSLTool:
    """xDSL's parser, printer and targets.

    Args:
        arguments: The command line.

    Raises:
        UsageError: A flag's value is wrong, or is for MLIR alone.
    """

    reads_bytecode = False
    reads_files = False
    verifies_input = False

    def __init__(self, arguments: Arguments) -> None:
        for flag in _ONLY_MLIR:
            if flag in arguments.given:
                raise UsageError(f"'--{flag}' needs --ir=mlir: xDSL has no such thing")
        self.adapter: IRAdapter = XDSLAdapter()
        self._emitter = Emitter(arguments)
        self._implicit_module = not arguments.flag("no-implicit-module")
        self._base: Context = self.adapter.create_context()
        self._base.allow_unregistered = arguments.flag("allow-unregistered-dialect")

    def new_context(self) -> Context:
        """Return a context with the dialects of the installation."""
        return self._base.clone()

    def parse(
        self,
        chunk: Chunk,
        name: str,
        context: Context,
        warn: Callable[[Diagnostic], None],
    ) -> Parsed:
        """Parse with positions; nothing is verified."""
        resources: list[ExternalResource] = []
        try:
            op = parse_source(
                context,
                chunk.text,
                name,
                implicit_module=self._implicit_module,
                line_offset=chunk.line_offset,
                resources=resources,
            )
        except ParseError as error:
            raise unreadable(error) from error
        # The input lives until the end: keep the collector from visiting it again and again.
        gc.freeze()
        return Parsed(op, resources)

    def emit(self, op: Operation, context: Context, resources: list[ExternalResource]) -> str:
        """Print as MLIR, or by the target that was asked for."""
        return self._emitter.emit(op, context, print_resources(resources))


def unreadable(error: ParseError) -> UnreadableError:
    """Return an error of xDSL's parser as the tool reports it."""
    diagnostic = Diagnostic(Severity.ERROR, error.msg, _location(error.span))
    if isinstance(error, MultipleSpansParseError):
        for span, note in error.refs:
            diagnostic.attach_note(note or error.ref_text or "see here", _location(span))
    if (found := _NO_DIALECT.search(error.msg)) and _has_mlir_dialect(found[1]):
        message = f"MLIR itself has the dialect '{found[1]}': --ir=mlir"
        diagnostic.attach_note(message, diagnostic.location)
    return UnreadableError([diagnostic], f"{error}\n")


def _has_mlir_dialect(name: str) -> bool:
    """Tell whether MLIR's bindings are installed and have a dialect, without loading them."""
    spec = find_spec("mlir")
    folders = (spec and spec.submodule_search_locations) or ()
    files = (f"{name}.py", f"_{name}_ops_gen.py")
    return any(Path(folder, "dialects", file).is_file() for folder in folders for file in files)


def _location(span: Span[str] | Span[bytes]) -> Location:
    return Location(*span.get_location())
