"""Positions: the steps and items of a sequence that targets stand for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from passel.builder.sequence import Group, Step
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
from passel.diagnostics import suggest
from passel.errors import InsertionError, Problem
from passel.passes import PassType
from passel.passes.pass_type import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from passel.builder.declarations import DeclarationTable
    from passel.builder.sequence import BundleUse, Node, Sequence
    from passel.builder.targets import Key, Occurrence, Target

    Unit: TypeAlias = "list[Node]"
    """One thing that a target stands for: a step, all of a bundle, or the group of a stage."""

_INDICES = {"first": 0, "last": -1, "all": 0}


class Positions:
    """The places of steps in a sequence, as long as that stays as it is.

    Args:
        sequence: The sequence.
        declarations: What is declared of passes.

    Attributes:
        steps: All steps, in the order in which they run.
        rank: The number of each.
    """

    def __init__(self, sequence: Sequence, declarations: DeclarationTable) -> None:
        self.declarations: DeclarationTable = declarations
        self.steps: list[Step] = list(sequence.root.steps())
        self.rank: dict[Step, int] = {step: rank for rank, step in enumerate(self.steps)}
        self._sequence = sequence

    @cached_property
    def _by_key(self) -> dict[Key, list[Step]]:
        found: dict[Key, list[Step]] = {}
        for step in self.steps:
            for key in dict.fromkeys(self.keys(step)):
                found.setdefault(key, []).append(step)
        return found

    def keys(self, step: Step) -> Iterator[Key]:
        """Yield all that a step is found by, maybe twice."""
        yield "name", step.pass_.name
        yield from (("class", base) for base in type(step.pass_).__mro__)
        yield from (("type", each) for each in self.types_of(step))
        yield from (("bundle", use.bundle.name) for use in step.bundles)
        yield "label", step.label
        for each in step.enclosing():
            yield "label", each.label
            if isinstance(each, Group):
                yield "stage", each.name

    def types_of(self, step: Step) -> tuple[PassType, ...]:
        """Return the parts that a step plays: its pass's own, and its bundles'."""
        found = dict.fromkeys(self.declarations.of(step.pass_).types)
        found |= dict.fromkeys(each for use in step.bundles for each in use.bundle.types)
        return tuple(found) or (UNKNOWN,)

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
        """Return the step that runs so many steps after another one, before it if negative."""
        place = self.rank[step] + distance
        return self.steps[place] if 0 <= place < len(self.steps) else None

    # -- Units ------------------------------------------------------------------------------

    def units(self, target: Target) -> list[Unit]:
        """Return all that a target stands for, in the order in which it runs."""
        if isinstance(target, Step):
            step = self._sequence.labelled(target.label)  # of a copy, the one that it has itself
            return [[step]] if isinstance(step, Step) and step.pass_ is target.pass_ else []
        if isinstance(target, Handle):
            items = (self._sequence.labelled(label) for label in target.labels)
            unit: Unit = [item for item in items if item is not None]
            return [unit] if unit else []
        if isinstance(target, Stage):
            return [[each] for each in self._sequence.stages() if each.name == target.name]
        if isinstance(target, Bundle):
            return self._additions(target.name)
        if isinstance(target, str) and not self._by_key.get(("name", target)):
            item = self._sequence.labelled(target)
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
        """Return what a target stands for, of that what an occurrence asks for.

        Raises:
            InsertionError: The target, or that many of it, are not there.
            ValueError: There is no such occurrence.
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
        """Return which type of a step, or what a target may mean, has nearly a target's name."""
        kinds = {kind for kind, _ in keys_of(target)}
        there = (str(each) for kind, each in self._by_key if kind in kinds)
        return suggest(str(target), there) if isinstance(target, (str, PassType)) else ""

    def _missing(self, target: Target, there: int, wanted: int) -> str:
        what = describe(target)
        if there:
            number = f"are {there}" if there > 1 else "is only 1"
            return f"there is no occurrence {wanted} of {what}: there {number}, counted from 0"
        if isinstance(target, PassType):
            way_out = ", so there is no place before, after or inside of it: add one first, or "
            way_out += "declare the type of a pass that is there"
            return f"there is no {noun(target)}{self.suggestion(target) or way_out}"
        names = [stage.name for stage in self._sequence.stages()]
        if not isinstance(target, Stage):
            names = [*self._names(), *names]
        given = target if isinstance(target, str) else getattr(target, "name", "")
        hint = suggest(given, names) if isinstance(target, (str, Named)) and given else ""
        kind = "stages" if isinstance(target, Stage) else "passes"
        return f"{what} is not in the pipeline{hint or '; it has ' + _listed(names, kind)}"

    def _names(self) -> Iterator[str]:
        """Yield what steps may be called, and the bundles that they came with."""
        for step in self.steps:
            yield from filter(None, (step.pass_.name, step.label))
            yield from (use.bundle.name for use in step.bundles)


def _listed(names: list[str], kind: str) -> str:
    shown = list(dict.fromkeys(names))
    if not shown:
        return f"no {kind}"
    return ", ".join(f"'{name}'" for name in shown[:8]) + (", ..." if len(shown) > 8 else "")  # noqa: PLR2004 - what a line holds
