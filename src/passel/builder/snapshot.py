"""Snapshots of a pipeline, which find the matches of targets and violated constraints."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from passel.analysis import AllAnalyses
from passel.builder.constraints import Rule
from passel.builder.steps import (
    Bundle,
    Handle,
    Node,
    Scope,
    Stage,
    Step,
    check_target,
    describe,
    noun,
    steps_in,
    walk,
)
from passel.diagnostics import listed, suggest
from passel.errors import InsertionError
from passel.passes import PassType
from passel.passes.pass_type import UNKNOWN
from passel.passes.reachable import preserved_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.constraints import Constraint
    from passel.builder.declarations import DeclarationTable
    from passel.builder.steps import BundleUse, Occurrence, Target
    from passel.passes import Pass

Match: TypeAlias = list[Node]
"""One match of a target: a step or scope, the members of a bundle, or the nodes of a handle."""

_MOST_NAMES = 8
"""The maximum number of existing names in a message."""


class Snapshot:
    """The steps of a pipeline and their constraints, valid until the pipeline changes.

    Args:
        root: The outermost pipeline.
        declarations: The table that declares the pass types and the idempotence of passes.
        constraints: The rules that `PipelineBuilder.constrain` added.

    Attributes:
        steps: All steps, in execution order.
        rank: The index of each step in execution order.
        stages: The scopes of all stages, in order.
        labelled: A dict that maps each label to the step or scope with this label.
        rules: All pairs of a rule and a step that the rule constrains.
    """

    def __init__(
        self, root: Scope, declarations: DeclarationTable, constraints: tuple[Rule, ...]
    ) -> None:
        nodes = [node for node, _ in walk(root.items)]
        self.steps: list[Step] = [each for each in nodes if isinstance(each, Step)]
        self.rank: dict[Step, int] = {step: rank for rank, step in enumerate(self.steps)}
        scopes = (each for each in nodes if isinstance(each, Scope))
        self.stages: list[Scope] = [each for each in scopes if each.kind == "stage"]
        self.labelled: dict[str, Node] = {each.label: each for each in nodes}
        self._declarations = declarations
        self._types: dict[type[Pass[Any]], tuple[PassType, ...]] = {}
        self._found: dict[Target, list[Step]] = {}
        self.rules: list[tuple[Rule, Step]] = [
            (rule, step)
            for rule in constraints
            if rule.target is not None
            for step in self.find(rule.target)
        ]
        declared: dict[type[Pass[Any]] | Bundle, list[Rule]] = {}
        for step in self.steps:
            for by in (type(step.pass_), *(use.bundle for use in step.bundles)):
                if by not in declared:
                    declared[by] = [Rule(each, by).checked() for each in by.constraints]
                self.rules += ((rule, step) for rule in declared[by])

    # -- Targets ----------------------------------------------------------------------------

    def types_of(self, step: Step) -> tuple[PassType, ...]:
        """Return the pass types of a step: those of its pass, and those of its bundles."""
        cls = type(step.pass_)
        if cls not in self._types:
            self._types[cls] = self._declarations.of(step.pass_).types
        found = dict.fromkeys(self._types[cls])
        found |= dict.fromkeys(each for use in step.bundles for each in use.bundle.types)
        return tuple(found) or (UNKNOWN,)

    @cached_property
    def _by_pass(self) -> dict[object, list[Step]]:
        """The steps by pass class, pass name and pass type."""
        found: dict[object, list[Step]] = {}
        for step in self.steps:
            cls = type(step.pass_)
            for key in (cls.name, *cls.__mro__, *self.types_of(step)):
                found.setdefault(key, []).append(step)
        return found

    def find(self, target: Target) -> list[Step]:
        """Return the steps that match a target, in execution order."""
        check_target(target)
        if target not in self._found:
            steps = {step for match in self.matches(target) for step in steps_in(match)}
            self._found[target] = sorted(steps, key=self.rank.__getitem__)
        return self._found[target]

    def others(self, target: Target, step: Step) -> list[Step]:
        """Return all steps that match a target, except for `step`."""
        return [each for each in self.find(target) if each is not step]

    def neighbour(self, step: Step, distance: int) -> Step | None:
        """Return the step `distance` positions after a step; None if there is no such step."""
        place = self.rank[step] + distance
        return self.steps[place] if 0 <= place < len(self.steps) else None

    def matches(self, target: Target) -> list[Match]:
        """Return the matches of a target in execution order, each as a list of nodes."""
        if isinstance(target, Step):
            return [[target]] if target in self.rank else []
        if isinstance(target, Handle):
            match = [self.labelled[label] for label in target.labels if label in self.labelled]
            return [match] if match else []
        if isinstance(target, Stage):
            return [[each] for each in self.stages if each.name == target.name]
        if isinstance(target, Bundle):
            return self._additions(target.name)
        if isinstance(target, str) and target not in self._by_pass:
            if target in self.labelled:
                return [[self.labelled[target]]]
            return self._additions(target) or self.matches(Stage(target))
        check_target(target)
        return [[step] for step in self._by_pass.get(target, ())]

    def _additions(self, bundle: str) -> list[Match]:
        """Return the members of each addition of a bundle."""
        found: dict[BundleUse, Match] = {}
        for step in self.steps:
            for use in step.bundles:
                if use.bundle.name == bundle:
                    found.setdefault(use, []).append(step)
        return list(found.values())

    def select(self, target: Target, occurrence: Occurrence) -> list[Match]:
        """Return the first match, the last match or all matches of a target.

        Raises:
            InsertionError: If the target has no match.
            ValueError: If `occurrence` is unknown.
        """
        if occurrence not in ("first", "last", "all"):
            raise ValueError(f"occurrence must be 'first', 'last' or 'all', not {occurrence!r}")
        matches = self.matches(target)
        if not matches:
            raise InsertionError(self._missing(target))
        return {"first": matches[:1], "last": matches[-1:], "all": matches}[occurrence]

    # -- Missing targets --------------------------------------------------------------------

    def suggestion(self, target: Target) -> str:
        """Return a suggestion for a misspelled target; empty if no name is similar."""
        name = target if isinstance(target, str) else getattr(target, "name", "")
        return suggest(name, self._names(target)) if name else ""

    def _names(self, target: Target) -> list[str]:
        """Return the names of all types for a type, of all stages for a stage, or all names."""
        if isinstance(target, PassType):
            return [each.name for each in self._by_pass if isinstance(each, PassType)]
        names: list[str] = []
        for step in () if isinstance(target, Stage) else self.steps:
            bundles = (use.bundle.name for use in step.bundles)
            names += filter(None, (step.pass_.name, step.label, *bundles))
        return [*names, *(stage.name for stage in self.stages)]

    def _missing(self, target: Target) -> str:
        hint = self.suggestion(target)
        if isinstance(target, PassType):
            way_out = ": add one, or declare this type for an existing pass"
            return f"there is no {noun(target)}{hint or way_out}"
        names = [f"'{name}'" for name in dict.fromkeys(self._names(target))]
        nothing = "no stages" if isinstance(target, Stage) else "no passes"
        hint = hint or f", which has {listed(names, _MOST_NAMES) or nothing}"
        return f"{describe(target)} is not in the pipeline{hint}"

    # -- Broken constraints -----------------------------------------------------------------

    @cached_property
    def breaches(self) -> dict[str, InsertionError]:
        """The errors for violated constraints, keyed by a sentence that states the constraint."""
        return {
            (about := rule.about(step)): InsertionError(f"{about}, but {breach}")
            for rule, step in self.rules
            if (breach := self._breach(rule, step))
        }

    def _breach(self, rule: Rule, step: Step) -> str:
        """Return how a step violates a constraint and a suggested fix, or an empty string."""
        target, label = rule.constraint.target, step.label
        others = self.others(target, step)
        if rule.constraint.kind == "after-any" and not others:
            hint = self.suggestion(target) or f": add one, or remove '{label}'"
            return f"there is no {noun(target)}{hint}"
        for later, earlier in self.demands(rule.constraint, step):
            if all(self.rank[each] > self.rank[later] for each in earlier):
                if later is step:
                    return f"'{earlier[0].label}' runs later: put '{label}' after it"
                return f"'{later.label}' runs earlier: put '{label}' before it"
        return ""

    def demands(self, constraint: Constraint, step: Step) -> Iterator[tuple[Step, list[Step]]]:
        """Yield pairs that state which order a constraint on a step requires.

        Each pair contains a later step, and a list of steps, at least one of which must run before
        the later step.
        """
        others = self.others(constraint.target, step)
        match constraint.kind:
            case "after-any":
                yield step, others
            case "after-all":
                yield from ((step, [other]) for other in others)
            case "before-first":
                yield from ((other, [step]) for other in others)
            case _:
                pass

    # -- Requests ---------------------------------------------------------------------------

    def unfulfilled(self) -> list[tuple[Rule, Step]]:
        """Return each rule whose cleanup is missing, paired with the step that needs the cleanup.

        The pairs are sorted by constraint and by the position of the step.
        """
        requests = [
            (rule, step)
            for rule, step in self.rules
            if rule.constraint.is_request and not self._is_fulfilled(rule.constraint, step)
        ]
        return sorted(requests, key=lambda each: (str(each[0].constraint), self.rank[each[1]]))

    def _is_fulfilled(self, request: Constraint, step: Step) -> bool:
        others = self.others(request.target, step)
        if request.kind == "followed-by":
            return bool(others) and self.rank[others[-1]] > self.rank[step]
        before = self.neighbour(step, -1)
        while before is not None and before not in others and preserves_all(before):
            before = self.neighbour(before, -1)
        return before in others


def preserves_all(step: Step) -> bool:
    """Return whether a step, including the pipelines in its options, preserves all analyses."""
    return AllAnalyses in preserved_by([step.pass_])
