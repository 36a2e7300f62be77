"""Where classes of passes, and dialects, come from, so that another process can have them too."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.ir import adapter_named, adapter_names
from passel.passes.callables import CallablePass
from passel.passes.plugins import classes_in
from passel.passes.registry import installed_registry
from passel.passes.resolution import names_on

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from passel.ir import IRAdapter, TakesDialects
    from passel.passes.base import Pass


class PassOrigin(NamedTuple):
    """Where a class of passes is defined.

    Attributes:
        name: The name of the class.
        plugin: The file or module that `--load-pass-plugin` finds it in; empty if there is none.
        search_path: The folder that has to be in `PYTHONPATH` for that; empty if none has to.
        module: The module that the class can be imported from; empty if it cannot.
    """

    name: str
    plugin: str = ""
    search_path: str = ""
    module: str = ""


def is_installed(pass_: Pass[Any, Any], adapter: IRAdapter) -> bool:
    """Return whether every process that has the same packages finds a pass by its name.

    Args:
        pass_: The pass.
        adapter: The adapter of the IR that it runs on.
    """
    if pass_.ir and pass_.ir != adapter.name and pass_.ir in adapter_names():
        adapter = adapter_named(pass_.ir)
    info = names_on(adapter, installed_registry()).lookup_pass(pass_.name)
    if info is None:
        return False
    try:
        known = info.pass_class
    except Exception:  # noqa: BLE001 - whatever its package raises while it is imported
        return False
    own, base = type(pass_), __name__.partition(".")[0]
    # Those of an IR's own passes are made anew for each build of it.
    return known is own or own.__module__.partition(".")[0] == base != own.__module__


def origin_of(pass_: Pass[Any, Any]) -> PassOrigin:
    """Return where the class of a pass is defined."""
    kind = type(pass_)
    if isinstance(pass_, CallablePass):
        return PassOrigin(pass_.display_name)
    name, module = kind.__name__, sys.modules.get(kind.__module__)
    if module is None or not any(_is_named(each, pass_.name) for each in classes_in(module)):
        return PassOrigin(name)  # defined in a function, or made at run time
    return _place_of(module, name)


def dialect_origins(modules: Iterable[ModuleType], takes: TakesDialects) -> dict[PassOrigin, Any]:
    """Return the plugins among modules that define dialects, with these.

    Args:
        modules: The modules.
        takes: The adapter's ability to take dialects.
    """
    found: dict[PassOrigin, Any] = {}
    for module in modules:
        dialects = [each for each in tuple(vars(module).values()) if takes.is_dialect(each)]
        if dialects:
            found[_place_of(module, "")] = dialects
    return found


def _place_of(module: ModuleType, name: str) -> PassOrigin:
    """Return where a class of a module is defined."""
    file = Path(getattr(module, "__file__", None) or "")
    if file.suffix != ".py" or not file.is_file() or module.__name__ == "__main__":
        return PassOrigin(name)  # typed into an interpreter, or a script, which would run again
    spec = module.__spec__
    dotted = spec.name if spec is not None and spec.has_location else module.__name__
    if not module.__package__ or "." not in dotted:
        plain = file.stem if file.stem.isidentifier() else ""
        return PassOrigin(name, plugin=_shown(file), module=plain)
    root = file.parents[dotted.count(".")] if file.stem != "__init__" else file.parents[1]
    installed = {Path(sysconfig.get_path(key)).resolve() for key in ("purelib", "platlib")}
    search_path = "" if root.resolve() in installed else _shown(root)
    return PassOrigin(name, plugin=dotted, search_path=search_path, module=dotted)


def _is_named(candidate: type[Any], name: str) -> bool:
    return getattr(candidate, "name", None) == name


def _shown(path: Path) -> str:
    """Return a path relative to the current folder if it is in there."""
    resolved = path.resolve()
    here = Path.cwd()
    return str(resolved.relative_to(here)) if resolved.is_relative_to(here) else str(resolved)
