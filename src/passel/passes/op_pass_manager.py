"""Building pipelines: in Python or from text, and printing them.

Building and printing only: what runs is a schedule, compiled from this.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeAlias

from passel.diagnostics import suggest
from passel.errors import AnchorError, DefinitionError, Problem
from passel.ir import ANY, entered_context, op_name_of
from passel.passes.registry import default_registry
from passel.passes.resolution import Entry, build, names_for
from passel.pipeline import (
    OptionText,
    PassNode,
    PipelineNode,
    located,
    parse_elements,
    parse_pipeline_at,
    print_pipeline,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    from passel.diagnostics import Span
    from passel.passes.base import Pass
    from passel.passes.callables import ExternalPass
    from passel.passes.registry import PassRegistry
    from passel.pipeline import ElementNode

    # The last two stand for objects of an IR's own kind.
    Addable: TypeAlias = (
        Pass[Any, Any]
        | "OpPassManager"
        | str
        | PassNode
        | PipelineNode
        | "ForeignPass"
        | Callable[[Any, ExternalPass], object]
        | Callable[[Any], object]
    )


class ForeignPass(Protocol):
    """A pass of an IR's own kind that is applied to an op, such as xDSL's `ModulePass`."""

    def apply(self, ctx: Any, op: Any, /) -> object:
        """Run the pass."""


class Nesting(Enum):
    """Treatment of a pass that has another anchor than its manager.

    Source: `mlir::OpPassManager::Nesting`, MLIR 22.
    """

    IMPLICIT = "implicit"
    """Put it into a nested manager of its own."""
    EXPLICIT = "explicit"
    """Refuse it."""


class OpPassManager:
    """A pipeline for ops of one name, or for any op: passes and nested managers in order.

    Args:
        anchor: An op name, an op class, or `any`.
        nesting: What to do with a pass that has another anchor; nested managers inherit it.
        jobs: As for `nest`.

    Attributes:
        nesting: What to do with a pass that has another anchor.

    Example:
        >>> pm = OpPassManager("builtin.module")
        >>> with pm.nest("func.func") as funcs:
        ...     _ = funcs.add("cse,canonicalize")
        >>> str(pm)
        'builtin.module(func.func(cse,canonicalize))'

    Source: `mlir::OpPassManager`, MLIR 22.
    """

    option_metavar: ClassVar[str] = "<pass-manager>"

    def __init__(
        self,
        anchor: str | type = ANY,
        *,
        nesting: Nesting = Nesting.EXPLICIT,
        jobs: int | None = None,
    ) -> None:
        self._anchor = op_name_of(anchor)
        if jobs is not None and (type(jobs) is not int or jobs < 1):
            raise DefinitionError(f"jobs is {jobs!r}, which is no positive number")
        self._jobs = jobs
        self.nesting = nesting
        self._entries: list[Entry] = []
        self._registry: PassRegistry | None = None
        self._enclosing: tuple[str, ...] = ()
        self._changes = 0

    @property
    def anchor(self) -> str:
        """The name of the ops that it runs on, or `any`."""
        return self._anchor

    @property
    def jobs(self) -> int | None:
        """How many ops it may run on at once, if the run allows more; None for no limit."""
        return self._jobs

    @property
    def changes(self) -> int:
        """Number of changes to it and to managers in it: what is compiled holds until the next."""
        nested = (each.item for each in self._entries if isinstance(each.item, OpPassManager))
        return self._changes + sum(each.changes for each in nested)

    def add(
        self,
        *passes: Addable,
        name: str | None = None,
        argument: str = "",
        description: str = "",
        op_name: str = "",
    ) -> Self:
        """Append passes and return this manager.

        Args:
            passes: Each a pass, a manager to nest (it is copied), text with bare elements
                such as `cse,func.func(dce)`, a node of its syntax tree, a pass of an IR's own
                kind (xDSL's `ModulePass`), which is wrapped, or a function that takes the op
                and an object with `signal_pass_failure()`, as MLIR's bindings take them.
            name: The name of a function in reports; by default its own.
            argument: The name of a function in pipelines that are printed.
            description: What a function does.
            op_name: The anchor of a function; by default any op.

        Raises:
            AnchorError: A pass has another anchor and nesting is explicit; nothing was added.
            PipelineError: The text is wrong; nothing was added.
            DefinitionError: A function does not take two arguments, or would not run.
            TypeError: An argument is none of these.
        """
        from passel.passes.callables import as_pass, described_pass

        added: list[Entry] = []
        if name or argument or description or op_name:
            passes = (described_pass(passes, name, argument, description, op_name),)
        for item in passes:
            if isinstance(item, (str, PassNode, PipelineNode)):
                elements = parse_elements(item) if isinstance(item, str) else (item,)
                added += self._built(elements, self._registry or _names_here())
            elif isinstance(item, OpPassManager):
                added.append(Entry(item.copy()))
            else:
                pass_ = as_pass(item)
                added.append(self._placed(pass_, Entry(pass_)))
        self._append(*added)
        return self

    def add_nodes(self, nodes: Sequence[ElementNode], names: PassRegistry | None = None) -> Self:
        """Append what was parsed from text, nesting passes as this manager does.

        Text itself never nests implicitly; this is for tools whose flags name passes.

        Args:
            nodes: The elements.
            names: Where names are looked up; by default all installed passes.

        Raises:
            PipelineError: A name, an option or an anchor is wrong; nothing was added.
        """
        self._append(*self._built(nodes, names or default_registry(), self.nesting))
        return self

    def add_entries(self, *entries: Entry) -> Self:
        """Append what another manager yields as its entries, with their places in its text.

        Managers among them are shared with it, not copied.

        Raises:
            AnchorError: A pass has another anchor and nesting is explicit; nothing was added.
        """
        self._append(
            *(e if isinstance(e.item, OpPassManager) else self._placed(e.item, e) for e in entries)
        )
        return self

    def nest(
        self, anchor: str | type, *, jobs: int | None = None, span: Span | None = None
    ) -> OpPassManager:
        """Append a manager for ops of this name immediately inside, and return it.

        Its passes run once per matching op, in program order; ops further inside need
        another `nest`. `with` only groups the code.

        Args:
            anchor: An op name, an op class, or `any`.
            jobs: How many such ops it may run on at once, if the run allows more: 1 for one
                after the other, whatever happens further inside. None for no limit. Text does
                not tell it; `repr` does.
            span: Where that is written, if it is from a text.

        Raises:
            DefinitionError: `jobs` is no positive number.
        """
        nested = self._empty_nested(anchor, jobs)
        self._append(Entry(nested, span))
        return nested

    def _empty_nested(self, anchor: str | type, jobs: int | None = None) -> OpPassManager:
        """Return a manager that looks names up where this one does."""
        nested = OpPassManager(anchor, nesting=self.nesting, jobs=jobs)
        nested._registry = self._registry
        nested._enclosing = (self._anchor, *self._enclosing)
        return nested

    def add_nested(self, anchor: str | type, *passes: Addable) -> Self:
        """Append passes in a nested manager of their own, and return this manager."""
        nested = self._empty_nested(anchor).add(*passes)
        self._append(Entry(nested))
        return self

    def clear(self) -> None:
        """Remove all passes; anchor and nesting stay."""
        self._changes = self.changes + 1
        self._entries.clear()

    def copy(self) -> Self:
        """Return a manager with the same passes, which can be changed independently."""
        other = self._empty_copy()
        other._registry = self._registry
        other._entries = [
            entry._replace(item=entry.item.copy())
            if isinstance(entry.item, OpPassManager)
            else entry
            for entry in self._entries
        ]
        return other

    __copy__ = copy

    def _append(self, *entries: Entry) -> None:
        """Add entries at the end: the only way in which they come in later."""
        self._entries += entries
        self._changes += 1

    def _empty_copy(self) -> Self:
        return type(self)(self._anchor, nesting=self.nesting, jobs=self._jobs)

    def to_node(self, *, all_options: bool = False) -> PipelineNode:
        """Return the pipeline as a syntax tree, to be printed.

        Args:
            all_options: Include the options that equal their defaults.
        """
        elements = (entry.item.to_node(all_options=all_options) for entry in self._entries)
        return PipelineNode(self._anchor, tuple(elements))

    def to_text(self, *, all_options: bool = False, pretty: bool = False) -> str:
        """Return the pipeline as text that parses back to an equal manager.

        Args:
            all_options: Print the options that equal their defaults as well.
            pretty: One element a line, indented.
        """
        return print_pipeline(self.to_node(all_options=all_options), pretty=pretty)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        limits = "".join(f", jobs={jobs} on {path}" for path, jobs in _limits(self, self._anchor))
        return f"<{type(self).__name__} {self}{limits}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the pipeline, one pass a line, in notebooks."""
        from passel.notebooks import Text, bundle

        return bundle(Text(self.to_text(pretty=True)))

    def __len__(self) -> int:
        return len(self._entries)

    def __bool__(self) -> bool:
        """A manager is true even when it is empty, so that `pm or default` keeps it."""
        return True

    def __iter__(self) -> Iterator[Pass[Any, Any] | OpPassManager]:
        return (entry.item for entry in self._entries)

    def entries(self) -> Iterator[Entry]:
        """Yield the direct entries in order, each with its place in the text it came from."""
        return iter(self._entries)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OpPassManager):
            return NotImplemented
        is_same = self._anchor == other._anchor and self._jobs == other._jobs
        return is_same and list(self) == list(other)

    def __hash__(self) -> int:
        msg = "a pass manager can be changed, so it has no hash"
        raise TypeError(msg)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None

    @classmethod
    def from_option_text(cls, text: OptionText, scope: PassRegistry | None) -> OpPassManager:
        """Read a pipeline that is the value of a pass's option."""
        node = parse_pipeline_at(located(text))
        return OpPassManager(node.anchor).add_nodes(node.elements, scope)

    def to_option_text(self, *, all_options: bool) -> OptionText:
        """Return the pipeline as the value of a pass's option."""
        text = self.to_text(all_options=all_options)
        return OptionText(text, "{" if " " in text or "," in text else "")

    @classmethod
    def option_value(cls, value: Any) -> FrozenPipeline:
        """Return the pipeline as a value: one that cannot be changed, and has a hash."""
        return value if type(value) is FrozenPipeline else FrozenPipeline(value)

    def _placed(self, pass_: Pass[Any], entry: Entry) -> Entry:
        """Return what stands here for a pass's entry: itself, or one of an enclosing manager."""
        if pass_.anchor is None or pass_.anchor == self._anchor:
            return entry
        if ANY in (self._anchor, pass_.anchor):
            return entry
        if self.nesting is Nesting.IMPLICIT:
            nested = self._empty_nested(pass_.anchor)
            nested._append(entry)
            return Entry(nested, entry.span)
        shown = pass_.name or pass_.display_name
        if misspelt := suggest(self._anchor, [pass_.anchor]):
            advice = misspelt.removeprefix("; ")
        elif pass_.anchor in (
            *self._enclosing,
            "builtin.module",
        ):  # which is in no other op, as a rule
            advice = f"put it into the enclosing pipeline, {pass_.anchor}({shown})"
        else:
            advice = f"did you intend to nest? Write {self._anchor}({pass_.anchor}({shown}))"
        message = (
            f"can't add pass '{shown}' restricted to '{pass_.anchor}' on a PassManager "
            f"intended to run on '{self._anchor}', {advice}"
        )
        raise AnchorError(Problem(message, entry.span))

    def _built(
        self,
        nodes: Sequence[ElementNode],
        names: PassRegistry,
        nesting: Nesting = Nesting.EXPLICIT,
    ) -> list[Entry]:
        """Return the entries for what was parsed, built beside this manager: all or nothing."""
        scratch = self._empty_nested(self._anchor)
        scratch.nesting = nesting
        build(nodes, scratch, names)
        return scratch._entries

    def stand_at(self, span: Span | None, first: int = 0) -> None:
        """Let entries from one on stand where a registered pipeline is called, with all in them."""
        for index, entry in enumerate(self._entries[first:], first):
            self._entries[index] = entry._replace(span=span)
            if type(entry.item) is OpPassManager:  # not that of an option
                entry.item.stand_at(span)


