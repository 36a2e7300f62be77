"""The steps of a builder, the scopes that contain them, and the targets that refer to them.

Step    a pass at a position in the pipeline
Scope   a nested pipeline, or a stage

A position consists of a scope and an index into the items of the scope. Each step and each nested
scope has a permanent label.
"""

from __future__ import annotations

import contextlib
import inspect
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from passel.passes import Pass, PassType
from passel.passes.definition import check_tuples
from passel.passes.op_pass_manager import OpPassManager, Placed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from passel.diagnostics import Span

Occurrence: TypeAlias = Literal["first", "last", "all"]
"""The selection among several matches: the first, the last, or all."""

# With a final separator, which a `Path` would drop.
_PASSEL = os.path.join(Path(__file__).parent.parent, "")  # noqa: PTH118
_BUILDER = (os.path.join(Path(__file__).parent, ""), contextlib.__file__)  # noqa: PTH118


class Origin(NamedTuple):
    """The origin of a change to a builder: the extension and the source location of the call.

    Attributes:
        extension: The name of the extension that made the change; empty if the caller was not an
            extension.
        file: The file that contains the call; empty if the file is unknown.
        line: The line number of the call, counted from 1; 0 if the file is unknown.
    """

    extension: str = ""
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        folder = os.path.join(os.getcwd(), "")  # noqa: PTH109, PTH118 - see above
        where = f"{self.file.removeprefix(folder)}:{self.line}" if self.file else ""
        if not self.extension:
            return where
        return f"extension '{self.extension}'" + (f" ({where})" if where else "")

    def clause(self, verb: str) -> str:
        """Return a phrase such as `added at a.py:3`; for an unknown origin, an empty string."""
        return f"{verb} {'by' if self.extension else 'at'} {self}" if str(self) else ""


def caller(extension: str = "") -> Origin:
    """Return the source location of the code that called the builder.

    If passel's own code called the builder, the result contains no file.

    Args:
        extension: The name of the running extension; empty if no extension is running.
    """
    frame = inspect.currentframe()
    assert frame is not None  # noqa: S101 - every Python that passel runs on has frames
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_BUILDER):
        frame = frame.f_back
    if frame.f_code.co_filename.startswith(_PASSEL):
        return Origin(extension)
    return Origin(extension, frame.f_code.co_filename, frame.f_lineno)


Target: TypeAlias = "type[Pass[Any]] | str | PassType | Bundle | Stage | Handle | Step"
"""A pass class, a pass type, a bundle, a stage, a handle, a step, or the name of any of these."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A named position in a pipeline at which extensions can add passes.

    Attributes:
        name: The name of the stage.
    """

    name: str

    @property
    def title(self) -> str:
        """A phrase for messages, such as `stage 'late'`."""
        return f"stage '{self.name}'"

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Handle:
    """A reference to the steps and nested pipelines that a call added to a builder.

    A handle remains valid when more steps are added. It is also valid in copies of the builder.

    Attributes:
        labels: The labels of the added steps and nested pipelines, in order.
    """

    labels: tuple[str, ...]

    @property
    def title(self) -> str:
        """The labels of the added items, separated by commas, in one pair of quotes."""
        return f"'{self}'"

    def __str__(self) -> str:
        return ", ".join(self.labels)


class Bundle:
    """A named sequence of passes that are added to a builder together.

    When a bundle is added, the members of the bundle become ordinary steps. Other steps can be
    inserted between the members. A bundle is not a pass.

    Args:
        name: The name of the bundle, which can be used as a target.
        members: Other bundles, or passes in any form that `OpPassManager.add` accepts.
        types: The pass types that each member has in addition to its own types.
        constraints: The constraints that each member has in addition to its own constraints.

    Raises:
        DefinitionError: If `types` or `constraints` is not a tuple, or contains an object of the
            wrong type.

    Example:
        >>> cleanup = Bundle("cleanup", "canonicalize", "cse")
        >>> cleanup
        <Bundle cleanup: canonicalize,cse>
    """

    def __init__(
        self,
        name: str,
        *members: object,
        types: tuple[PassType, ...] = (),
        constraints: tuple[Any, ...] = (),
    ) -> None:
        check_tuples(f"bundle '{name}'", {"types": types, "constraints": constraints})
        self.name = name
        self.members = members
        self.types = types
        self.constraints = constraints

    @property
    def title(self) -> str:
        """A phrase for messages, such as `bundle 'cleanup'`."""
        return f"bundle '{self.name}'"

    def __repr__(self) -> str:
        members = ",".join(m.name if isinstance(m, Bundle) else str(m) for m in self.members)
        return f"<Bundle {self.name}: {members}>"


def describe(target: Target) -> str:
    """Return a phrase that names a target in messages, such as `type 'cleanup'`."""
    if isinstance(target, PassType):
        return f"type '{target}'"
    if isinstance(target, (str, type)):
        return f"'{target if isinstance(target, str) else target.name or target.__name__}'"
    return target.title


