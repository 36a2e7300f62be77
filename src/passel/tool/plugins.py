"""`--load-pass-plugin`: passes and dialects from a Python file or an importable module."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from passel.errors import PasselError
from passel.ir.frontend import UsageError
from passel.passes import Pass, default_registry
from passel.passes.plugins import classes_in, import_plugin

if TYPE_CHECKING:
    from types import ModuleType

    from passel.passes import PassRegistry

_NATIVE = (".so", ".dylib", ".dll", ".pyd")


def load_plugin(name: str, given: PassRegistry | None) -> ModuleType:
    """Import a plugin and register the pass classes that it defines and names.

    What the plugin registers itself while it is imported stands. Its other passes replace
    those of the same name.

    Args:
        name: A file that ends in `.py`, or a module's dotted name.
        given: The registry of its passes; None for the default one.

    Raises:
        UsageError: It cannot be found, or raises while it is imported.
    """
    registry = given or default_registry()
    if name.endswith(_NATIVE):
        raise UsageError(
            f"cannot load pass plugin '{name}': it is native; give a Python file or module"
        )
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
            msg = f"pass plugin '{name}': {error}"
            raise UsageError(msg) from error
    if is_new and _known(registry) == before and not _has_dialects(plugin):
        raise UsageError(f"pass plugin '{name}' {_lack(plugin)}")
    return plugin


def _known(registry: PassRegistry) -> tuple[int, ...]:
    """Return numbers that change when a plugin registers something."""
    extensions = sys.modules.get("passel.builder.extensions")
    registered = 0 if extensions is None else extensions.registered_count()
    return len(registry.added), len(default_registry().added), registered


def _has_dialects(plugin: ModuleType) -> bool:
    """Return whether something in a plugin is, or may be, a dialect of some IR."""
    if "register_dialects" in vars(plugin):  # as builds of MLIR's bindings have it
        return True
    for value in vars(plugin).values():
        kind: type[Any] = value if isinstance(value, type) else type(value)
        if any("Dialect" in base.__name__ for base in kind.__mro__):
            return True
    return False


def _lack(plugin: ModuleType) -> str:
    """Return why a plugin brings nothing, and the way out."""
    unnamed = [each.__name__ for each in classes_in(plugin) if issubclass(each, Pass)]
    if unnamed:
        return f"has no pass with a name: write name = '...' into {unnamed[0]}"
    for each in vars(plugin).values():
        if isinstance(each, type) and issubclass(each, Pass) and each.name:
            return (
                f"defines no pass, and only imports {each.__name__}: load the module "
                f"'{each.__module__}' instead"
            )
    return (
        "brings no pass: define a class that derives from passel.Pass and has a name, or register "
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
