"""Pass managers: pipelines that are built in Python or from text, and that can be printed.

This module only builds and prints managers. `PassManager.run` compiles a manager to a schedule, and
runs the schedule.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self, TypeAlias

from passel.diagnostics import suggest
from passel.errors import AnchorError, DefinitionError, Problem
from passel.ir import ANY
from passel.ir.adapters import entered_context, op_name_of
from passel.passes.resolution import build, names_for
from passel.pipeline import (
    OptionText,
    PassNode,
    PipelineNode,
    located,
    parse_elements,
    parse_pipeline,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from passel.diagnostics import Span
    from passel.passes.base import Pass
    from passel.passes.factory import ExternalPass, ForeignPass
    from passel.passes.registry import PassRegistry
    from passel.pipeline import ElementNode

    # The last two stand for objects of an IR's own kind.
    Addable: TypeAlias = (
        Pass[Any, Any]
        | "OpPassManager"
        | str
        | ElementNode
        | ForeignPass
        | Callable[[Any, ExternalPass], object]
        | Callable[[Any], object]
    )


class Placed(NamedTuple):
    """A pass or a nested manager, with its span in the text of the pipeline.

    Attributes:
        item: The pass or the nested manager.
        span: The span of the item in the text; None if the pipeline was built in Python.
    """

    item: Pass[Any, Any] | OpPassManager
    span: Span | None = None


class Nesting(Enum):
    """How a manager treats a pass whose anchor differs from the manager's anchor.

    Source: `mlir::OpPassManager::Nesting`, MLIR 22.
    """

    IMPLICIT = "implicit"
    """Put the pass into a new nested manager."""
    EXPLICIT = "explicit"
    """Reject the pass with an error."""


class OpPassManager:
    """A pipeline of passes and nested managers, which runs on the ops that match its anchor.

    Args:
        anchor: The anchor of the pipeline: an op name, an op class, or `any`.
        nesting: How to treat passes whose anchor differs from the manager's anchor. Nested managers
            inherit the setting.
        jobs: The maximum number of ops to process concurrently; see `nest`.
        registry: The registry that resolves pass names in text and syntax nodes; None to search the
            passes of all installed packages. Nested managers inherit the registry.

    Attributes:
        anchor: The name of the ops that the manager runs on, or `any`.
        jobs: The maximum number of ops to process concurrently; None for no limit.
        nesting: How to treat passes whose anchor differs from the manager's anchor.
        registry: The registry that resolves pass names.

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
        registry: PassRegistry | None = None,
    ) -> None:
        self.anchor: Final[str] = op_name_of(anchor)
        if jobs is not None and (type(jobs) is not int or jobs < 1):
            raise DefinitionError(f"jobs must be a positive number, not {jobs!r}")
        self.jobs: Final[int | None] = jobs
        self.nesting = nesting
        self._placed: list[Placed] = []
        self.registry: PassRegistry | None = registry
        self._changes = 0
        self._is_frozen = False

    @property
    def changes(self) -> int:
        """The number of times that this manager or a nested manager was changed.

        The compiler reuses the schedule of a manager while this number stays the same.
        """
        nested = [item.changes for item, _ in self._placed if isinstance(item, OpPassManager)]
        return self._changes + sum(nested)

    def add(
        self,
        *passes: Addable,
        name: str | None = None,
        argument: str = "",
        description: str = "",
        op_name: str = "",
    ) -> Self:
        """Append passes to this manager, and return the manager.

        Args:
            passes: The passes to append. Each argument is a pass, a pass of another framework such
                as xDSL's `ModulePass`, a manager, a function, a syntax node, or text without an
                outer anchor, such as `cse,func.func(dce)`. A manager is copied. As in MLIR's Python
                bindings, a function is called with two arguments: the op, and an object that has
                the method `signal_pass_failure()`.
            name: The name that reports show for an added function; by default the function's
                `__name__`.
            argument: The name that printed pipelines show for an added function.
            description: The description of an added function in help; by default the docstring of
                the function.
            op_name: The anchor of an added function; by default the function runs on any op.

        Raises:
            AnchorError: The anchor of a pass differs from the manager's anchor, and `nesting` is
                `Nesting.EXPLICIT`. No pass was added.
            PipelineError: The text is invalid. No pass was added.
            DefinitionError: A function is asynchronous or a generator.
            TypeError: An argument is not a pass, a manager, text or a function.
        """
        from passel.passes.factory import as_pass, pass_of

        added: list[tuple[Pass[Any, Any] | OpPassManager, Span | None]] = []
        if name or argument or description or op_name:
            texts = {"argument": argument, "description": description, "op_name": op_name}
            passes = (pass_of(*passes, name=name, **texts),)
        for item in passes:
            if isinstance(item, (str, PassNode, PipelineNode)):
                elements = parse_elements(item) if isinstance(item, str) else (item,)
                added += self._built(elements)
            else:
                made = item.copy() if isinstance(item, OpPassManager) else as_pass(item)
                added.append((made, None))
        return self.add_placed(*added)

    def add_placed(self, *placed: tuple[Pass[Any, Any] | OpPassManager, Span | None]) -> Self:
        """Append passes and nested managers, each paired with its span in the text of a pipeline.

        The `placed` method of another manager yields suitable arguments. Unlike `add`, this method
        does not copy managers.

        Raises:
            AnchorError: The anchor of a pass differs from the manager's anchor, and `nesting` is
                `Nesting.EXPLICIT`. No pass was added.
        """
        self._check_can_change()
        self._placed += [self._nested_if_needed(*each) for each in placed]
        self._changes += 1
        return self

    def nest(
        self, anchor: str | type, *, jobs: int | None = None, span: Span | None = None
    ) -> OpPassManager:
        """Append a new manager for immediately nested ops that match `anchor`, and return it.

        The passes of the new manager run once per matching op, in program order. To run passes on
        more deeply nested ops, call `nest` on the new manager. A `with` statement on the new
        manager only groups code, and has no other effect.

        Args:
            anchor: The anchor of the new manager: an op name, an op class, or `any`.
            jobs: The maximum number of matching ops to process concurrently, even if the run allows
                more; None for no limit. The text of the pipeline does not include this number.
            span: The span of the new manager in the text of the pipeline; None if the pipeline is
                built in Python.

        Raises:
            DefinitionError: `jobs` is not a positive number.
        """
        nested = self.empty(anchor, jobs)
        self.add_placed((nested, span))
        return nested

    def empty(self, anchor: str | type, jobs: int | None = None) -> OpPassManager:
        """Return an empty manager with the same `nesting` and registry as this manager."""
        return OpPassManager(anchor, nesting=self.nesting, jobs=jobs, registry=self.registry)

    def add_nested(self, anchor: str | type, *passes: Addable) -> Self:
        """Append a nested manager with the given passes, and return `self`, the outer manager."""
        return self.add_placed((self.empty(anchor).add(*passes), None))

    def clear(self) -> None:
        """Remove all passes, but keep the anchor and the setting `nesting`."""
        self._check_can_change()
        self._changes = self.changes + 1
        self._placed.clear()

    def copy(self) -> Self:
        """Return an independent copy of the manager, with the same pass objects."""
        return self._fill(self._empty_copy(), OpPassManager.copy)

    __copy__ = copy

    def frozen(self) -> OpPassManager:
        """Return an immutable, hashable copy of the manager, for use as the value of an option.

        The copy can be printed, run, and added to other managers. To get a mutable manager, call
        `copy` on the result.
        """
        if self._is_frozen:
            return self
        value = self._fill(self.empty(self.anchor, self.jobs), OpPassManager.frozen)
        value._is_frozen = True
        return value

    def _check_can_change(self) -> None:
        if self._is_frozen:
            raise TypeError("a frozen pass manager cannot be changed; change a copy() instead")

    def _empty_copy(self) -> OpPassManager:
        return self.empty(self.anchor, self.jobs)

    def _fill(self, other: Any, convert: Callable[[OpPassManager], OpPassManager]) -> Any:
        """Put this manager's passes and its converted nested managers into another manager."""
        other._placed = [
            Placed(convert(item) if isinstance(item, OpPassManager) else item, span)
            for item, span in self._placed
        ]
        return other

    def to_node(self, *, all_options: bool = False) -> PipelineNode:
        """Return the syntax tree of the pipeline, for printing.

        Args:
            all_options: Whether to include options that have their default value.
        """
        elements = (item.to_node(all_options=all_options) for item in self)
        return PipelineNode(self.anchor, tuple(elements))

    def to_text(self, *, all_options: bool = False, pretty: bool = False) -> str:
        """Return the pipeline as text that parses to an equal manager.

        Args:
            all_options: Whether to also print options that have their default value.
            pretty: Whether to print one element per line, with indentation.
        """
        node = self.to_node(all_options=all_options)
        return node.pretty() if pretty else str(node)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __len__(self) -> int:
        return len(self._placed)

    def __bool__(self) -> bool:
        """Return True, even for an empty manager, so that `pm or default` works."""
        return True

    def __iter__(self) -> Iterator[Pass[Any, Any] | OpPassManager]:
        return (item for item, _ in self._placed)

    def placed(self) -> Iterator[Placed]:
        """Yield the passes and nested managers in order, each with its span in the text."""
        return iter(self._placed)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OpPassManager):
            return NotImplemented
        is_same = self.anchor == other.anchor and self.jobs == other.jobs
        return is_same and list(self) == list(other)

    def __hash__(self) -> int:
        if not self._is_frozen:
            raise TypeError("a mutable pass manager is not hashable; use frozen()")
        return hash((self.anchor, *self))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    @classmethod
    def from_option_text(cls, text: OptionText, scope: PassRegistry | None) -> OpPassManager:
        """Parse the value of an option as a pipeline with an anchor."""
        node = parse_pipeline(located(text))
        return OpPassManager(node.anchor, registry=scope).add(*node.elements)

    def to_option_text(self, *, all_options: bool) -> OptionText:
        """Return the pipeline as the text of an option's value."""
        text = self.to_text(all_options=all_options)
        return OptionText(text, "{" if " " in text or "," in text else "")

    def _nested_if_needed(self, item: Pass[Any, Any] | OpPassManager, span: Span | None) -> Placed:
        """Return an item with its place, nested in a new manager if its anchor requires that."""
        anchors = (None, ANY, self.anchor)
        if isinstance(item, OpPassManager) or self.anchor == ANY or item.anchor in anchors:
            return Placed(item, span)
        if self.nesting is Nesting.IMPLICIT:
            return Placed(self.empty(item.anchor).add_placed((item, span)), span)
        message = (
            f"can't add pass '{item.short_name}' restricted to '{item.anchor}' on a PassManager "
            f"intended to run on '{self.anchor}'"
        )
        nested = f", did you intend to nest? Write {item.anchor}({item.short_name})"
        message += suggest(self.anchor, [item.anchor]) or nested
        raise AnchorError(Problem(message, span))

    def _built(self, nodes: Sequence[ElementNode]) -> list[Placed]:
        """Build the passes and managers for syntax nodes without changing this manager."""
        scratch = self.empty(self.anchor)
        build(nodes, scratch, self.registry or names_for(None, entered_context()))
        return scratch._placed


