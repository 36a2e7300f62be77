"""Dumps of IR, written to a stream or to a tree of files."""

from __future__ import annotations

import hashlib
import re
import sys
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

from passel.instruments.ir_diff import coloured
from passel.instruments.terminals import Color, shows_color
from passel.instruments.whole_files import lasting, write_whole

if TYPE_CHECKING:
    from passel.instruments.events import PassExecution

_LONGEST_NAME = 200
"""The longest file name in bytes: file systems allow 255, and a suffix may be appended."""

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|%]')


class Dump(NamedTuple):
    """The IR before or after one execution of a pass.

    Attributes:
        execution: The execution of the pass.
        header: The first line.
        text: The IR, or a diff.
        is_diff: Whether the text is a diff.
        reported: The number of diagnostics before the dump.
    """

    execution: PassExecution
    header: str
    text: str
    is_diff: bool
    reported: int

    def __str__(self) -> str:
        return f"{self.header}\n{self.text}\n\n"


class Sink:
    """A stream for dumps, or a tree of files with a directory for each op.

    A failure to write is reported once, and nothing more is written.

    The directory of an op is inside that of its parent, and has a name such as `func_func_main` or
    `func_func_no-symbol-name`. Characters with a meaning for file systems or shells are escaped, as
    in `%2F`. A file name such as `0_2_cse.mlir` consists of the number of earlier dumps of each op,
    from the outermost to the printed one, and the pass. Ops with equal names share a directory.

    Args:
        stream: The stream; by default the current standard error.
        color: Whether to color diffs.
        directory: The directory, created when needed; None to write to the stream.

    Source: `FileTreeIRPrinterConfig`, MLIR 22, where ops of one name overwrite each other's
    files, and the directory's parent has to exist.
    """

    def __init__(self, stream: TextIO | None, color: Color, directory: str | Path | None) -> None:
        self._stream = stream
        self._color: Color = color
        self._directory = directory
        self._start = lasting("")
        self._counts: dict[Path, int] = {}
        self._broken = False

    def take(self, dump: Dump) -> None:
        """Write a dump; a diff is colored if the stream supports colors."""
        if self._broken:
            return
        where = ""
        try:
            if self._directory is None:
                self._print(dump)
            else:
                path = self._path_for(dump, Path(self._directory))
                where = f" to '{path}'"
                target = self._start / path
                target.parent.mkdir(parents=True, exist_ok=True)
                write_whole(target, str(dump).encode("utf-8", "backslashreplace"))
        except OSError as error:
            self._broken = True
            if not isinstance(error, BrokenPipeError):
                reason = error.strerror or error
                with suppress(OSError):  # it may be the stream that is broken
                    sys.stderr.write(
                        f"error: cannot print the IR{where}: {reason}; nothing more is printed\n"
                    )

    def _path_for(self, dump: Dump, root: Path) -> Path:
        names = (
            file_name(f"{op.name.replace('.', '_')}_{op.symbol or 'no-symbol-name'}")
            for op in dump.execution.ops
        )
        _, *directories = accumulate(names, Path.joinpath, initial=root)
        last = directories[-1]
        self._counts[last] = self._counts.get(last, -1) + 1
        # As in MLIR, an enclosing op without a dump counts as dumped once from here on.
        prefix = "_".join(str(self._counts.setdefault(each, 0)) for each in directories)
        suffix = ".diff" if dump.is_diff else ".mlir"
        return last / (file_name(f"{prefix}_{dump.execution.name}") + suffix)

    def _print(self, dump: Dump) -> None:
        """Print a dump and flush, so that later diagnostics come after it."""
        stream = sys.stderr if self._stream is None else self._stream
        if dump.is_diff and shows_color(stream, self._color):
            dump = dump._replace(text=coloured(dump.text))
        encoding = getattr(stream, "encoding", None) or "utf-8"
        stream.write(str(dump).encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()


def file_name(text: str) -> str:
    """Return a file name for a text; different texts have different names.

    Example:
        >>> file_name("func_func_../../etc")
        'func_func_..%2F..%2Fetc'
    """
    name = _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", text)
    data = name.encode("utf-8", "backslashreplace")
    if name in {"", ".", ".."}:
        return f"%{name}"
    if len(data) <= _LONGEST_NAME:
        return data.decode()
    digest = hashlib.sha256(data).hexdigest()[:16]
    return f"{data[: _LONGEST_NAME - 20].decode(errors='ignore')}-{digest}"
