"""Who put something into a builder, and where that is written."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import NamedTuple

_PASSEL = str(Path(__file__).parent.parent)
_OURS = os.path.join(_PASSEL, "builder", "")  # noqa: PTH118 - as text


class Origin(NamedTuple):
    """Who put something into a builder.

    Attributes:
        extension: The name of the extension; empty for who made the builder.
        file: The file of the call; empty if there is none.
        line: The line of the call, counted from 1; 0 if there is none.
    """

    extension: str = ""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = f"{_shown(self.file)}:{self.line}" if self.file else ""
        if not self.extension:
            return where
        return f"extension '{self.extension}'" + (f" ({where})" if where else "")

    def clause(self, verb: str) -> str:
        """Return a verb with who or where, such as `added at a.py:3`; empty if that is unknown."""
        return f"{verb} {'by' if self.extension else 'at'} {self}" if str(self) else ""


def caller(extension: str = "") -> Origin:
    """Return the place from which the builder was called; no file for passel's own tools.

    Args:
        extension: The name of the extension that is at work.
    """
    frame = inspect.currentframe()
    assert frame is not None  # noqa: S101 - every Python that passel runs on has frames
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    if frame.f_code.co_filename.startswith(_PASSEL):
        return Origin(extension)
    return Origin(extension, frame.f_code.co_filename, frame.f_lineno)


def _shown(file: str) -> str:
    """Return a file's name from here, if it is below; of a notebook's cell, its number."""
    from passel.notebooks import shell  # noqa: PLC0415 - few places are printed

    if (at := shell()) and (cell := at.compile.format_code_name(file)):
        return " ".join(cell)
    here = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118 - as a string
    return file.removeprefix(here)
