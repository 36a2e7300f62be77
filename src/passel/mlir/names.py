"""Names of MLIR's own passes and pipelines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from passel.diagnostics import log_warning_once
from passel.errors import OptionError, Problem
from passel.ir import ANY
from passel.mlir.bindings import bindings_named
from passel.mlir.native import NativePass, check_options
from passel.mlir.pipelines import Refused, effects_of_native, expanded, facts_of, is_pass, parsed
from passel.mlir.typed import upstream_class
from passel.mlir.upstream import names_in
from passel.passes import Options, PassInfo, PassPipelineInfo, PassRegistry, default_registry
from passel.passes.factory import make_pass_class
from passel.pipeline import (
    PassNode,
    PipelineNode,
    parse_options,
    parse_pipeline,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.manager import OpPassManager
    from passel.mlir.bindings import Bindings
    from passel.pipeline import OptionNode


@dataclass(frozen=True)
class MLIRSource:
    """The passes and pipelines registered in a build.

    Attributes:
        root: The build of the bindings.
    """

    root: str

    @property
    def ir(self) -> str:
        """The IR of the passes."""
        return NativePass.ir

    def lookup(self, name: str, *, ir: str = "") -> PassInfo | PassPipelineInfo | None:
        """Return MLIR's pass or pipeline with this name."""
        found = native_pass_class(self.root, name)
        if found is None:
            return _native_pipeline(self.root, name)
        return PassInfo(name, "MLIR", found, self.ir)

    def entries(self, *, ir: str = "") -> Iterator[PassInfo | PassPipelineInfo]:
        """Yield the passes in the table for this build that the installed release has."""
        names = names_in(self.root)
        if not names:
            log_warning_once(f"passel has no list of the passes of '{self.root}'")
        return filter(None, map(self.lookup, names))

    def names(self, *, ir: str = "") -> Iterator[str]:
        """Yield the names in the table for this build; the installed release may lack some."""
        return iter(names_in(self.root))


class NativeOptions(Options):
    """The options of a registered pipeline, as written."""

    nodes: Any = ()

    @classmethod
    def read_options(
        cls,
        nodes: Iterable[OptionNode],
        owner: str,  # noqa: ARG003 - as in the base class
        scope: Any,  # noqa: ARG003 - as in the base class
    ) -> dict[str, Any]:
        """Store the text of the options; MLIR parses it when the pipeline is built."""
        return {"nodes": tuple(nodes)}


def _accepted(bindings: Bindings, text: str, subject: str) -> str:
    """Return how MLIR prints a pipeline.

    Raises:
        OptionError: If MLIR does not accept it.
    """
    try:
        return str(parsed(bindings, text))
    except Refused as error:
        raise OptionError(Problem(f"{subject}: {error.reason()}")) from None


@cache
def _native_pipeline(root: str, name: str) -> PassPipelineInfo | None:
    bindings = bindings_named(root)
    if not expanded(bindings, name):
        return None

    def build(manager: OpPassManager, options: NativeOptions) -> None:
        # What a pipeline adds that its anchor does not take ends the process; `any` takes all.
        call = PipelineNode(ANY, (PassNode(name, options.nodes),))
        text = _accepted(bindings, str(call), f"pipeline '{name}'")
        # MLIR prints some options and some passes so that it could not read them again.
        apart = f"pipeline '{name}' cannot be split into passes"
        if _accepted(bindings, text, apart) != text:
            raise OptionError(Problem(f"{apart}: its printed form is ambiguous"))
        elements = parse_pipeline(text).elements
        _accepted(bindings, str(PipelineNode(manager.anchor, elements)), f"pipeline '{name}'")
        own = PassRegistry().for_ir(NativePass.ir, MLIRSource(root))
        manager.add_nodes(elements, own)

    return PassPipelineInfo(name, build, NativeOptions, f"MLIR's pipeline `{name}`.", "MLIR")


class UntypedNativePass(NativePass):
    """A pass whose options only MLIR knows. passel does not parse these options.

    Args:
        options: The text between the braces in a pipeline.
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
            OptionError: If MLIR rejects the options; the error has MLIR's reason.
        """
        nodes = tuple(nodes)
        check_options(bindings_named(cls.root), cls.name, nodes, owner)
        return {"options": " ".join(map(str, nodes))}

    def option_nodes(self, *, all_options: bool = False) -> tuple[OptionNode, ...]:
        """Return the options as written."""
        return _option_nodes(self.options)

    def __reduce__(self) -> tuple[Any, ...]:
        # The class was made at run time, so pickle would not find it.
        return _untyped, (self.root, self.name, self.options)


@cache
def native_pass_class(root: str, name: str) -> type[NativePass] | None:
    """Return the class of a native pass, or None.

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
        doc=f"MLIR's pass `{name}`, whose options only MLIR knows.",
        anchor=facts.anchor or None,
        effects=effects_of_native(bindings, name, ""),
        root=bindings.root,
        on_functions=facts.on_functions,
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
"""The options of native passes as nodes, which each execution prints."""
