"""MLIR's own passes, as its public release declares them.

The facts are generated from MLIR's `Passes.td` files, one line per pass. A build of the
bindings may have other passes, or the same with other options; then the build is right.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FACTS = Path(__file__).with_name("passes.txt")
"""The passes of MLIR 22."""

BUILDS = Path(__file__).with_name("builds.txt")
"""Of each build, its top-level package and a release, then indented lines with names."""


FUNCTIONS = "FunctionOpInterface"
"""The interface of ops that are functions."""


class PassFacts(NamedTuple):
    """Facts about a pass.

    Attributes:
        name: Its name in pipelines.
        class_name: The name of its class.
        anchor: The op that it is for; empty for any.
        interface: The C++ interface of the ops that it is for; empty for any.
        dialects: Dialects that it depends on.
        options: Arguments of `passel.passes.factory.OptionSpec`, with types as text.
        statistics: Names of its statistics.
    """

    name: str
    class_name: str
    anchor: str = ""
    interface: str = ""
    dialects: tuple[str, ...] = ()
    options: tuple[dict[str, Any], ...] = ()
    statistics: tuple[str, ...] = ()

    @property
    def on_functions(self) -> bool:
        """Whether it is for functions of any name."""
        return self.interface.endswith(FUNCTIONS)


class FactsFile:
    """Facts about passes, each read when it is asked for.

    Args:
        path: The file; a line has the names of a pass and its class, and the rest as JSON.
    """

    def __init__(self, path: Path) -> None:
        lines = path.read_text("utf-8").splitlines()
        found = (line.split(" ", 2) for line in lines if not line.startswith("#"))
        self._lines: dict[str, tuple[str, str]] = {
            name: (class_, rest) for name, class_, rest in found
        }
        self._names: dict[str, str] = {class_: name for name, (class_, _) in self._lines.items()}

    def names(self) -> tuple[str, ...]:
        """Return the names of the passes."""
        return tuple(self._lines)

    def class_names(self) -> tuple[str, ...]:
        """Return the names of the classes."""
        return tuple(self._names)

    def of_class(self, class_name: str) -> PassFacts | None:
        """Return the facts about the pass of a class."""
        name = self._names.get(class_name)
        return None if name is None else self.of_pass(name)

    def of_pass(self, name: str) -> PassFacts | None:
        """Return the facts about the pass of a name."""
        if name not in self._lines:
            return None
        class_name, rest = self._lines[name]
        return PassFacts(name, class_name, **json.loads(rest))


@cache
def facts_file(path: Path) -> FactsFile:
    """Return the facts in a file, which is read once."""
    return FactsFile(path)


class KnownBuild(NamedTuple):
    """The newest tested release of a build of the bindings, which cannot list their passes.

    Attributes:
        distribution: The package for pip.
        names: Names that it has: of dialects as `x.`, of pipelines as `x*`, and of passes.
    """

    distribution: str
    names: frozenset[str]


@cache
def known_builds() -> dict[str, KnownBuild]:
    """Return the known builds, by their top-level packages."""
    found: dict[str, KnownBuild] = {}
    for section in re.split(r"\n(?=\S)", BUILDS.read_text("utf-8")):
        package, release, *names = section.split()
        found[package] = KnownBuild(release.partition("==")[0], frozenset(names))
    return found


def names_in(root: str) -> list[str]:
    """Return the passes and pipelines that a build is known to have; none of another build."""
    _, names = known_builds().get(root.partition(".")[0], ("", ()))
    return sorted(name.rstrip("*") for name in names if not name.endswith("."))


def is_known_pass(package: str, name: str) -> bool:
    """Return whether a name is a pass, in builds that have it."""
    found = known_builds().get(package)
    return name in (found.names if found else facts_file(FACTS).names())


def has_name(package: str, name: str) -> bool:
    """Return whether a build is known to have a pass or a pipeline, or a dialect `x.`."""
    found = known_builds().get(package)
    return found is not None and not found.names.isdisjoint((name, f"{name}*"))
