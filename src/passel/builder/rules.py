"""The constraints that are in force among steps, and whether the steps keep them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from passel.analysis import AllAnalyses
from passel.builder.constraints import NEEDING, Rule
from passel.builder.targets import Bundle, noun
from passel.errors import InsertionError, Problem
from passel.passes.reachable import preserved_by, preserves

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from passel.builder.constraints import Constraint
    from passel.builder.positions import Positions
    from passel.builder.sequence import Step


class Breach(NamedTuple):
    """A constraint that a step breaks.

    Attributes:
        rule: The constraint.
        step: The step.
        what: How it is broken, and the way out.
    """

    rule: Rule
    step: Step
    what: str

    @property
    def about(self) -> str:
        """The constraint as a sentence about the step."""
        return self.rule.about(self.step)

    def refuse(self, extension: str = "") -> NoReturn:
        """Refuse a sequence that breaks it.

        Args:
            extension: The extension to name, if that is no longer at work.

        Raises:
            InsertionError: Always.
        """
        by = f"extension '{extension}': " if extension else ""
        raise InsertionError(Problem(f"{by}{self.about}, but {self.what}"), rules=(self.rule,))


class Rules:
    """All constraints that are in force among steps, as long as these stay as they are.

    Args:
        positions: The steps.
        outside: The constraints that neither a pass nor a bundle declares.

    Attributes:
        positions: The steps.
        version: The version of the declarations.
        all: Each constraint with a step that it holds for.
    """

    def __init__(self, positions: Positions, outside: Iterable[Rule]) -> None:
        self.positions: Positions = positions
        self.version: int = positions.declarations.version
        declared: dict[Any, list[Rule]] = {}
        subjects: list[tuple[Any, Step]] = []
        for step in positions.steps:
            for by in (type(step.pass_), *(use.bundle for use in step.bundles)):
                if by not in declared:
                    declared[by] = [Rule(each, by).checked() for each in by.constraints]
                subjects.append((by, step))
        self.all: list[tuple[Rule, Step]] = [
            (rule, step) for rule in outside for step in positions.find(rule.target or "")
        ]
        self.all += ((rule, step) for by, step in subjects for rule in declared[by])

    @cached_property
    def breaches(self) -> Mapping[str, Breach]:
        """Broken constraints, by the sentences that state them about the steps."""
        found = (Breach(rule, step, self._breach(rule, step)) for rule, step in self.all)
        return {each.about: each for each in found if each.what}

    def unfulfilled(self) -> Iterator[Breach]:
        """Yield the wishes that are not fulfilled."""
        for rule, step in self.all:
            if rule.constraint.is_wish and (what := self._shortfall(rule.constraint, step)):
                yield Breach(rule, step, what)

    def _shortfall(self, wish: Constraint, step: Step) -> str:
        """Return how a wish is not fulfilled, and the way out; empty if it is."""
        others, rank = self.positions.others(wish.targets[0], step), self.positions.rank
        if wish.kind == "followed-by":
            is_met = others and rank[others[-1]] > rank[step]
            return "" if is_met else "is not: put one after it"
        before = self.positions.neighbour(step, -1)
        while before is not None and before not in others and only_looks(before):
            before = self.positions.neighbour(before, -1)
        if before in others:
            return ""
        found = f"finds what '{before.label}' does" if before else "runs first"
        return f"{found}: put one right before it"

    def _breach(self, rule: Rule, step: Step) -> str:
        """Return how a step breaks a constraint, and the way out; empty if it does not."""
        constraint = rule.constraint
        if constraint.kind == "once":
            return _clash(self._earlier_peers(rule, step), "there as well")
        if constraint.is_wish:
            return ""
        target = constraint.targets[0]
        others = self.positions.others(target, step)
        if constraint.kind == "conflicts":
            return _clash(others, "there")
        if others:
            return self._disorder(constraint, step, others)
        if constraint.kind in NEEDING:
            hint = self.positions.suggestion(target) or f": add one, or leave '{step.label}' out"
            return f"there is no {noun(target)}{hint}"
        return ""

    def _earlier_peers(self, rule: Rule, step: Step) -> list[Step]:
        """Return earlier steps for which the same was declared, without those of its bundle."""
        rank, uses = self.positions.rank, set(step.bundles)
        earlier = [each for other, each in self.all if other is rule and rank[each] < rank[step]]
        if isinstance(rule.declared_by, Bundle):
            return [each for each in earlier if uses.isdisjoint(each.bundles)]
        return earlier

    def _disorder(self, constraint: Constraint, step: Step, others: list[Step]) -> str:
        """Return what runs where it must not, and the way out; empty if nothing does."""
        rank = self.positions.rank
        for later, earlier in self.demands(constraint, step):
            if all(rank[each] > rank[later] for each in earlier):
                if later is step:
                    return f"'{earlier[0].label}' runs later: put '{step.label}' after that"
                return f"'{later.label}' runs earlier: put '{step.label}' before that"
        if constraint.kind == "immediately-after":
            before = self.positions.neighbour(step, -1)
            if before not in others:
                what = f"'{before.label}' runs" if before else "nothing runs"
                way_out = f"put '{step.label}' right after '{others[0].label}'"
                return f"{what} right before it: {way_out}, and other passes elsewhere"
        if constraint.kind == "not-between":
            first, ends = others[0], self.positions.others(constraint.targets[1], step)
            if ends and rank[first] < rank[step] < rank[ends[-1]]:
                start, end = f"'{first.label}'", f"'{ends[-1].label}'"
                way_out = f"put it before {start} or after {end}"
                return f"it runs after {start} and before {end}: {way_out}"
        return ""

    def demands(self, constraint: Constraint, step: Step) -> Iterator[tuple[Step, list[Step]]]:
        """Yield steps with others, of which one at least has to run before, for a step."""
        others = self.positions.others(constraint.targets[0], step) if constraint.targets else []
        match constraint.kind:
            case "after-any" | "immediately-after":
                yield step, others
            case "after-all":
                yield from ((step, [other]) for other in others)
            case "before-first":
                yield from ((other, [step]) for other in others)
            case _:
                pass


def only_looks(step: Step) -> bool:
    """Return whether a step only looks at the IR, whatever its options run."""
    return preserves(preserved_by([step.pass_]), AllAnalyses)


def _clash(others: list[Step], where: str) -> str:
    """Return which step must not be there beside another one, and the way out."""
    return f"'{others[0].label}' is {where}: leave one of them out" if others else ""
