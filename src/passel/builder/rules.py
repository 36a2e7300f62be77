"""The constraints that are in force in a builder, and whether its steps keep them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.builder.constraints import Constraint, noun
from passel.builder.step_index import Key, StepIndex, keys_of_step
from passel.builder.targets import find_steps
from passel.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.declarations import DeclarationTable
    from passel.builder.sequence import Item, Sequence, Step
    from passel.builder.targets import Target


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
        is_own = any(self.constraint is each for each in _declared_by(declaring))
        return f"{'pass' if is_own else 'the table of declarations for'} {noun(declaring)}"

    @property
    def source(self) -> str:
        """Who has declared it, and where."""
        by = f" by {self.by}" if self.by else ""
        where = f" at {self.constraint.origin}" if self.constraint.origin.file else ""
        return f"declared{by}{where}"

    def about(self, step: Step) -> str:
        """Return it as a sentence about a step, with its source."""
        return f"'{step.label}' {self.constraint} ({self.source})"


class Breach(NamedTuple):
    """A constraint that a step breaks.

    Attributes:
        rule: The constraint.
        about: The constraint as a sentence about the step.
        what: How it is broken, and the way out.
    """

    rule: Rule
    about: str
    what: str


class Rules:
    """All constraints that are in force in a sequence, as long as that stays as it is.

    Args:
        sequence: The steps.
        declarations: What is declared of passes.
        is_final: Whether conditions have been applied, and nothing will be added any more.

    Attributes:
        index: Finds the steps.
    """

    def __init__(
        self, sequence: Sequence, declarations: DeclarationTable, *, is_final: bool = False
    ) -> None:
        self._sequence = sequence
        self._declarations = declarations
        self._version = declarations.version
        self._is_final = is_final
        self._known: dict[Target, tuple[list[Step], set[Step]]] = {}
        self.index: StepIndex = StepIndex(sequence)
        for step in sequence.steps():
            if step.version != self._version:
                self._look_up(step)

    def are_current(self, sequence: Sequence) -> bool:
        """Return whether these are of a sequence, and nothing was declared meanwhile."""
        return self._sequence is sequence and self._version == self._declarations.version

    # -- Which there are --------------------------------------------------------------------

    def all(self) -> Iterator[tuple[Rule, Step]]:
        """Yield all constraints with the steps that each holds for."""
        for rule in self._all:
            for step in self._subjects(rule):
                yield rule, step

    def of(self, step: Step) -> Iterator[Rule]:
        """Yield the constraints that hold for a step."""
        return (rule for rule, subject in self.all() if subject is step)

    def mentioning(self, step: Step) -> Iterator[tuple[Rule, Step]]:
        """Yield the constraints on other steps that are about a step, with these."""
        for rule, subject in self.all():
            targets = rule.constraint.targets
            if subject is not step and any(
                step in find_steps(self.index, each) for each in targets
            ):
                yield rule, subject

    @cached_property
    def _all(self) -> list[Rule]:
        """Constraints from outside first, then those of passes and bundles."""
        found: list[Rule] = list(self._sequence.constraints)
        seen: set[object] = set()
        for step in self._sequence.steps():
            cls = type(step.pass_)
            if cls not in seen:
                seen.add(cls)
                found += step.rules
            for bundle in (use.bundle for use in step.bundles if use.bundle not in seen):
                seen.add(bundle)
                found += (rule_of(each, ("use of", bundle)) for each in bundle.constraints)
        return found

    def _look_up(self, step: Step) -> None:
        """Note what is declared of a step, for all copies of it."""
        said = self._declarations.of(step.pass_)
        key = ("exactly", type(step.pass_))
        step.version = self._version
        step.keys = keys_of_step(step, said.types)
        step.rules = tuple(rule_of(each, key) for each in said.constraints)

    def _subjects(self, rule: Rule) -> list[Step]:
        """Return the steps that a constraint holds for, in the order in which they run."""
        if rule.key is not None:
            return self.index.first(rule.key)
        assert rule.target is not None  # noqa: S101 - it is one or the other
        return find_steps(self.index, rule.target)

    # -- Whether they are kept --------------------------------------------------------------

    def broken(self) -> Iterator[Breach]:
        """Yield what breaks constraints."""
        for rule in self._all:
            subjects = self._subjects(rule)
            for step in subjects:
                if what := self._breach(rule, step, subjects):
                    yield Breach(rule, rule.about(step), what)

    def _breach(self, rule: Rule, step: Step, subjects: list[Step]) -> str:
        """Return how a step breaks a constraint, and the way out; empty if it does not."""
        constraint = rule.constraint
        if absence := constraint.absence(step, self):
            # What a placed step needs may be placed after it.
            return absence if self._is_final or not step.is_placed else ""
        peers = _peers(rule, step, subjects)
        return constraint.clash(step, self, peers) or constraint.disorder(step, self)

    # -- What constraints ask ---------------------------------------------------------------

    def others(self, target: Target, subject: Step) -> list[Step]:
        """Return the steps of a target except a subject, in the order in which they run."""
        known = self._known.get(target)
        if known is None:
            steps = find_steps(self.index, target)
            known = self._known[target] = (steps, set(steps))
        steps, members = known
        return [step for step in steps if step is not subject] if subject in members else steps

    def before(self, step: Step) -> Step | None:
        """Return the step that runs right before another one."""
        return self.index.before(step)

    def run_together(self, step: Step, other: Step) -> bool:
        """Return whether two steps are certainly built into one pipeline."""
        return self._is_final or (_is_certain(step) and _is_certain(other))


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


def _declared_by(cls: type[Any]) -> Iterator[object]:
    """Yield the constraints that a class and its bases declare themselves."""
    for base in cls.__mro__:
        yield from vars(base).get("constraints", ())


def _peers(rule: Rule, step: Step, subjects: list[Step]) -> Iterator[Step]:
    """Yield the other steps for which the same was declared, without those of its bundle."""
    is_of_bundle = rule.key is not None and rule.key[0] == "use of"
    for other in subjects:
        is_added_with = is_of_bundle and not set(step.bundles).isdisjoint(other.bundles)
        if other is not step and not is_added_with:
            yield other


def _is_certain(step: Step) -> bool:
    """Return whether a step is built whatever conditions say."""
    item: Item | None = step
    while item is not None:
        if item.conditions:
            return False
        item = item.parent
    return step.enabled
