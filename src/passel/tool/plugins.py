"""Plugins: Python files and modules that add passes and dialects to a tool."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from passel.errors import PasselError
from passel.frontend import UsageError
from passel.passes import Pass, default_registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from passel.passes import PassRegistry

_NATIVE = (".so", ".dylib", ".dll", ".pyd")


def import_plugin(name: str) -> ModuleType:
    """Import a plugin, and return its module.

    Args:
        name: The path of a `.py` file, or the dotted name of a module.

    Raises:
        UsageError: If the plugin cannot be found, or importing it raises an exception.
    """
    path = Path(name)
    try:
        if path.suffix != ".py":
            return importlib.import_module(name)
        module_name = f"passel_plugin_{path.stem}"
        spec = importlib.util.spec_from_file_location(module_name, path)
        # Names that end in .py always have a loader.
        assert spec is not None  # noqa: S101
        assert spec.loader is not None  # noqa: S101
        module = importlib.util.module_from_spec(spec)
        # As for a script, the plugin can import modules from its folder.
        sys.path.insert(0, str(path.resolve().parent))
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    except FileNotFoundError as error:
        raise UsageError(f"cannot open plugin '{name}': {error.strerror}") from error
    except KeyboardInterrupt as error:
        error.add_note(f"loading plugin '{name}'")
        raise
    except BaseException as error:
        from passel.tracebacks import brief_at

        raise UsageError(f"cannot load plugin '{name}': {brief_at(error)}") from error
    return module


def classes_in(module: ModuleType) -> Iterator[type[Any]]:
    """Yield the classes that a module itself defines, in order of definition."""
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield value


def load_plugin(name: str, given: PassRegistry | None) -> ModuleType:
    """Import a plugin, and register the named pass classes that the plugin defines.

    A pass that the code of the plugin registers is not registered again. Every other named pass of
    the plugin replaces the registered pass with the same name, if there is such a pass.

    Args:
        name: The path of a `.py` file, or the dotted name of a module.
        given: The registry for the plugin's passes. None means the default registry.

    Raises:
        UsageError: If the plugin cannot be found, or importing it raises an exception.
    """
    registry = given or default_registry()
    if name.endswith(_NATIVE):
        raise UsageError(f"cannot load native plugin '{name}'; give a Python file or module")
    before = len(registry.added)
    plugin = import_plugin(name)
    by_itself = registry.added[before:]
    for value in classes_in(plugin):
        own = getattr(value, "name", None)
        if not isinstance(own, str) or own in {"", *by_itself}:
            continue
        try:
            _register(value, registry)
        except PasselError as error:
            raise UsageError(f"plugin '{name}': {error}") from error
    return plugin


def _register(value: type[Any], registry: PassRegistry) -> None:
    if issubclass(value, Pass):
        registry.register(cast("type[Pass[Any]]", value), override=True)
    elif "xdsl.passes" in sys.modules and issubclass(value, sys.modules["xdsl.passes"].ModulePass):
        from passel.xdsl.module_passes import pass_class_for

        registry.register(pass_class_for(value), override=True)
