"""Parsing with MLIR's own parser: `mlir-opt`'s top-level rules, errors as passel's."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Diagnostic, Location, Severity
from passel.mlir.bindings import bindings_named, bindings_of
from passel.mlir.diagnostics import (
    SEEN,
    ParseError,
    captured,
    convert_diagnostic,
    location_kind,
)

if TYPE_CHECKING:
    from collections.abc import Callable

BYTECODE_MAGIC = b"ML\xefR"
"""How MLIR's bytecode begins."""

_ANONYMOUS = "-"
"""What MLIR calls a source without a name."""


def parse_source(
    context: Any,
    source: str | bytes,
    name: str,
    *,
    implicit_module: bool = True,
    line_offset: int = 0,
    on_warning: Callable[[Diagnostic], None] | None = None,
) -> Any:
    """Parse a source to its top-level op, and verify it: the bindings always do.

    The rules are those of `mlir::parseSourceFile`: a single top-level `builtin.module` is the
    result itself; anything else, also nothing, is wrapped in a module.

    Args:
        context: A context of the bindings. Whether unregistered dialects are accepted is for
            its `allow_unregistered_dialects` to say.
        source: Text, in UTF-8 if it is bytes, or MLIR bytecode.
        name: The name used in locations and errors.
        implicit_module: Whether to wrap. If not, the source must be text with exactly one
            top-level op, of any kind, or the bytecode of a module.
        line_offset: Lines that precede the text in its file, for split input; locations and
            errors count from the beginning of the file.
        on_warning: Takes warnings and remarks, which are dropped otherwise.

    Returns:
        The op, as an `OpView`.

    Raises:
        ParseError: The source does not parse or is invalid.

    Example:
        >>> from mlir.ir import Context
        >>> op = parse_source(Context(), "func.func private @f()", "f.mlir")
        >>> op.operation.name, str(op.body.operations[0].location)
        ('builtin.module', 'loc("f.mlir":1:1)')
    """
    parser = _Parser(context, name)
    try:
        return parser.parse(source, implicit_module=implicit_module, line_offset=line_offset)
    finally:
        if on_warning is not None:
            for warning in parser.warnings:
                on_warning(warning)


def parse_file(
    path: str | Path,
    context: Any = None,
    *,
    on_warning: Callable[[Diagnostic], None] | None = None,
) -> Any:
    """Parse a file of MLIR text or bytecode to its top-level op, and verify it.

    MLIR reads the file itself, which is faster than `parse_source` where that has to put the
    name into locations.

    Args:
        path: The file.
        context: The context; by default a new one of the bindings `mlir`.
        on_warning: As for `parse_source`.

    Raises:
        OSError: The file cannot be read.
        ParseError: The source does not parse or is invalid.
    """
    with Path(path).open("rb") as file:
        file.peek()  # the bindings say of any file that they cannot parse it
    if context is None:
        context = bindings_named("mlir").ir.Context()
    parser = _Parser(context, str(path))
    try:
        return parser.parse_file()
    finally:
        if on_warning is not None:
            for warning in parser.warnings:
                on_warning(warning)


_OLD = f'"{_ANONYMOUS}":'


