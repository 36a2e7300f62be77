"""Diagnostics on the error stream: `file:line:col: error: …`, the source line, a caret.

Source: `mlir::SourceMgrDiagnosticHandler`, MLIR 22.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from passel.diagnostics import Diagnostic, Location, Severity, underline
from passel.tool.output import printable

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import TextIO

_STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold magenta",
    Severity.REMARK: "bold blue",
    Severity.NOTE: "bold cyan",
}
_MAX_OP_LINES = 60


class Renderer:
    """Writes diagnostics.

    Args:
        show_op: Whether errors show the op that they are about.
        stream: Where to; the error stream by default.
        hidden: Severities of diagnostics that are not written.
        byte_columns: Whether locations count bytes, as MLIR does, not characters.
    """

    def __init__(
        self,
        *,
        show_op: bool = True,
        stream: TextIO | None = None,
        hidden: Collection[Severity] = (),
        byte_columns: bool = False,
    ) -> None:
        self.show_op = show_op
        self._byte_columns = byte_columns
        self._hidden = frozenset(hidden)
        self.stream: TextIO = stream or sys.stderr
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
        if self.stream.isatty():
            self._write_styled(diagnostic, message, lines)
            return
        self.stream.write(f"{location}: {diagnostic.severity.value}: {message}\n{lines}")

    def _write_styled(self, diagnostic: Diagnostic, message: str, lines: str) -> None:
        from rich.console import Console
        from rich.text import Text

        text = Text.assemble(
            (f"{diagnostic.location}: ", "bold"),
            (f"{diagnostic.severity.value}: ", _STYLES[diagnostic.severity]),
            (message, "bold" if diagnostic.severity is not Severity.NOTE else ""),
            "\n",
        )
        source, _, caret = lines.rstrip("\n").rpartition("\n")
        if lines:
            text.append(source + "\n").append(caret + "\n", "bold green")
        Console(file=self.stream, soft_wrap=True, highlight=False).print(text, end="")

    def _excerpt(self, location: Location) -> str:
        """Return the source line and a caret line, if the source can be had."""
        if not location.file or not location.line:
            return ""
        lines = self._lines_of(location.file)
        if location.line > len(lines):
            return ""
        line = lines[location.line - 1].rstrip("\r")
        column = max(location.column - 1, 0)
        if self._byte_columns and not line.isascii():
            column = len(line.encode()[:column].decode(errors="ignore"))
        return printable(underline(line, column)) + "\n"

    def _lines_of(self, name: str) -> list[str]:
        """Return the lines of a source, split once for all diagnostics."""
        lines = self._lines.get(name)
        if lines is None:
            text = self._sources.pop(name, None)
            lines = self._lines[name] = (_read(name) if text is None else text).split("\n")
        return lines


def _read(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _shortened(text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    if len(lines) <= _MAX_OP_LINES:
        return "\n".join(lines)
    hidden = len(lines) - _MAX_OP_LINES
    kept = lines[: _MAX_OP_LINES - 1]
    return "\n".join([*kept, f"... ({hidden} more lines)", lines[-1]])