class FrozenPipeline(OpPassManager):
    """A pipeline as a value, such as that of an option: equal ones are equal, with equal hashes.

    It can be printed, compared, run and added to managers, but not be changed; `copy` returns
    a manager that can.

    Args:
        pipeline: What it is a copy of.
    """

    def __init__(self, pipeline: OpPassManager) -> None:
        super().__init__(pipeline.anchor, nesting=pipeline.nesting, jobs=pipeline.jobs)
        for entry in pipeline.entries():
            if isinstance(entry.item, OpPassManager) and type(entry.item) is not FrozenPipeline:
                self._entries.append(entry._replace(item=FrozenPipeline(entry.item)))
            else:
                self._entries.append(entry)

    @classmethod
    def _holding(cls, pipeline: OpPassManager) -> Self:
        """Return an instance of a subclass with the entries of a manager, and their places."""
        made = cls.__new__(cls)
        FrozenPipeline.__init__(made, pipeline)
        return made

    def __hash__(self) -> int:
        return hash((self._anchor, tuple(self)))

    @property
    def changes(self) -> int:
        """None: it stays as it is."""
        return 0

    def _empty_copy(self) -> OpPassManager:
        return OpPassManager(self._anchor, nesting=self.nesting, jobs=self._jobs)

    def __copy__(self) -> Self:
        return self

    def clear(self) -> None:
        """Refuse to.

        Raises:
            TypeError: Always.
        """
        self._append()

    def _append(self, *entries: Entry) -> None:
        msg = "this pass manager is held by a pass and cannot be changed; use copy()"
        raise TypeError(msg)


def _names_here() -> PassRegistry:
    """Return where names of passes are looked up where nothing is said about the IR."""
    return names_for(None, entered_context(), None) or default_registry()


def _limits(manager: OpPassManager, path: str) -> Iterator[tuple[str, int]]:
    """Yield limits of ops at once, each with the path of the pipeline that it is for."""
    if manager.jobs is not None:
        yield path, manager.jobs
    for item in manager:
        if isinstance(item, OpPassManager):
            yield from _limits(item, f"{path}/{item.anchor}")
