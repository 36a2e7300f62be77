"""The steps of a builder, the scopes that contain them, and the targets that refer to them.

Step    a pass at its place
Scope   a nested pipeline, a bundle that stays together, or a part of a stage

A position is a scope and an index of its items. Each step and scope has a permanent label.
"""

from __future__ import annotations

import contextlib
import inspect
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

from passel.manager import OpPassManager
from passel.passes import Pass, PassType
from passel.passes.definition import check_tuples
from passel.passes.op_pass_manager import Placed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from passel.diagnostics import Span
    from passel.manager import Nesting

Occurrence: TypeAlias = Literal["first", "last", "all"] | int
"""Which of several matches: the first, the last, all, or an index from 0."""

_PASSEL = os.path.join(Path(__file__).parent.parent, "")  # noqa: PTH118 - as text
_OURS = (os.path.join(Path(__file__).parent, ""), contextlib.__file__)  # noqa: PTH118 - as text


class Origin(NamedTuple):
    """The author and place of a change of a builder.

    Attributes:
        extension: The name of the extension; empty for the builder's creator.
        file: The file of the call; empty if there is none.
        line: The line of the call, counted from 1; 0 if there is none.
    """

    extension: str = ""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        where = f"{_shown(self.file)}:{self.line}" if self.file else ""
        if not self.extension:
            return where
        return f"extension '{self.extension}'" + (f" ({where})" if where else "")

    def clause(self, verb: str) -> str:
        """Return a verb with the author or place, such as `added at a.py:3`; empty if unknown."""
        return f"{verb} {'by' if self.extension else 'at'} {self}" if str(self) else ""


def caller(extension: str = "") -> Origin:
    """Return the place where the builder was called; for passel's own tools, without a file.

    Args:
        extension: The name of the running extension.
    """
    frame = inspect.currentframe()
    assert frame is not None  # noqa: S101 - every Python that passel runs on has frames
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    if frame.f_code.co_filename.startswith(_PASSEL):
        return Origin(extension)
    return Origin(extension, frame.f_code.co_filename, frame.f_lineno)


def _shown(file: str) -> str:
    """Return a file's name, relative to the current folder; for a notebook cell, its number."""
    from passel.notebooks import shell  # noqa: PLC0415 - few places are printed

    if (at := shell()) and (cell := at.compile.format_code_name(file)):
        return " ".join(cell)
    return file.removeprefix(os.path.join(os.getcwd(), ""))  # noqa: PTH109, PTH118 - as text


class Named:
    """A named target of a builder, such as a bundle, a stage or a handle.

    Attributes:
        kind: The kind of target, such as `bundle`.
        name: Its name.
    """

    __slots__ = ()

    kind: ClassVar[str]
    name: str

    @property
    def title(self) -> str:
        """The name of the target in messages, such as `bundle 'cleanup'`."""
        return f"{self.kind} '{self.name}'"


Target: TypeAlias = "type[Pass[Any]] | str | PassType | Named"
"""A pass class, the name of a pass, a label, a type of pass, or a named target of a builder."""


@dataclass(frozen=True, slots=True)
class Stage(Named):
    """A named place in a pipeline that is kept when passes change.

    Attributes:
        name: The name of the target.
    """

    kind: ClassVar[str] = "stage"

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Handle(Named):
    """The items that one call has added to a builder.

    A handle stays valid after later additions, and in copies of the builder.

    Attributes:
        labels: The labels of the added items, in order.
    """

    labels: tuple[str, ...]

    @property
    def title(self) -> str:
        """The labels of the items, in quotes."""
        return f"'{self}'"

    def __str__(self) -> str:
        return ", ".join(self.labels)

    def __bool__(self) -> bool:
        """Return whether anything was added."""
        return bool(self.labels)


class Bundle(Named):
    """A sequence of passes that belong together.

    After the bundle is added, its members are ordinary steps. Unless `together` is set, other steps
    may be put between them. A bundle is not a pass.

    Args:
        name: The name of the bundle, which can be a target.
        members: The passes, as for `OpPassManager.add`, or other bundles.
        together: Whether to forbid other steps between its members.
        types: Types of all members, in addition to their own types.
        constraints: Constraints on all members, in addition to their own constraints.
        idempotent: Whether a second run right after the first changes nothing; by default, whether
            all members are idempotent.

    Raises:
        DefinitionError: If `types` or `constraints` has the wrong type.

    Example:
        >>> cleanup = Bundle("cleanup", "canonicalize", "cse")
        >>> cleanup
        <Bundle cleanup: canonicalize,cse>
    """

    kind: ClassVar[str] = "bundle"

    def __init__(
        self,
        name: str,
        *members: object,
        together: bool = False,
        types: tuple[PassType, ...] = (),
        constraints: tuple[Any, ...] = (),
        idempotent: bool | None = None,
    ) -> None:
        check_tuples(f"bundle '{name}'", {"types": types, "constraints": constraints})
        self.name = name
        self.members = members
        self.together = together
        self.types = types
        self.constraints = constraints
        self.idempotent = idempotent

    def __repr__(self) -> str:
        members = ",".join(m.name if isinstance(m, Bundle) else str(m) for m in self.members)
        return f"<Bundle {self.name}: {members}>"


