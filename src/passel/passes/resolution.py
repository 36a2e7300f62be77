"""Names to passes: the step between parsing a pipeline and building a manager.

The result is a tree like the syntax tree, with configured passes for names. Every unknown
name is reported at once, and then every wrong option.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, cast

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
from passel.ir import ANY, BringsPasses, ability_of, adapter_for, imported_irs, running_adapter
from passel.ir.left_out import unusable_ir
from passel.passes.options import read_options
from passel.passes.registry import default_registry
from passel.passes.sources import PassInfo, PassPipelineInfo
from passel.passes.tree import Unbound
from passel.pipeline import OptionNode, OptionText, PassNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.diagnostics import Span
    from passel.ir import IRAdapter
    from passel.passes.base import Pass
    from passel.passes.options import Options
    from passel.passes.registry import PassRegistry
    from passel.passes.sources import PassSource
    from passel.passes.tree import Entry
    from passel.pipeline import ElementNode, PipelineNode

    OptionsT = TypeVar("OptionsT", bound=Options)


class ResolvedPass(NamedTuple):
    """A pass with its options set.

    Attributes:
        pass_: The pass.
        span: The place of its name.
        unbound: The name as written, if it may stand for another pass on another IR.
    """

    pass_: Pass[Any, Any]
    span: Span | None
    unbound: Unbound | None = None


class ResolvedCall(NamedTuple):
    """A registered pipeline with its options set, not yet expanded."""

    info: PassPipelineInfo
    options: Options | None
    span: Span | None

    def expand_into(self, manager: Any) -> None:
        """Let the registered pipeline add its passes to an `OpPassManager`.

        Raises:
            PipelineError: Its own code raises something.
        """
        arguments = () if self.options is None else (self.options,)
        before = len(manager)
        try:
            made = self.info.build(manager, *arguments)
        except PipelineError as error:
            from passel.tracebacks import raised_at

            place = f" at {self.span}" if self.span else ""
            where = f"pipeline '{self.info.name}'{place} asks for it ({raised_at(error)})"
            error.problems = tuple(
                problem._replace(message=f"{problem.message}; {where}")
                if problem.span
                else problem._replace(span=self.span)
                for problem in error.problems
            )
            raise
        except PasselError:
            raise
        except (Exception, SystemExit) as error:
            from passel.tracebacks import brief_at

            message = f"pipeline '{self.info.name}' cannot be built: {brief_at(error)}"
            raise PipelineError(Problem(message, self.span)) from error
        if made is not None and made is not manager and len(manager) == before:
            message = (
                f"pipeline '{self.info.name}' adds nothing to the manager that it is given, and "
                f"returns another object ({type(made).__name__}): call add and nest of that one"
            )
            raise PipelineError(Problem(message, self.span))


class ResolvedNest(NamedTuple):
    """A nested pipeline."""

    anchor: str
    elements: tuple[ResolvedElement, ...]
    span: Span | None


ResolvedElement: TypeAlias = ResolvedPass | ResolvedCall | ResolvedNest


def names_for(
    adapter: IRAdapter | None, context: Any, registry: PassRegistry | None
) -> PassRegistry | None:
    """Return where names of passes are looked up; None for the default registry.

    Args:
        adapter: The IR's adapter; None for that of the context.
        context: The IR's own context, if there is one; else a pass that asks means its own IR.
        registry: What is registered; None for the default registry.
    """
    if adapter is None and context is not None:
        with suppress(AdapterError):  # a context of an IR whose adapter is given later, or never
            adapter = adapter_for(context)
    if adapter is None and context is None:
        adapter = running_adapter()
    return registry if adapter is None else names_on(adapter, registry)


def names_on(adapter: IRAdapter, registry: PassRegistry | None = None) -> PassRegistry:
    """Return the names of passes on one IR: those registered for it, then the IR's own.

    Args:
        adapter: The IR's adapter.
        registry: What is registered; by default all installed packages' passes.
    """
    brings = ability_of(adapter, BringsPasses)
    own: tuple[PassSource, ...] = () if brings is None else (brings.pass_source(),)
    return (registry or default_registry()).for_ir(adapter.name, *own)


def bound(entry: Entry[Any], adapter: IRAdapter) -> Pass[Any, Any]:
    """Return the pass that an entry stands for on one IR.

    Raises:
        PipelineError: The IR has no such pass, or it does not have these options.
    """
    known, unbound = entry.item, entry.unbound
    if unbound is None:
        return known
    if known.ir == adapter.name and ability_of(adapter, BringsPasses) is None:
        return known
    names = names_on(adapter, unbound.registry)
    node = unbound.node
    info = None if names.lookup_pipeline(node.name) else names.lookup_pass(node.name)
    if info is None:
        message = (
            f"pass '{node.name}' is for ops of {known.ir}, and this pipeline runs on ops of "
            f"{adapter.name}, which has no pass of that name"
        )
        raise UnknownPassError(Problem(message, entry.span))
    (found,) = resolve((node,), names)
    pass_: Pass[Any, Any] = cast("ResolvedPass", found).pass_
    return known if pass_ == known else pass_


def resolve(elements: Sequence[ElementNode], registry: PassRegistry) -> tuple[ResolvedElement, ...]:
    """Resolve all names and options.

    Raises:
        UnknownPassError: With every name that is not registered.
        AdapterError: There are such, and an installed IR that may have them cannot be used.
        OptionError: With every wrong option.
        PipelineError: A pass cannot be loaded; with every wrong option as well.
    """
    resolver = _Resolver(registry)
    unknown = list(islice(resolver.unknown(elements), MAX_PROBLEMS))
    if unknown:
        raise UnknownPassError(*unknown)
    resolved = resolver.resolved(elements)
    if resolver.problems:
        raise resolver.kind(*resolver.problems[:MAX_PROBLEMS]) from resolver.cause
    return resolved


class _Resolver:
    """Resolves the elements of one text.

    Attributes:
        problems: All that is wrong with options so far, in the order of the text.
        cause: What a pass raised that is to blame for one of them, if one did.
        kind: The error that they are: one of options, unless a pass cannot be loaded.
    """

    def __init__(self, registry: PassRegistry) -> None:
        self.problems: list[Problem] = []
        self.cause: BaseException | None = None
        self.kind: type[PipelineError] = OptionError
        self._registry = registry
        self._entries: dict[str, PassPipelineInfo | PassInfo | None] = {}
        self._plain: dict[str, ResolvedPass] = {}

    def unknown(self, elements: Sequence[ElementNode]) -> Iterator[Problem]:
        """Yield what is wrong with names."""
        for node in elements:
            if isinstance(node, PassNode):
                if self._entry(node.name) is None:
                    yield Problem(_unknown(node.name, self._registry), node.span)
            elif self._crossing(node) is None:
                yield from self.unknown(node.elements)

    def resolved(self, elements: Sequence[ElementNode]) -> tuple[ResolvedElement, ...]:
        """Return the elements up to where there are too many problems."""
        resolved: list[ResolvedElement] = []
        for node in elements:
            if len(self.problems) >= MAX_PROBLEMS:
                break
            try:
                resolved.append(
                    self._leaf(node) if isinstance(node, PassNode) else self._nest(node)
                )
            except UnknownPassError:
                raise
            except PipelineError as error:
                # What has no place of its own (a missing option) is the pass's.
                self.problems += [Problem(p.message, p.span or node.span) for p in error.problems]
                self.cause = self.cause or error.__cause__
                if type(error) is PipelineError:
                    self.kind = PipelineError
        return tuple(resolved)

    def _entry(self, name: str) -> PassPipelineInfo | PassInfo | None:
        """Return what a name stands for; a pipeline hides a pass."""
        try:
            return self._entries[name]
        except KeyError:
            found = _lookup(name, self._registry) or next(self._elsewhere(name), (None,))[0]
            self._entries[name] = found
            return found

    def _elsewhere(self, name: str) -> Iterator[tuple[PassPipelineInfo | PassInfo, PassRegistry]]:
        """Yield what a name stands for on IRs in use, if it is not known which IR is meant."""
        for names in () if self._registry.scope else _names_in_use(self._registry):
            with suppress(AdapterError):  # imported, but not all that it takes is there
                found = _lookup(name, names)
                if found is not None:
                    yield found, names

    def _crossing(self, node: PipelineNode) -> type[Pass[Any, Any]] | None:
        """Return the class of a pass that is written like a nested pipeline, if the node is one.

        Op names have dots, so that none can be taken for such a pass.
        """
        if "." in node.anchor or node.anchor == ANY:
            return None
        info = self._registry.lookup_pass(node.anchor)
        return info.pass_class if info is not None and info.pass_class.takes_elements else None

    def _nest(self, node: PipelineNode) -> ResolvedElement:
        crossing = self._crossing(node)
        if crossing is None:
            return ResolvedNest(node.anchor, self.resolved(node.elements), node.span)
        return ResolvedPass(crossing.from_elements(node.elements, self._registry), node.span)

    def _leaf(self, node: PassNode) -> ResolvedElement:
        is_plain = not node.options and node.argument is None
        if is_plain and node.name in self._plain:
            pass_, _, unbound = self._plain[node.name]
            return ResolvedPass(pass_, node.span, unbound)
        entry = self._entry(node.name)
        if entry is None:
            raise UnknownPassError(Problem(_unknown(node.name, self._registry), node.span))
        if isinstance(entry, PassPipelineInfo):
            return self._call(entry, node)
        pass_ = self._pass(entry, node)
        is_bound = self._registry.scope or not pass_.ir
        unbound = None if is_bound else Unbound(node, self._registry)
        resolved = ResolvedPass(pass_, node.span, unbound)
        if is_plain:
            self._plain[node.name] = resolved  # passes are values: one will do for all places
        return resolved

    def _pass(self, info: PassInfo, node: PassNode) -> Pass[Any, Any]:
        try:
            return _pass_of(info, node, self._registry)
        except OptionError:
            for other, names in self._elsewhere(node.name):
                with suppress(PipelineError):
                    if isinstance(other, PassInfo):
                        return _pass_of(other, node, names)
            raise

    def _call(self, info: PassPipelineInfo, node: PassNode) -> ResolvedCall:
        owner = f"pipeline '{node.name}'"
        nodes, options = _options(node, owner), None
        if info.options:
            options = _made(info.options, nodes, owner, self._registry)
        else:
            read_options((), nodes, owner, self._registry)
        return ResolvedCall(info, options, node.span)


def _lookup(name: str, registry: PassRegistry) -> PassPipelineInfo | PassInfo | None:
    return registry.lookup_pipeline(name) or registry.lookup_pass(name)


def _pass_of(info: PassInfo, node: PassNode, registry: PassRegistry) -> Pass[Any, Any]:
    pass_class, owner = _class_of(info), f"pass '{node.name}'"
    return _made(pass_class, _options(node, owner, pass_class), owner, registry)


def _class_of(info: PassInfo) -> type[Pass[Any, Any]]:
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
        from passel.tracebacks import brief_at

        raise OptionError(Problem(f"{owner} cannot be made: {brief_at(error)}")) from error


def _unknown(name: str, registry: PassRegistry) -> str:
    if not registry.scope and (unusable := unusable_ir()) is not None:
        raise unusable  # which may have the pass
    several = len(name.replace(";", " ").split()) > 1
    hint = "; passes are separated by commas" if several else registry.suggest(name)
    return f"'{name}' does not refer to a registered pass or pass pipeline{hint}"


def _names_in_use(registry: PassRegistry) -> Iterator[PassRegistry]:
    """Yield the names on IRs that have passes of their own and have been imported."""
    for adapter in imported_irs():
        if ability_of(adapter, BringsPasses) is not None:
            yield names_on(adapter, registry)


def _options(
    node: PassNode, owner: str, pass_class: type[Pass[Any, Any]] | None = None
) -> tuple[OptionNode, ...]:
    """Return the options written, a bracketed argument turned into the options it stands for."""
    if node.argument is None:
        return node.options
    extra = pass_class.argument_options(node.argument.text) if pass_class is not None else None
    if extra is None:
        raise OptionError(Problem(f"{owner} takes no argument in brackets", node.argument.span))
    return (*node.options, *(OptionNode(key, OptionText(text)) for key, text in extra))
