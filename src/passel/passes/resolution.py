"""From nodes to managers: names are looked up, options read, and passes put where they stand.

Every unknown name is reported at once, and then all else that is wrong.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

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
from passel.passes.option_fields import read_options
from passel.passes.registry import default_registry
from passel.passes.sources import PassInfo, PassPipelineInfo
from passel.pipeline import OptionNode, OptionText, PassNode, PipelineNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.diagnostics import Span
    from passel.ir import IRAdapter
    from passel.passes.base import Pass
    from passel.passes.options import Options
    from passel.passes.registry import PassRegistry
    from passel.passes.sources import PassSource
    from passel.pipeline import ElementNode

    OptionsT = TypeVar("OptionsT", bound=Options)


class Entry(NamedTuple):
    """An element of a manager.

    Attributes:
        item: A pass, or an `OpPassManager` for the ops inside.
        span: Its place in the text that it comes from, if it comes from one.
        written: The pass as it was written before it was known which IR the pipeline runs on; its
            name may stand for another pass there. None if that is known.
        names: Where that name was looked up.
    """

    item: Any
    span: Span | None = None
    written: PassNode | None = None
    names: PassRegistry | None = None


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


def bound(entry: Entry, adapter: IRAdapter) -> Any:
    """Return what an entry of a manager stands for on one IR.

    Raises:
        PipelineError: The IR has no such pass, or it does not have these options.
    """
    known, node = entry.item, entry.written
    if node is None:
        return known
    if known.ir == adapter.name and ability_of(adapter, BringsPasses) is None:
        return known
    names = names_on(adapter, entry.names)
    info = None if names.lookup_pipeline(node.name) else names.lookup_pass(node.name)
    if info is None:
        message = (
            f"pass '{node.name}' is for ops of {known.ir}, and this pipeline runs on ops of "
            f"{adapter.name}, which has no pass of that name"
        )
        raise UnknownPassError(Problem(message, entry.span))
    pass_ = _pass_of(info, node, names)
    return known if pass_ == known else pass_


def build(nodes: Sequence[ElementNode], manager: Any, names: PassRegistry) -> None:
    """Append what was parsed to a manager, which is of no use if it does not succeed.

    Args:
        nodes: The elements.
        manager: The `OpPassManager`.
        names: Where names are looked up.

    Raises:
        UnknownPassError: With every name that is not registered.
        AdapterError: There are such, and an installed IR that may have them cannot be used.
        OptionError: With every wrong option.
        AnchorError: With every pass that has another anchor than its manager.
        PipelineError: A pass cannot be loaded, or there are problems of several kinds.
    """
    builder = _Builder(names)
    unknown = list(islice(builder.unknown(nodes), MAX_PROBLEMS))
    if unknown:
        raise UnknownPassError(*unknown)
    builder.add(nodes, manager)
    builder.raise_problems()


class _Builder:
    """Adds the elements of one text to managers, and gathers what is wrong with them."""

    def __init__(self, registry: PassRegistry) -> None:
        self._registry = registry
        self._problems: list[Problem] = []
        self._kinds: set[type[PipelineError]] = set()
        self._cause: BaseException | None = None
        self._found: dict[str, PassPipelineInfo | PassInfo | None] = {}
        self._plain: dict[str, Entry] = {}

    def unknown(self, nodes: Sequence[ElementNode]) -> Iterator[Problem]:
        """Yield what is wrong with names."""
        for node in nodes:
            if isinstance(node, PassNode):
                if self._lookup(node.name) is None:
                    yield Problem(_unknown(node.name, self._registry), node.span)
            elif self._crossing(node) is None:
                yield from self.unknown(node.elements)

    def add(self, nodes: Sequence[ElementNode], manager: Any) -> None:
        """Add elements up to where there are too many problems."""
        for node in nodes:
            if len(self._problems) >= MAX_PROBLEMS:
                return
            if isinstance(node, PipelineNode) and self._crossing(node) is None:
                self.add(node.elements, manager.nest(node.anchor, span=node.span))
                continue
            try:
                entry = self._entry(node)
                if isinstance(entry, Entry):
                    manager.add_entries(entry)
                    continue
            except UnknownPassError:
                raise
            except PipelineError as error:
                # What has no place of its own (a missing option) is the pass's.
                self._problems += [Problem(p.message, p.span or node.span) for p in error.problems]
                self._kinds.add(type(error))
                self._cause = self._cause or error.__cause__
                continue
            self.raise_problems()  # before the code of others runs
            _expand(*entry, manager, node.span)

    def raise_problems(self) -> None:
        """Raise what was found so far, if there is anything."""
        if self._problems:
            kind = self._kinds.pop() if len(self._kinds) == 1 else PipelineError
            raise kind(*self._problems[:MAX_PROBLEMS]) from self._cause

    def _lookup(self, name: str) -> PassPipelineInfo | PassInfo | None:
        """Return what a name stands for; a pipeline hides a pass."""
        if name not in self._found:
            elsewhere = (found for found, _ in _elsewhere(name, self._registry))
            self._found[name] = _lookup(name, self._registry) or next(elsewhere, None)
        return self._found[name]

    def _crossing(self, node: PipelineNode) -> type[Pass[Any, Any]] | None:
        """Return the class of a pass that is written like a nested pipeline, if the node is one.

        Op names have dots, so that none can be taken for such a pass.
        """
        if "." in node.anchor or node.anchor == ANY:
            return None
        info = self._registry.lookup_pass(node.anchor)
        return info.pass_class if info is not None and info.pass_class.takes_elements else None

    def _entry(self, node: ElementNode) -> Entry | tuple[PassPipelineInfo, Options | None]:
        """Return a pass as an entry of a manager, or a registered pipeline and its options."""
        if isinstance(node, PipelineNode):
            crossing = cast("type[Pass[Any, Any]]", self._crossing(node))
            return Entry(crossing.from_elements(node.elements, self._registry), node.span)
        is_plain = not node.options and node.argument is None
        if is_plain and node.name in self._plain:
            return self._plain[node.name]._replace(span=node.span)
        info = self._lookup(node.name)
        if info is None:
            raise UnknownPassError(Problem(_unknown(node.name, self._registry), node.span))
        if isinstance(info, PassPipelineInfo):
            return info, _options_of(info, node, self._registry)
        pass_ = self._pass(info, node)
        is_bound = bool(self._registry.scope) or not pass_.ir
        entry = Entry(pass_, node.span)
        if not is_bound:
            entry = entry._replace(written=node, names=self._registry)
        if is_plain:
            self._plain[node.name] = entry  # passes are values: one will do for all places
        return entry

    def _pass(self, info: PassInfo, node: PassNode) -> Pass[Any, Any]:
        try:
            return _pass_of(info, node, self._registry)
        except OptionError:
            for other, names in _elsewhere(node.name, self._registry):
                with suppress(PipelineError):
                    if isinstance(other, PassInfo):
                        return _pass_of(other, node, names)
            raise


def _expand(
    info: PassPipelineInfo, options: Options | None, manager: Any, span: Span | None
) -> None:
    """Let a registered pipeline add its passes to a manager.

    Raises:
        PipelineError: Its own code raises something, or adds nothing and returns something.
    """
    before = len(manager)
    try:
        made = info.build(manager) if options is None else info.build(manager, options)
    except PipelineError as error:
        from passel.tracebacks import raised_at

        place = f" at {span}" if span else ""
        where = f"pipeline '{info.name}'{place} asks for it ({raised_at(error)})"
        error.problems = tuple(
            problem._replace(message=f"{problem.message}; {where}")
            if problem.span
            else problem._replace(span=span)
            for problem in error.problems
        )
        raise
    except PasselError:
        raise
    except (Exception, SystemExit) as error:
        from passel.tracebacks import brief_at

        message = f"pipeline '{info.name}' cannot be built: {brief_at(error)}"
        raise PipelineError(Problem(message, span)) from error
    if made is not None and made is not manager and len(manager) == before:
        message = (
            f"pipeline '{info.name}' adds nothing to the manager that it is given, and "
            f"returns another object ({type(made).__name__}): call add and nest of that one"
        )
        raise PipelineError(Problem(message, span))
    manager.stand_at(span, before)


def _elsewhere(
    name: str, registry: PassRegistry
) -> Iterator[tuple[PassPipelineInfo | PassInfo, PassRegistry]]:
    """Yield what a name stands for on IRs in use, if it is not known which IR is meant."""
    for adapter in () if registry.scope else imported_irs():
        if ability_of(adapter, BringsPasses) is not None:
            names = names_on(adapter, registry)
            with suppress(AdapterError):  # imported, but not all that it takes is there
                found = _lookup(name, names)
                if found is not None:
                    yield found, names


def _options_of(info: PassPipelineInfo, node: PassNode, registry: PassRegistry) -> Options | None:
    """Return the options of a registered pipeline; None if it has none."""
    owner = f"pipeline '{node.name}'"
    nodes = _options(node, owner)
    if info.options:
        return _made(info.options, nodes, owner, registry)
    read_options((), nodes, owner, registry)
    return None


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
