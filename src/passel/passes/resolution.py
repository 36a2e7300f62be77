"""From nodes to managers: names are looked up, options read, and passes put where they stand.

Every unknown name is reported at once, and then all else that is wrong.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import cache
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
from passel.passes.options import Options
from passel.passes.registry import PassRegistry, default_registry
from passel.passes.sources import PassInfo
from passel.pipeline import OptionNode, OptionText, PassNode, PipelineNode

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from passel.diagnostics import Span
    from passel.ir import IRAdapter
    from passel.passes.base import Pass
    from passel.passes.sources import PassPipelineInfo, Registered
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
    brings, own = ability_of(adapter, BringsPasses), ()
    if brings is not None:
        with suppress(AdapterError):  # imported, but not all that it takes is there
            own = (brings.pass_source(),)
    return (registry or default_registry()).for_ir(adapter.name, *own)


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
        self._found: dict[str, Registered | None] = {}
        self._errors: list[PipelineError] = []

    def _lookup(self, node: ElementNode) -> Registered | None:
        """Return what a name stands for.

        A nested pipeline has the name of a pass if that takes elements. Op names have dots, so that
        none can be taken for such a pass.
        """
        name = node.name if isinstance(node, PassNode) else node.anchor
        if isinstance(node, PipelineNode) and ("." in name or name == ANY):
            return None
        if name not in self._found:
            self._found[name] = self._names.lookup(name)
        info = self._found[name]
        if isinstance(node, PassNode):
            return info
        return info if isinstance(info, PassInfo) and info.pass_class.takes_elements else None

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
            if len(self._errors) >= MAX_PROBLEMS:
                return
            info: Any = self._lookup(node)
            if isinstance(node, PipelineNode) and info is None:
                self.add(node.elements, manager.nest(node.anchor, span=node.span))
            elif isinstance(info, PassInfo):
                with self._gathering(node):
                    manager.add_placed((self._pass(info, node), node.span))
            elif isinstance(node, PassNode):
                kind, owner = info.options or _no_options(), f"pipeline '{info.name}'"
                options = None
                with self._gathering(node):
                    options = self._made(kind, owner, node)
                if options is not None:
                    self.raise_problems()  # before the code of others runs
                    manager.add_placed(*_expanded(info, options, manager, node.span))

    @contextmanager
    def _gathering(self, node: ElementNode) -> Generator[None]:
        """Take note of what is wrong with an element; what has no place of its own is at it."""
        try:
            yield
        except PipelineError as error:
            error.problems = tuple(
                p if p.span else p._replace(span=node.span) for p in error.problems
            )
            self._errors.append(error)

    def raise_problems(self) -> None:
        """Raise what was found so far, if there is anything."""
        if self._errors:
            kinds = {type(error) for error in self._errors}
            kind = kinds.pop() if len(kinds) == 1 else PipelineError
            problems = [problem for error in self._errors for problem in error.problems]
            causes = (error.__cause__ for error in self._errors if error.__cause__)
            raise kind(*problems[:MAX_PROBLEMS]) from next(causes, None)

    def _pass(self, info: PassInfo, node: ElementNode) -> Pass[Any, Any]:
        """Return a pass as it was written.

        Raises:
            PipelineError: Its class cannot be loaded, or options are wrong.
        """
        try:
            pass_class = info.pass_class
        except DefinitionError as error:
            raise PipelineError(Problem(str(error))) from (error.__cause__ or error)
        if not isinstance(node, PassNode):
            return pass_class.from_elements(node.elements, self._names)
        return self._made(pass_class, f"pass '{node.name}'", node)

    def _made(self, kind: type[OptionsT], owner: str, node: PassNode) -> OptionsT:
        """Return a pass, or the options of a pipeline, with the options as written.

        Raises:
            OptionError: Options are wrong, or its own code raises something.
        """
        nodes = node.options
        if node.argument is not None:
            takes = getattr(kind, "argument_options", None)  # passes may
            extra = takes(node.argument.text) if takes is not None else None
            if extra is None:
                message = f"{owner} takes no argument in brackets"
                raise OptionError(Problem(message, node.argument.span))
            nodes += tuple(OptionNode(key, OptionText(text)) for key, text in extra)
        with _in_code_of_others(f"{owner} cannot be made", OptionError):
            return kind(**kind.read_options(nodes, owner, self._names))


def _expanded(
    info: PassPipelineInfo, options: Options, manager: Any, span: Span | None
) -> list[tuple[Any, Span | None]]:
    """Return what a registered pipeline adds to a manager, which stands where it is called.

    Raises:
        PipelineError: Its own code raises something, or adds nothing and returns something.
    """
    inside = manager.empty(manager.anchor)
    given = (options,) if info.options else ()
    with _in_code_of_others(f"pipeline '{info.name}' cannot be built", PipelineError, span):
        try:
            made = info.build(inside, *given)
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
    if made is not None and made is not inside and not len(inside):
        message = (
            f"pipeline '{info.name}' adds nothing to the manager that it is given, and "
            f"returns another object ({type(made).__name__}): call add and nest of that one"
        )
        raise PipelineError(Problem(message, span))
    return [(item, span) for item in inside]


@cache
def _no_options() -> type[Options]:
    """Return the class of the options of a pipeline that has none."""
    return type("NoOptions", (Options,), {})


@contextmanager
def _in_code_of_others(
    problem: str, kind: type[PipelineError], span: Span | None = None
) -> Generator[None]:
    """Say where an exception comes from that is none of passel's."""
    try:
        yield
    except PasselError:
        raise
    except (Exception, SystemExit) as error:
        from passel.tracebacks import brief_at

        raise kind(Problem(f"{problem}: {brief_at(error)}", span)) from error


def _unknown(name: str, names: PassRegistry) -> str:
    if not names.scope and (unusable := unusable_ir()) is not None:
        raise unusable  # which may have the pass
    several = len(name.replace(";", " ").split()) > 1
    hint = "; passes are separated by commas" if several else names.suggest(name)
    return f"'{name}' does not refer to a registered pass or pass pipeline{hint}"
