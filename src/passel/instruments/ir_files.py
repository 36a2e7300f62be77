"""Dumps as a tree of files: one directory for each op, in that of the enclosing op."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from passel.instruments.whole_files import lasting, write_whole

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from passel.hooks import OpIdentity

Chain: TypeAlias = "Sequence[tuple[Hashable, str]]"
"""An op and its enclosing ops, outermost first: the identity of each, and its name."""

_LONGEST_NAME = 200
"""In bytes: file systems take 255, and something may be appended."""

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|%]')


class FileTree:
    """A tree of files for dumps.

    An op's directory is called like `func_func_main`, or `func_func_no-symbol-name`; another
    op whose directory would have the same name gets `-1`, `-2`, and so on. Characters that
    file systems or shells do not take stand as `%2F`. Files are called like `0_2_cse.mlir`:
    for each op from the outermost one how often it was dumped before, then the pass.

    Args:
        root: The directory, made when it is first needed.

    Example:
        >>> tree = FileTree("dumps")
        >>> tree.place([("a", "builtin_module_a"), ("f", "func_func_f")], "cse").as_posix()
        'dumps/builtin_module_a/func_func_f/0_0_cse.mlir'
        >>> tree.place([("a", "builtin_module_a")], "cse").as_posix()
        'dumps/builtin_module_a/1_cse.mlir'

    Source: `FileTreeIRPrinterConfig`, MLIR 22, where ops of one name share a directory and
    overwrite each other's files, and the root's parent has to exist.
    """

    def __init__(self, root: str | Path) -> None:
        self.root: Path = Path(root)
        self._start = lasting("")
        self._counts: dict[Hashable, int] = {}
        self._owners: dict[tuple[Path, str], object] = {}
        self._numbers: dict[tuple[Path, str], int] = {}
        self._names: dict[tuple[Path, Hashable, str], str] = {}

    def place(self, chain: Chain, pass_name: str, suffix: str = ".mlir") -> Path:
        """Return where the next dump of the last op of `chain` goes."""
        last, _ = chain[-1]
        self._counts[last] = self._counts.get(last, -1) + 1
        # One that has not been dumped yet counts as dumped once from here on, as in MLIR.
        numbers = [self._counts.setdefault(key, 0) for key, _ in chain]
        directory = self.root
        for key, name in chain:
            directory /= self._unique(directory, key, file_name(name))
        prefix = "_".join(map(str, numbers))
        return directory / (file_name(f"{prefix}_{pass_name}") + suffix)

    def write(self, path: Path, text: str) -> str:
        """Write a dump; return what went wrong, or an empty string."""
        try:
            target = self._start / path
            target.parent.mkdir(parents=True, exist_ok=True)
            write_whole(target, text.encode("utf-8", "backslashreplace").decode())
        except OSError as error:
            where = error.filename or str(path)  # a full disk is noticed without a name
            where = where.removeprefix(f"{self._start}{os.sep}")
            return f"cannot write the IR to '{where}': {error.strerror or error}"
        return ""

    def forget(self) -> None:
        """Forget all ops; directories stay taken, so that those of later ops get other names."""
        self._counts.clear()
        self._names.clear()
        for place in self._owners:
            self._owners[place] = place

    def _unique(self, directory: Path, key: Hashable, name: str) -> str:
        known = self._names.get((directory, key, name))
        if known is not None:
            return known
        chosen, number = name, self._numbers.get((directory, name), 0)
        if number:
            chosen = f"{name}-{number}"
        while self._owners.setdefault((directory, chosen), key) != key:
            number += 1
            chosen = f"{name}-{number}"
        self._numbers[directory, name] = number
        self._names[directory, key, name] = chosen
        return chosen


def directory_name(op: OpIdentity) -> str:
    """Return what an op's directory is called, before characters are replaced."""
    symbol = "no-symbol-name" if op.symbol is None else op.symbol
    return f"{op.name.replace('.', '_')}_{symbol}"


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
