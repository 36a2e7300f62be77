"""Plugins: Python files and modules with passes or dialects."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from passel.diagnostics import brief
from passel.errors import PasselError
from passel.frontend import UsageError
from passel.passes import Pass, default_registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from passel.passes import PassRegistry


def import_plugin(name: str) -> ModuleType:
    """Import a plugin.

    Args:
        name: A `.py` file, or the dotted name of a module.

    Raises:
        UsageError: If the plugin cannot be found, or its import raises.
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
        msg = f"cannot open plugin '{name}': {error.strerror}"
        raise UsageError(msg) from error
    except KeyboardInterrupt as error:
        error.add_note(f"loading plugin '{name}'")
        raise
    except BaseException as error:
        msg = f"cannot load plugin '{name}': {brief(error)}{_place(error, name)}"
        raise UsageError(msg) from error
    return module


def _place(error: BaseException, name: str) -> str:
    """Return the place of an error in the plugin, if it was raised there."""
    if isinstance(error, SyntaxError):
        return ""
    place, traceback = "", error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename.endswith(name):
            place = f" ({name}:{traceback.tb_lineno})"
        traceback = traceback.tb_next
    return place


def classes_in(module: ModuleType) -> Iterator[type[Any]]:
    """Yield the classes defined in a module itself, in order."""
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield value


def named_passes_in(module: ModuleType) -> Iterator[type[Pass[Any, Any]]]:
    """Yield the named pass classes defined in a module itself, in order."""
    for value in classes_in(module):
        if issubclass(value, Pass) and value.name:
            yield value


# -- Plugins of passel-opt ---------------------------------------------------------------------

_NATIVE = (".so", ".dylib", ".dll", ".pyd")


def load_plugin(name: str, given: PassRegistry | None) -> ModuleType:
    """Import a plugin and register the named pass classes defined in it.

    Passes that the plugin registers during its import are kept. Its other passes replace passes of
    the same name.

    Args:
        name: A `.py` file, or the dotted name of a module.
        given: The registry for its passes; None for the default one.

    Raises:
        UsageError: If the plugin cannot be found, or its import raises.
    """
    registry = given or default_registry()
    if name.endswith(_NATIVE):
        raise UsageError(f"cannot load plugin '{name}': it is native; give a Python file or module")
    is_new = name not in sys.modules
    before = _known(registry)
    counts = [(each, len(each.added)) for each in {registry, default_registry()}]
    plugin = import_plugin(name)
    by_itself = {added for each, count in counts for added in each.added[count:]}
    for value in classes_in(plugin):
        try:
            if getattr(value, "name", None) not in by_itself:
                _register(value, registry)
        except PasselError as error:
            msg = f"plugin '{name}': {error}"
            raise UsageError(msg) from error
    if is_new and _known(registry) == before and not _has_dialects(plugin):
        raise UsageError(f"plugin '{name}' {_lack(plugin)}")
    return plugin


def _known(registry: PassRegistry) -> tuple[int, ...]:
    """Return counters that change with each registration."""
    extensions = sys.modules.get("passel.builder.extensions")
    registered = 0 if extensions is None else len(extensions.registered)
    return len(registry.added), len(default_registry().added), registered


def _has_dialects(plugin: ModuleType) -> bool:
    """Return whether a plugin contains a possible dialect of some IR."""
    values = vars(plugin).values()
    kinds: Iterator[type[Any]] = (each if isinstance(each, type) else type(each) for each in values)
    names = (base.__name__ for kind in kinds for base in kind.__mro__)
    # MLIR's bindings register dialects with a function.
    return "register_dialects" in vars(plugin) or any("Dialect" in name for name in names)


def _lack(plugin: ModuleType) -> str:
    """Return why a plugin provides nothing, and the way out."""
    unnamed = [each.__name__ for each in classes_in(plugin) if issubclass(each, Pass)]
    if unnamed:
        return f"has no pass with a name: write name = '...' into {unnamed[0]}"
    return (
        "has no passes: define a class that derives from passel.Pass and has a name, or register "
        "one in passel.default_registry()"
    )


def _register(value: type[Any], registry: PassRegistry) -> None:
    if not isinstance(getattr(value, "name", None), str) or not value.name:
        return
    if issubclass(value, Pass):
        registry.register(cast("type[Pass[Any]]", value), override=True)
    elif "xdsl.passes" in sys.modules and issubclass(value, sys.modules["xdsl.passes"].ModulePass):
        from passel.xdsl.module_passes import pass_class_for

        registry.register(pass_class_for(value), override=True)
