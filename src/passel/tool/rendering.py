"""Diagnostics on the error stream: `file:line:col: error: …`, the source line, a caret.

Source: `mlir::SourceMgrDiagnosticHandler`, MLIR 22.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from passel.diagnostics import Diagnostic, Location, Severity, underline
from passel.instruments.terminals import shows_color, styled
from passel.tool.output import printable

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import TextIO

    from passel.instruments.terminals import Color

_STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold magenta",
    Severity.REMARK: "bold blue",
    Severity.NOTE: "bold cyan",
}
_MAX_OP_LINES = 60
_RENDERED = re.compile(
    r"(.+?): (error|warning|remark|note): (.*?)(?:\n([^\n]*\n[ \t]*\^~*))?", re.DOTALL
)


class Renderer:
    """Writes diagnostics.

    Args:
        show_op: Whether errors show the op that they are about.
        stream: Where to; the error stream by default.
        hidden: Severities of diagnostics that are not written.
        byte_columns: Whether locations count bytes, as MLIR does, not characters.
        color: When diagnostics are coloured.
    """

    def __init__(
        self,
        *,
        show_op: bool = True,
        stream: TextIO | None = None,
        hidden: Collection[Severity] = (),
        byte_columns: bool = False,
        color: Color = "auto",
    ) -> None:
        self.show_op = show_op
        self._byte_columns = byte_columns
        self._hidden = frozenset(hidden)
        self.stream: TextIO = stream or sys.stderr
        self._color: Color = color
        self._sources: dict[str, str] = {}
        self._lines: dict[str, list[str]] = {}

    def add_source(self, name: str, text: str) -> None:
        """Make a text known whose lines may be shown, under the name that locations use."""
        self._sources[name] = text
        self._lines.pop(name, None)

    def __call__(self, diagnostic: Diagnostic) -> None:
        """Write a diagnostic, its notes, and the op that it is about."""
        if diagnostic.severity in self._hidden:
            return
        self._write(diagnostic)
        last = diagnostic
        for note in diagnostic.notes:
            self._write(note, excerpt=note.location != last.location)
            last = note
        caller = diagnostic.location.caller
        while caller is not None:
            self._write(Diagnostic(Severity.NOTE, "called from", caller))
            caller = caller.caller
        if diagnostic.origin:
            note = Diagnostic(Severity.NOTE, diagnostic.origin, diagnostic.location)
            self._write(note, excerpt=False)
        if self.show_op and diagnostic.detach(render=True).op_text:
            text = _shortened(diagnostic.op_text)
            separator = "\n" if "\n" in text else ""
            message = f"see current operation: {separator}{text}"
            self._write(Diagnostic(Severity.NOTE, message, diagnostic.location), excerpt=False)

    def _write(self, diagnostic: Diagnostic, *, excerpt: bool = True) -> None:
        location = diagnostic.location
        message = diagnostic.message
        if location.label and not location.file:
            message = f"{location.label}: {message}"
        lines = self._excerpt(location) if excerpt else ""
        text = f"{location}: {diagnostic.severity.value}: {message}\n{lines}"
        if shows_color(self.stream, self._color):
            text = _coloured(str(location), diagnostic.severity, message, lines)
        self.stream.write(text)

    def _excerpt(self, location: Location) -> str:
        """Return the source line and a caret line, if the line is known.

        No file is opened: an op of the input can name any file as its location.
        """
        line = location.source or self._line_at(location)
        if line is None:
            return ""
        column = max(location.column - 1, 0)
        if self._byte_columns and not line.isascii():
            column = len(line.encode()[:column].decode(errors="ignore"))
        return printable(underline(line, column)) + "\n"

    def _line_at(self, location: Location) -> str | None:
        """Return a line of a source, which is split once for all diagnostics."""
        name, number = location.file or "", location.line
        if name in self._sources:
            self._lines[name] = self._sources.pop(name).split("\n")
        lines = self._lines.get(name, [])
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else None


def _coloured(place: str, severity: Severity, message: str, lines: str = "") -> str:
    """Return a diagnostic in the colours of LLVM's tools; its last line is that of the caret."""
    head = styled(f"{place}: ", "bold") + styled(f"{severity.value}: ", _STYLES[severity])
    source, newline, caret = lines.rstrip("\n").rpartition("\n")
    excerpt = source + newline + styled(caret + "\n", "bold green") if lines else ""
    return f"{head}{styled(message, '' if severity is Severity.NOTE else 'bold')}\n{excerpt}"


def coloured(text: str, stream: TextIO, color: Color) -> str:
    """Return one diagnostic that has been rendered, in colours if they are wanted.

    Args:
        text: The diagnostic: place, severity, message; perhaps a source line and a caret.
        stream: Where it goes.
        color: When it is coloured.
    """
    found = _RENDERED.fullmatch(text) if shows_color(stream, color) else None
    if found is None:
        return text
    place, severity, message, lines = found.groups(default="")
    return _coloured(place, Severity(severity), message, lines).removesuffix("\n")


def complain(problem: object, *, program: str, color: Color) -> None:
    """Write a problem of a pipeline to the error stream.

    Args:
        problem: The problem as text.
        program: The program's name, for a problem that does not say where it is; else empty.
        color: When it is coloured.
    """
    text = printable(f"{program}: {problem}" if program else str(problem))
    print(coloured(text, sys.stderr, color), file=sys.stderr)


def _shortened(text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    if len(lines) <= _MAX_OP_LINES:
        return "\n".join(lines)
    hidden = len(lines) - _MAX_OP_LINES
    kept = lines[: _MAX_OP_LINES - 1]
    return "\n".join([*kept, f"... ({hidden} more lines)", lines[-1]])
