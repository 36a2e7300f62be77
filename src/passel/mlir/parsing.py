"""Parsing with MLIR's own parser: `mlir-opt`'s top-level rules, errors as passel's."""

from __future__ import annotations

import os
import re
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Diagnostic, Location, Severity
from passel.mlir.bindings import MAGIC, bindings_named, bindings_of
from passel.mlir.calls import calls_of
from passel.mlir.diagnostics import (
    ParseError,
    decoded,
    has_plain_names,
    location_kind,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ANONYMOUS = "-"
"""MLIR's name of a source that has none."""


def parse_source(
    context: Any,
    source: str | bytes,
    name: str,
    *,
    implicit_module: bool = True,
    line_offset: int = 0,
    on_warning: Callable[[Diagnostic], None] | None = None,
) -> Any:
    """Parse a source to its top-level op, and verify it, as the bindings always do.

    The rules are those of `mlir::parseSourceFile`: a single top-level `builtin.module` is the
    result; anything else, including an empty source, is wrapped in a module.

    Args:
        context: A context of the bindings. Its `allow_unregistered_dialects` decides whether
            unregistered dialects are accepted.
        source: Text, as a string or UTF-8 bytes, or MLIR bytecode.
        name: The name used in locations and errors.
        implicit_module: Whether to wrap. If not, the source must be the text of exactly one
            top-level op, or the bytecode of a module.
        line_offset: Lines that precede the text in its file, for split input; locations and
            errors count from the beginning of the file.
        on_warning: Called with each warning and remark; by default they are dropped.

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
    parser = Parser(context, name, on_warning)
    return parser.parse(source, implicit_module=implicit_module, line_offset=line_offset).opview


def parse_file(
    path: str | Path,
    context: Any = None,
    *,
    on_warning: Callable[[Diagnostic], None] | None = None,
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
    return Parser(context, str(path), on_warning).parse_file().opview


_OLD = f'"{_ANONYMOUS}":'


class Parser:
    """A parser of one source to a plain `Operation`; see `parse_source` and `parse_file`.

    An `OpView` makes the bindings import the module of its dialect, and NumPy.
    """

    def __init__(
        self, context: Any, name: str, on_warning: Callable[[Diagnostic], None] | None
    ) -> None:
        self._context = context
        self._on_warning = on_warning
        self._calls = calls_of(bindings_of(context))
        self._path = name
        # As the bindings take it: a file's name need not be UTF-8.
        self._name = decoded(os.fsencode(name))

    def parse(self, source: str | bytes, *, implicit_module: bool, line_offset: int) -> Any:
        """Parse a source."""
        context = self._context
        if isinstance(source, bytes) and source.startswith(MAGIC):
            return self._checked(*self._calls.parse_module(context, source))
        text = self._encoded(source, line_offset)
        self._check_metadata(text)
        op, reports = self._calls.parse(context, text, self._name)
        if implicit_module and (op is None or op.name != "builtin.module"):
            # This parser wraps what is no module, and takes no source name.
            return self._renamed(self._checked(*self._calls.parse_module(context, text)))
        return self._checked(op, reports)

    def parse_file(self) -> Any:
        """Parse the file of that name."""
        source = Path(self._path).read_bytes()
        if not source.startswith(MAGIC):
            self._check_metadata(source)
        del source  # MLIR has its own copy
        return self._checked(*self._calls.parse_file(self._context, self._path))

    def _check_metadata(self, text: bytes) -> None:
        """Refuse a text that might crash the process.

        Raises:
            ParseError: If it might.
        """
        if _BEGIN in text and (at := fault_in(text)) is not None:
            wrong = "invalid string or character" if text[at:] else "expected a value, not the end"
            raise self._error_at(text, at, wrong)

    def _encoded(self, source: str | bytes, line_offset: int) -> bytes:
        """Return a text in UTF-8, after as many empty lines as precede it.

        Raises:
            ParseError: If it is not UTF-8.
        """
        text = source if isinstance(source, bytes) else source.encode(errors="surrogatepass")
        text = b"\n" * line_offset + text
        try:
            text.decode()
        except UnicodeDecodeError as error:
            message = f"invalid UTF-8: {error.reason}"
            raise self._error_at(text, error.start, message) from None
        return text

    def _error_at(self, text: bytes, at: int, message: str) -> ParseError:
        line, column = text.count(b"\n", 0, at) + 1, at - text.rfind(b"\n", 0, at)
        place = Location(self._name, line, column)
        return ParseError([Diagnostic(Severity.ERROR, message, place)])

    def _checked(self, found: Any, reports: Sequence[Diagnostic]) -> Any:
        """Return the parsed op, and report warnings.

        Raises:
            ParseError: If there is no op.
        """
        errors: list[Diagnostic] = []
        for each in reports:
            for named in (each, *each.notes):
                if named.location.file == _ANONYMOUS:
                    named.location = named.location._replace(file=self._name)
            if each.severity is Severity.ERROR:
                errors.append(each)
            elif self._on_warning is not None:
                self._on_warning(each)
        if found is not None:
            return found
        place = Location(self._name, 1, 1)
        raise ParseError(errors or [Diagnostic(Severity.ERROR, "cannot be parsed", place)])

    def _renamed(self, module: Any) -> Any:
        """Return a module with the source's name in the locations of ops and block arguments."""
        bindings = bindings_of(self._context)
        ir = bindings.ir
        for op in map(attrgetter("operation"), bindings.walk(module)):
            op.location = self._named(op.location)
            for region in op.regions:
                for block in region:
                    for argument in block.arguments:
                        # Packages may have registered a class of their own for its type.
                        place = ir.BlockArgument(argument)
                        place.set_location(self._named(place.location))
        return module

    def _named(self, location: Any) -> Any:
        """Return a location with the source's name in place of MLIR's name for an anonymous one."""
        ir = bindings_of(self._context).ir
        if has_plain_names(location) and location_kind(location) == "file":
            if location.filename != _ANONYMOUS:
                return location
            line, column = location.start_line, location.start_col
            return ir.Location.file(self._name, line, column, context=self._context)
        text = str(location)
        if _OLD not in text:
            return location
        name = self._name.replace("\\", "\\\\").replace('"', '\\"')
        new = text.replace(_OLD, f'"{name}":')
        # Some builds cannot make a location of an attribute's text, but all parse ops.
        return ir.Operation.parse(f"module {{}} {new}", context=self._context).location


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
