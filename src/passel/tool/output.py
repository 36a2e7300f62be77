"""Write results, reports and diagnostics."""

from __future__ import annotations

import io
import os
import re
import select
import stat
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from passel.diagnostics import SEEN, Diagnostic, Location, Severity, file_problem, underline
from passel.frontend import UsageError
from passel.instruments.terminals import shows_color, styled
from passel.instruments.whole_files import check_writable, is_special, write_whole

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import TextIO

    from passel.instruments.terminals import Color
    from passel.tool.flags import Settings

CANNOT_OPEN = "cannot open output file"

_CONTROL_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_CONTROL_PICTURES[0x7F] = 0x2421
_CONTROL_PICTURES[ord("\N{ZERO WIDTH NO-BREAK SPACE}")] = ord("\N{OPEN BOX}")


def printable(text: str) -> str:
    """Return a text with control characters replaced by visible characters."""
    return text.translate(_CONTROL_PICTURES)


def abandon_stdout() -> None:
    """Discard the buffer of standard output, so that Python reports no write error at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes, even to a nonblocking pipe or a slow device."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select.select([], [descriptor], [])


class Output:
    """The destination of a program's result: a file or standard output.

    Args:
        name: The name of a file, or `-` for standard output.

    Raises:
        UsageError: If the file cannot be written.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._parts: list[bytes] = []
        self._device: io.FileIO | None = None
        if name == "-":
            return
        with refusing(CANNOT_OPEN, name):
            if is_special(Path(name)):
                self._device = io.FileIO(name, "w")  # once: a pipe has one reader
            else:
                check_writable(name)

    def write(self, result: str | bytes) -> None:
        """Write a part of the result to standard output, or store the part for `commit`."""
        if self._name == "-":
            self._to_stdout(result)
            return
        with refusing("cannot write output file", self._name):
            self._parts.append(_encoded(result))

    def commit(self) -> None:
        """Replace the output file atomically, or write the result to a device or pipe.

        Raises:
            UsageError: If the file cannot be written.
        """
        if self._name == "-":
            self._to_stdout("")
            return
        with refusing("cannot write output file", self._name):
            if self._device is None:
                write_whole(Path(self._name), b"".join(self._parts))
            else:
                _write_all(self._device.fileno(), b"".join(self._parts))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the output if it is a device or a pipe."""
        if self._device is not None:
            self._device.close()

    @staticmethod
    def _to_stdout(result: str | bytes) -> None:
        if sys.stdout is None:
            raise UsageError("cannot write the output: standard output is closed")
        try:
            sys.stdout.flush()
            data = _encoded(result)
            try:
                descriptor = sys.stdout.fileno()
            except OSError:  # replaced by the caller, as by pytest
                sys.stdout.write(data.decode())
            else:
                _write_all(descriptor, data)
        except BrokenPipeError:
            raise
        except (OSError, ValueError) as error:
            abandon_stdout()
            problem = file_problem(error)
            raise UsageError(f"cannot write to standard output: {problem}") from None


def put(result: str | bytes, name: str = "-") -> int:
    """Write a complete result, and return the exit code of the program.

    Raises:
        UsageError: If the result cannot be written.
    """
    with Output(name) as output:
        output.write(result)
        output.commit()
    return 0


def _encoded(result: str | bytes) -> bytes:
    return result.encode("utf-8", "surrogateescape") if isinstance(result, str) else result


@contextmanager
def report_file(
    settings: Settings, flag: str, path: str, *, append: bool = False
) -> Generator[TextIO]:
    """Open the report file that a flag names, and close the file after the `with` block.

    Args:
        settings: The command-line settings.
        flag: The flag that names the file.
        path: The path of the file.
        append: Whether to append to an existing file.

    Raises:
        UsageError: If the file cannot be written, or is also the input file or the output file.
    """
    what = "cannot write to info file" if flag == "info-output-file" else CANNOT_OPEN
    with refusing(what, path):
        refuse_overwriting(settings, flag, path)
        file = io.FileIO(path, "a" if append else "w")
    stream = io.TextIOWrapper(io.BufferedWriter(file), encoding="utf-8", newline="\n")
    try:
        yield stream
    finally:
        with refusing("cannot write output file", path):
            stream.close()


@contextmanager
def refusing(what: str, path: str) -> Generator[None]:
    """In a `with` block, convert errors from reading or writing a file to a `UsageError`.

    Raises:
        UsageError: If the file cannot be read or written.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        raise UsageError(f"{what} '{path}': {file_problem(error)}") from None


def check_file_of_flag(settings: Settings, flag: str, path: str) -> None:
    """Check that a file that a flag names can be written, and is neither input nor output.

    Raises:
        UsageError: If the file cannot be written, or is also the input file or the output file.
    """
    if path == "-":
        raise UsageError(f"'--{flag}=-' is not supported: give the name of a file")
    refuse_overwriting(settings, flag, path)
    with refusing(CANNOT_OPEN, path):
        check_writable(path)


def refuse_overwriting(settings: Settings, flag: str, path: str) -> None:
    """Reject the path of a report if the report would overwrite the input file or the output file.

    Raises:
        UsageError: If the path refers to the input file or the output file.
    """
    if _is_input(settings.input, path):
        raise UsageError(f"'--{flag}={path}' would overwrite the input")
    result = settings.o
    is_one = os.path.realpath(result) == os.path.realpath(path)
    if result != "-" and is_one and not is_special(Path(path)):
        raise UsageError(f"'--{flag}={path}' and '-o {result}' are the same file")


