"""`--load-pass-plugin`: passes from a Python file or an importable module."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from passel.diagnostics import brief
from passel.errors import PasselError
from passel.ir.frontend import UsageError
from passel.passes import Pass

if TYPE_CHECKING:
    from types import ModuleType

    from passel.passes import PassRegistry


def load_plugin(name: str, registry: PassRegistry) -> None:
    """Import a plugin and register the pass classes that it defines and names.

    What the plugin registers itself while it is imported counts too. Its passes replace
    others of the same name.

    Args:
        name: A file that ends in `.py`, or a module's dotted name.
        registry: Where its passes go.

    Raises:
        UsageError: It cannot be found, or raises while it is imported.
    """
    module = _import(name)
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            try:
                _register(value, registry)
            except PasselError as error:
                msg = f"pass plugin '{name}': {error}"
                raise UsageError(msg) from error


def _register(value: type[Any], registry: PassRegistry) -> None:
    if not isinstance(getattr(value, "name", None), str) or not value.name:
        return
    if issubclass(value, Pass):
        registry.register(cast("type[Pass[Any]]", value), override=True)
    elif "xdsl.passes" in sys.modules and issubclass(value, sys.modules["xdsl.passes"].ModulePass):
        from passel.xdsl.module_passes import pass_class_for

        registry.register(pass_class_for(value), override=True)


def _import(name: str) -> ModuleType:
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
