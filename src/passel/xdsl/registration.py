"""What passel offers on xDSL by name: its own passes, and all that xDSL has registered."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from xdsl.universe import Universe

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.passes import ModulePass

    from passel.passes import Pass
    from passel.registry import PassRegistry

_OWN_PASSES = {
    "canonicalize": ("canonicalize", "Canonicalize"),
    "cse": ("cse", "CommonSubexpressionElimination"),
    "dce": ("dce", "DeadCodeElimination"),
    "licm": ("loop_invariant_code_motion", "Licm"),
    "loop-invariant-code-motion": ("loop_invariant_code_motion", "LoopInvariantCodeMotion"),
    "print-op-stats": ("print_op_stats", "PrintOpStats"),
    "strip-debuginfo": ("strip_debuginfo", "StripDebugInfo"),
    "symbol-dce": ("symbol_dce", "SymbolDCE"),
}
"""Names to module and class in `passel.xdsl.passes`."""


def register(registry: PassRegistry) -> None:
    """Add xDSL's passes, those of its plugins, and passel's own, which win."""
    for name, factory in Universe.get_multiverse().all_passes.items():
        registry.register(name, _wrapper(factory), origin="xDSL")
    for name, (module, attribute) in _OWN_PASSES.items():
        registry.register(name, _importer(module, attribute), origin="passel", override=True)


def _wrapper(factory: Callable[[], type[ModulePass]]) -> Callable[[], type[Pass[Any]]]:
    def load() -> type[Pass[Any]]:
        from passel.xdsl.module_passes import pass_class_for

        return pass_class_for(factory())

    return load


def _importer(module: str, attribute: str) -> Callable[[], type[Pass[Any]]]:
    return lambda: getattr(import_module(f"passel.xdsl.passes.{module}"), attribute)
