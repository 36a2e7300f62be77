"""Writing of files that are never seen half written."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

_NOT_BESIDE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY}
"""Why nothing can be created beside a file, or put in its place, that can itself be written."""


def lasting(path: str | Path) -> Path:
    """Return a path that leads to the same place when the working directory changes."""
    with suppress(OSError):  # the working directory is gone
        return Path(path).absolute()
    return Path(path)


def is_special(path: Path) -> bool:
    """Return whether a path is a device or a pipe, which is written to directly."""
    return path.exists() and not path.is_file() and not path.is_dir()


def check_writable(path: str | Path) -> None:
    """Find out whether a file can be written, without touching it.

    Raises:
        OSError: It cannot.
        ValueError: No file can have this name.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir() or str(path).endswith(os.sep):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if target.exists() and os.access(target, os.W_OK):
        return
    os.stat(os.path.join(target.parent, ""))  # noqa: PTH116, PTH118 - refuses what is no directory
    if target.exists() or not os.access(target.parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    with suppress(FileNotFoundError):
        target.stat()  # the name may be too long


def write_whole(path: Path, contents: str | bytes) -> None:
    """Write a file that has either its old contents or all of the new ones, whatever happens.

    The contents go to a file beside it, which then takes its place; a link stays one. Only where
    none can be created there, the file itself is overwritten.

    Args:
        path: The file; a device or a pipe is written to.
        contents: Its new contents.

    Raises:
        OSError: It cannot be written.
        ValueError: No file can have this name, or the text cannot be encoded.
    """
    data = contents.encode() if isinstance(contents, str) else contents
    if is_special(path):
        path.write_bytes(data)
        return
    target = Path(os.path.realpath(path))
    try:
        _replace(target, data)
    except OSError as error:
        if error.errno not in _NOT_BESIDE or not target.is_file():
            raise
        target.write_bytes(data)


def _replace(target: Path, data: bytes) -> None:
    part = target.with_name(f".passel-{os.urandom(8).hex()}")
    try:
        part.write_bytes(data)
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    except BaseException:  # interrupts too
        with suppress(OSError):
            part.unlink()
        raise
