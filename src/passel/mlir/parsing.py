"""Functions that parse as mlir-opt does, with MLIR's parser, and raise `ParseError` on failure."""

from __future__ import annotations

import os
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from passel.diagnostics import Diagnostic, Location, Severity
from passel.mlir.bindings import MAGIC, bindings_named, bindings_of, view_of
from passel.mlir.calls import FILE, MODULE, OP, calls_of
from passel.mlir.diagnostics import (
    ParseError,
    decoded,
    has_plain_names,
    location_kind,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

OnWarning: TypeAlias = "Callable[[Diagnostic], None] | None"
"""A function that takes each warning or remark, or None to ignore warnings and remarks."""

_ANONYMOUS = "-"
"""The name that MLIR gives to a source without a name."""


def parse_source(
    context: Any,
    source: str | bytes,
    name: str,
    *,
    implicit_module: bool = True,
    line_offset: int = 0,
    on_warning: OnWarning = None,
) -> Any:
    """Parse MLIR text or bytecode, and return the verified top-level op.

    The function follows the rules of `mlir::parseSourceFile`. If the source is a single
    `builtin.module`, the result is this module. Any other source, even an empty one, is wrapped in
    a module.

    Args:
        context: A context of the bindings. The context's attribute `allow_unregistered_dialects`
            determines whether the parser accepts unregistered dialects.
        source: The text, as a string or UTF-8 bytes, or MLIR bytecode.
        name: The name of the source in locations and errors.
        implicit_module: Whether to wrap any source that is not a `builtin.module` in a module. If
            `implicit_module` is false, the source must be the text of exactly one top-level op, or
            the bytecode of a module.
        line_offset: If the text is a part of a split file, the number of lines before the part.
            Line numbers in locations and errors count from the start of the file.
        on_warning: A function that takes each warning or remark. By default, warnings and remarks
            are ignored.

    Returns:
        The top-level op, as an `OpView`.

    Raises:
        ParseError: If the source cannot be parsed, or the op is invalid.

    Example:
        >>> from mlir.ir import Context
        >>> op = parse_source(Context(), "func.func private @f()", "f.mlir")
        >>> op.operation.name, str(op.body.operations[0].location)
        ('builtin.module', 'loc("f.mlir":1:1)')
    """
    parse = calls_of(bindings_of(context)).parse
    if isinstance(source, bytes) and source.startswith(MAGIC):
        return _checked(name, on_warning, *parse(context, MODULE, source))
    text = source if isinstance(source, bytes) else source.encode(errors="surrogatepass")
    text = b"\n" * line_offset + text
    try:
        text.decode()
    except UnicodeDecodeError as error:
        message = f"invalid UTF-8: {error.reason}"
        raise _error_at(name, text, error.start, message) from None
    op, reports = parse(context, OP, text, _shown(name).encode())
    if implicit_module and (op is None or op.name != "builtin.module"):
        # This parser wraps other ops in a module, and takes no source name.
        return _renamed(_checked(name, on_warning, *parse(context, MODULE, text)), _shown(name))
    return _checked(name, on_warning, op, reports)


def parse_file(
    path: str | Path,
    context: Any = None,
    *,
    on_warning: OnWarning = None,
) -> Any:
    """Parse a file of MLIR text or bytecode, and return the verified top-level op.

    MLIR reads the file itself. This is faster than `parse_source`, which may have to replace the
    source name in all locations.

    Args:
        path: The path of the file.
        context: The context for the op. The default is a new context of the build `mlir`.
        on_warning: A function that takes each warning or remark. By default, warnings and remarks
            are ignored.

    Raises:
        OSError: If the file cannot be read.
        ParseError: If the file cannot be parsed, or the op is invalid.
    """
    if context is None:
        context = bindings_named("mlir").ir.Context()
    with Path(path).open("rb"):
        pass  # MLIR's error for a file that cannot be read has no reason
    parse = calls_of(bindings_of(context)).parse
    return _checked(str(path), on_warning, *parse(context, FILE, os.fsencode(path)))


def _shown(name: str) -> str:
    """Return a source name that the bindings accept, even if a file's name is not UTF-8."""
    return decoded(os.fsencode(name))


def _error_at(name: str, text: bytes, at: int, message: str) -> ParseError:
    line, column = text.count(b"\n", 0, at) + 1, at - text.rfind(b"\n", 0, at)
    return ParseError([Diagnostic(Severity.ERROR, message, Location(_shown(name), line, column))])


def _checked(name: str, on_warning: OnWarning, found: Any, reports: Sequence[Diagnostic]) -> Any:
    """Report the warnings of the parser, and return the parsed op.

    Raises:
        ParseError: If the parser returned no op.
    """
    errors: list[Diagnostic] = []
    for each in reports:
        for named in (each, *each.notes):
            if named.location.file == _ANONYMOUS:
                named.location = named.location._replace(file=_shown(name))
        if each.severity is Severity.ERROR:
            errors.append(each)
        elif on_warning is not None:
            on_warning(each)
    if found is None:
        raise ParseError(errors) if errors else _error_at(name, b"", 0, "cannot be parsed")
    return view_of(found)


def _renamed(module: Any, name: str) -> Any:
    """Set the source name in all locations of a module, and return the module."""
    bindings = bindings_of(module)
    for op in map(attrgetter("operation"), bindings.walk(module)):
        op.location = _named(op.location, name)
        for region in op.regions:
            for block in region:
                for argument in block.arguments:
                    # A package may have registered a class for its type.
                    place = bindings.ir.BlockArgument(argument)
                    place.set_location(_named(place.location, name))
    return module


_OLD = f'"{_ANONYMOUS}":'


def _named(location: Any, name: str) -> Any:
    """Return a location in which the source name replaces MLIR's name for anonymous sources."""
    ir, context = bindings_of(location).ir, location.context
    if has_plain_names(location) and location_kind(location) == "file":
        if location.filename != _ANONYMOUS:
            return location
        line, column = location.start_line, location.start_col
        return ir.Location.file(name, line, column, context=context)
    text = str(location)
    if _OLD not in text:
        return location
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    new = text.replace(_OLD, f'"{escaped}":')
    # Some builds cannot make a location of an attribute's text, but all parse ops.
    return ir.Operation.parse(f"module {{}} {new}", context=context).location
