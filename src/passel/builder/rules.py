"""The constraints that are in force among steps, and whether the steps keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.analysis import AllAnalyses
from passel.builder.constraints import NEEDING, Constraint
from passel.builder.naming import keys_of, noun
from passel.diagnostics import suggest
from passel.errors import DefinitionError
from passel.passes.pass_type import UNKNOWN, PassType
from passel.passes.reachable import preserved_by, preserves

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from passel.builder.declarations import DeclarationTable
    from passel.builder.naming import Key, Target
    from passel.builder.subject import Subject


class Rule(NamedTuple):
    """A constraint that is in force.

    Attributes:
        constraint: The constraint.
        key: What all steps that it holds for are found by; None if they are a target.
        target: The steps that it holds for, if it was declared from outside.
        extension: The extension that has declared it from outside; empty for the framework.
    """

    constraint: Constraint
    key: Key | None = None
    target: Target | None = None
    extension: str = ""

    @property
    def by(self) -> str:
        """The declaring class, bundle or extension, such as `pass 'cse'`."""
        if self.key is None:
            return f"extension '{self.extension}'" if self.extension else ""
        kind, declaring = self.key
        if kind == "use of":
            return f"bundle '{declaring.name}'"
        return f"pass {noun(declaring)}"

    @property
    def source(self) -> str:
        """Who has declared it, and where."""
        by = f" by {self.by}" if self.by else ""
        where = f" at {self.constraint.origin}" if self.constraint.origin.file else ""
        return f"declared{by}{where}"

    def about(self, step: Subject) -> str:
        """Return it as a sentence about a step, with its source."""
        return f"'{step.label}' {self.constraint} ({self.source})"


class Breach(NamedTuple):
    """A constraint that a step breaks.

    Attributes:
        rule: The constraint.
        step: The step.
        what: How it is broken, and the way out.
    """

    rule: Rule
    step: Any
    what: str

    @property
    def about(self) -> str:
        """The constraint as a sentence about the step."""
        return self.rule.about(self.step)

    def __str__(self) -> str:
        return f"{self.about}, but {self.what}"


class Rules:
    """All constraints that are in force among steps, as long as these stay as they are.

    Args:
        steps: The steps, in the order in which they run.
        declarations: What is declared of passes.
        outside: The constraints that neither a pass nor a bundle declares.
        is_final: Whether nothing will be added any more.
    """

    def __init__(
        self,
        steps: Iterable[Subject],
        declarations: DeclarationTable,
        outside: Sequence[Rule] = (),
        *,
        is_final: bool = False,
    ) -> None:
        self.steps: list[Any] = []
        self.version: int = declarations.version
        self.outside: Sequence[Rule] = outside
        self.declarations: DeclarationTable = declarations
        self.is_final: bool = is_final
        self._all: list[Rule] = list(outside)  # then those of passes and bundles
        self._declaring: set[object] = set()
        self._watching: dict[Key, list[Rule]] = {}
        self._watched: int = 0  # how many of all rules are watching
        self._by_key: dict[Key, list[Any]] = {}
        self._known: dict[Target, tuple[list[Any], set[Any]]] = {}
        self._add_steps(steps)

    def broken_by(self, steps: list[Any]) -> Iterator[Breach] | None:
        """Take in steps after the last, and yield what they break; the rest stays as it was.

        Args:
            steps: All steps, in the order in which they run.

        Returns:
            Nothing at all if others than the last are new.
        """
        count = len(self.steps)
        if steps[:count] != self.steps:
            return None
        self._add_steps(steps[count:])
        return self._broken_since(count)

    def _broken_since(self, count: int) -> Iterator[Breach]:
        self._watch()
        new = self.steps[count:]
        keys = dict.fromkeys(key for step in new for key in step.found_by())
        for rule in dict.fromkeys(rule for key in keys for rule in self._watching.get(key, ())):
            subjects = self._subjects(rule)
            if rule.key is None or any(
                key in keys for each in rule.constraint.targets for key in keys_of(each)
            ):
                yield from self._broken(rule, subjects, subjects)
            else:
                yield from self._broken(rule, subjects, (s for s in new if rule.key in s.keys))

    def _add_steps(self, steps: Iterable[Any]) -> None:
        self._known.clear()
        for step in steps:
            step.rank = len(self.steps)
            self.steps.append(step)
            if step.version != self.version:
                self._look_up(step)
            for key in step.found_by():
                found = self._by_key.get(key)
                if found is None:
                    self._by_key[key] = [step]
                elif found[-1] is not step:
                    found.append(step)
            self._add_rules(step)

    def _add_rules(self, step: Subject) -> None:
        """Add the constraints of a pass and of the bundles that it is in, each once."""
        cls: object = type(step.pass_)
        if step.rules and cls not in self._declaring:
            self._declaring.add(cls)
            self._all += step.rules
        for bundle in (use.bundle for use in step.bundles if use.bundle not in self._declaring):
            self._declaring.add(bundle)
            self._all += (rule_of(each, ("use of", bundle)) for each in bundle.constraints)

    def _watch(self) -> None:
        """Note for each key which constraints are for or about the steps that it finds."""
        for rule in self._all[self._watched :]:
            keys: list[Any] = [rule.key]
            for target in (rule.target, *rule.constraint.targets):
                keys += () if target is None else keys_of(target)
            for key in dict.fromkeys(keys):
                self._watching.setdefault(key, []).append(rule)
        self._watched = len(self._all)

    # -- Which there are --------------------------------------------------------------------

    def all(self) -> Iterator[tuple[Rule, Any]]:
        """Yield all constraints with the steps that each holds for."""
        for rule in self._all:
            for step in self._subjects(rule):
                yield rule, step

    def of(self, step: Subject) -> Iterator[Rule]:
        """Yield the constraints that hold for a step."""
        return (rule for rule, subject in self.all() if subject is step)

    def mentioning(self, step: Subject) -> Iterator[tuple[Rule, Any]]:
        """Yield the constraints on other steps that are about a step, with these."""
        for rule, subject in self.all():
            if subject is not step and any(step in self.find(t) for t in rule.constraint.targets):
                yield rule, subject

    def types_of(self, step: Subject) -> tuple[PassType, ...]:
        """Return the parts that a step plays: its pass's own, and its bundles'."""
        if step.version != self.version:
            self._look_up(step)
        return tuple(each for kind, each in step.keys if kind == "type")

    def _look_up(self, step: Subject) -> None:
        """Note what is declared of a step, for all copies of it."""
        said = self.declarations.of(step.pass_)
        key = ("exactly", type(step.pass_))
        step.version = self.version
        step.keys = _keys_of_step(step, said.types)
        step.rules = tuple(rule_of(each, key) for each in step.pass_.constraints)

    def _subjects(self, rule: Rule) -> list[Any]:
        """Return the steps that a constraint holds for, in the order in which they run."""
        if rule.key is not None:
            return self.with_key(rule.key)
        assert rule.target is not None  # noqa: S101 - it is one or the other
        return self.find(rule.target)

    # -- Finding steps ----------------------------------------------------------------------

    def with_key(self, key: Key) -> list[Any]:
        """Return the steps that a key finds, in the order in which they run."""
        return self._by_key.get(key, [])

    def find(self, target: Target) -> list[Any]:
        """Return the steps of a target, in the order in which they run."""
        found = [steps for key in keys_of(target) if (steps := self._by_key.get(key))]
        if isinstance(target, str) or len(found) < 2:  # noqa: PLR2004 - of a name, what comes first
            return found[0] if found else []
        return sorted({step for steps in found for step in steps}, key=lambda step: step.rank)

    def suggestion(self, target: Target) -> str:
        """Return which type of a step, or what a target may mean, has nearly a target's name."""
        kinds = {kind for kind, _ in keys_of(target)}
        there = (str(each) for kind, each in self._by_key if kind in kinds)
        return suggest(str(target), there) if isinstance(target, (str, PassType)) else ""

    def before(self, step: Subject) -> Any:
        """Return the step that runs right before another one, if any does."""
        return self.steps[step.rank - 1] if step.rank else None

    def after(self, step: Subject) -> Any:
        """Return the step that runs right after another one, if any does."""
        return next(iter(self.steps[step.rank + 1 : step.rank + 2]), None)

    # -- Whether they are kept --------------------------------------------------------------

    def broken(self) -> Iterator[Breach]:
        """Yield what breaks constraints."""
        for rule in self._all:
            subjects = self._subjects(rule)
            yield from self._broken(rule, subjects, subjects)

    def _broken(self, rule: Rule, subjects: list[Any], steps: Iterable[Any]) -> Iterator[Breach]:
        """Yield where some of the steps that a constraint holds for break it."""
        for step in steps:
            if what := self._breach(rule, step, subjects):
                yield Breach(rule, step, what)

    def unfulfilled(self) -> Iterator[Breach]:
        """Yield the wishes that are not fulfilled."""
        for rule, step in self.all():
            if rule.constraint.is_wish and (what := self._shortfall(rule.constraint, step)):
                yield Breach(rule, step, what)

    def _shortfall(self, wish: Constraint, step: Subject) -> str:
        """Return how a wish is not fulfilled, and the way out; empty if it is."""
        others = self._others(wish.targets[0], step)
        if wish.kind == "followed-by":
            return "" if others and others[-1].rank > step.rank else "is not: put one after it"
        before = self.before(step)
        while before is not None and before not in others and self._changes_nothing(before):
            before = self.before(before)
        if before in others:
            return ""
        found = f"finds what '{before.label}' does" if before else "runs first"
        return f"{found}: put one right before it"

    def _breach(self, rule: Rule, step: Subject, subjects: list[Subject]) -> str:
        """Return how a step breaks a constraint, and the way out; empty if it does not."""
        constraint = rule.constraint
        if constraint.kind in NEEDING and not self._others(constraint.targets[0], step):
            target = constraint.targets[0]
            hint = self.suggestion(target) or f": add one, or leave '{step.label}' out"
            return f"there is no {noun(target)}{hint}"
        if constraint.kind == "conflicts":
            return self._clash(step, self._others(constraint.targets[0], step), "there")
        if constraint.kind == "once":
            earlier = (each for each in _peers(rule, step, subjects) if each.rank < step.rank)
            return self._clash(step, earlier, "there as well")
        return "" if constraint.is_wish else self._disorder(constraint, step)

    def _clash(self, step: Subject, others: Iterable[Subject], where: str) -> str:
        """Return which step must not be there beside another one, and the way out."""
        for other in others:
            return f"'{other.label}' is {where}: leave one of them out"
        return ""

    def _disorder(self, constraint: Constraint, step: Subject) -> str:
        """Return what runs where it must not, and the way out; empty if nothing does."""
        others = self._others(constraint.targets[0], step)
        if not others:
            return ""
        first, last = others[0], others[-1]
        match constraint.kind:
            case "after-any" if first.rank > step.rank:
                return f"the first, '{first.label}', runs later: put '{step.label}' after that"
            case "after-all" if last.rank > step.rank:
                return f"'{last.label}' runs later: put '{step.label}' after that"
            case "before-first" if first.rank < step.rank:
                return f"'{first.label}' runs earlier: put '{step.label}' before that"
            case "immediately-after" if (before := self.before(step)) not in others:
                what = f"'{before.label}' runs" if before else "nothing runs"
                way_out = f"put '{step.label}' right after '{first.label}'"
                return f"{what} right before it: {way_out}, and other passes elsewhere"
            case "not-between":
                ends = self._others(constraint.targets[1], step)
                if ends and first.rank < step.rank < ends[-1].rank:
                    start, end = f"'{first.label}'", f"'{ends[-1].label}'"
                    way_out = f"put it before {start} or after {end}"
                    return f"it runs after {start} and before {end}: {way_out}"
            case _:
                pass
        return ""

    def demands(self, constraint: Constraint, step: Subject) -> Iterator[tuple[Any, list[Any]]]:
        """Yield steps with others, of which one at least has to run before, for a step."""
        others = self._others(constraint.targets[0], step) if constraint.targets else []
        match constraint.kind:
            case "after-any" | "immediately-after":
                yield step, others
            case "after-all":
                yield from ((step, [other]) for other in others)
            case "before-first":
                yield from ((other, [step]) for other in others)
            case _:
                pass

    def _others(self, target: Target, subject: Subject) -> list[Any]:
        """Return the steps of a target except a subject, in the order in which they run."""
        known = self._known.get(target)
        if known is None:
            steps = self.find(target)
            known = self._known[target] = (steps, set(steps))
        steps, members = known
        return [step for step in steps if step is not subject] if subject in members else steps

    def _changes_nothing(self, step: Subject) -> bool:
        """Return whether a step only looks at the IR, whatever its options run."""
        return preserves(preserved_by([step.pass_]), AllAnalyses)


