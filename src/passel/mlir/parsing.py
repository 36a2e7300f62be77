"""Parsing with MLIR's own parser: `mlir-opt`'s top-level rules, errors as passel's."""

from __future__ import annotations

import os
import re
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
"""A function of a warning or remark; by default, these are dropped."""

_ANONYMOUS = "-"
"""MLIR's name of a source that has none."""


def parse_source(
    context: Any,
    source: str | bytes,
    name: str,
    *,
    implicit_module: bool = True,
    line_offset: int = 0,
    on_warning: OnWarning = None,
) -> Any:
    """Parse a source to its top-level op, and verify it, as the bindings always do.

    The rules are those of `mlir::parseSourceFile`: a single top-level `builtin.module` is the
    result; anything else, including an empty source, is wrapped in a module.

    Args:
        context: A context of the bindings. The attribute `allow_unregistered_dialects` decides
            whether unregistered dialects are accepted.
        source: Text, as a string or UTF-8 bytes, or MLIR bytecode.
        name: The name used in locations and errors.
        implicit_module: Whether to wrap. If not, the source must be the text of exactly one
            top-level op, or the bytecode of a module.
        line_offset: Lines that precede the text in its file, for split input; locations and
            errors count from the beginning of the file.
        on_warning: A function of a warning or remark; by default, these are dropped.

    Returns:
        The op, as an `OpView`.

    Raises:
        ParseError: If the source does not parse or is invalid.

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
    _check_metadata(name, text)
    op, reports = parse(context, OP, text, _shown(name).encode())
    if implicit_module and (op is None or op.name != "builtin.module"):
        # This parser wraps what is no module, and takes no source name.
        return _renamed(_checked(name, on_warning, *parse(context, MODULE, text)), _shown(name))
    return _checked(name, on_warning, op, reports)


def parse_file(
    path: str | Path,
    context: Any = None,
    *,
    on_warning: OnWarning = None,
) -> Any:
    """Parse a file of MLIR text or bytecode to its top-level op, and verify it.

    MLIR reads the file itself. `parse_source` is slower, because it has to replace the name in
    locations.

    Args:
        path: The file.
        context: The context. The default is a new context of the bindings `mlir`.
        on_warning: As for `parse_source`.

    Raises:
        OSError: If the file cannot be read.
        ParseError: If the source does not parse or is invalid.
    """
    if context is None:
        context = bindings_named("mlir").ir.Context()
    source = Path(path).read_bytes()
    if not source.startswith(MAGIC):
        _check_metadata(str(path), source)
    del source  # MLIR has its own copy
    parse = calls_of(bindings_of(context)).parse
    return _checked(str(path), on_warning, *parse(context, FILE, os.fsencode(path)))


def _shown(name: str) -> str:
    """Return a name as the bindings take it: a file's name need not be UTF-8."""
    return decoded(os.fsencode(name))


def _check_metadata(name: str, text: bytes) -> None:
    """Refuse a text that might crash the process.

    Raises:
        ParseError: If it might.
    """
    if _BEGIN in text and (at := fault_in(text)) is not None:
        wrong = "invalid string or character" if text[at:] else "expected a value, not the end"
        raise _error_at(name, text, at, wrong)


def _error_at(name: str, text: bytes, at: int, message: str) -> ParseError:
    line, column = text.count(b"\n", 0, at) + 1, at - text.rfind(b"\n", 0, at)
    return ParseError([Diagnostic(Severity.ERROR, message, Location(_shown(name), line, column))])


def _checked(name: str, on_warning: OnWarning, found: Any, reports: Sequence[Diagnostic]) -> Any:
    """Return the parsed op, and report warnings.

    Raises:
        ParseError: If there is no op.
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
    """Return a module with the source's name in the locations of ops and block arguments."""
    bindings = bindings_of(module)
    for op in map(attrgetter("operation"), bindings.walk(module)):
        op.location = _named(op.location, name)
        for region in op.regions:
            for block in region:
                for argument in block.arguments:
                    # Packages may have registered a class of their own for its type.
                    place = bindings.ir.BlockArgument(argument)
                    place.set_location(_named(place.location, name))
    return module


_OLD = f'"{_ANONYMOUS}":'


def _named(location: Any, name: str) -> Any:
    """Return a location with the source's name in place of MLIR's name for an anonymous one."""
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


_BEGIN = b"{-#"
_SKIPPED = re.compile(rb'"(?:[^"\\\n]++|\\.)*+"|//[^\n]*|\{-#')
_STRING = rb'"(?:[^"\\\n\v\f]++|\\[nt"\\]|\\[0-9A-Fa-f]{2})*+"'
_TOKEN = re.compile(
    rb'(?P<end>#-\})|(?P<skipped>\s|//[^\n]*)|[\w\[\]{}()<>,:=?|*+/-]|[@%^!#](?=[\w"$.-])|[$.]|'
    + _STRING,
    re.ASCII,
)


def fault_in(text: bytes) -> int | None:
    r"""Return the offset of an invalid token in a metadata section; None if all are valid.

    Example:
        >>> fault_in(b'module {} {-# external_resources: { zoo: { cat: "?!" } } #-}')
        >>> fault_in(b'module {} {-# external_resources: { zoo: { cat: "\\q" } } #-}')
        48
    """
    at, last = 0, b""
    while (mark := _SKIPPED.search(text, at)) is not None:
        at = mark.end()
        is_inside = mark[0] == _BEGIN
        while is_inside:
            token = _TOKEN.match(text, at)
            if token is None:
                return at if at < len(text) or last == b":" else None
            at, is_inside = token.end(), token["end"] is None
            last = token[0] if token["skipped"] is None else last
    return None
