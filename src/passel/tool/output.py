"""Where the tool writes: the result, and reports beside it."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from passel.diagnostics import file_problem
from passel.execution.streams import standard_streams
from passel.instruments.terminals import shows_color
from passel.instruments.whole_files import check_writable, is_special, write_whole
from passel.ir.frontend import UsageError

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import TextIO

    from _typeshed import ReadableBuffer
    from rich.console import RenderableType

    from passel.instruments.terminals import Color
    from passel.tool.settings import Settings

CANNOT_OPEN = "cannot open output file"

_WIDTH = 100
"""Characters of a line of a table that goes to no terminal."""

_CONTROL_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
_CONTROL_PICTURES[0x7F] = 0x2421
_CONTROL_PICTURES[ord("\N{ZERO WIDTH NO-BREAK SPACE}")] = ord("\N{OPEN BOX}")


def printable(text: str) -> str:
    """Return quoted input with one visible character for each that a terminal would obey."""
    return text.translate(_CONTROL_PICTURES)


def abandon_stdout() -> None:
    """Drop what is still buffered for the standard output, or Python complains at its exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes, where a pipe does not block or a device takes some at a time as well."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select.select([], [descriptor], [])


class Output:
    """The tool's result.

    Args:
        name: A file's name, or `-` for the standard output.

    Raises:
        UsageError: The file cannot be written; raised before any work is done.
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
        """Add text or bytecode to the result; a file's content is kept back until `commit`."""
        if self._name == "-":
            self._to_stdout(result)
            return
        with refusing("cannot write output file", self._name):
            self._parts.append(_encoded(result))

    def commit(self) -> None:
        """Make the file appear, all of it at once; devices and pipes are written to.

        Raises:
            UsageError: The file cannot be written.
        """
        if self._name == "-":
            self._to_stdout("")
            return
        with refusing("cannot write output file", self._name):
            if self._device is None:
                write_whole(Path(self._name), b"".join(self._parts))
            else:
                _write_all(self._device.fileno(), b"".join(self._parts))

    def close(self) -> None:
        """Close a device or pipe, whose reader then has all."""
        if self._device is not None:
            self._device.close()

    @staticmethod
    def _to_stdout(result: str | bytes) -> None:
        if sys.stdout is None:
            raise UsageError("cannot write the output: the standard output is closed")
        try:
            sys.stdout.flush()
            data = _encoded(result)
            try:
                descriptor = sys.stdout.fileno()
            except OSError:  # an object of a caller, such as one of pytest
                sys.stdout.write(data.decode())
            else:
                _write_all(descriptor, data)
        except BrokenPipeError:
            raise
        except (OSError, ValueError) as error:
            abandon_stdout()
            problem = file_problem(error)
            raise UsageError(f"cannot write to the standard output: {problem}") from None


def put(result: str | bytes, name: str = "-") -> int:
    """Write all of a result, and return the exit code.

    Raises:
        UsageError: It cannot be written.
    """
    output = Output(name)
    try:
        output.write(result)
        output.commit()
    finally:
        output.close()
    return 0


def laid_out(*parts: RenderableType, color: Color = "auto") -> str:
    """Return tables, and lines that are not broken, as text for the standard output."""
    from rich.console import Console
    from rich.text import Text

    console = Console(
        file=(stream := io.StringIO()),
        force_terminal=shows_color(sys.stdout, color),
        width=None if sys.stdout.isatty() else _WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text))
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _encoded(result: str | bytes) -> bytes:
    return result.encode("utf-8", "surrogateescape") if isinstance(result, str) else result


@contextmanager
def streams_kept() -> Generator[None]:
    """Open the standard output and error again if passes have closed or replaced them.

    Raises:
        UsageError: They have.
    """
    before = standard_streams()
    kept: dict[int, int] = {}
    for number in (1, 2):
        with suppress(OSError):  # a caller has closed it
            kept[number] = os.dup(number)
    stdout, stderr = sys.stdout, sys.stderr
    try:
        yield
    finally:
        after = standard_streams()
        lost = [name for name in before if after[name] != before[name]]
        for number, copy in kept.items():
            if lost:
                os.dup2(copy, number)
            os.close(copy)
        if lost:
            sys.stdout, sys.stderr = stdout, stderr
            if stderr.closed:
                sys.stderr = os.fdopen(2, "w", closefd=False)
            raise UsageError(f"a pass has closed or replaced the standard {' and '.join(lost)}")


class _Forgiving(io.FileIO):
    """A file that keeps the reason why it could not be written, instead of failing.

    Attributes:
        problem: Why; empty if all is well.
    """

    problem = ""

    def write(self, data: ReadableBuffer, /) -> int:
        size = memoryview(data).nbytes
        if not self.problem:
            try:
                _write_all(self.fileno(), bytes(data))
            except OSError as error:
                self.problem = file_problem(error)
        return size


@contextmanager
def report_file(
    settings: Settings, flag: str, path: str, *, append: bool = False
) -> Generator[TextIO]:
    """Open the file of a report; failing to write to it is an error when it is closed.

    Args:
        settings: The settings of the command line.
        flag: The flag that asks for it.
        path: The file; a device or a pipe is opened once.
        append: Whether to keep what the file holds.

    Raises:
        UsageError: It cannot be written, or is the input or the result.
    """
    what = "cannot write to info file" if flag == "info-output-file" else CANNOT_OPEN
    with refusing(what, path):
        refuse_overwriting(settings, flag, path)
        file = _Forgiving(path, "a" if append else "w")
    with io.TextIOWrapper(io.BufferedWriter(file), encoding="utf-8", newline="\n") as stream:
        yield stream
    if file.problem:
        raise UsageError(f"cannot write output file '{path}': {file.problem}")


@contextmanager
def refusing(what: str, path: str) -> Generator[None]:
    """Make a `UsageError` of what goes wrong with a file.

    Raises:
        UsageError: It cannot be done.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        raise UsageError(f"{what} '{path}': {file_problem(error)}") from None


def refuse_overwriting(settings: Settings, flag: str, path: str) -> None:
    """Refuse to write a report where the input is, or where the result goes.

    Raises:
        UsageError: It is one of these.
    """
    if _is_input(settings.input, path):
        raise UsageError(f"'--{flag}={path}' would overwrite the input")
    result = settings.output.o
    is_one = os.path.realpath(result) == os.path.realpath(path)
    if result != "-" and is_one and not is_special(Path(path)):
        raise UsageError(f"'--{flag}={path}' and '-o {result}' are one file")


def _is_input(source: str, path: str) -> bool:
    """Return whether a path is the file that the tool reads, perhaps by another name."""
    try:
        if source != "-":
            return Path(source).samefile(path)
        status = os.fstat(sys.stdin.fileno())
        return stat.S_ISREG(status.st_mode) and os.path.samestat(status, Path(path).stat())
    except (OSError, ValueError, AttributeError):  # one is not there
        return False
