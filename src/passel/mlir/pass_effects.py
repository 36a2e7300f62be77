"""Effects of MLIR's passes outside the IR.

Source: `openInputFile`, `openOutputFile` and `llvm::sys::ExecuteAndWait` in the passes of
MLIR 22, and what these do when they are run.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from passel.mlir.pipelines import expanded, words_in
from passel.mlir.upstream import upstream_passes

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings

_ALL = ("read-files", "run-programs", "write-files")


class _Known(NamedTuple):
    effects: tuple[str, ...] = ()
    display_name: str = ""


_KNOWN = {
    "gpu-module-to-binary": _Known(_ALL, "GpuModuleToBinaryPass"),
    "snapshot-op-locations": _Known(("write-files",), "LocationSnapshot"),
    # The IR names the passes that it runs.
    "transform-interpreter": _Known(_ALL, "InterpreterPass"),
    "transform-preload-library": _Known(("read-files",), "PreloadLibraryPass"),
    # Pipelines.
    "buffer-deallocation-pipeline": _Known(),
    "gpu-lower-to-nvvm-pipeline": _Known(_ALL),
    "gpu-lower-to-xevm-pipeline": _Known(_ALL),
    "sparsifier": _Known(),
    "tosa-to-linalg-pipeline": _Known(),
}
"""Passes with effects, and pipelines."""


def display_name_of(name: str) -> str:
    """Return the name in reports of a pass that is not to be run to find out; else nothing."""
    return _KNOWN[name].display_name if name in _KNOWN else ""


def effects_of_native(bindings: Bindings, name: str, options: str) -> tuple[str, ...]:
    """Return what one of MLIR's passes does outside the IR.

    Options may hold pipelines, which MLIR takes as text: each name in them counts.

    Args:
        bindings: The build.
        name: The pass.
        options: Its options as text.
    """
    named = {name, *words_in(options)}
    return tuple(sorted({effect for each in named for effect in _effects_named(bindings, each)}))


@cache
def _effects_named(bindings: Bindings, name: str) -> tuple[str, ...]:
    known = _KNOWN.get(name)
    if known is not None:
        return known.effects
    return () if name in upstream_passes() or not expanded(bindings, name) else ("unknown",)
