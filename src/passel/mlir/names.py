"""Names of passes on MLIR's ops: those of a registry, and MLIR's own."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from passel.diagnostics import closest, suggest
from passel.errors import OptionError, Problem
from passel.mlir.bindings import bindings_named
from passel.mlir.native import NativePass, native_pass_class, written
from passel.mlir.pipelines import Refused, parsed
from passel.mlir.upstream import upstream_passes
from passel.passes import Options, PassInfo, PassPipelineInfo, PassRegistry, default_registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.manager import OpPassManager
    from passel.pipeline import OptionNode


class MLIRRegistry(PassRegistry):
    """A registry in which names that nobody has registered are asked of MLIR's bindings.

    Passes for another IR are not in it, so that `cse` is MLIR's.

    Args:
        root: The build of the bindings.
        registered: What is registered; by default all installed packages' passes.
    """

    def __init__(self, root: str, registered: PassRegistry | None = None) -> None:
        super().__init__()
        self._root = root
        self._registered = registered

    @property
    def registered(self) -> PassRegistry:
        """What is registered, without MLIR's own passes."""
        return self._base

    @property
    def _base(self) -> PassRegistry:
        return self._registered or default_registry()

    def lookup_pass(self, name: str, *, ir: str = NativePass.ir) -> PassInfo | None:
        """Return a registered pass for MLIR's ops, or MLIR's own pass of that name."""
        info = super().lookup_pass(name) or self._base.lookup_pass(name, ir=NativePass.ir)
        if info is not None:
            return info
        found = native_pass_class(self._root, name)
        return None if found is None else PassInfo(name, "MLIR", lambda: found, NativePass.ir)

    def lookup_pipeline(self, name: str, *, ir: str = NativePass.ir) -> PassPipelineInfo | None:
        """Return a registered pipeline, or MLIR's own of that name."""
        info = super().lookup_pipeline(name) or self._base.lookup_pipeline(name, ir=NativePass.ir)
        return info or _native_pipeline(self._root, name)

    def passes(self, *, ir: str = NativePass.ir) -> Iterator[PassInfo]:
        """Yield the passes, sorted by name: of MLIR's own those of its public releases."""
        registered = {info.name for info in self._base.passes(ir=NativePass.ir)}
        for name in sorted({*registered, *upstream_passes()}):
            info = self.lookup_pass(name)
            if info is not None:
                yield info

    def pipelines(self, *, ir: str = NativePass.ir) -> Iterator[PassPipelineInfo]:
        """Yield the pipelines that packages have registered; MLIR's own cannot be listed."""
        return self._base.pipelines(ir=NativePass.ir)

    def suggest(self, name: str, *, ir: str = NativePass.ir) -> str:
        """Return `; did you mean 'x'?` for a name that is close to one that exists."""
        registered = [info.name for info in self._base.passes(ir=NativePass.ir)]
        close = closest(name, [*registered, *upstream_passes()])
        if not close or self.lookup_pass(close) is None:
            return ""  # nothing is close, or this build does not have it
        return suggest(name, [close])

    def copy(self) -> PassRegistry:
        """Return a registry with the same entries."""
        return MLIRRegistry(self._root, self._base.copy())


class NativeOptions(Options):
    """Options of one of MLIR's registered pipelines, as they were written."""

    text: str = ""

    @classmethod
    def read_options(
        cls,
        nodes: Iterable[OptionNode],
        owner: str,  # noqa: ARG003 - as in the base class
        scope: Any,  # noqa: ARG003 - as in the base class
    ) -> dict[str, Any]:
        """Take the options as they are; MLIR reads them when the pipeline is built."""
        return {"text": written(nodes)}


@cache
def _native_pipeline(root: str, name: str) -> PassPipelineInfo | None:
    bindings = bindings_named(root)
    try:
        parsed(bindings, None, f"builtin.module({name})")
    except Refused as error:
        if error.is_unknown:
            return None
    if native_pass_class(root, name) is not None:
        return None

    def build(manager: OpPassManager, options: NativeOptions) -> None:
        call = f"{name}{{{options.text}}}" if options.text else name
        try:
            expanded = str(parsed(bindings, None, f"{manager.anchor}({call})"))
            # MLIR prints some options so that it could not read them again.
            again = str(parsed(bindings, None, expanded))
        except Refused as error:
            raise OptionError(Problem(f"pipeline '{name}': {error.reason}")) from None
        if again != expanded:
            message = f"pipeline '{name}' cannot be taken apart: MLIR prints it ambiguously"
            raise OptionError(Problem(message))
        manager.add(expanded[len(manager.anchor) + 1 : -1])

    return PassPipelineInfo(name, build, NativeOptions, f"MLIR's pipeline `{name}`.", "MLIR")
