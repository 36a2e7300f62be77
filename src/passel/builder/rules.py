"""The constraints that are in force in a builder, and whether its steps keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from passel.builder.constraints import Constraint, ImmediatelyAfter, noun
from passel.builder.step_index import Key, StepIndex
from passel.builder.targets import find_steps, keys_of
from passel.errors import DefinitionError, InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.builder.declarations import DeclarationTable
    from passel.builder.sequence import Item, Sequence, Step
    from passel.builder.targets import Target


class Rule(NamedTuple):
    """A constraint that is in force.

    Attributes:
        constraint: The constraint.
        by: Who has declared it, such as `pass 'cse'`; empty for who made the builder.
        key: What all steps that it holds for are found by; None if they are a target.
        target: The steps that it holds for, if it was declared from outside.
    """

    constraint: Constraint
    by: str
    key: Key | None = None
    target: Target | None = None

    @property
    def source(self) -> str:
        """Who has declared it, and where."""
        by = f" by {self.by}" if self.by else ""
        where = f" at {self.constraint.origin}" if self.constraint.origin.file else ""
        return f"declared{by}{where}"

    def about(self, step: Step) -> str:
        """Return it as a sentence about a step, with its source."""
        return f"'{step.label}' {self.constraint} ({self.source})"


class Rules:
    """All constraints that are in force; the sequence reports which steps come and go.

    Args:
        sequence: The steps.
        declarations: What is declared of passes.
    """

    def __init__(self, sequence: Sequence, declarations: DeclarationTable) -> None:
        self._sequence = sequence
        self._declarations = declarations
        self._version = declarations.version
        self.index: StepIndex = StepIndex(sequence, declarations)
        self._by_subject: dict[Key, list[Rule]] = {}
        self._by_target: dict[Key, list[Rule]] = {}
        self._outside: list[Rule] = []
        self._new: list[Rule] = []
        self._touched: dict[Step, None] = {}
        self._touched_keys: dict[Key, None] = {}
        for step in sequence.steps():
            self._read(step)
        sequence.watch(self)

    def copy_to(self, other: Rules) -> None:
        """Have the constraints from outside hold in a copy."""
        for rule in self._outside:
            other._add(rule)
            other._outside.append(rule)

    # -- What comes and goes ----------------------------------------------------------------

    def add(self, step: Step) -> None:
        """Take note of a step that is there now."""
        self.index.add(step)
        self._read(step)
        self.touch(step)

    def discard(self, step: Step) -> None:
        """Take note of a step that is gone."""
        self.touch(step)
        self.index.discard(step)

    def touch(self, step: Step) -> None:
        """Have all that concerns a step be checked."""
        self._touched[step] = None
        self._touched_keys.update(dict.fromkeys(self.index.keys(step)))

    def forget_touched(self) -> None:
        """Have nothing be checked."""
        self._touched.clear()
        self._touched_keys.clear()
        self._new.clear()

    def declare(self, target: Target, constraint: object, by: str) -> None:
        """Put a constraint on a target in force.

        Raises:
            DefinitionError: It is no constraint.
        """
        rule = Rule(_checked(constraint, by or "the builder"), by, target=target)
        self._add(rule)
        self._outside.append(rule)
        self._new.append(rule)
        self._sequence.on_undo(lambda: self._remove(rule))

    def _read(self, step: Step) -> None:
        """Put in force what the class and the bundles of a step declare."""
        if self._version != self._declarations.version:
            self._version = self._declarations.version
            self._read_again()
        cls = type(step.pass_)
        key: Key = ("exactly", cls)
        if key not in self._by_subject:
            self._by_subject[key] = []
            own = {id(each) for base in cls.__mro__ for each in vars(base).get("constraints", ())}
            for each in self._declarations.of(step.pass_).constraints:
                name = noun(cls)
                by = f"pass {name}" if id(each) in own else f"the table of declarations for {name}"
                self._add(Rule(_checked(each, by), by, key))
        for use in step.bundles:
            key = ("use of", use.bundle)
            if key not in self._by_subject:
                self._by_subject[key] = []
                by = f"bundle '{use.bundle.name}'"
                for each in use.bundle.constraints:
                    self._add(Rule(_checked(each, by), by, key))

    def _read_again(self) -> None:
        self._by_subject.clear()
        self._by_target.clear()
        for rule in self._outside:
            self._add(rule)
        for step in self._sequence.steps():
            self._read(step)

    def _add(self, rule: Rule) -> None:
        for key in _subject_keys(rule):
            self._by_subject.setdefault(key, []).append(rule)
        for target in rule.constraint.targets:
            for key in keys_of(target):
                self._by_target.setdefault(key, []).append(rule)

    def _remove(self, rule: Rule) -> None:
        self._outside.remove(rule)
        for key in _subject_keys(rule):
            self._by_subject[key].remove(rule)
        for target in rule.constraint.targets:
            for key in keys_of(target):
                self._by_target[key].remove(rule)

    # -- Asking -----------------------------------------------------------------------------

    def subjects(self, rule: Rule) -> list[Step]:
        """Return the steps that a constraint holds for, in the order in which they run."""
        if rule.key is not None:
            return self.index.steps(rule.key)
        assert rule.target is not None  # noqa: S101 - it is one or the other
        return find_steps(self.index, rule.target)

    def of(self, step: Step) -> Iterator[Rule]:
        """Yield the constraints that hold for a step."""
        seen: set[int] = set()
        for key in self.index.keys(step):
            for rule in self._by_subject.get(key, ()):
                if id(rule) not in seen and (rule.key is not None or step in self.subjects(rule)):
                    seen.add(id(rule))
                    yield rule

    def mentioning(self, step: Step) -> Iterator[tuple[Rule, Step]]:
        """Yield the constraints on other steps that are about a step, with these."""
        rules = (rule for key in self.index.keys(step) for rule in self._by_target.get(key, ()))
        for rule in {id(rule): rule for rule in rules}.values():
            if any(step in find_steps(self.index, target) for target in rule.constraint.targets):
                yield from ((rule, other) for other in self.subjects(rule) if other is not step)

    def all(self) -> Iterator[tuple[Rule, Step]]:
        """Yield all constraints with the steps that each holds for."""
        rules = (rule for rules in self._by_subject.values() for rule in rules)
        for rule in {id(rule): rule for rule in rules}.values():
            for step in self.subjects(rule):
                yield rule, step

    def from_outside(self) -> tuple[Rule, ...]:
        """Return the constraints that neither passes nor bundles declare, in order."""
        return tuple(self._outside)

    def scope(self, *, is_final: bool = False) -> Scope:
        """Return what constraints are asked about, for as long as nothing changes."""
        self._sequence.number()
        return Scope(self, self._sequence, is_final=is_final)

    # -- Checking ---------------------------------------------------------------------------

    def check_touched(self) -> None:
        """Refuse what has been done since `forget_touched` if it breaks a constraint.

        Raises:
            InsertionError: It does.
        """
        if self._touched or self._new:
            self._check(self._concerned(), self.scope())

    def check_all(self, *, is_final: bool) -> None:
        """Refuse a sequence that breaks a constraint.

        Args:
            is_final: Whether nothing will be added any more.

        Raises:
            InsertionError: It does.
        """
        self._check(self.all(), self.scope(is_final=is_final))

    def _check(self, pairs: Iterable[tuple[Rule, Step]], scope: Scope) -> None:
        for rule, step in pairs:
            if what := scope.of(rule).broken(step):
                raise InsertionError(Problem(f"{rule.about(step)}, but {what}"), rules=(rule,))

    def _concerned(self) -> Iterator[tuple[Rule, Step]]:
        """Yield the constraints that what was touched may have broken."""
        for step in self._touched:
            for rule in self.of(step):
                yield rule, step
            if (after := self._sequence.after(step)) is not None:
                for rule in self.of(after):
                    if isinstance(rule.constraint, ImmediatelyAfter):
                        yield rule, after
        rules = [rule for key in self._touched_keys for rule in self._by_target.get(key, ())]
        for rule in {id(rule): rule for rule in (*rules, *self._new)}.values():
            for step in self.subjects(rule):
                yield rule, step


class Scope:
    """The steps that a constraint is about, at one moment.

    Args:
        rules: All constraints.
        sequence: All steps.
        is_final: Whether conditions have been applied, and nothing will be added any more.
    """

    def __init__(self, rules: Rules, sequence: Sequence, *, is_final: bool = False) -> None:
        self._is_final = is_final
        self._rules = rules
        self._sequence = sequence
        self._known: dict[Target, tuple[list[Step], set[Step]]] = {}
        self._rule: Rule | None = None

    def of(self, rule: Rule) -> Scope:
        """Return this with another constraint to be asked about."""
        self._rule = rule
        return self

    def others(self, target: Target, subject: Step) -> list[Step]:
        """Return the steps of a target except a subject, in the order in which they run."""
        known = self._known.get(target)
        if known is None:
            steps = find_steps(self._rules.index, target)
            known = self._known[target] = (steps, set(steps))
        steps, members = known
        return [step for step in steps if step is not subject] if subject in members else steps

    def before(self, step: Step) -> Step | None:
        """Return the step that runs right before another one."""
        return self._sequence.before(step)

    def peers(self, subject: Step) -> list[Step]:
        """Return the other steps for which the same was declared, without those of its bundle."""
        rule = self._rule
        assert rule is not None  # noqa: S101 - `of` comes first
        uses = {use.label for use in subject.bundles}
        is_bundle = rule.key is not None and rule.key[0] == "use of"
        return [
            step
            for step in self._rules.subjects(rule)
            if step is not subject
            and not (is_bundle and uses.intersection(use.label for use in step.bundles))
        ]

    def run_together(self, step: Step, other: Step) -> bool:
        """Return whether two steps are certainly built into one pipeline."""
        return self._is_final or (is_certain(step) and is_certain(other))

    def broken(self, step: Step) -> str:
        """Return how a step breaks the constraint, and the way out; empty if it does not."""
        rule = self._rule
        assert rule is not None  # noqa: S101 - `of` comes first
        constraint = rule.constraint
        absence = constraint.absence(step, self)
        if absence:
            # What a placed step needs may be placed after it.
            return absence if self._is_final or not step.is_placed else ""
        return constraint.clash(step, self) or constraint.disorder(step, self)


def is_certain(step: Step) -> bool:
    """Return whether a step is built whatever conditions say."""
    item: Item | None = step
    while item is not None:
        if item.conditions:
            return False
        item = item.parent
    return step.enabled


def _subject_keys(rule: Rule) -> tuple[Key, ...]:
    if rule.key is not None:
        return (rule.key,)
    assert rule.target is not None  # noqa: S101 - it is one or the other
    return keys_of(rule.target)


def _checked(constraint: object, by: str) -> Constraint:
    if isinstance(constraint, Constraint):
        return constraint
    call = f"; write {constraint.__name__}(...)" if callable(constraint) else ""
    raise DefinitionError(f"{constraint!r} of {by} is no constraint{call}")
