"""Look up the entry points and versions of installed packages.

This module reads the same files as `importlib.metadata`, which takes longer to import than passel
itself. The directories are searched again after a package has been installed.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_POINT = re.compile(r"(?P<name>[^=]*?)\s*=\s*(?P<module>[\w.]+)\s*(?::\s*(?P<attribute>[\w.]+))?")
_VERSION = re.compile(r"^Version: *(\S+)", re.MULTILINE)
_INFO = (".dist-info", ".egg-info")


class EntryPoint(NamedTuple):
    """An entry point of an installed package.

    Attributes:
        name: The name of the entry point in its group.
        module: The dotted name of the module to import.
        attribute: The dotted name of an object in the module; empty for the module itself.
        package: The name of the distribution that provides the entry point.
    """

    name: str
    module: str
    attribute: str
    package: str

    def load(self) -> Any:
        """Import the object that the entry point names, and return the object."""
        found = __import__(self.module, fromlist=("",))
        for name in filter(None, self.attribute.split(".")):
            found = getattr(found, name)
        return found


def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of all installed packages in a group, sorted by name.

    If a package is installed twice, only the entry points of the importable copy are returned.

    Source: `importlib.metadata.entry_points`.
    """
    if _can_read():
        packages: dict[str, _Package] = {}
        for path in reversed(sys.path):
            packages |= _packages(path)
        points = [point for each in packages.values() for point in each.points.get(group, ())]
    else:
        points = list(_slowly(group))
    return tuple(sorted(points, key=lambda point: point.name))


def version_of(package: str) -> str:
    """Return the version of an installed package according to its metadata.

    Source: `importlib.metadata.version`.
    """
    for path in sys.path if _can_read() else ():
        info = _packages(path).get(_normalized(package))
        if info and (found := _VERSION.search(_text(f"{info.folder}/METADATA"))):
            return found[1]
    from importlib.metadata import version  # noqa: PLC0415 - what this module avoids

    return version(package)


def _can_read() -> bool:
    """Return whether all packages are in directories that the standard finder searches."""
    return not any(
        path.endswith(".egg") or os.path.isfile(path)  # noqa: PTH113 - paths are text here
        for path in sys.path
    ) and all(
        getattr(finder, "__module__", "") == "_frozen_importlib_external"
        for finder in sys.meta_path
        if hasattr(finder, "find_distributions")
    )


def _slowly(group: str) -> Iterator[EntryPoint]:
    from importlib.metadata import entry_points as find  # noqa: PLC0415 - what this module avoids

    for point in find(group=group):
        package = point.dist.name if point.dist else ""
        yield EntryPoint(point.name, point.module, point.attr or "", package)


class _Package(NamedTuple):
    """The metadata directory of a package, and its entry points by group."""

    folder: str
    points: dict[str, list[EntryPoint]]


def _packages(path: str) -> dict[str, _Package]:
    """Return the packages in a directory by normalized name."""
    path = path or "."
    try:
        return _packages_at(path, os.stat(path).st_mtime_ns)  # noqa: PTH116 - paths are text here
    except OSError:
        return {}


@cache
def _packages_at(
    path: str,
    changed: int,  # noqa: ARG001 - part of the key
) -> dict[str, _Package]:
    found: dict[str, _Package] = {}
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.name.endswith(_INFO):
                name = entry.name.rpartition(".")[0].partition("-")[0]
                found[_normalized(name)] = _Package(entry.path, _points(name, entry.path))
    return found


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def _points(package: str, folder: str) -> dict[str, list[EntryPoint]]:
    """Return the entry points of a package by group."""
    found: dict[str, list[EntryPoint]] = {}
    group = ""
    for line in map(str.strip, _text(f"{folder}/entry_points.txt").splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1]
        elif not line.startswith("#") and (point := _POINT.match(line)):
            name, module, attribute = point.groups(default="")
            found.setdefault(group, []).append(EntryPoint(name, module, attribute, package))
    return found


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - see above
            return file.read()
    except OSError:
        return ""
