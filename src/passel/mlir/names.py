"""Lookup of MLIR's own passes and pipelines by name."""

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
from passel.mlir.typed import is_as_declared, typed_pass_class
from passel.mlir.upstream import FACTS, names_in
from passel.passes import Options, PassInfo, PassPipelineInfo, PassRegistry
from passel.passes.factory import make_pass_class
from passel.passes.resolution import build as build_nodes
from passel.pipeline import (
    PassNode,
    PipelineNode,
    parse_options,
    parse_pipeline,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.mlir.bindings import Bindings
    from passel.passes.op_pass_manager import OpPassManager
    from passel.pipeline import OptionNode


@dataclass(frozen=True)
class MLIRSource:
    """The passes and pipelines that a build of the bindings registers.

    Attributes:
        root: The root package of the build.
    """

    root: str

    @property
    def ir(self) -> str:
        """The name of the IR on which the passes run."""
        return NativePass.ir

    def lookup(self, name: str, *, ir: str = "") -> PassInfo | PassPipelineInfo | None:
        """Return MLIR's pass or pipeline called `name`, or None if the build registers neither."""
        found = native_pass_class(self.root, name)
        if found is None:
            return _native_pipeline(self.root, name)
        return PassInfo(name, "MLIR", found, self.ir)

    def entries(self, *, ir: str = "") -> Iterator[PassInfo | PassPipelineInfo]:
        """Yield each pass and pipeline in `names` that exists in the installed release."""
        names = names_in(self.root)
        if not names:
            log_warning_once(f"passel has no list of the passes in '{self.root}'")
        return filter(None, map(self.lookup, names))

    def names(self, *, ir: str = "") -> Iterator[str]:
        """Yield the names of all passes and pipelines in passel's table for the build.

        The table may contain passes and pipelines that are not in the installed release of the
        build.
        """
        return iter(names_in(self.root))


class NativeOptions(Options):
    """The options of one of MLIR's own pipelines, which only MLIR can interpret."""

    nodes: Any = ()

    @classmethod
    def read_options(
        cls,
        nodes: Iterable[OptionNode],
        owner: str,  # noqa: ARG003 - as in the base class
        scope: Any,  # noqa: ARG003 - as in the base class
    ) -> dict[str, Any]:
        """Return the options unparsed. MLIR parses the options when the pipeline is built."""
        return {"nodes": tuple(nodes)}


def _accepted(bindings: Bindings, text: str, subject: str) -> str:
    """Return the text of a pipeline in the form that MLIR prints.

    Raises:
        OptionError: If MLIR does not accept the pipeline.
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
        # A pass that the pipeline's anchor rejects ends the process; `any` accepts all passes.
        call, subject = PipelineNode(ANY, (PassNode(name, options.nodes),)), f"pipeline '{name}'"
        text = manager.anchor + _accepted(bindings, str(call), subject).removeprefix(ANY)
        # MLIR prints some options and passes in a form that it cannot parse.
        if _accepted(bindings, text, subject) != text:
            reason = "cannot be split into passes: MLIR prints it in a form that cannot be parsed"
            raise OptionError(Problem(f"{subject} {reason}"))
        own = PassRegistry(MLIRSource(root), scope=NativePass.ir)
        build_nodes(parse_pipeline(text).elements, manager, own)

    return PassPipelineInfo(name, build, NativeOptions, f"MLIR's pipeline `{name}`.", "MLIR")


class UntypedNativePass(NativePass):
    """One of MLIR's own passes, for which passel has no typed options.

    Args:
        options: The options in the syntax of pipelines, without the braces. passel stores the
            options as text, which MLIR parses.
    """

    options: Any = ""

    @classmethod
    def read_options(
        cls,
        nodes: Iterable[OptionNode],
        owner: str,
        scope: Any,  # noqa: ARG003 - as in the base class
    ) -> dict[str, Any]:
        """Return the options as text, after MLIR has checked them.

        Raises:
            OptionError: If MLIR rejects the options. The message contains MLIR's reason.
        """
        nodes = tuple(nodes)
        check_options(bindings_named(cls.root), cls.name, nodes, owner)
        return {"options": " ".join(map(str, nodes))}

    def option_nodes(self, *, all_options: bool = False) -> tuple[OptionNode, ...]:
        """Return the options of the pass with their original text."""
        return parse_options(self.options)


@cache
def native_pass_class(root: str, name: str) -> type[NativePass] | None:
    """Return the Python class of MLIR's pass `name`, or None if the build has no such pass.

    Args:
        root: The root package of the build.
        name: The name of the pass in the text of pipelines.
    """
    bindings = bindings_named(root)
    if not is_pass(bindings, name):
        return None
    facts = facts_of(bindings, name)
    typed = typed_pass_class("passel.mlir.passes", FACTS, facts.class_name, root)
    if typed and typed.name == name and is_as_declared(bindings, typed):
        return typed
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
