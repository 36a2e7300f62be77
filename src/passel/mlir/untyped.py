"""Passes of MLIR's by name: the class that stands for each, typed if it is known well enough."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from passel.mlir.bindings import bindings_named
from passel.mlir.facts import facts_of
from passel.mlir.native import NativePass, check_options
from passel.mlir.pass_effects import effects_of_native
from passel.mlir.pipelines import is_pass
from passel.mlir.typed import upstream_class
from passel.passes import default_registry
from passel.passes.factory import make_pass_class
from passel.pipeline import parse_options, print_options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.pipeline import OptionNode


class UntypedNativePass(NativePass):
    """A pass whose options are known to MLIR alone, and kept as they were written.

    Args:
        options: As in a pipeline, between the braces.
    """

    options: Any = ""

    @classmethod
    def read_options(
        cls,
        nodes: Iterable[OptionNode],
        owner: str,
        scope: Any,  # noqa: ARG003 - as in the base class
    ) -> dict[str, Any]:
        """Let MLIR check the options.

        Raises:
            OptionError: MLIR refuses them, for the reason that it gives.
        """
        nodes = tuple(nodes)
        check_options(bindings_named(cls.root), cls.name, nodes, owner)
        return {"options": print_options(nodes)}

    def option_nodes(self, *, all_options: bool = False) -> tuple[OptionNode, ...]:
        """Return the options as they were written."""
        return _option_nodes(self.options)

    def __reduce__(self) -> tuple[Any, ...]:
        # The class was made at run time, so pickle would not find it.
        return _untyped, (self.root, self.name, self.options)


@cache
def native_pass_class(root: str, name: str) -> type[NativePass] | None:
    """Return the class that stands for a pass of MLIR's, or None if there is none.

    Args:
        root: The build of the bindings.
        name: The pass's textual name.
    """
    bindings = bindings_named(root)
    if not is_pass(bindings, name):
        return None
    typed = upstream_class(bindings, name)
    if typed is not None:
        return typed
    facts = facts_of(bindings, name)
    return make_pass_class(
        UntypedNativePass,
        facts.class_name,
        name=name,
        doc=f"MLIR's pass `{name}`, whose options MLIR alone knows.",
        anchor=facts.anchor or None,
        effects=effects_of_native(bindings, name, ""),
        root=bindings.root,
        on_functions=facts.on_functions,
        display_name=facts.class_name,
    )


def _untyped(root: str, name: str, options: str) -> NativePass:
    found = native_pass_class(root, name)
    if found is None:
        msg = f"MLIR's bindings '{root}' have no pass '{name}'"
        raise LookupError(msg)
    # The class may be a typed one here, if another build made it there.
    nodes = parse_options(options)
    return found(**found.read_options(nodes, f"pass '{name}'", default_registry()))


_option_nodes = cache(parse_options)
"""The options of native passes as nodes, which each execution of such a pass prints."""