def noun(target: Target, a: str = "") -> str:
    """Return a phrase for a step that matches a target, such as `a pass of type 'cleanup'`.

    Args:
        target: The target.
        a: The article to put before a phrase that needs one, such as `a `; by default, no article.
    """
    if isinstance(target, (Bundle, Stage)):
        return f"{a}step of {describe(target)}"
    return f"{a}pass of {describe(target)}" if isinstance(target, PassType) else describe(target)


def check_target(given: object) -> None:
    """Check that an object is a target.

    Raises:
        TypeError: If the object is not a target.
    """
    kinds = (str, PassType, Bundle, Stage, Handle, Step)
    if not isinstance(given, kinds) and not _is_pass_class(given):
        hint = "; give its class instead" if _is_pass_class(type(given)) else ""
        raise TypeError(
            "a target must be a pass class, a name, a handle from 'add', a step, a bundle, a pass "
            f"type or a stage, not {given!r}{hint}"
        )


def _is_pass_class(target: object) -> bool:
    return isinstance(target, type) and issubclass(target, Pass)


# -- The tree ---------------------------------------------------------------------------------


@dataclass(eq=False)
class Step:
    """A pass at a position in a pipeline.

    Attributes:
        pass_: The pass that the step runs.
        span: The location of the pass in the pipeline text; None if the step was not parsed from
            text.
        origin: The extension that added the step, and the source location of the call.
        label: The permanent label of the step in the builder, such as `cse#2`.
        bundles: The bundles that contained the pass when it was added, innermost bundle first.
        call: The sequence number of the call that added the step.
        because: A sentence that names the target beside which the step was inserted; empty if the
            step was not inserted beside a target.
    """

    pass_: Pass[Any]
    span: Span | None
    origin: Origin
    label: str = ""
    bundles: tuple[BundleUse, ...] = ()
    call: int = 0
    because: str = ""

    @property
    def title(self) -> str:
        """The label of the step, in quotes."""
        return f"'{self.label}'"

    def __repr__(self) -> str:
        return f"<Step {self.label}: {self.pass_}>"


@dataclass(eq=False)
class BundleUse:
    """A single addition of a bundle to a builder.

    Two additions are equal only if they are the same object.

    Attributes:
        bundle: The bundle that was added.
    """

    bundle: Bundle


@dataclass(eq=False)
class Scope:
    """A pipeline or a stage.

    Attributes:
        kind: The kind of scope: `nest` for a pipeline, or `stage` for a stage.
            Only pipelines appear in the pass manager.
        name: The name of the stage, or the anchor of the pipeline.
        origin: The extension that added the scope, and the source location of the call.
        items: The steps and scopes directly inside the scope, in order.
        label: The permanent label of the scope in the builder; empty for the outermost pipeline.
        span: The location of the scope in the pipeline text; None if the scope was not parsed from
            text.
        jobs: The maximum number of ops to process in parallel; None for no limit.
    """

    kind: Literal["nest", "stage"]
    name: str
    origin: Origin
    items: list[Node] = field(default_factory=list["Node"])
    label: str = ""
    span: Span | None = None
    jobs: int | None = None

    def copy(self) -> Scope:
        """Copy the scope and all nested scopes, but not the steps, and return the copy."""
        items = [each.copy() if isinstance(each, Scope) else each for each in self.items]
        return replace(self, items=items)


Node: TypeAlias = Step | Scope


def walk(
    nodes: Iterable[Node], around: tuple[Scope, ...] = ()
) -> Iterator[tuple[Node, tuple[Scope, ...]]]:
    """Yield all nodes, including nested nodes, in order, each with its enclosing scopes.

    Args:
        nodes: The outermost nodes.
        around: The scopes that enclose the outermost nodes, outermost scope first.
    """
    for each in nodes:
        yield each, around
        if isinstance(each, Scope):
            yield from walk(each.items, (*around, each))


def steps_in(nodes: Iterable[Node]) -> list[Step]:
    """Return all steps in a sequence of nodes, including nested steps, in order."""
    return [each for each, _ in walk(nodes) if isinstance(each, Step)]


def innermost_pipeline(scopes: Sequence[Scope]) -> Scope:
    """Return the innermost pipeline in a sequence of enclosing scopes."""
    return next(each for each in reversed(scopes) if each.kind == "nest")


def nodes_of(manager: OpPassManager, origin: Origin) -> list[Node]:
    """Return a node for each pass and each nested pass manager in a pass manager."""
    return [
        Scope("nest", item.anchor, origin, nodes_of(item, origin), span=span, jobs=item.jobs)
        if isinstance(item, OpPassManager)
        else Step(item, span, origin)
        for item, span in manager.placed()
    ]


def placed_of(scope: Scope) -> Iterator[Placed]:
    """Yield the passes and nested pass managers for the items of a scope."""
    for each in scope.items:
        if isinstance(each, Step):
            yield Placed(each.pass_, each.span)
        elif each.kind == "nest":
            nested = OpPassManager(each.name, jobs=each.jobs)
            yield Placed(nested.add_placed(*placed_of(each)), each.span)
        else:
            yield from placed_of(each)
