"""Builds that register dialects and passes only when they are told to."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_JAXLIB = "jaxlib.mlir"
_JAXLIB_REGISTRIES = ("_jax_mlir_ext", "register_jax_dialects")
"""Modules of jaxlib, by release, that have MLIR's own dialects; importing them registers passes."""

_JAXLIB_DIALECTS = {
    "_chlo": "register_dialect",
    "_mlirHlo": "register_mhlo_dialect",
    "_sdy": "register_dialect",
    "_sdyMpmd": "register_dialect",
    "_stablehlo": "register_dialect",
}
_JAXLIB_PASSES = {
    "_mlirHlo": "register_mhlo_passes",
    "_stablehlo": "register_stablehlo_passes",
}


def new_context(root: str, ir: Any) -> Any:
    """Return a context with all dialects of a build, and register all of its passes.

    Most builds do both by themselves.

    Args:
        root: The build's root package.
        ir: Its module `ir`.

    Source: `make_ir_context` in JAX's `interpreters/mlir.py`, which registers no passes.
    """
    context = ir.Context()
    if root != _JAXLIB:
        return context
    registry = ir.DialectRegistry()
    for name in _JAXLIB_REGISTRIES:
        _call(name, "register_dialects", registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for name, function in _JAXLIB_DIALECTS.items():
        _call(name, function, context)
    for name, function in _JAXLIB_PASSES.items():
        _call(name, function)
    return context


def _call(name: str, function: str, *arguments: Any) -> None:
    """Call a function of one of jaxlib's extension modules, if this release has it."""
    try:
        module = import_module(f"{_JAXLIB}._mlir_libs.{name}")
    except ModuleNotFoundError:
        return
    if hasattr(module, function):
        getattr(module, function)(*arguments)
