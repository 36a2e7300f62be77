"""MLIR's own passes, as declared in its public release.

The facts are generated from MLIR's `Passes.td` files, one line per pass. If a build of the bindings
has other passes or options, the build takes precedence.
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
"""The top-level package and a release of each build, followed by indented lines with names."""


FUNCTIONS = "FunctionOpInterface"
"""The interface of ops that are functions."""


class PassFacts(NamedTuple):
    """Facts about a pass.

    Attributes:
        name: Its name in pipelines.
        class_name: The name of its class.
        anchor: The op name that the pass is restricted to; empty for any.
        interface: The C++ interface that the pass is restricted to; empty for any.
        dialects: Its dependent dialects.
        options: The declarations of the pass's options, with types as text.
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
        """Whether the pass is for functions with any op name."""
        return self.interface.endswith(FUNCTIONS)


class FactsFile:
    """Facts about passes, parsed on first use.

    Args:
        path: The file. Each line has the names of a pass and its class, and other facts as JSON.

    Attributes:
        names: The names of the passes, by the names of their classes.
    """

    def __init__(self, path: Path) -> None:
        lines = path.read_text("utf-8").splitlines()
        found = (line.split(" ", 2) for line in lines if not line.startswith("#"))
        self._lines = {name: (class_, rest) for name, class_, rest in found}
        self.names: dict[str, str] = {class_: name for name, (class_, _) in self._lines.items()}

    def of_class(self, class_name: str) -> PassFacts | None:
        """Return the facts about the pass of a class."""
        return self.of_pass(self.names.get(class_name, ""))

    def of_pass(self, name: str) -> PassFacts | None:
        """Return the facts about the pass with this name."""
        class_name, rest = self._lines.get(name, ("", ""))
        return PassFacts(name, class_name, **json.loads(rest)) if rest else None


@cache
def facts_file(path: Path) -> FactsFile:
    """Return the facts in a file, which is read only once."""
    return FactsFile(path)


class KnownBuild(NamedTuple):
    """Names in the newest tested release of a build, since the bindings cannot list them.

    Attributes:
        distribution: The package for pip.
        names: The names of dialects as `x.`, of pipelines as `x*`, and of passes, with the name of
            a pass's class if `usual_class` returns another name.
    """

    distribution: str
    names: dict[str, str]


@cache
def known_builds() -> dict[str, KnownBuild]:
    """Return the known builds, by their top-level packages."""
    found: dict[str, KnownBuild] = {}
    for section in re.split(r"\n(?=\S)", BUILDS.read_text("utf-8")):
        package, release, *words = section.split()
        pairs = (word.partition("=") for word in words)
        names = {name: class_name for name, _, class_name in pairs}
        found[package] = KnownBuild(release.partition("==")[0], names)
    return found


def names_in(root: str) -> list[str]:
    """Return the passes and pipelines in the table for a build; empty if it has no table."""
    found = known_builds().get(root.partition(".")[0])
    names = found.names if found else ()
    return sorted(name.rstrip("*") for name in names if not name.endswith("."))


def is_known_pass(package: str, name: str) -> bool:
    """Return whether the tables list a name as a pass."""
    found = known_builds().get(package)
    return name in (found.names if found else facts_file(FACTS).names.values())


def has_name(package: str, name: str) -> bool:
    """Return whether the table for a build lists a pass, a pipeline, or a dialect `x.`."""
    found = known_builds().get(package)
    return found is not None and not found.names.keys().isdisjoint((name, f"{name}*"))
