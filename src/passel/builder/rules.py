"""The steps of targets, the constraints in force, and the broken constraints."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from passel.analysis import AllAnalyses
from passel.builder.constraints import NEEDING, Rule
from passel.builder.sequence import End, Node, Scope, Step, steps_in
from passel.builder.targets import (
    Bundle,
    Handle,
    Named,
    Stage,
    check_target,
    describe,
    keys_of,
    noun,
)
from passel.diagnostics import listed, suggest
from passel.errors import InsertionError, Problem
from passel.passes import PassType
from passel.passes.pass_type import UNKNOWN
from passel.passes.reachable import preserved_by, preserves

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from passel.builder.constraints import Constraint
    from passel.builder.declarations import DeclarationTable
    from passel.builder.sequence import BundleUse, Sequence
    from passel.builder.targets import Key, Occurrence, Target

Unit: TypeAlias = list[Node]
"""One match of a target: a step, a whole bundle, or a stage."""

_INDICES = {"first": 0, "last": -1, "all": 0}
_MOST_NAMES = 8
"""The number of existing names in a message."""


class Positions:
    """The positions of steps in a sequence, valid until the sequence changes.

    Args:
        sequence: The sequence.
        declarations: The declarations for passes.

    Attributes:
        steps: All steps, in the order in which they run.
    """

    def __init__(self, sequence: Sequence, declarations: DeclarationTable) -> None:
        self.declarations: DeclarationTable = declarations
        self.steps: list[Step] = steps_in(sequence.entries)
        self._sequence = sequence

    @cached_property
    def rank(self) -> dict[Step, int]:
        """The number of each step."""
        return {step: rank for rank, step in enumerate(self.steps)}

    @cached_property
    def _by_key(self) -> dict[Key, list[Step]]:
        found: dict[Key, list[Step]] = {}
        for step in self.steps:
            for key in self.keys(step):
                found.setdefault(key, []).append(step)
        return found

    @cached_property
    def _by_label(self) -> dict[str, Node]:
        return {each.label: each for each in self._sequence.entries if not isinstance(each, End)}

    @cached_property
    def _scopes(self) -> dict[Step, tuple[Scope, ...]]:
        """The scopes that enclose each step, the outermost first."""
        found: dict[Step, tuple[Scope, ...]] = {}
        open_: tuple[Scope, ...] = ()
        for each in self._sequence.entries:
            if isinstance(each, Step):
                found[each] = open_
            else:
                open_ = (*open_, each) if isinstance(each, Scope) else open_[:-1]
        return found

    def keys(self, step: Step) -> Iterable[Key]:
        """Return the keys of a step, without duplicates."""
        keys: list[Key] = [("name", step.pass_.name), ("label", step.label)]
        keys += (("class", base) for base in type(step.pass_).__mro__)
        keys += (("type", each) for each in self.types_of(step))
        keys += (("bundle", use.bundle.name) for use in step.bundles)
        for each in self._scopes[step]:
            keys += [("label", each.label), (each.kind, each.name)]
        return dict.fromkeys(keys)

    def types_of(self, step: Step) -> tuple[PassType, ...]:
        """Return the types of a step: those of its pass and of its bundles."""
        found = dict.fromkeys(self.declarations.of(step.pass_).types)
        found |= dict.fromkeys(each for use in step.bundles for each in use.bundle.types)
        return tuple(found) or (UNKNOWN,)

    def labelled(self, label: str) -> Node | None:
        """Return the node with a label, or None."""
        return self._by_label.get(label)

    def find(self, target: Target) -> list[Step]:
        """Return the steps of a target, in the order in which they run."""
        found = [steps for key in keys_of(target) if (steps := self._by_key.get(key))]
        if isinstance(target, str) or len(found) < 2:  # noqa: PLR2004 - of a name, what comes first
            return found[0] if found else []
        return sorted({step for steps in found for step in steps}, key=self.rank.__getitem__)

    def others(self, target: Target, step: Step) -> list[Step]:
        """Return the steps of a target except one."""
        return [each for each in self.find(target) if each is not step]

    def neighbour(self, step: Step, distance: int) -> Step | None:
        """Return the step `distance` places after another one, or None."""
        place = self.rank[step] + distance
        return self.steps[place] if 0 <= place < len(self.steps) else None

    # -- Units ------------------------------------------------------------------------------

    def units(self, target: Target) -> list[Unit]:
        """Return all units of a target, in the order in which they run."""
        if isinstance(target, Step):
            step = self.labelled(target.label)  # in a copy, its own step
            return [[step]] if isinstance(step, Step) and step.pass_ is target.pass_ else []
        if isinstance(target, Handle):
            items = (self.labelled(label) for label in target.labels)
            unit: Unit = [item for item in items if item is not None]
            return [unit] if unit else []
        if isinstance(target, Stage):
            return [[each] for each in self._sequence.stages() if each.name == target.name]
        if isinstance(target, Bundle):
            return self._additions(target.name)
        if isinstance(target, str) and not self._by_key.get(("name", target)):
            item = self.labelled(target)
            return [[item]] if item else self._additions(target) or self.units(Stage(target))
        check_target(target)
        return [[step] for step in self.find(target)]

    def _additions(self, bundle: str) -> list[Unit]:
        """Return the members of each addition of a bundle."""
        found: dict[BundleUse, Unit] = {}
        for step in self._by_key.get(("bundle", bundle), ()):
            for use in step.bundles:
                if use.bundle.name == bundle:
                    found.setdefault(use, []).append(step)
        return list(found.values())

    def select(
        self, target: Target, occurrence: Occurrence, *, missing_ok: bool = False
    ) -> list[Unit]:
        """Return the units of a target that an occurrence selects.

        Raises:
            InsertionError: If the target has no steps, or too few.
            ValueError: If the occurrence is invalid.
        """
        if occurrence not in _INDICES and not isinstance(occurrence, int):
            message = f"an occurrence is 'first', 'last', 'all' or a number, not {occurrence!r}"
            raise ValueError(message)
        units = self.units(target)
        if occurrence == "all" and units:
            return units
        index = _INDICES[occurrence] if isinstance(occurrence, str) else occurrence
        try:
            return [units[index]]
        except IndexError:
            if missing_ok:
                return []
            raise InsertionError(Problem(self._missing(target, len(units), index))) from None

    # -- What is not there ------------------------------------------------------------------

    def suggestion(self, target: Target) -> str:
        """Return a suggestion for a misspelled target: a type of a step, or another name."""
        kinds = {kind for kind, _ in keys_of(target)}
        there = (str(each) for kind, each in self._by_key if kind in kinds)
        return suggest(str(target), there) if isinstance(target, (str, PassType)) else ""

    def _missing(self, target: Target, there: int, wanted: int) -> str:
        what = describe(target)
        if there:
            number = f"are {there}" if there > 1 else "is only 1"
            return f"there is no occurrence {wanted} of {what}: there {number}, counted from 0"
        if isinstance(target, PassType):
            way_out = ", so there is no place before, after or inside it: add one first, or "
            way_out += "declare the type of an existing pass"
            return f"there is no {noun(target)}{self.suggestion(target) or way_out}"
        names = [stage.name for stage in self._sequence.stages()]
        if not isinstance(target, Stage):
            names = [*self._names(), *names]
        given = target if isinstance(target, str) else getattr(target, "name", "")
        hint = suggest(given, names) if isinstance(target, (str, Named)) and given else ""
        kind = "stages" if isinstance(target, Stage) else "passes"
        shown = listed([f"'{name}'" for name in dict.fromkeys(names)], _MOST_NAMES)
        return f"{what} is not in the pipeline{hint or '; it has ' + (shown or f'no {kind}')}"

    def _names(self) -> Iterator[str]:
        """Yield the names and labels of steps, and the names of their bundles."""
        for step in self.steps:
            yield from filter(None, (step.pass_.name, step.label))
            yield from (use.bundle.name for use in step.bundles)


# -- Constraints -----------------------------------------------------------------------------


class Breach(NamedTuple):
    """A constraint that a step breaks.

    Attributes:
        rule: The constraint.
        step: The step.
        what: The violation, and the way out.
    """

    rule: Rule
    step: Step
    what: str

    @property
    def about(self) -> str:
        """The constraint as a sentence about the step."""
        return self.rule.about(self.step)

    def refuse(self, extension: str = "") -> NoReturn:
        """Reject the sequence because of this breach.

        Args:
            extension: The extension to name in the error, if it is no longer running.

        Raises:
            InsertionError: Always.
        """
        by = f"extension '{extension}': " if extension else ""
        raise InsertionError(Problem(f"{by}{self.about}, but {self.what}"), rules=(self.rule,))


class Rules(Positions):
    """The constraints in force, valid until the sequence changes.

    Attributes:
        version: The version of the declarations.
        all: Each constraint with a step that it applies to.
    """

    def __init__(self, sequence: Sequence, declarations: DeclarationTable) -> None:
        super().__init__(sequence, declarations)
        self.version: int = declarations.version
        outside: Iterable[Rule] = sequence.constraints
        self.all: list[tuple[Rule, Step]] = [
            (rule, step) for rule in outside for step in self.find(rule.target or "")
        ]
        declared: dict[Any, list[Rule]] = {}
        for step in self.steps:
            for by in (type(step.pass_), *(use.bundle for use in step.bundles)):
                if by not in declared:
                    declared[by] = [Rule(each, by).checked() for each in by.constraints]
                if rules := declared[by]:
                    self.all += ((rule, step) for rule in rules)

    @cached_property
    def breaches(self) -> Mapping[str, Breach]:
        """Broken constraints, keyed by their sentences about the steps."""
        found = (Breach(rule, step, self._breach(rule, step)) for rule, step in self.all)
        return {each.about: each for each in found if each.what}

    def unfulfilled(self) -> Iterator[Breach]:
        """Yield the unfulfilled wishes."""
        for rule, step in self.all:
            if rule.constraint.is_wish and (what := self._shortfall(rule.constraint, step)):
                yield Breach(rule, step, what)

    def _shortfall(self, wish: Constraint, step: Step) -> str:
        """Return why a wish is unfulfilled, and the way out; empty if it is fulfilled."""
        others, rank = self.others(wish.targets[0], step), self.rank
        if wish.kind == "followed-by":
            is_met = others and rank[others[-1]] > rank[step]
            return "" if is_met else "is not: put one after it"
        before = self.neighbour(step, -1)
        while before is not None and before not in others and only_looks(before):
            before = self.neighbour(before, -1)
        if before in others:
            return ""
        found = f"runs after '{before.label}'" if before else "runs first"
        return f"{found}: put one right before it"

    def _breach(self, rule: Rule, step: Step) -> str:
        """Return how a step breaks a constraint, and the way out; empty if it does not."""
        constraint = rule.constraint
        if constraint.kind == "once":
            return _clash(self._earlier_peers(rule, step), "there as well")
        if constraint.is_wish:
            return ""
        target = constraint.targets[0]
        others = self.others(target, step)
        if constraint.kind == "conflicts":
            return _clash(others, "there")
        if others:
            return self._disorder(constraint, step, others)
        if constraint.kind in NEEDING:
            hint = self.suggestion(target) or f": add one, or leave '{step.label}' out"
            return f"there is no {noun(target)}{hint}"
        return ""

    def _earlier_peers(self, rule: Rule, step: Step) -> list[Step]:
        """Return earlier steps with the same rule, except those of the step's bundle."""
        rank, uses = self.rank, set(step.bundles)
        earlier = [each for other, each in self.all if other is rule and rank[each] < rank[step]]
        if isinstance(rule.declared_by, Bundle):
            return [each for each in earlier if uses.isdisjoint(each.bundles)]
        return earlier

    def _disorder(self, constraint: Constraint, step: Step, others: list[Step]) -> str:
        """Return the violation of an order, and the way out; empty if there is none."""
        rank = self.rank
        for later, earlier in self.demands(constraint, step):
            if all(rank[each] > rank[later] for each in earlier):
                if later is step:
                    return f"'{earlier[0].label}' runs later: put '{step.label}' after it"
                return f"'{later.label}' runs earlier: put '{step.label}' before it"
        if constraint.kind == "immediately-after":
            before = self.neighbour(step, -1)
            if before not in others:
                what = f"'{before.label}' runs" if before else "nothing runs"
                way_out = f"put '{step.label}' right after '{others[0].label}'"
                return f"{what} right before it: {way_out}, and other passes elsewhere"
        if constraint.kind == "not-between":
            first, ends = others[0], self.others(constraint.targets[1], step)
            if ends and rank[first] < rank[step] < rank[ends[-1]]:
                start, end = f"'{first.label}'", f"'{ends[-1].label}'"
                way_out = f"put it before {start} or after {end}"
                return f"it runs after {start} and before {end}: {way_out}"
        return ""

    def demands(self, constraint: Constraint, step: Step) -> Iterator[tuple[Step, list[Step]]]:
        """Yield pairs of a step and other steps, at least one of which must run before it."""
        others = self.others(constraint.targets[0], step) if constraint.targets else []
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
    """Return whether a step only reads the IR and runs no pipeline of its options."""
    return preserves(preserved_by([step.pass_]), AllAnalyses)


def _clash(others: list[Step], where: str) -> str:
    """Return the conflict with other steps, and the way out; empty if there are none."""
    return f"'{others[0].label}' is {where}: leave one of them out" if others else ""
