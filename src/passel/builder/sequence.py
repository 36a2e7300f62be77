"""The sequence of a builder: a list of steps, and of the beginnings and ends of scopes.

Step    a pass at its place
Scope   the beginning of a nested pipeline, of a bundle that stays together, or of a stage
End     the end of one

A position is an index of the list. Entries in the list never change, so that a copy of the list is
a copy of the pipeline. Each step and scope has a permanent label.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from passel.builder.targets import Bundle, Key, Named, Origin, describe
from passel.manager import OpPassManager
from passel.passes.op_pass_manager import Placed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.builder.targets import Target
    from passel.diagnostics import Span
    from passel.manager import Nesting
    from passel.passes import Pass


@dataclass(eq=False)
class Step(Named):
    """A pass at its place in a sequence.

    Attributes:
        pass_: The pass.
        span: Its place in the text of a pipeline, if any.
        origin: Its author and the place of the call.
        label: Its permanent identity in the sequence, such as `cse#2`.
        bundles: The bundles that it belongs to, the innermost first.
        call: The number of the call that added it.
        because: The reasons for its position, in sentences.
        is_default: Whether it is part of a stage's default.
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
    def steps_keys(self) -> tuple[Key, ...]:
        """The key of this step."""
        return (("label", self.label),)

    @property
    def title(self) -> str:
        """The name of the step in messages."""
        return f"step '{self.label}'"

    @property
    def noun(self) -> str:
        """The step's label."""
        return f"'{self.label}'"

    def __repr__(self) -> str:
        return f"<Step {self.label}: {self.pass_}>"


class BundleUse:
    """One addition of a bundle to a sequence; additions compare by identity.

    Attributes:
        bundle: The bundle.
    """

    def __init__(self, bundle: Bundle) -> None:
        self.bundle: Bundle = bundle


