"""Versions that processes which share work must have in common."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel._version import __version__
from passel.ir import ShipsOps, ability_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from passel.ir import IRAdapter
    from passel.passes import Pass


class Versions(NamedTuple):
    """Versions of all that runs passes.

    Attributes:
        own: Of Python and passel.
        ir: Of the IR's packages.
        modules: Of the modules with passes of others: what they say, and a hash of the source.
    """

    own: Mapping[str, str]
    ir: Mapping[str, str]
    modules: Mapping[str, str]

    @classmethod
    def here(cls, adapter: IRAdapter, passes: Iterable[Pass[Any, Any]]) -> Versions:
        """Return the versions of this process that matter for passes."""
        ir = _ir_versions(adapter)
        modules = {type(each).__module__ for each in passes}
        others = sorted(name for name in modules if name.partition(".")[0] not in {"passel", *ir})
        return cls(_own(), ir, {name: _module_version(name) for name in others})

    def difference_here(self, adapter: Callable[[], IRAdapter]) -> str:
        """Return how this process differs, such as `xdsl is 0.70 there and 0.74 here`.

        Args:
            adapter: Returns the adapter, which exists if passel is the same.

        Returns:
            The first difference, from the view of the process that asks; empty if there is none.
        """
        return (
            _difference(self.own, _own())
            or _difference(self.ir, _ir_versions(adapter()) if self.ir else {})
            or _difference(self.modules, {n: _module_version(n) for n in self.modules})
        )


_changes: dict[str, float] = {}
"""When files of loaded modules had changed last when they were first seen here."""


def edited_module() -> str:
    """Return a module whose file has changed since it was first seen; empty if there is none."""
    edited = ""
    for name, module in [*sys.modules.items()]:
        try:
            changed = os.stat(module.__file__ or "").st_ctime  # noqa: PTH116 - there are hundreds
        except (AttributeError, TypeError, OSError):
            continue
        if _changes.setdefault(name, changed) != changed:
            edited = name
    return edited


def _own() -> dict[str, str]:
    return {"passel": __version__, "Python": f"{sys.version_info[0]}.{sys.version_info[1]}"}


def _ir_versions(adapter: Any) -> Mapping[str, str]:
    ships = ability_of(adapter, ShipsOps)
    return {} if ships is None else ships.versions()


def _difference(wanted: Mapping[str, str], found: Mapping[str, str]) -> str:
    for name, version in wanted.items():
        if (other := found.get(name, "missing")) != version:
            return f"{name} is {other} there and {version} here"
    return ""


def _module_version(name: str) -> str:
    """Return the version of a module: what its package says, and a hash of its source."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        return "missing"
    package = sys.modules.get(name.partition(".")[0], module)
    said = str(getattr(package, "__version__", "")) or "of this source"
    try:
        source = Path(getattr(module, "__file__", None) or "").read_bytes()
    except OSError:
        return said
    return f"{said} ({hashlib.sha256(source).hexdigest()[:8]})"
