"""Where the result goes: the standard output, or a file that appears only on success."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from passel.diagnostics import file_problem
from passel.ir.frontend import UsageError

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


class Output:
    """The tool's result.

    Args:
        name: A file's name, or `-` for the standard output.

    Raises:
        UsageError: The file cannot be written; said before any work is done.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._parts: list[bytes] = []
        self._temporary: Path | None = None
        # Devices and pipes keep their name: /dev/stdout resolves to nothing that can be opened.
        is_special = Path(name).exists() and not Path(name).is_file()
        self._target = Path(name if is_special else os.path.realpath(name))
        if name == "-":
            return
        try:
            if not is_special:
                # In the same directory, so that moving it into place is atomic.
                handle, temporary = tempfile.mkstemp(prefix=".passel-opt-", dir=self._target.parent)
                os.close(handle)
                self._temporary = Path(temporary)
            else:
                with self._target.open("a"):
                    pass
        except OSError as error:
            msg = f"cannot open output file '{name}': {error.strerror}"
            raise UsageError(msg) from None

    def write(self, text: str | bytes) -> None:
        """Add text or bytecode to the result; a file's content is kept back until `commit`."""
        if self._name == "-":
            self._to_stdout(text)
        else:
            self._parts.append(text.encode() if isinstance(text, str) else text)

    def commit(self) -> None:
        """Make the file appear, all of it at once; devices and pipes are written to.

        Raises:
            UsageError: The file cannot be written.
        """
        try:
            if self._name == "-":
                self._to_stdout()
            elif self._temporary is None:
                with self._target.open("wb") as file:
                    file.writelines(self._parts)
            else:
                with self._temporary.open("wb") as file:
                    file.writelines(self._parts)
                self._temporary.chmod(self._mode())
                self._temporary.replace(self._target)
                self._temporary = None
        except BrokenPipeError:
            raise
        except OSError as error:
            msg = f"cannot write output file '{self._name}': {error.strerror}"
            raise UsageError(msg) from None

    def discard(self) -> None:
        """Leave no trace of what was not committed."""
        if self._temporary is not None:
            with suppress(OSError):
                self._temporary.unlink()
            self._temporary = None

    @staticmethod
    def _to_stdout(text: str | bytes = "") -> None:
        if sys.stdout is None:
            raise UsageError("cannot write the output: the standard output is closed")
        try:
            if isinstance(text, bytes):
                sys.stdout.buffer.write(text)
            else:
                sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except (OSError, UnicodeEncodeError) as error:
            abandon_stdout()
            problem = file_problem(error)
            raise UsageError(f"cannot write to the standard output: {problem}") from None

    def _mode(self) -> int:
        if self._target.exists():
            return stat.S_IMODE(self._target.stat().st_mode)
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
