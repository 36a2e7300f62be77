"""Names to passes: the step between parsing a pipeline and building a manager.

The result is a tree like the syntax tree, with configured passes for names. Every unknown
name is reported at once, and then every wrong option.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from passel.diagnostics import brief
from passel.errors import (
    MAX_PROBLEMS,
    AdapterError,
    DefinitionError,
    OptionError,
    PasselError,
    PipelineError,
    Problem,
    UnknownPassError,
)
from passel.ir import ANY, BringsPasses, ability_of, adapter_for, imported_irs
from passel.passes.options import read_options
from passel.passes.registry import PassRegistry
from passel.pipeline import OptionNode, OptionText, PassNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.diagnostics import Span
    from passel.ir import IRAdapter
    from passel.passes.base import Pass
    from passel.passes.options import Options
    from passel.passes.registry import PassInfo, PassPipelineInfo
    from passel.pipeline import ElementNode, PipelineNode

    OptionsT = TypeVar("OptionsT", bound=Options)


class ResolvedPass(NamedTuple):
    """A pass with its options set."""

    pass_: Pass[Any]
    span: Span | None


class ResolvedCall(NamedTuple):
    """A registered pipeline with its options set, not yet expanded."""

    info: PassPipelineInfo
    options: Options | None
    span: Span | None


class ResolvedNest(NamedTuple):
    """A nested pipeline."""

    anchor: str
    elements: tuple[ResolvedElement, ...]
    span: Span | None


ResolvedElement: TypeAlias = ResolvedPass | ResolvedCall | ResolvedNest


def names_for(
    adapter: IRAdapter | None, context: Any, registry: PassRegistry | None
) -> PassRegistry | None:
    """Return where names of passes are looked up; None for the default registry."""
    if adapter is None and context is not None:
        with suppress(AdapterError):  # a context of an IR whose adapter is given later, or never
            adapter = adapter_for(context)
    if brings := ability_of(adapter, BringsPasses):
        names: PassRegistry = brings.passes_among(registry)
        return names
    return registry


def resolve(elements: Sequence[ElementNode], registry: PassRegistry) -> tuple[ResolvedElement, ...]:
    """Resolve all names and options.

    Raises:
        UnknownPassError: With every name that is not registered.
        OptionError: With every wrong option.
    """
    unregistered = (
        Problem(_unknown(node.name, registry), node.span)
        for node in _leaves(elements, registry)
        if node.name not in registry
    )
    unknown = list(islice(unregistered, MAX_PROBLEMS))
    if unknown:
        raise UnknownPassError(*unknown)
    found = _Found()
    resolved = _resolve(elements, registry, found)
    if found.problems:
        raise OptionError(*found.problems[:MAX_PROBLEMS]) from found.cause
    return resolved


@dataclass(slots=True)
class _Found:
    """All that is wrong so far.

    Attributes:
        problems: What is wrong, in the order of the text.
        cause: What a pass raised that is to blame for one of them, if one did.
    """

    problems: list[Problem] = field(default_factory=list["Problem"])
    cause: BaseException | None = None

    def add(self, error: PipelineError, place: Span | None = None) -> None:
        """Add the problems of an error; those without a place of their own have this one."""
        # What has none (a missing option) is the pass's.
        self.problems += [Problem(p.message, p.span or place) for p in error.problems]
        self.cause = self.cause or error.__cause__


def _resolve(
    elements: Sequence[ElementNode], registry: PassRegistry, found: _Found
) -> tuple[ResolvedElement, ...]:
    resolved: list[ResolvedElement] = []
    for node in elements:
        if len(found.problems) >= MAX_PROBLEMS:
            break
        if not isinstance(node, PassNode):
            crossing = _crossing(node, registry)
            if crossing is not None:
                try:
                    pass_ = crossing.from_elements(node.elements, registry)
                    resolved.append(ResolvedPass(pass_, node.span))
                except OptionError as error:
                    found.add(error)
                continue
            inner = _resolve(node.elements, registry, found)
            resolved.append(ResolvedNest(node.anchor, inner, node.span))
            continue
        try:
            resolved.append(_leaf(node, registry))
        except PipelineError as error:
            found.add(error, node.span)
    return tuple(resolved)


def _crossing(node: PipelineNode, registry: PassRegistry) -> Any:
    """Return the class of a pass that is written like a nested pipeline, if the node is one.

    Op names have dots, so that none can be taken for such a pass.
    """
    if "." in node.anchor or node.anchor == ANY:
        return None
    info = registry.lookup_pass(node.anchor)
    if info is None or not getattr(info.pass_class, "takes_elements", False):
        return None
    return info.pass_class


def _leaf(node: PassNode, registry: PassRegistry) -> ResolvedElement:
    pipeline = registry.lookup_pipeline(node.name)
    if pipeline is not None:
        owner = f"pipeline '{node.name}'"
        nodes, options = _options(node, owner), None
        if pipeline.options:
            options = _made(pipeline.options, nodes, owner, registry)
        else:
            read_options((), nodes, owner, registry)
        return ResolvedCall(pipeline, options, node.span)
    info = registry.lookup_pass(node.name)
    if info is None:
        raise UnknownPassError(Problem(_unknown(node.name, registry), node.span))
    pass_class, owner = _class_of(info), f"pass '{node.name}'"
    nodes = _options(node, owner, argument=getattr(pass_class, "argument_options", None))
    return ResolvedPass(_made(pass_class, nodes, owner, registry), node.span)


def _class_of(info: PassInfo) -> type[Pass[Any]]:
    """Return a registered pass's class.

    Raises:
        PipelineError: It cannot be loaded.
    """
    try:
        return info.pass_class
    except DefinitionError as error:
        raise PipelineError(Problem(str(error))) from (error.__cause__ or error)


def _made(
    made_class: type[OptionsT], nodes: Sequence[OptionNode], owner: str, registry: PassRegistry
) -> OptionsT:
    """Return a pass, or the options of a pipeline, with the options as written.

    Raises:
        OptionError: Options are wrong, or its own code raises something.
    """
    try:
        return made_class(**made_class.read_options(nodes, owner, registry))
    except PasselError:
        raise
    except (Exception, SystemExit) as error:
        raise OptionError(Problem(f"{owner} cannot be made: {brief(error)}")) from error


def _unknown(name: str, registry: PassRegistry) -> str:
    several = len(name.split()) > 1
    if several:
        hint = "; passes are separated by commas"
    else:
        hint = _elsewhere(name, registry) or registry.suggest(name)
    return f"'{name}' does not refer to a registered pass or pass pipeline{hint}"


def _elsewhere(name: str, registry: PassRegistry) -> str:
    """Return whose pass it is, if no IR was asked for its own and one that is in use has it."""
    if type(registry) is not PassRegistry:
        return ""
    for adapter in imported_irs():
        brings = ability_of(adapter, BringsPasses)
        with suppress(AdapterError):  # imported, but not all that it takes is there
            if brings and brings.passes_among(registry).lookup_pass(name) is not None:
                whose = f"{adapter.name}'s"
                return f"; it is one of {whose}, for a PassManager with a context of {whose}"
    return ""


def _options(node: PassNode, owner: str, argument: Any = None) -> tuple[OptionNode, ...]:
    """Return the options written, a bracketed argument turned into the options it stands for."""
    if node.argument is None:
        return node.options
    if argument is None:
        raise OptionError(Problem(f"{owner} takes no argument in brackets", node.argument.span))
    extra = (OptionNode(key, OptionText(text)) for key, text in argument(node.argument.text))
    return (*node.options, *extra)


def _leaves(elements: Sequence[ElementNode], registry: PassRegistry) -> Iterator[PassNode]:
    for node in elements:
        if isinstance(node, PassNode):
            yield node
        elif _crossing(node, registry) is None:
            yield from _leaves(node.elements, registry)
