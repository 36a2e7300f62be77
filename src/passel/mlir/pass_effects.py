"""Effects of MLIR's passes outside the IR.

Source: `openInputFile`, `openOutputFile` and `llvm::sys::ExecuteAndWait` in the passes of
MLIR 22, and what these do when they are run.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from passel.mlir.pipelines import expanded, words_in
from passel.mlir.upstream import upstream_passes

if TYPE_CHECKING:
    from passel.mlir.bindings import Bindings

_ALL = ("read-files", "run-programs", "write-files")


_KNOWN = {
    "gpu-module-to-binary": _ALL,
    # They write files, and run a program on them.
    "opt-reduction-pass": _ALL,
    "reduction-tree": _ALL,
    "snapshot-op-locations": ("write-files",),
    # The IR names the passes that it runs.
    "transform-interpreter": _ALL,
    "transform-preload-library": ("read-files",),
    # Pipelines.
    "buffer-deallocation-pipeline": (),
    "gpu-lower-to-nvvm-pipeline": _ALL,
    "gpu-lower-to-xevm-pipeline": _ALL,
    "sparsifier": (),
    "tosa-to-linalg-pipeline": (),
}
"""Passes with effects, and pipelines."""


def known_effects(name: str) -> tuple[str, ...]:
    """Return what a pass or pipeline does outside the IR, as far as it can be told by its name."""
    if name in _KNOWN:
        return _KNOWN[name]
    return () if name in upstream_passes() else ("unknown",)


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
    found = known_effects(name)
    return () if found == ("unknown",) and not expanded(bindings, name) else found
