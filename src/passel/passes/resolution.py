"""Resolution of pass names, which turns syntax nodes into managers."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from passel.errors import (
    AdapterError,
    DefinitionError,
    OptionError,
    PipelineError,
    Problem,
    UnknownPassError,
)
from passel.ir import ANY, adapter_for
from passel.ir.adapters import imported_irs, running_adapter
from passel.passes.entries import PassInfo, errors_of_others
from passel.passes.options import Options
from passel.passes.registry import PassRegistry, default_registry
from passel.pipeline import OptionNode, OptionText, PassNode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.ir import IRAdapter
    from passel.passes.entries import PassPipelineInfo
    from passel.pipeline import ElementNode

    OptionsT = TypeVar("OptionsT", bound=Options)


def names_for(
    adapter: IRAdapter | None, context: Any, registry: PassRegistry | None = None
) -> PassRegistry:
    """Return the registry that resolves the names of passes.

    The registry finds the passes for one IR: the IR of the adapter or, without an adapter, the IR
    of the context. If both are None, the registry finds the passes for the IR of the running pass.
    If no pass is running, the registry finds the passes for all IRs. If, in that case, the package
    of only one IR has been imported, the passes for this IR take precedence.

    Args:
        adapter: The adapter of the IR; None if the IR is unknown.
        context: The context of the IR; None if there is no context.
        registry: The registry to search; by default `default_registry()`.
    """
    if adapter is None:
        with suppress(AdapterError):  # a context of an IR whose adapter is given later, or never
            adapter = running_adapter() if context is None else adapter_for(context)
    if adapter is not None:
        return names_on(adapter, registry)
    of_irs = [names_on(ir, registry) for ir in imported_irs()]
    known = registry or default_registry()
    return PassRegistry(*of_irs, known) if len(of_irs) == 1 else PassRegistry(known, *of_irs)


def names_on(adapter: IRAdapter, registry: PassRegistry | None = None) -> PassRegistry:
    """Return a registry that searches registered passes first, then those of the IR's framework.

    Args:
        adapter: The adapter of the IR.
        registry: The registry to search; by default `default_registry()`.
    """
    own = None
    with suppress(AdapterError):  # the IR is imported, but cannot be used
        own = adapter.pass_source()
    known = registry or default_registry()
    return PassRegistry(known, *filter(None, (own,)), scope=adapter.name)


def build(nodes: Sequence[ElementNode], manager: Any, names: PassRegistry) -> None:
    """Append to a manager the passes and pipelines that syntax nodes describe.

    Args:
        nodes: The syntax nodes.
        manager: The `OpPassManager` to append to. After an error, do not use the manager.
        names: The registry that resolves the names.

    Raises:
        UnknownPassError: A name is not registered.
        OptionError: Options of a pass are invalid.
        AnchorError: The anchor of a pass differs from the anchor of its manager.
        PipelineError: A pass cannot be loaded, or a registered pipeline cannot be built.
    """
    for node in nodes:
        try:
            _add(node, manager, names)
        except DefinitionError as error:  # a pass cannot be loaded
            raise PipelineError(Problem(str(error), node.span)) from error.__cause__ or error
        except PipelineError as error:
            # A problem without a place is reported at the element.
            error.problems = tuple(
                p if p.span else p._replace(span=node.span) for p in error.problems
            )
            raise


def _add(node: ElementNode, manager: Any, names: PassRegistry) -> None:
    if not isinstance(node, PassNode):
        anchor = node.anchor
        info = names.lookup_pass(anchor) if "." not in anchor and anchor != ANY else None
        if info is not None and info.pass_class.takes_elements:  # written like a nested pipeline
            manager.add_placed((info.pass_class.from_elements(node.elements, names), node.span))
        else:
            build(node.elements, manager.nest(anchor, span=node.span), names)
        return
    info = names.lookup(node.name)
    if info is None:
        message = f"'{node.name}' does not refer to a registered pass or pass pipeline"
        raise UnknownPassError(f"{message}{names.suggest(node.name)}")
    if isinstance(info, PassInfo):
        pass_ = _made(info.pass_class, f"pass '{node.name}'", node, names)
        manager.add_placed((pass_, node.span))
        return
    options = _made(info.options or Options, f"pipeline '{info.name}'", node, names)
    items = _expanded(info, options, manager)
    manager.add_placed(*((item, node.span) for item in items))


def _made(kind: type[OptionsT], owner: str, node: PassNode, names: PassRegistry) -> OptionsT:
    """Return a pass, or the options of a registered pipeline, for a syntax node.

    Raises:
        OptionError: Options are invalid, or code of the class raises an exception.
    """
    nodes = node.options
    if node.argument is not None:
        extra = kind.argument_options(node.argument.text)
        if extra is None:
            message = f"{owner} takes no argument in square brackets"
            raise OptionError(Problem(message, node.argument.span))
        nodes += tuple(OptionNode(key, OptionText(text)) for key, text in extra)
    with errors_of_others(f"{owner} cannot be created", OptionError):
        return kind(**kind.read_options(nodes, owner, names))


def _expanded(info: PassPipelineInfo, options: Options, manager: Any) -> Any:
    """Return a manager with the passes of a registered pipeline.

    Raises:
        PipelineError: The pipeline's function raises an exception, or adds nothing and returns
            another object.
    """
    inside = manager.empty(manager.anchor)
    with errors_of_others(f"pipeline '{info.name}' cannot be built", PipelineError):
        made = info.build(inside, *((options,) if info.options else ()))
    if made is not None and made is not inside and not len(inside):
        raise PipelineError(
            f"the function of pipeline '{info.name}' adds no passes to its argument, but returns "
            f"another object ({type(made).__name__}): add the passes to the argument"
        )
    return inside