def describe(target: Target) -> str:
    """Return the name of a target in messages."""
    if isinstance(target, Named):
        return target.title
    if isinstance(target, PassType):
        return f"type '{target}'"
    return f"'{target if isinstance(target, str) else target.name or target.__name__}'"


def noun(target: Target) -> str:
    """Return a noun phrase for a single step of a target, without an article."""
    if isinstance(target, (Bundle, Stage)):
        return f"step of {describe(target)}"
    return f"pass of {describe(target)}" if isinstance(target, PassType) else describe(target)


def check_target(given: object) -> None:
    """Reject anything but a target.

    Raises:
        TypeError: If the object is not a target.
    """
    if not isinstance(given, (str, PassType, Named)) and not _is_pass_class(given):
        hint = "; its class is one" if _is_pass_class(type(given)) else ""
        raise TypeError(
            "a target is a pass class, a name, a handle from 'add', a step, a bundle, a type "
            f"of pass or a stage, not {given!r}{hint}"
        )


def _is_pass_class(target: object) -> bool:
    return isinstance(target, type) and issubclass(target, Pass)


# -- The tree ---------------------------------------------------------------------------------


@dataclass(eq=False)
class Step(Named):
    """A pass at its place in a pipeline.

    Attributes:
        pass_: The pass.
        span: The place in the text of a pipeline, if any.
        origin: The author and the place of the call.
        label: The permanent identity in the builder, such as `cse#2`.
        bundles: The bundles that the step belongs to, the innermost first.
        call: The number of the call that added the step.
        because: The reasons for the position of the step, in sentences.
        is_default: Whether the step is part of a stage's default.
    """

    pass_: Pass[Any]
    span: Span | None
    origin: Origin
    label: str = ""
    bundles: tuple[BundleUse, ...] = ()
    call: int = 0
    because: tuple[str, ...] = ()
    is_default: bool = False

    @property
    def title(self) -> str:
        """The label of the step, in quotes."""
        return f"'{self.label}'"

    def __repr__(self) -> str:
        return f"<Step {self.label}: {self.pass_}>"


@dataclass(eq=False)
class BundleUse:
    """One addition of a bundle to a builder; additions compare by identity.

    Attributes:
        bundle: The bundle.
        size: The number of steps that were added.
    """

    bundle: Bundle
    size: int


@dataclass(eq=False)
class Scope:
    """A nested pipeline, or a part of one.

    Attributes:
        kind: `nest` for a nested pipeline, `bundle` for a bundle that stays together, `stage` for a
            part of a stage. Only nested pipelines appear in the pass manager.
        name: The name of the bundle or stage, or the anchor of the pipeline.
        origin: The author and the place of the call.
        items: The contents.
        label: The permanent identity in the builder; empty for the outermost pipeline.
        span: The place in the text of a pipeline, if any.
        jobs: The maximum number of ops to process at once; None for no limit.
        is_required: Whether the scope must not be empty.
    """

    kind: Literal["nest", "bundle", "stage"]
    name: str
    origin: Origin
    items: list[Node] = field(default_factory=list["Node"])
    label: str = ""
    span: Span | None = None
    jobs: int | None = None
    is_required: bool = False

    def copy(self) -> Scope:
        """Return an independent copy, which shares the steps."""
        items = [each.copy() if isinstance(each, Scope) else each for each in self.items]
        return replace(self, items=items)


Node: TypeAlias = Step | Scope


def walk(
    nodes: Iterable[Node], around: tuple[Scope, ...] = ()
) -> Iterator[tuple[Node, tuple[Scope, ...]]]:
    """Yield nodes and their contents in order, each with the scopes that enclose it.

    Args:
        nodes: The nodes.
        around: The scopes that enclose the nodes, the outermost first.
    """
    for each in nodes:
        yield each, around
        if isinstance(each, Scope):
            yield from walk(each.items, (*around, each))


def steps_in(nodes: Iterable[Node]) -> list[Step]:
    """Return the steps among nodes and inside them, in order."""
    return [each for each, _ in walk(nodes) if isinstance(each, Step)]


def nest_of(scopes: Sequence[Scope]) -> Scope:
    """Return the innermost nested pipeline among enclosing scopes."""
    return next(each for each in reversed(scopes) if each.kind == "nest")


def nodes_of(manager: OpPassManager, origin: Origin) -> list[Node]:
    """Return a node for each pass and each nested manager of a manager."""
    return [
        Scope("nest", item.anchor, origin, nodes_of(item, origin), span=span, jobs=item.jobs)
        if isinstance(item, OpPassManager)
        else Step(item, span, origin)
        for item, span in manager.placed()
    ]


def placed_of(scope: Scope, nesting: Nesting) -> Iterator[Placed]:
    """Yield the passes and managers for the contents of a scope."""
    for each in scope.items:
        if isinstance(each, Step):
            yield Placed(each.pass_, each.span)
        elif each.kind == "nest":
            nested = OpPassManager(each.name, nesting=nesting, jobs=each.jobs)
            yield Placed(nested.add_placed(*placed_of(each, nesting)), each.span)
        else:
            yield from placed_of(each, nesting)
