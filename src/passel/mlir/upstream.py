"""Facts about MLIR's own passes, as declared in the public release of MLIR.

The facts are generated from MLIR's `Passes.td` files, one line per pass. If a build of the bindings
declares different passes or options, the declarations of the build take precedence.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FACTS = Path(__file__).with_name("passes.txt")
"""The file with facts about the passes of MLIR 22."""

BUILDS = Path(__file__).with_name("builds.txt")
"""The file with the top-level package, the release and, on indented lines, the names of builds."""


FUNCTIONS = "FunctionOpInterface"
"""The C++ interface that function ops implement."""


class PassFacts(NamedTuple):
    """Facts about a pass, as declared in a `Passes.td` file.

    Attributes:
        name: The name of the pass in pipelines.
        class_name: The name of the pass's class.
        anchor: The name of the ops that the pass is restricted to, or an empty string if it accepts
            any op.
        interface: The C++ interface that ops must implement for the pass to run on them, or an
            empty string.
        dialects: The names of the dependent dialects.
        options: The declarations of the pass's options. The type of each option is given as text.
        statistics: The names of the pass's statistics.
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
        """Whether the pass runs on function ops of any dialect."""
        return self.interface.endswith(FUNCTIONS)


@cache
def facts_in(path: Path) -> dict[str, PassFacts]:
    """Return a dict that maps the name of each pass in a file to the facts about the pass.

    Each line of the file contains the name of a pass, the name of the pass's class, and other facts
    as JSON.
    """
    lines = path.read_text("utf-8").splitlines()
    found = (line.split(" ", 2) for line in lines if not line.startswith("#"))
    return {name: PassFacts(name, class_, **json.loads(rest)) for name, class_, rest in found}


class KnownBuild(NamedTuple):
    """The names of passes, pipelines and dialects in the newest tested release of a build.

    passel ships the names, because the bindings cannot list passes, pipelines or dialects.

    Attributes:
        distribution: The argument of `pip install` that installs the build.
        names: A dict whose keys are pass names, dialect names followed by `.`, and pipeline names
            followed by `*`. The value for a pass is the name of the pass's class, or an empty
            string if `usual_class` returns the right class name.
    """

    distribution: str
    names: dict[str, str]


@cache
def known_builds() -> dict[str, KnownBuild]:
    """Return a dict that maps top-level packages of builds to their `KnownBuild` objects."""
    found: dict[str, KnownBuild] = {}
    for section in re.split(r"\n(?=\S)", BUILDS.read_text("utf-8")):
        package, release, *words = section.split()
        pairs = (word.partition("=") for word in words)
        names = {name: class_name for name, _, class_name in pairs}
        # The extra also installs LLVM's libraries, which these bindings do not bring.
        distribution = "'passel[mlir]'" if package == "mlir" else release.partition("==")[0]
        found[package] = KnownBuild(distribution, names)
    return found


def known_build(package: str) -> KnownBuild:
    """Return passel's table for a build, or an empty table if passel has none for this build."""
    return known_builds().get(package, KnownBuild("", {}))


def names_in(root: str) -> list[str]:
    """Return the names of all passes and pipelines in passel's table for a build.

    If passel has no table for the build, the result is empty.
    """
    names = known_build(root.partition(".")[0]).names
    return sorted(name.rstrip("*") for name in names if not name.endswith("."))


def is_known_pass(package: str, name: str) -> bool:
    """Return whether passel's table for a build lists a pass called `name`.

    For a build without a table, the function uses the names of MLIR 22's passes.
    """
    return name in (known_build(package).names or facts_in(FACTS))


def has_name(package: str, name: str) -> bool:
    """Return whether passel's table for a build lists `name`.

    The argument `name` is the name of a pass or pipeline, or the name of a dialect followed by a
    dot.
    """
    return not known_build(package).names.keys().isdisjoint((name, f"{name}*"))