def rule_of(
    constraint: Any, key: Key | None, target: Target | None = None, extension: str = ""
) -> Rule:
    """Return a constraint in force.

    Raises:
        DefinitionError: It is no constraint.
    """
    rule = Rule(constraint, key, target, extension)
    if isinstance(constraint, Constraint):
        return rule
    call = f"; write {constraint.__name__}(...)" if callable(constraint) else ""
    raise DefinitionError(f"{constraint!r} of {rule.by or 'the builder'} is no constraint{call}")


def _peers(rule: Rule, step: Subject, subjects: list[Subject]) -> Iterator[Subject]:
    """Yield the other steps for which the same was declared, without those of its bundle."""
    is_of_bundle = rule.key is not None and rule.key[0] == "use of"
    for other in subjects:
        is_added_with = is_of_bundle and not set(step.bundles).isdisjoint(other.bundles)
        if other is not step and not is_added_with:
            yield other


def _keys_of_step(step: Subject, types: Iterable[PassType]) -> tuple[Key, ...]:
    """Return all that a step is found by wherever it stands, each once."""
    cls = type(step.pass_)
    bundles = [use.bundle for use in step.bundles]
    types = [*types, *(each for bundle in bundles for each in bundle.types)]
    keys: list[Key] = [("exactly", cls), ("name", cls.name)]
    keys += (("class", base) for base in cls.__mro__)
    keys += (("type", each) for each in types or (UNKNOWN,))
    keys += (("bundle", bundle.name) for bundle in bundles)
    keys += (("use of", bundle) for bundle in bundles)
    return tuple(dict.fromkeys(keys))
