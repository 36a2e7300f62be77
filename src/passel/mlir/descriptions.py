"""Descriptions of MLIR's passes, from the help of an installed mlir-opt.

passel ships facts about MLIR's passes, but not MLIR's help texts.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PROGRAMS = ("mlir-opt-22", "mlir-opt")
_SECONDS = 10
"""The time limit in seconds within which a candidate for mlir-opt must print its help."""

_PASS = re.compile(r" {6}--(?P<name>\S+) +- (?P<text>.*)")
_OPTION = re.compile(r" {8}--?(?P<name>[^\s=]+)(?: ?=?<.*?>)? +- (?P<text>.*)")
_SECTION = re.compile(r" {0,4}[A-Z].*:")


class Description(NamedTuple):
    """The help texts of a pass and of the pass's options.

    Attributes:
        summary: The summary of the pass, in one line.
        options: The help text of each option, by option name.
    """

    summary: str
    options: dict[str, str]


@cache
def descriptions(root: str) -> dict[str, Description]:
    """Return the descriptions of MLIR's passes by pass name.

    The result is empty if no mlir-opt is installed.

    Args:
        root: The root package of the bindings. An mlir-opt inside this package takes precedence
            over `mlir-opt-22` and `mlir-opt` in PATH.
    """
    for candidate in (*_packaged(root), *_PROGRAMS):
        program = shutil.which(candidate)
        if program is not None:
            return read_help(_help(program))
    return {}


def _packaged(root: str) -> Iterable[str]:
    spec = find_spec(root)
    for directory in (spec and spec.submodule_search_locations) or ():
        yield from map(str, Path(directory).glob("*/*-opt"))


def _help(program: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - MLIR's own
            [program, "--help"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def read_help(text: str) -> dict[str, Description]:
    """Parse the output of `mlir-opt --help`, and return the descriptions by pass name.

    Example:
        >>> found = read_help('''
        ...   Passes:
        ...       --sweep         -   Remove what is not used
        ...         --deep=<int>  - How deep to look
        ... ''')
        >>> found["sweep"]
        Description(summary='Remove what is not used', options={'deep': 'How deep to look'})
    """
    return dict(_entries(text.partition("  Passes:\n")[2].splitlines()))


def _entries(lines: Iterable[str]) -> Iterator[tuple[str, Description]]:
    options: dict[str, str] = {}
    for line in lines:
        if found := _PASS.fullmatch(line):
            options = {}
            yield found["name"], Description(found["text"].strip(), options)
        elif found := _OPTION.fullmatch(line):
            options[found["name"]] = found["text"].strip()
        elif _SECTION.fullmatch(line):
            return
