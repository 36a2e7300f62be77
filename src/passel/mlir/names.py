"""Names of MLIR's own passes and pipelines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from passel.errors import OptionError, Problem
from passel.ir import ANY
from passel.mlir.bindings import bindings_named
from passel.mlir.native import NativePass
from passel.mlir.pipelines import Refused, expanded, is_pass, parsed
from passel.mlir.untyped import native_pass_class
from passel.mlir.upstream import names_in
from passel.passes import Options, PassInfo, PassPipelineInfo, PassRegistry
from passel.pipeline import PassNode, PipelineNode, parse_pipeline, print_pipeline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.manager import OpPassManager
    from passel.mlir.bindings import Bindings
    from passel.pipeline import OptionNode


@dataclass(frozen=True)
class MLIRSource:
    """MLIR's own passes and pipelines, as the bindings have them.

    Attributes:
        root: The build of the bindings.
    """

    root: str

    @property
    def ir(self) -> str:
        """The IR that its passes are for."""
        return NativePass.ir

    def lookup_pass(self, name: str, *, ir: str = "") -> PassInfo | None:
        """Return MLIR's pass of a name."""
        found = native_pass_class(self.root, name)
        return None if found is None else PassInfo(name, "MLIR", lambda: found, self.ir)

    def lookup_pipeline(self, name: str, *, ir: str = "") -> PassPipelineInfo | None:
        """Return MLIR's pipeline of a name."""
        return _native_pipeline(self.root, name)

    def passes(self, *, ir: str = "") -> Iterator[PassInfo]:
        """Yield the passes that are known of such builds, as far as this one has them."""
        found = map(self.lookup_pass, names_in(self.root))
        return (info for info in found if info is not None)

    def pipelines(self, *, ir: str = "") -> Iterator[PassPipelineInfo]:
        """Yield the pipelines that are known of such builds, as far as this one has them."""
        found = map(self.lookup_pipeline, names_in(self.root))
        return (info for info in found if info is not None)

    def names(self, *, ir: str = "") -> Iterator[str]:
        """Yield the names that are known of such builds, which this one may lack."""
        return iter(names_in(self.root))

    def copy(self) -> MLIRSource:
        """Return this source: it does not change."""
        return self


class NativeOptions(Options):
    """Options of one of MLIR's registered pipelines, as they were written."""

    nodes: Any = ()

    @classmethod
    def read_options(
        cls,
        nodes: Iterable[OptionNode],
        owner: str,  # noqa: ARG003 - as in the base class
        scope: Any,  # noqa: ARG003 - as in the base class
    ) -> dict[str, Any]:
        """Take the options as they are; MLIR reads them when the pipeline is built."""
        return {"nodes": tuple(nodes)}


def _accepted(bindings: Bindings, text: str, subject: str) -> str:
    """Return how MLIR prints a pipeline.

    Raises:
        OptionError: MLIR does not accept it.
    """
    try:
        return str(parsed(bindings, text))
    except Refused as error:
        raise OptionError(Problem(f"{subject}: {error.reason()}")) from None


@cache
def _native_pipeline(root: str, name: str) -> PassPipelineInfo | None:
    bindings = bindings_named(root)
    if not expanded(bindings, name) or is_pass(bindings, name):
        return None

    def build(manager: OpPassManager, options: NativeOptions) -> None:
        # What a pipeline adds that its anchor does not take ends the process; `any` takes all.
        call = PipelineNode(ANY, (PassNode(name, options.nodes),))
        text = _accepted(bindings, print_pipeline(call), f"pipeline '{name}'")
        # MLIR prints some options and some passes so that it could not read them again.
        apart = f"pipeline '{name}' cannot be taken apart into passes"
        if _accepted(bindings, text, apart) != text:
            raise OptionError(Problem(f"{apart}: MLIR prints it ambiguously"))
        elements = parse_pipeline(text).elements
        _accepted(
            bindings, print_pipeline(PipelineNode(manager.anchor, elements)), f"pipeline '{name}'"
        )
        own = PassRegistry().for_ir(NativePass.ir, MLIRSource(root))
        manager.add_nodes(elements, own)

    return PassPipelineInfo(name, build, NativeOptions, f"MLIR's pipeline `{name}`.", "MLIR")