@dataclass(eq=False)
class Scope:
    """The beginning of a scope.

    Attributes:
        kind: `nest` for a nested pipeline, `bundle` for a closed bundle, `stage` for a part of a
            stage. Only nested pipelines appear in the pass manager.
        name: The name of the bundle or stage, or the anchor of the pipeline.
        origin: Its author and the place of the call.
        label: Its identity in the sequence.
        span: Its place in the text of a pipeline, if any.
        jobs: The most ops that the pipeline may process at once; None for no limit.
        is_required: Whether the scope must not be empty.
    """

    kind: Literal["nest", "bundle", "stage"]
    name: str
    origin: Origin
    label: str = ""
    span: Span | None = None
    jobs: int | None = None
    is_required: bool = False

    def around(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return the scope with entries inside."""
        return [self, *entries, End(self)]


class End(NamedTuple):
    """The end of a scope."""

    scope: Scope
    label: str = ""


Node: TypeAlias = Step | Scope
Entry: TypeAlias = Step | Scope | End


def steps_in(entries: Iterable[Entry]) -> list[Step]:
    """Return the steps among entries."""
    return [each for each in entries if isinstance(each, Step)]


def grouped(entries: Iterable[Entry]) -> list[list[Any]]:
    """Return groups of entries: each a step, or a scope with its contents."""
    groups: list[list[Any]] = []
    depth = 0
    for entry in entries:
        groups += [[]] if depth == 0 else []
        groups[-1].append(entry)
        depth += isinstance(entry, Scope) - isinstance(entry, End)
    return groups


def anchor_of(scopes: list[Scope]) -> str:
    """Return the anchor for a pass inside these scopes."""
    return next(each.name for each in reversed(scopes) if each.kind == "nest")


# -- From managers and back ------------------------------------------------------------------


def entries_of(manager: OpPassManager, origin: Origin) -> Iterator[Entry]:
    """Yield entries for each pass and each nested manager of a manager."""
    for item, span in manager.placed():
        if isinstance(item, OpPassManager):
            nest = Scope("nest", item.anchor, origin, span=span, jobs=item.jobs)
            yield from nest.around(entries_of(item, origin))
        else:
            yield Step(item, span, origin)


def placed_of(entries: Iterable[Entry], nesting: Nesting) -> list[Placed]:
    """Return the passes and managers of entries."""
    open_: list[list[Placed]] = [[]]
    for entry in entries:
        if isinstance(entry, Step):
            open_[-1].append(Placed(entry.pass_, entry.span))
        elif isinstance(entry, Scope):
            open_ += [[]] if entry.kind == "nest" else []
        elif (scope := entry.scope).kind == "nest":
            nested = OpPassManager(scope.name, nesting=nesting, jobs=scope.jobs)
            nested.add_placed(*open_.pop())
            open_[-1].append(Placed(nested, scope.span))
    return open_[0]


# -- The sequence ----------------------------------------------------------------------------


class Removal(NamedTuple):
    """A step that was removed.

    Attributes:
        keys: The keys of the step.
        extension: The extension that removed it; empty if none.
    """

    keys: frozenset[Key]
    extension: str


class Between(NamedTuple):
    """A region of a pipeline in which each pass must preserve analyses.

    Attributes:
        start: The steps after which the region starts.
        end: The steps before which the region ends.
        preserves: The analyses.
        origin: Its author and the place of the call.
    """

    start: Target
    end: Target
    preserves: tuple[type, ...]
    origin: Origin

    @property
    def title(self) -> str:
        """The name of the region in messages."""
        where = self.origin.clause(" (asked for")
        return f"between {describe(self.start)} and {describe(self.end)}{where}{where and ')'}"


@dataclass
class Sequence:
    """All entries of a builder, and the constraints on them.

    Attributes:
        root: The outermost pipeline; the entries do not include its beginning and end.
        entries: The list of entries.
        calls: The number of calls that have changed the sequence.
        constraints: The rules from `PipelineBuilder.constrain`, in order.
        regions: The regions that preserve analyses.
        removals: The removed steps.
        users: Pairs of a step's label and an extension that inserted something next to it.
    """

    root: Scope
    entries: list[Entry] = field(default_factory=list[Entry])
    calls: int = 0
    constraints: tuple[Any, ...] = ()
    regions: tuple[Between, ...] = ()
    removals: tuple[Removal, ...] = ()
    users: tuple[tuple[str, str], ...] = ()
    _numbers: Counter[str] = field(default_factory=Counter[str])

    def copy(self) -> Sequence:
        """Return an independent copy of the sequence."""
        other = copy(self)
        other.entries, other._numbers = self.entries[:], self._numbers.copy()
        return other

    def stages(self) -> list[Scope]:
        """Return the parts of stages, in order."""
        return [e for e in self.entries if isinstance(e, Scope) and e.kind == "stage"]

    def extent(self, node: Node) -> tuple[int, int]:
        """Return the position of a node, and the position after its end."""
        start = next(n for n, each in enumerate(self.entries) if each is node)
        last = self.entries.index(End(node), start) if isinstance(node, Scope) else start
        return start, last + 1

    def end(self, scope: Scope) -> int:
        """Return the position at the end of a scope."""
        return len(self.entries) if scope is self.root else self.extent(scope)[1] - 1

    def inside(self, scope: Scope) -> list[Entry]:
        """Return the contents of a scope."""
        start = 0 if scope is self.root else self.extent(scope)[0] + 1
        return self.entries[start : self.end(scope)]

    def steps_of(self, nodes: Iterable[Node]) -> list[Step]:
        """Return the steps among nodes and inside them."""
        extents = (slice(*self.extent(node)) for node in nodes)
        return [step for each in extents for step in steps_in(self.entries[each])]

    def scopes_at(self, position: int) -> list[Scope]:
        """Return the scopes that enclose a position, the outermost first."""
        open_ = [self.root]
        for entry in self.entries[:position]:
            if isinstance(entry, Scope):
                open_.append(entry)
            elif isinstance(entry, End):
                open_.pop()
        return open_

    def scope_of(self, node: Node) -> Scope:
        """Return the innermost scope around a node."""
        return self.scopes_at(self.extent(node)[0])[-1]

    def put(self, entries: Iterable[Entry], position: int, label: str = "") -> list[Node]:
        """Put new entries before a position, and return the outermost of them.

        Args:
            entries: The entries.
            position: The position.
            label: A label for the first; the others are named after their contents.
        """
        new = [*entries]
        known = {each.label for each in self.entries}
        for entry in new:
            if not isinstance(entry, End):
                entry.label = entry.label or self._new_label(label or _name_of(entry), known)
                known.add(entry.label)
                label = ""
            if isinstance(entry, Step):
                entry.call = self.calls
        self.entries[position:position] = new
        return [each[0] for each in grouped(new)]

    def take_out(self, node: Node) -> None:
        """Remove a node and its contents."""
        start, stop = self.extent(node)
        del self.entries[start:stop]

    def _new_label(self, name: str, known: set[str]) -> str:
        """Return a label that was never used: the name, or the name with a number."""
        self._numbers[name] += 1
        number = self._numbers[name]
        label = name if number == 1 else f"{name}#{number}"
        return self._new_label(name, known) if label in known else label


def _name_of(node: Node) -> str:
    """Return the default label of a node."""
    return node.name if isinstance(node, Scope) else node.pass_.short_name
