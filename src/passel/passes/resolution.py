"""From nodes to managers: names are looked up, options read, and passes put where they stand.

Every unknown name is reported at once, and then all else that is wrong.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

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
from passel.passes.registry import PassRegistry, default_registry
from passel.passes.sources import PassPipelineInfo
from passel.pipeline import OptionNode, OptionText, PassNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.diagnostics import Span
    from passel.ir import IRAdapter
    from passel.passes.base import Pass
    from passel.passes.options import Options
    from passel.passes.sources import PassInfo, PassSource
    from passel.pipeline import ElementNode

    OptionsT = TypeVar("OptionsT", bound=Options)


def names_for(
    adapter: IRAdapter | None, context: Any, registry: PassRegistry | None = None
) -> PassRegistry:
    """Return where names of passes are looked up.

    They are those of the adapter's IR, else of the context's; else, for a pass that asks, of the
    IR that it runs on; else of any, first of the IR that alone has been imported.

    Args:
        adapter: The IR's adapter, if it is known.
        context: The IR's own context, if there is one.
        registry: What is registered; None for the default registry.
    """
    if adapter is None and context is not None:
        with suppress(AdapterError):  # a context of an IR whose adapter is given later, or never
            adapter = adapter_for(context)
    elif adapter is None:
        adapter = running_adapter()
    if adapter is not None:
        return names_on(adapter, registry)
    of_irs = [names_on(ir, registry) for ir in imported_irs()]
    known = registry or default_registry()
    return PassRegistry(*of_irs, known) if len(of_irs) == 1 else PassRegistry(known, *of_irs)


def names_on(adapter: IRAdapter, registry: PassRegistry | None = None) -> PassRegistry:
    """Return the names of passes on one IR: those registered for it, then the IR's own.

    Args:
        adapter: The IR's adapter.
        registry: What is registered; by default all installed packages' passes.
    """
    return (registry or default_registry()).for_ir(adapter.name, *_own(adapter))


def _own(adapter: IRAdapter) -> tuple[PassSource, ...]:
    """Return the source of an IR's own passes, if it has any."""
    brings = ability_of(adapter, BringsPasses)
    with suppress(AdapterError):  # imported, but not all that it takes is there
        return () if brings is None else (brings.pass_source(),)
    return ()


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
    if unknown := list(islice(builder.unknown(nodes), MAX_PROBLEMS)):
        raise UnknownPassError(*unknown)
    builder.add(nodes, manager)
    builder.raise_problems()


class _Builder:
    """Adds the elements of one text to managers, and gathers what is wrong with them."""

    def __init__(self, names: PassRegistry) -> None:
        self._names = names
        self._found: dict[str, PassPipelineInfo | PassInfo | None] = {}
        self._problems: list[Problem] = []
        self._errors: list[PipelineError] = []

    def _lookup(self, node: ElementNode) -> PassPipelineInfo | PassInfo | None:
        """Return what a name stands for; a pipeline hides a pass.

        A nested pipeline has the name of a pass if that takes elements. Op names have dots, so that
        none can be taken for such a pass.
        """
        if isinstance(node, PassNode):
            if node.name not in self._found:
                pipeline = self._names.lookup_pipeline(node.name)
                self._found[node.name] = pipeline or self._names.lookup_pass(node.name)
            return self._found[node.name]
        if "." in node.anchor or node.anchor == ANY:
            return None
        info = self._names.lookup_pass(node.anchor)
        return info if info is not None and info.pass_class.takes_elements else None

    def unknown(self, nodes: Sequence[ElementNode]) -> Iterator[Problem]:
        """Yield what is wrong with names."""
        for node in nodes:
            if self._lookup(node) is None:
                if isinstance(node, PassNode):
                    yield Problem(_unknown(node.name, self._names), node.span)
                else:
                    yield from self.unknown(node.elements)

    def add(self, nodes: Sequence[ElementNode], manager: Any) -> None:
        """Add elements up to where there are too many problems."""
        for node in nodes:
            if len(self._problems) >= MAX_PROBLEMS:
                return
            info = self._lookup(node)
            if info is None and not isinstance(node, PassNode):
                self.add(node.elements, manager.nest(node.anchor, span=node.span))
                continue
            try:
                if not isinstance(info, PassPipelineInfo):
                    manager.add_placed((_pass_of(info, node, self._names), node.span))
                    continue
                options = _options_of(info, node, self._names)
            except PipelineError as error:
                # What has no place of its own (a missing option) is the pass's.
                self._problems += [Problem(p.message, p.span or node.span) for p in error.problems]
                self._errors.append(error)
                continue
            self.raise_problems()  # before the code of others runs
            manager.add_placed(*_expanded(info, options, manager, node.span))

    def raise_problems(self) -> None:
        """Raise what was found so far, if there is anything."""
        if self._errors:
            kinds = {type(error) for error in self._errors}
            kind = kinds.pop() if len(kinds) == 1 else PipelineError
            causes = (error.__cause__ for error in self._errors if error.__cause__)
            raise kind(*self._problems[:MAX_PROBLEMS]) from next(causes, None)


def _expanded(
    info: PassPipelineInfo, options: Options | None, manager: Any, span: Span | None
) -> list[tuple[Any, Span | None]]:
    """Return what a registered pipeline adds to a manager, which stands where it is called.

    Raises:
        PipelineError: Its own code raises something, or adds nothing and returns something.
    """
    inside = manager.empty(manager.anchor)
    try:
        made = info.build(inside) if options is None else info.build(inside, options)
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
    if made is not None and made is not inside and not len(inside):
        message = (
            f"pipeline '{info.name}' adds nothing to the manager that it is given, and "
            f"returns another object ({type(made).__name__}): call add and nest of that one"
        )
        raise PipelineError(Problem(message, span))
    return [(item, span) for item in inside]


def _options_of(info: PassPipelineInfo, node: Any, names: PassRegistry) -> Options | None:
    """Return the options of a registered pipeline; None if it has none."""
    owner = f"pipeline '{node.name}'"
    nodes = _options(node, owner)
    if info.options:
        return _made(info.options, nodes, owner, names)
    read_options((), nodes, owner, names)
    return None


def _pass_of(info: Any, node: ElementNode, names: PassRegistry) -> Pass[Any, Any]:
    """Return a pass as it was written.

    Raises:
        PipelineError: Its class cannot be loaded, or options are wrong.
    """
    try:
        pass_class: type[Pass[Any, Any]] = info.pass_class
    except DefinitionError as error:
        raise PipelineError(Problem(str(error))) from (error.__cause__ or error)
    if not isinstance(node, PassNode):
        return pass_class.from_elements(node.elements, names)
    owner = f"pass '{node.name}'"
    return _made(pass_class, _options(node, owner, pass_class), owner, names)


def _made(
    made_class: type[OptionsT], nodes: Sequence[OptionNode], owner: str, names: PassRegistry
) -> OptionsT:
    """Return a pass, or the options of a pipeline, with the options as written.

    Raises:
        OptionError: Options are wrong, or its own code raises something.
    """
    try:
        return made_class(**made_class.read_options(nodes, owner, names))
    except PasselError:
        raise
    except (Exception, SystemExit) as error:
        from passel.tracebacks import brief_at

        raise OptionError(Problem(f"{owner} cannot be made: {brief_at(error)}")) from error


def _unknown(name: str, names: PassRegistry) -> str:
    if not names.scope and (unusable := unusable_ir()) is not None:
        raise unusable  # which may have the pass
    several = len(name.replace(";", " ").split()) > 1
    hint = "; passes are separated by commas" if several else names.suggest(name)
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
