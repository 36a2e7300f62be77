"""Walking through a pipeline in the order in which it runs, to hold passes to their contracts.

Nothing is run. What is said about analyses is what a run does: those of a nested pipeline's op
end with it, and nested passes invalidate those of the enclosing op.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from passel.analysis import analysis_name
from passel.contracts.origin import Origin
from passel.contracts.subject import Subject
from passel.contracts.targets import describe
from passel.diagnostics import Severity
from passel.ir import ANY
from passel.passes.preservation import preserves
from passel.passes.resolution import bound
from passel.passes.tree import PassTree
from passel.passes.walking import run_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from passel.contracts.declarations import Declarations, DeclarationTable
    from passel.contracts.targets import Target
    from passel.diagnostics import Span
    from passel.ir import IRAdapter
    from passel.passes import Pass


class Place(Subject):
    """A pass at its place in a pipeline.

    Args:
        pass_: The pass.
        path: Its path, such as `builtin.module/func.func/0:cse`.
        span: Its place in the text that it comes from, if it comes from one.
        label: Its label in a builder; else the pass's name.
        origin: Who put it there, if a builder knows.
    """

    def __init__(
        self,
        pass_: Pass[Any, Any],
        path: str,
        span: Span | None = None,
        label: str = "",
        origin: Origin = Origin(),  # noqa: B008 - a value
    ) -> None:
        self.pass_: Pass[Any, Any] = pass_
        self.path: str = path
        self.span: Span | None = span
        self.label: str = label or pass_.name or pass_.display_name
        self.origin: Origin = origin

    def __str__(self) -> str:
        """Return the pass as messages name it."""
        by = self.origin.clause(", added")
        return f"'{self.pass_.name or self.pass_.display_name}' [{self.path}{by}]"

    def __repr__(self) -> str:
        return f"<Place {self}>"


class Violation(NamedTuple):
    """Something in a pipeline that breaks a contract.

    Attributes:
        message: What and why, and the way out.
        severity: An error, a warning, or a remark on what may be meant.
        offender: The pass that is to blame.
        producer: What produces the analysis, or makes the dialect illegal, if anything does.
        consumer: What needs it, if anything does.
    """

    message: str
    severity: Severity
    offender: Place
    producer: Place | None = None
    consumer: Place | None = None

    def __str__(self) -> str:
        text, span = f"{self.severity.value}: {self.message}", self.offender.span
        return text if span is None else f"{span}: {text}\n{span.excerpt()}"


class Region(NamedTuple):
    """A part of a pipeline in which each pass has to preserve analyses.

    It goes from each pass that is its start to the next one that is its end, neither included.

    Attributes:
        start: What it starts after: in a manager, passes of a class, of a name or at a path, or
            of a type; in a builder, any target.
        end: What it ends before.
        preserves: The analyses.
        origin: Who asks for it.
    """

    start: Target
    end: Target
    preserves: tuple[type, ...]
    origin: Origin = Origin()

    @property
    def title(self) -> str:
        """The region as messages name it."""
        asked_for = self.origin.clause("asked for")
        where = f" ({asked_for})" if asked_for else ""
        return f"between {describe(self.start)} and {describe(self.end)}{where}"


class Key(NamedTuple):
    """An analysis that is watched.

    Attributes:
        kind: The analysis.
        region: The region for which it is watched; None for all that require it.
    """

    kind: type
    region: Region | None = None


@dataclass(slots=True, eq=False)
class _Fact:
    """An analysis that has been produced.

    Attributes:
        producer: By what.
        broken: What has not preserved it since.
        reported: How many of those have been reported.
        is_required: Whether anything has required it.
    """

    producer: Place
    broken: list[Place] = field(default_factory=list["Place"])
    reported: int = 0
    is_required: bool = False


@dataclass(slots=True, eq=False)
class _Level:
    """The state of the op that a pipeline runs on.

    Attributes:
        scope: The enclosing anchors, as far as ops are the same whenever the anchors are.
        facts: The analyses of the op.
        inner: The levels of nested pipelines that the next one may be merged with.
    """

    scope: tuple[object, ...]
    facts: dict[Key, _Fact] = field(default_factory=dict["Key", "_Fact"])
    inner: dict[str, _Level] = field(default_factory=dict["str", "_Level"])


class ContractWalk:
    """One walk through one pipeline.

    Args:
        declarations: What is declared of passes.
        regions: What else is watched.
        stands_for: Whether an end of a region stands for a pass.
        steps: The builder's steps for the passes of the pipeline, in order, if there are any.
        adapter: The IR, on which names may stand for other passes.

    Attributes:
        places: The passes of the pipeline that it has come to, without those that others run.
    """

    def __init__(
        self,
        declarations: DeclarationTable,
        regions: Iterable[Region] = (),
        stands_for: Callable[[Target, Place], bool] = lambda _, __: False,
        steps: Iterable[Subject] = (),
        adapter: IRAdapter | None = None,
    ) -> None:
        self.places: list[Place] = []
        self._adapter = adapter
        self._declarations = declarations
        self._regions = tuple(regions)
        self._stands_for = stands_for
        self._steps = iter(steps)
        self._numbers: Counter[str] = Counter()
        self._levels: list[_Level] = []
        self._last: dict[Key, _Fact] = {}
        self._facts: list[tuple[Key, _Fact]] = []
        self._open: dict[Key, Place] = {}
        self._unopened: dict[Key, Place] = {}
        self._illegal: dict[str, list[tuple[tuple[object, ...], Place]]] = {}
        self._holder: Place | None = None
        self._found: list[Violation] = []

    def violations(self, tree: PassTree) -> tuple[Violation, ...]:
        """Walk through a pipeline and return what breaks contracts."""
        self._levels = [_Level((tree.anchor,))]
        self._pipeline(tree, tree.anchor)
        for key, place in self._open.items():
            self._report(_left_open(key, place), place, producer=place)
        for key, place in self._unopened.items():
            if key not in self._last:
                self._report(_never_starts(key, place), place, consumer=place)
        for key, fact in self._facts:
            if not fact.is_required and key.region is None:
                message = _not_required(key, fact.producer)
                self._found.append(Violation(message, Severity.REMARK, fact.producer))
        return tuple(self._found)

    def _report(
        self,
        message: str,
        offender: Place,
        producer: Place | None = None,
        consumer: Place | None = None,
    ) -> None:
        self._found.append(Violation(message, Severity.ERROR, offender, producer, consumer))

    # -- The tree ---------------------------------------------------------------------------

    def _pipeline(self, tree: PassTree, path: str) -> None:
        for entry in tree.entries():
            item = entry.item if self._adapter is None else bound(entry, self._adapter)
            if isinstance(item, PassTree):
                self._nested(item, path)
            else:
                self._levels[-1].inner.clear()  # what comes next is not merged with what was
                self._pass(item, path, entry.span)

    def _nested(self, tree: PassTree, path: str) -> None:
        """Walk through a nested pipeline; neighbours of one anchor are one, as in a run."""
        outer, anchor = self._levels[-1], tree.anchor
        is_any = anchor == ANY
        level = outer.inner.get(anchor)
        if level is None:
            # No two `any` are known to run on the same ops.
            level = _Level((*outer.scope, object() if is_any else anchor))
        if is_any:
            outer.inner.clear()
        else:
            outer.inner[anchor] = level
        self._levels.append(level)
        self._pipeline(tree, f"{path}/{anchor}")
        self._levels.pop()

    def _pass(self, pass_: Pass[Any, Any], path: str, span: Span | None) -> None:
        place = self._place(pass_, path, span)
        said = self._declarations.of(pass_)
        self._require(place, said)
        self._run_inside(place, run_by(pass_))
        self._invalidate(place, said.preserves)
        self._produce(place, said)
        self._change_dialects(place, said)

    def _place(self, pass_: Pass[Any, Any], path: str, span: Span | None) -> Place:
        full = f"{path}/{self._numbers[path]}:{pass_.name or pass_.display_name}"
        self._numbers[path] += 1
        if (holder := self._holder) is not None:
            return Place(pass_, full, span or holder.span, holder.label, holder.origin)
        place = Place(pass_, full, span)
        if (step := next(self._steps, None)) is not None:
            place.label, place.origin = step.label, step.origin
        self.places.append(place)
        return place

    def _run_inside(self, place: Place, inner: Iterable[Pass[Any, Any] | PassTree]) -> None:
        """Walk through what a pass may run on its op, or on ops inside."""
        levels, holder, last = self._levels, self._holder, self._last
        self._holder = holder or place
        for item in inner:
            level = _Level((*levels[-1].scope, object()))
            self._levels = [*levels, level]
            if place.pass_.takes_elements:  # they run on an op of another IR
                self._levels, self._last = [level], {}
            if isinstance(item, PassTree):
                self._pipeline(item, f"{place.path}/{item.anchor}")
            else:
                self._pass(item, place.path, place.span)
        self._levels, self._holder, self._last = levels, holder, last

    # -- Analyses ---------------------------------------------------------------------------

    def _require(self, place: Place, said: Declarations) -> None:
        for what in said.requires:
            if isinstance(what, str):
                self._require_dialect(place, what)
            else:
                self._require_analysis(Key(what), place)
        for key in self._keys(place, "end"):
            if self._open.pop(key, None) is not None:
                self._require_analysis(key, place)
            else:
                self._unopened.setdefault(key, place)

    def _require_analysis(self, key: Key, place: Place) -> None:
        facts = [level.facts[key] for level in reversed(self._levels) if key in level.facts]
        for fact in facts:
            fact.is_required = True
        if not facts:
            last = self._last.get(key)
            if last is None:
                self._report(_not_produced(key, place), place, consumer=place)
            else:
                last.is_required = True
                message = _ends_with_nest(key, last.producer, place)
                self._report(message, last.producer, last.producer, place)
        elif all(fact.broken for fact in facts):
            fact = facts[0]
            for offender in fact.broken[fact.reported :]:
                message = _not_preserved(key, offender, fact.producer, place)
                self._report(message, offender, fact.producer, place)
            fact.reported = len(fact.broken)

    def _invalidate(self, place: Place, kept: tuple[type, ...]) -> None:
        """Note what a pass does not preserve: of its op, and of those enclosing it."""
        for level in self._levels:
            for key, fact in level.facts.items():
                if not preserves(kept, key.kind):
                    fact.broken.append(place)

    def _produce(self, place: Place, said: Declarations) -> None:
        opened = list(self._keys(place, "start"))
        self._open.update(dict.fromkeys(opened, place))
        for key in (*map(Key, said.produces), *opened):
            fact = self._levels[-1].facts[key] = self._last[key] = _Fact(place)
            self._facts.append((key, fact))

    def _keys(self, place: Place, end: Literal["start", "end"]) -> Iterator[Key]:
        """Yield the analyses of regions of which a pass is an end; not what another one runs."""
        for region in self._regions if self._holder is None else ():
            if self._stands_for(getattr(region, end), place):
                yield from (Key(kind, region) for kind in region.preserves)

    # -- Dialects ---------------------------------------------------------------------------

    def _require_dialect(self, place: Place, dialect: str) -> None:
        scope = self._levels[-1].scope
        for outer, by in self._illegal.get(dialect, ()):
            if scope[: len(outer)] == outer:
                self._report(_is_illegal(dialect, by, place), place, by, place)
                return

    def _change_dialects(self, place: Place, said: Declarations) -> None:
        for dialect in said.makes_legal:
            self._illegal.pop(dialect, None)  # for all ops, as it may come to be anywhere
        if self._holder is None:  # else it may not be run
            for dialect in said.makes_illegal:
                where = self._levels[-1].scope
                self._illegal.setdefault(dialect, []).append((where, place))


# -- Sentences: who, between whom, and the way out -------------------------------------------


def _not_preserved(key: Key, offender: Place, producer: Place, consumer: Place) -> str:
    """Say that a pass does not preserve what one before it has produced for one after it."""
    name, pass_ = analysis_name(key.kind), offender.pass_
    if pass_.ir:
        way_out = f"if it does, declare that of '{pass_.name}' in a DeclarationTable"
    else:
        way_out = f"if it does, declare preserves = ({name},) in {type(pass_).__name__}"
    return (
        f"pass {offender} between {producer} and {consumer} does not preserve {name}; {way_out}, "
        "else move it out of there"
    )


def _not_produced(key: Key, consumer: Place) -> str:
    """Say that no earlier pass produces what a pass requires."""
    return (
        f"pass {consumer} requires {analysis_name(key.kind)}, which no pass before it produces; "
        "put one before it that does"
    )


def _ends_with_nest(key: Key, producer: Place, consumer: Place) -> str:
    """Say that what a pass requires was produced in a nested pipeline and has ended with it."""
    return (
        f"the {analysis_name(key.kind)} of pass {producer} ends with the nested pipeline that "
        f"the pass is in, so {consumer} does not get it; put both into one nested pipeline, or "
        "the first into the enclosing pipeline"
    )


def _not_required(key: Key, producer: Place) -> str:
    """Say that no later pass requires what a pass produces."""
    return f"pass {producer} produces {analysis_name(key.kind)}, and no pass after it requires that"


def _left_open(key: Key, start: Place) -> str:
    """Say that a region has no end."""
    return _half(key, f"is left open: it starts after {start}, and no pass after that ends it")


def _never_starts(key: Key, end: Place) -> str:
    """Say that a region has no start."""
    return _half(key, f"never starts: it ends before {end}, and no pass before that starts it")


def _is_illegal(dialect: str, by: Place, consumer: Place) -> str:
    """Say that a pass requires a dialect of which there are no ops any more."""
    return (
        f"pass {consumer} requires dialect '{dialect}', which {by} has made illegal, and no pass "
        "since has made it legal; put it before that one"
    )


def _half(key: Key, why: str) -> str:
    title = "" if key.region is None else key.region.title
    name = f"{title} for {analysis_name(key.kind)}"
    return f"the region {name} {why}; add the pass that does, or take the region out"
