"""Write files atomically."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

_NOT_BESIDE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY}
"""Errors of creating or replacing files in the directory of a file that is itself writable."""


def lasting(path: str | Path) -> Path:
    """Make a path absolute, so that it remains valid if the working directory changes."""
    with suppress(OSError):  # the working directory is gone
        return Path(path).absolute()
    return Path(path)


def is_special(path: Path) -> bool:
    """Return whether a path is a device or a pipe, which cannot be replaced atomically."""
    return path.exists() and not path.is_file() and not path.is_dir()


def check_writable(path: str | Path) -> None:
    """Check that a file can be written, without opening or creating the file.

    Raises:
        OSError: If the file cannot be written.
        ValueError: If the path is not valid.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir() or str(path).endswith(os.sep):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if target.exists() and os.access(target, os.W_OK):
        return
    os.stat(os.path.join(target.parent, ""))  # noqa: PTH116, PTH118 - fails if it is no directory
    if target.exists() or not os.access(target.parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    with suppress(FileNotFoundError):
        target.stat()  # the name may be too long


def write_whole(path: Path, contents: str | bytes) -> None:
    """Replace the contents of a file atomically.

    The contents are written to a new file in the same directory. The new file then replaces the old
    file. If the path is a symbolic link, the target of the link is replaced. If no file can be
    created in the directory, the old file is overwritten in place.

    Args:
        path: The path of the file. A device or a pipe is written directly.
        contents: The new contents.

    Raises:
        OSError: If the file cannot be written.
        ValueError: If the path is not valid, or if the text cannot be encoded.
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
