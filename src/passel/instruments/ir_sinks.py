"""Dumps of IR, and where they go: a stream, or a tree of files."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TextIO

from passel.instruments.ir_diff import coloured
from passel.instruments.terminals import Color, shows_color
from passel.instruments.whole_files import lasting, write_whole

if TYPE_CHECKING:
    from passel.instruments.events import PassExecution

_LONGEST_NAME = 200
"""In bytes: file systems take 255, and something may be appended."""

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|%]')


class Dump(NamedTuple):
    """One dump.

    Attributes:
        execution: The execution of a pass that it belongs to.
        header: The line that introduces it.
        text: The IR, or a diff.
        is_diff: Whether it is a diff.
        reported: How many diagnostics came before it.
    """

    execution: PassExecution
    header: str
    text: str
    is_diff: bool
    reported: int

    def __str__(self) -> str:
        return f"{self.header}\n{self.text}\n\n"


class Sink:
    """A stream for dumps, or a tree of files, with a directory for each op in that of its parent.

    A failure to write is reported once, and nothing more is written.

    An op's directory is called like `func_func_main`, or `func_func_no-symbol-name`. Characters
    that file systems or shells do not take stand as `%2F`. Files are called like `0_2_cse.mlir`:
    for each op from the outermost one how often it was dumped before, then the pass. Ops of one
    name share a directory.

    Args:
        stream: The stream; by default the standard error as it is when something is written.
        color: When diffs are coloured.
        directory: The directory, made when it is first needed; None to write to the stream.

    Source: `FileTreeIRPrinterConfig`, MLIR 22, where ops of one name overwrite each other's
    files, and the directory's parent has to exist.
    """

    def __init__(self, stream: TextIO | None, color: Color, directory: str | Path | None) -> None:
        self._stream = stream
        self._color: Color = color
        self._root = None if directory is None else Path(directory)
        self._start = lasting("")
        self._counts: dict[Path, int] = {}
        self._broken = False

    def take(self, dump: Dump) -> None:
        """Write a dump, in colours if it is a diff for a stream and they are wanted."""
        if self._broken:
            return
        if self._root is None:
            is_coloured = dump.is_diff and shows_color(self._target(), self._color)
            self._say(str(dump._replace(text=coloured(dump.text)) if is_coloured else dump))
            return
        path = self._place(dump, self._root)
        try:
            target = self._start / path
            target.parent.mkdir(parents=True, exist_ok=True)
            write_whole(target, str(dump).encode("utf-8", "backslashreplace").decode())
        except OSError as error:
            where = error.filename or str(path)  # a full disk is noticed without a name
            where = where.removeprefix(f"{self._start}{os.sep}")
            reason = error.strerror or error
            self._say(
                f"error: cannot write the IR to '{where}': {reason}; no more dumps are written\n"
            )
            self._broken = True

    def _place(self, dump: Dump, root: Path) -> Path:
        """Return the file for a dump."""
        names = (
            file_name(f"{op.name.replace('.', '_')}_{op.symbol or 'no-symbol-name'}")
            for op in dump.execution.ops
        )
        _, *directories = accumulate(names, Path.joinpath, initial=root)
        last = directories[-1]
        self._counts[last] = self._counts.get(last, -1) + 1
        # One that has not been dumped yet counts as dumped once from here on, as in MLIR.
        prefix = "_".join(str(self._counts.setdefault(each, 0)) for each in directories)
        suffix = ".diff" if dump.is_diff else ".mlir"
        return last / (file_name(f"{prefix}_{dump.execution.name}") + suffix)

    def _say(self, text: str) -> None:
        """Write text, at once: what is reported next comes after it."""
        stream = self._target()
        encoding = getattr(stream, "encoding", None) or "utf-8"
        try:
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
            stream.flush()
        except OSError as error:
            self._broken = True
            if self._stream not in (None, sys.stderr) and not isinstance(error, BrokenPipeError):
                reason = error.strerror or error
                sys.stderr.write(f"error: cannot print the IR: {reason}; nothing more is printed\n")

    def _target(self) -> TextIO:
        return sys.stderr if self._stream is None else self._stream


def file_name(text: str) -> str:
    """Return `text` as the name of one file, different for different texts.

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
