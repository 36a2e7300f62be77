"""Walking through a pipeline in the order in which it runs, to hold passes to their contracts.

Nothing is run. What is said about analyses is what a run does: those of a nested pipeline's op
end with it, and nested passes invalidate those of the enclosing op.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from passel.analysis import analysis_name
from passel.errors import ContractError, Problem
from passel.ir import ANY
from passel.passes.op_pass_manager import OpPassManager
from passel.passes.reachable import preserves, run_by, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from passel.diagnostics import Span
    from passel.passes import Pass


class Named(NamedTuple):
    """A pass as the builder of its pipeline names it.

    Attributes:
        label: Its label there.
        by: Who has put it there, as in `, added at a.py:3`.
    """

    label: str
    by: str = ""


class Place:
    """A pass at its place in a pipeline.

    Attributes:
        pass_: The pass.
        path: Its path.
        span: Where it stands, if the pipeline was text.
        named: The pass as a builder names it; one that another pass runs is named as that is.
    """

    def __init__(
        self, pass_: Pass[Any, Any], path: str, span: Span | None, named: Named | None
    ) -> None:
        self.pass_: Pass[Any, Any] = pass_
        self.path: str = path
        self.span: Span | None = span
        self.named: Named = named or Named(pass_.name or pass_.display_name)

    @property
    def label(self) -> str:
        """The label of the pass in its builder; in a manager, its name."""
        return self.named.label

    def __str__(self) -> str:
        """Return the pass as messages name it."""
        return f"'{self.pass_.name or self.pass_.display_name}' [{self.path}{self.named.by}]"

    def __repr__(self) -> str:
        return f"<Place {self}>"


class Violation(NamedTuple):
    """Something in a pipeline that breaks a contract.

    Attributes:
        message: What and why, and the way out.
        offender: The pass that is to blame.
        producer: What produces the analysis, or makes the dialect illegal, if anything does.
        consumer: What needs it, if anything does.
    """

    message: str
    offender: Place
    producer: Place | None = None
    consumer: Place | None = None

    def __str__(self) -> str:
        text, span = f"error: {self.message}", self.offender.span
        return text if span is None else f"{span}: {text}\n{span.excerpt()}"


class Region(NamedTuple):
    """A part of a builder's pipeline in which each pass has to preserve analyses.

    It goes from each pass that is its start to the next one that is its end, neither included.

    Attributes:
        title: The region as messages name it.
        starts: The labels of the passes that it starts after.
        ends: The labels of the passes that it ends before.
        preserves: The analyses.
    """

    title: str
    starts: frozenset[str]
    ends: frozenset[str]
    preserves: tuple[type, ...]


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
    """

    producer: Place
    broken: list[Place] = field(default_factory=list["Place"])
    reported: int = 0


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
        regions: Where analyses are watched beside what passes require.
        named: The names of the passes in a builder, in order, if it is from one.
    """

    def __init__(
        self,
        regions: Iterable[Region] = (),
        named: Iterable[Named] = (),
    ) -> None:
        self._regions = tuple(regions)
        self._named = iter(named)
        self._numbers: Counter[str] = Counter()
        self._levels: list[_Level] = []
        self._last: dict[Key, _Fact] = {}
        self._open: dict[Key, Place] = {}
        self._unopened: dict[Key, Place] = {}
        self._illegal: dict[str, list[tuple[tuple[object, ...], Place]]] = {}
        self._holder: Place | None = None
        self._found: list[Violation] = []

    def violations(self, tree: OpPassManager) -> tuple[Violation, ...]:
        """Walk through a pipeline and return what breaks contracts."""
        self._levels = [_Level((tree.anchor,))]
        self._pipeline(tree, tree.anchor)
        for key, place in self._open.items():
            self._report(_left_open(key, place), place, producer=place)
        for key, place in self._unopened.items():
            if key not in self._last:
                self._report(_never_starts(key, place), place, consumer=place)
        return tuple(self._found)

    def _report(
        self,
        message: str,
        offender: Place,
        producer: Place | None = None,
        consumer: Place | None = None,
    ) -> None:
        self._found.append(Violation(message, offender, producer, consumer))

    # -- The tree ---------------------------------------------------------------------------

    def _pipeline(self, tree: OpPassManager, path: str) -> None:
        for item, span in tree.placed():
            if isinstance(item, OpPassManager):
                self._nested(item, path)
            else:
                self._levels[-1].inner.clear()  # what comes next is not merged with what was
                self._pass(item, path, span)

    def _nested(self, tree: OpPassManager, path: str) -> None:
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
        self._require(place)
        self._run_inside(place, run_by(pass_))
        self._invalidate(place)
        self._produce(place)
        self._change_dialects(place)

    def _place(self, pass_: Pass[Any, Any], path: str, span: Span | None) -> Place:
        full = f"{path}/{self._numbers[path]}:{pass_.name or pass_.display_name}"
        self._numbers[path] += 1
        if (holder := self._holder) is not None:
            return Place(pass_, full, span or holder.span, holder.named)
        return Place(pass_, full, span, next(self._named, None))

    def _run_inside(self, place: Place, inner: Iterable[Pass[Any, Any] | OpPassManager]) -> None:
        """Walk through what a pass may run on its op, or on ops inside."""
        levels, holder, last = self._levels, self._holder, self._last
        self._holder = holder or place
        for item in inner:
            level = _Level((*levels[-1].scope, object()))
            self._levels = [*levels, level]
            if place.pass_.takes_elements:  # they run on an op of another IR
                self._levels, self._last = [level], {}
            if isinstance(item, OpPassManager):
                self._pipeline(item, f"{place.path}/{item.anchor}")
            else:
                self._pass(item, place.path, place.span)
        self._levels, self._holder, self._last = levels, holder, last

    # -- Analyses ---------------------------------------------------------------------------

    def _require(self, place: Place) -> None:
        for what in place.pass_.requires:
            if isinstance(what, str):
                self._require_dialect(place, what)
            else:
                self._require_analysis(Key(what), place)
        for key in self._keys(place, "ends"):
            if self._open.pop(key, None) is not None:
                self._require_analysis(key, place)
            else:
                self._unopened.setdefault(key, place)

    def _require_analysis(self, key: Key, place: Place) -> None:
        facts = [level.facts[key] for level in reversed(self._levels) if key in level.facts]
        if not facts:
            last = self._last.get(key)
            if last is None:
                self._report(_not_produced(key, place), place, consumer=place)
            else:
                message = _ends_with_nest(key, last.producer, place)
                self._report(message, last.producer, last.producer, place)
        elif all(fact.broken for fact in facts):
            fact = facts[0]
            for offender in fact.broken[fact.reported :]:
                message = _not_preserved(key, offender, fact.producer, place)
                self._report(message, offender, fact.producer, place)
            fact.reported = len(fact.broken)

    def _invalidate(self, place: Place) -> None:
        """Note what a pass does not preserve: of its op, and of those enclosing it."""
        for level in self._levels:
            for key, fact in level.facts.items():
                if not preserves(place.pass_.preserves, key.kind):
                    fact.broken.append(place)

    def _produce(self, place: Place) -> None:
        opened = list(self._keys(place, "starts"))
        self._open.update(dict.fromkeys(opened, place))
        for key in (*map(Key, place.pass_.produces), *opened):
            self._levels[-1].facts[key] = self._last[key] = _Fact(place)

    def _keys(self, place: Place, end: Literal["starts", "ends"]) -> Iterator[Key]:
        """Yield the analyses of regions of which a pass is an end; not what another one runs."""
        for region in self._regions if self._holder is None else ():
            if place.label in getattr(region, end):
                yield from (Key(kind, region) for kind in region.preserves)

    # -- Dialects ---------------------------------------------------------------------------

    def _require_dialect(self, place: Place, dialect: str) -> None:
        scope = self._levels[-1].scope
        for outer, by in self._illegal.get(dialect, ()):
            if scope[: len(outer)] == outer:
                self._report(_is_illegal(dialect, by, place), place, by, place)
                return

    def _change_dialects(self, place: Place) -> None:
        for dialect in place.pass_.makes_legal:
            self._illegal.pop(dialect, None)  # for all ops, as it may come to be anywhere
        if self._holder is None:  # else it may not be run
            for dialect in place.pass_.makes_illegal:
                where = self._levels[-1].scope
                self._illegal.setdefault(dialect, []).append((where, place))


# -- Sentences: who, between whom, and the way out -------------------------------------------


def _not_preserved(key: Key, offender: Place, producer: Place, consumer: Place) -> str:
    """Say that a pass does not preserve what one before it has produced for one after it."""
    name, pass_ = analysis_name(key.kind), offender.pass_
    where = f"a subclass of {type(pass_).__name__}" if pass_.ir else type(pass_).__name__
    way_out = f"if it does, declare preserves = ({name},) in {where}"
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


def check_contracts(tree: OpPassManager) -> None:
    """Refuse a pipeline in which a pass does not get what it requires.

    Raises:
        ContractError: A pass requires an analysis or a dialect, and does not get it.
    """
    if any(visit.pass_.requires for visit in walk(tree)):
        refuse(ContractWalk().violations(tree))


def refuse(violations: Sequence[Violation]) -> None:
    """Raise an error for violations.

    Raises:
        ContractError: There are any.
    """
    if violations:
        problems = (Problem(each.message, each.offender.span) for each in violations)
        raise ContractError(*problems, violations=violations)