class BarePipeline(OpPassManager):
    """An immutable pipeline without an anchor, for use as the value of an option.

    Args:
        passes: The passes to add; see `OpPassManager.add`.
        registry: The registry that resolves pass names in text and syntax nodes.

    Raises:
        PipelineError: A name is not registered, or an option is invalid.

    Example:
        >>> from passel.manager.combinators import CompositeFixedPoint
        >>> str(CompositeFixedPoint(pipeline=BarePipeline("symbol-dce,func.func(cse)")))
        'composite-fixed-point-pass{pipeline={symbol-dce,func.func(cse)}}'

    Source: the pipeline options of MLIR's passes, parsed by `mlir::parsePassPipeline`, MLIR 22.
    """

    option_metavar = "<pipeline>"

    def __init__(self, *passes: Addable, registry: PassRegistry | None = None) -> None:
        super().__init__(registry=registry)
        self.add(*passes)._fill(self, OpPassManager.frozen)
        self._is_frozen = True

    @classmethod
    def from_option_text(cls, text: OptionText, scope: PassRegistry | None) -> Self:
        """Parse the value of an option as a pipeline without an anchor."""
        elements = parse_elements(located(text)) if text.text.strip() else ()
        return cls(*elements, registry=scope)

    def to_option_text(self, *, all_options: bool) -> OptionText:
        """Return the pipeline, without an anchor, as the text of an option's value."""
        text = ",".join(map(str, self.to_node(all_options=all_options).elements))
        return OptionText(text, "{" if not text or " " in text or "," in text else "")
