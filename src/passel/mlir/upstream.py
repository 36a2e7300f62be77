"""MLIR's own passes, as its public release declares them.

The facts are generated from MLIR's `Passes.td` files, one line per pass. A build of the
bindings may have other passes, or the same with other options; then the build is right.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FACTS = Path(__file__).with_name("passes.txt")
"""The passes of MLIR 22."""

_BUILDS = Path(__file__).with_name("builds.txt")
"""A line with the root package of a build, then indented lines with names."""

_UNDECLARED = ("gpu-register-host-buffers",)
"""Passes of the package that passel is tested with which no file declares."""


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
        path: The file; a line has the name of a pass, that of its class, and the rest as JSON.
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


@cache
def names_in(root: str) -> tuple[str, ...]:
    """Return the passes and pipelines that a build is known to have, of which it may lack some.

    The bindings can test a name, but not list them. Of JAX's and IREE's builds the names of two
    releases each are known; others are taken for a public release.
    """
    return tuple(_builds().get(root) or dict.fromkeys(upstream_passes(), False))


def is_known_pass(root: str, name: str) -> bool:
    """Return whether a name is that of a pass, in builds that have it."""
    is_pipeline = _builds().get(root, {}).get(name)
    return name in upstream_passes() if is_pipeline is None else not is_pipeline


@cache
def _builds() -> dict[str, dict[str, bool]]:
    found: dict[str, dict[str, bool]] = {}
    root = ""
    for line in _BUILDS.read_text("utf-8").splitlines():
        if line.startswith(" "):
            found[root] |= {name.rstrip("*"): name.endswith("*") for name in line.split()}
        elif not line.startswith("#"):
            root, found[line] = line, {}
    return found


@cache
def upstream_passes() -> tuple[str, ...]:
    """Return the passes of MLIR's public releases, some of which a build may lack."""
    return tuple(sorted({*facts_file(FACTS).names(), *_UNDECLARED}))