def refuse_overwriting_record(record: str, result: str) -> None:
    """Reject the path of a result if the result would overwrite a record that is read.

    Raises:
        UsageError: If the path refers to the record.
    """
    if _is_input(record, result):
        raise UsageError(f"'-o {result}' would overwrite the record")


def _is_input(source: str, path: str) -> bool:
    """Return whether a path is the input file, possibly under another name."""
    try:
        if source != "-":
            return Path(source).samefile(path)
        status = os.fstat(sys.stdin.fileno())
        return stat.S_ISREG(status.st_mode) and os.path.samestat(status, Path(path).stat())
    except (OSError, ValueError, AttributeError):  # a file is missing
        return False


_STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold magenta",
    Severity.REMARK: "bold blue",
    Severity.NOTE: "bold cyan",
}
_MAX_OP_LINES = 61
_RENDERED = re.compile(
    r"(.+?): (error|warning|remark|note): (.*?)(?:(\n[^\n]*\n)([ \t]*\^~*))?", re.DOTALL
)


class Renderer:
    """A writer of diagnostics to standard error, in the format that the flags select.

    Args:
        settings: The command-line settings.
        byte_columns: Whether the columns of locations count bytes, as in MLIR, rather than
            characters.
    """

    def __init__(self, settings: Settings, *, byte_columns: bool) -> None:
        level = settings.mlir_diagnostic_verbosity_level
        self._is_hidden = {  # except as notes of other diagnostics
            Severity.REMARK: level != "remarks",
            Severity.WARNING: level == "errors",
            Severity.NOTE: settings.mlir_disable_diagnostic_notes,
        }
        self._show_op: bool = settings.mlir_print_op_on_diagnostic
        self._byte_columns = byte_columns
        self._stream: TextIO = sys.stderr
        self._color: Color = settings.color
        self._sources: dict[str, str | list[str]] = {}  # split at the first excerpt

    def add_source(self, name: str, text: str) -> None:
        """Register the text of a source, so that diagnostics can show its lines."""
        self._sources[name] = text

    def __call__(self, diagnostic: Diagnostic) -> None:
        """Write a diagnostic with its notes and its op."""
        if self._is_hidden.get(diagnostic.severity):
            return
        self._write(diagnostic)
        last = diagnostic
        for note in diagnostic.notes:
            if self._show_op or not note.message.startswith(SEEN):
                self._write(note, excerpt=note.location != last.location)
                last = note
        caller = diagnostic.location.caller
        while caller is not None:
            self._write(Diagnostic(Severity.NOTE, "called from", caller))
            caller = caller.caller
        if diagnostic.origin:
            note = Diagnostic(Severity.NOTE, diagnostic.origin, diagnostic.location)
            self._write(note, excerpt=False)
        if self._show_op and (text := diagnostic.detach(render=True).op_text.rstrip("\n")):
            message = "\n".join([f"{SEEN}: ", text]) if "\n" in text else f"{SEEN}: {text}"
            self._write(Diagnostic(Severity.NOTE, message, diagnostic.location), excerpt=False)

    def _write(self, diagnostic: Diagnostic, *, excerpt: bool = True) -> None:
        location = diagnostic.location
        message = _shortened(diagnostic.message)
        if location.label and not location.file:
            message = f"{location.label}: {message}"
        lines = self._excerpt(location) if excerpt else ""
        text = f"{location}: {diagnostic.severity.value}: {message}\n{lines}".removesuffix("\n")
        self._stream.write(f"{coloured(text, self._stream, self._color)}\n")

    def _excerpt(self, location: Location) -> str:
        """Return the source line and a caret line, if the line is known.

        No file is opened, because locations in the input can name any file.
        """
        line = location.source or self._line_at(location)
        if line is None:
            return ""
        column = max(location.column - 1, 0)
        if self._byte_columns and not line.isascii():
            column = len(line.encode()[:column].decode(errors="ignore"))
        return printable(underline(line, column)) + "\n"

    def _line_at(self, location: Location) -> str | None:
        """Return a line of a source. The source is split once for all diagnostics."""
        name, number = location.file or "", location.line
        lines = self._sources.get(name, [])
        if isinstance(lines, str):
            lines = self._sources[name] = lines.split("\n")
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else None


def coloured(text: str, stream: TextIO, color: Color) -> str:
    """If a stream shows colors, color the text of a diagnostic as LLVM's tools do.

    Args:
        text: The text of the diagnostic: location, severity and message, optionally followed by a
            source line and a caret.
        stream: The stream that the text is written to.
        color: Whether to use colors: `auto`, `always` or `never`.
    """
    found = _RENDERED.fullmatch(text) if shows_color(stream, color) else None
    if found is None:
        return text
    place, severity, message, source, caret = found.groups(default="")
    style = _STYLES[Severity(severity)]
    head = styled(f"{place}: ", "bold") + styled(f"{severity}: ", style)
    shown = "" if severity == Severity.NOTE.value else "bold"
    return f"{head}{styled(message, shown)}{source}{styled(caret, 'bold green')}"


def _shortened(text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    if len(lines) <= _MAX_OP_LINES:
        return "\n".join(lines)
    hidden = len(lines) - _MAX_OP_LINES
    kept = lines[: _MAX_OP_LINES - 1]
    return "\n".join([*kept, f"... ({hidden} more lines)", lines[-1]])