class _Parser:
    """Parses one source.

    Attributes:
        warnings: What was reported and is no error.
    """

    def __init__(self, context: Any, name: str) -> None:
        self._context = context
        self._bindings = bindings_of(context)
        self._ir = self._bindings.ir
        self._name = name
        self.warnings: list[Diagnostic] = []

    def parse(self, source: str | bytes, *, implicit_module: bool, line_offset: int) -> Any:
        """Parse, as `parse_source` says."""
        ir, context = self._ir, self._context
        if isinstance(source, bytes):
            if source.startswith(BYTECODE_MAGIC):
                module = self._attempt(lambda: ir.Module.parse(source, context=context))
                return module.operation.opview
            source = self._decoded(source, line_offset)
        text = "\n" * line_offset + source
        try:
            op = self._attempt(
                lambda: ir.Operation.parse(text, source_name=self._name, context=context)
            )
        except ParseError:
            if not implicit_module:
                raise
            # Several ops, none, or one that is only valid in a module. This parser takes no
            # source name.
            self.warnings.clear()
            module = self._attempt(lambda: ir.Module.parse(text, context=context)).operation
            self._rename(module)
            return module.opview
        if not implicit_module or op.operation.name == "builtin.module":
            return op
        return self._wrapped(op)

    def parse_file(self) -> Any:
        """Parse the file of the source's name."""
        module = self._attempt(lambda: self._ir.Module.parseFile(self._name, self._context))
        return module.operation.opview

    def _decoded(self, source: bytes, line_offset: int) -> str:
        try:
            return source.decode()
        except UnicodeDecodeError as error:
            line = source.count(b"\n", 0, error.start) + 1 + line_offset
            column = error.start - source.rfind(b"\n", 0, error.start)
            place = Location(self._name, line, column)
            message = f"invalid UTF-8: {error.reason}"
            raise ParseError([Diagnostic(Severity.ERROR, message, place)]) from None

    def _wrapped(self, op: Any) -> Any:
        location = self._ir.Location.file(self._name, 0, 0, context=self._context)
        module = self._ir.Module.create(location)
        module.body.append(op)
        self._attempt(module.operation.verify)
        return module.operation.opview

    def _attempt(self, action: Callable[[], Any]) -> Any:
        with captured(self._context) as found:
            try:
                return action()
            except self._ir.MLIRError as error:
                errors = [*error.error_diagnostics]
                message = error.message
            finally:
                told = [self._converted(each) for each in found]
                errors_told = [each for each in told if each.severity is Severity.ERROR]
                self.warnings += [each for each in told if each.severity is not Severity.ERROR]
        diagnostics = [self._converted(each) for each in errors] + errors_told
        if not diagnostics:
            place = Location(self._name, 1, 1)
            diagnostics = [Diagnostic(Severity.ERROR, message, place)]
        raise ParseError(diagnostics)

    def _converted(self, found: Any) -> Diagnostic:
        diagnostic = convert_diagnostic(found)
        seen = (note.message for note in found.notes if note.message.startswith(SEEN))
        if (text := next(seen, "")) and diagnostic.print_op is None:
            text = text.removeprefix(f"{SEEN}: ").removeprefix("\n")
            diagnostic.print_op = lambda: text  # there is no op that could be printed
        for each in (diagnostic, *diagnostic.notes):
            if each.location.file == _ANONYMOUS:
                each.location = each.location._replace(file=self._name)
        return diagnostic

    def _rename(self, module: Any) -> None:
        """Put the source's name into the locations of ops and block arguments."""
        names = _Renaming(self._ir, self._context, self._name)
        for op in map(attrgetter("operation"), self._bindings.walk(module)):
            op.location = names.renamed(op.location)
            for region in op.regions:
                for block in region:
                    for argument in block.arguments:
                        argument.set_location(names.renamed(argument.location))


class _Renaming:
    """Replaces the name of the anonymous source in locations."""

    def __init__(self, ir: Any, context: Any, name: str) -> None:
        self._ir = ir
        self._context = context
        self._name = name

    def renamed(self, location: Any) -> Any:
        """Return a location with the name."""
        if location_kind(location) == "file":  # nearly all are, and text costs much more
            if location.filename != _ANONYMOUS:
                return location
            line, column = location.start_line, location.start_col
            return self._ir.Location.file(self._name, line, column, context=self._context)
        text = str(location)
        if _OLD not in text:
            return location
        quoted = self._name.replace("\\", "\\\\").replace('"', '\\"')
        new = text.replace(_OLD, f'"{quoted}":')
        # Some builds cannot make a location of an attribute's text, but all parse ops.
        return self._ir.Operation.parse(f"module {{}} {new}", context=self._context).location
