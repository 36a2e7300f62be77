"""Plugins: Python files and modules that bring passes."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.diagnostics import brief
from passel.ir.frontend import UsageError
from passel.passes.base import Pass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


def import_plugin(name: str) -> ModuleType:
    """Import a plugin.

    Args:
        name: A file that ends in `.py`, or a module's dotted name.

    Raises:
        UsageError: It cannot be found, or raises while it is imported.
    """
    path = Path(name)
    try:
        if path.suffix != ".py":
            return importlib.import_module(name)
        module_name = f"passel_plugin_{path.stem}"
        spec = importlib.util.spec_from_file_location(module_name, path)
        # A name that ends in .py always has a loader.
        assert spec is not None  # noqa: S101
        assert spec.loader is not None  # noqa: S101
        module = importlib.util.module_from_spec(spec)
        # As for a script: what lies beside the plugin can be imported by it.
        sys.path.insert(0, str(path.resolve().parent))
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    except FileNotFoundError as error:
        msg = f"cannot open pass plugin '{name}': {error.strerror}"
        raise UsageError(msg) from error
    except KeyboardInterrupt as error:
        error.add_note(f"loading pass plugin '{name}'")
        raise
    except BaseException as error:
        msg = f"cannot load pass plugin '{name}': {brief(error)}{_place(error, name)}"
        raise UsageError(msg) from error
    return module


def _place(error: BaseException, name: str) -> str:
    """Return where in the plugin the error was raised, if it was there."""
    if isinstance(error, SyntaxError):
        return ""
    place, traceback = "", error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename.endswith(name):
            place = f" ({name}:{traceback.tb_lineno})"
        traceback = traceback.tb_next
    return place


def classes_in(module: ModuleType) -> Iterator[type[Any]]:
    """Yield the classes that a module defines itself, in order."""
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield value


def named_passes_in(module: ModuleType) -> Iterator[type[Pass[Any, Any]]]:
    """Yield the pass classes with names that a module defines itself, in order."""
    for value in classes_in(module):
        if issubclass(value, Pass) and value.name:
            yield value
