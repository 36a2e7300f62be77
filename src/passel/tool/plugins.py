"""`--load-pass-plugin`: passes from a Python file or an importable module."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

from passel.errors import PasselError
from passel.ir.frontend import UsageError
from passel.passes import Pass
from passel.passes.plugins import classes_in, import_plugin

if TYPE_CHECKING:
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
    for value in classes_in(import_plugin(name)):
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
