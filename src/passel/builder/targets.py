"""Targets: the items of a sequence that a class, a name, a bundle, a type or a stage stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from passel.builder.bundle import Bundle
from passel.builder.naming import Named, check_target, describe, noun
from passel.builder.sequence import Group, Step, is_stage
from passel.diagnostics import suggest
from passel.errors import InsertionError, Problem
from passel.passes import PassType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.naming import Key, Target
    from passel.builder.rules import Rules
    from passel.builder.sequence import BundleUse, Node, Sequence


@dataclass(frozen=True, slots=True)
class Handle(Named):
    """The items that one call has put into a builder; it stays valid whatever is put beside it.

    A handle is valid for copies of the builder as well.

    Attributes:
        labels: The labels of the items that were added, in order.
    """

    labels: tuple[str, ...]

    @property
    def steps_keys(self) -> tuple[Key, ...]:
        """The keys of the items."""
        return tuple(("label", label) for label in self.labels)

    @property
    def title(self) -> str:
        """The handle as messages name it."""
        return f"'{self}'"

    @property
    def noun(self) -> str:
        """The labels of the items."""
        return self.title

    def __str__(self) -> str:
        return ", ".join(self.labels)


@dataclass(frozen=True, slots=True)
class Stage(Named):
    """A named place in a pipeline that a framework promises to keep.

    Attributes:
        name: Its name.
    """

    kind: ClassVar[str] = "stage"

    name: str

    def __str__(self) -> str:
        return self.name


Occurrence: TypeAlias = Literal["first", "last", "all"] | int
"""Which of several that match: the first, the last, all, or a number counted from 0."""

_INDICES = {"first": 0, "last": -1, "all": 0}

Unit: TypeAlias = "list[Node]"
"""One thing that a target stands for: a step, all of a bundle, or the group of a stage."""


class Targets:
    """Finds what targets stand for.

    Args:
        sequence: The items.
        rules: Finds steps.
    """

    def __init__(self, sequence: Sequence, rules: Rules) -> None:
        self._sequence = sequence
        self.rules: Rules = rules

    def units(self, target: Target) -> list[Unit]:
        """Return all that a target stands for, in the order in which it runs."""
        if isinstance(target, Step):
            step = self._sequence.labelled(target.label)  # of a copy, the one that it has itself
            return [[step]] if isinstance(step, Step) and step.pass_ is target.pass_ else []
        if isinstance(target, Handle):
            items = [self._sequence.labelled(label) for label in target.labels]
            unit: Unit = [item for item in items if item is not None]
            return [unit] if unit else []
        if isinstance(target, Stage):
            return [[stage] for stage in self._stages() if stage.name == target.name]
        if isinstance(target, Bundle):
            return self._additions(target.name)
        if isinstance(target, str):
            return self._named(target)
        check_target(target)
        return [[step] for step in self.rules.find(target)]

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

    def names(self) -> Iterator[str]:
        """Yield what a target may be called: passes, labels, bundles and stages."""
        for step in self._sequence.steps():
            yield step.pass_.name
            yield step.label
            yield from (use.bundle.name for use in step.bundles)
        yield from (stage.name for stage in self._stages())

    def _named(self, name: str) -> list[Unit]:
        if steps := self.rules.with_key(("name", name)):
            return [[step] for step in steps]
        item = self._sequence.labelled(name)
        if item is not None:
            return [[item]]
        return self._additions(name) or self.units(Stage(name))

    def _additions(self, bundle: str) -> list[Unit]:
        """Return the members of each addition of a bundle."""
        found: dict[BundleUse, Unit] = {}
        for step in self.rules.with_key(("bundle", bundle)):
            for use in step.bundles:
                if use.bundle.name == bundle:
                    found.setdefault(use, []).append(step)
        return list(found.values())

    def _stages(self) -> Iterator[Group]:
        return filter(is_stage, self._sequence.items())

    def _missing(self, target: Target, there: int, wanted: int) -> str:
        what = describe(target)
        if there:
            number = f"are {there}" if there > 1 else "is only 1"
            return f"there is no occurrence {wanted} of {what}: there {number}, counted from 0"
        if isinstance(target, PassType):
            way_out = ", so there is no place before, after or inside of it: add one first, or "
            way_out += "declare the type of a pass that is there"
            return f"there is no {noun(target)}{self.rules.suggestion(target) or way_out}"
        if isinstance(target, Stage):
            names, kind = [stage.name for stage in self._stages()], "stages"
        else:
            names, kind = [name for name in self.names() if name], "passes"
        given = target.name if isinstance(target, (Bundle, Stage)) else target
        hint = suggest(given, names) if isinstance(given, str) else ""
        return f"{what} is not in the pipeline{hint or '; it has ' + _listed(names, kind)}"


def _listed(names: list[str], kind: str) -> str:
    shown = list(dict.fromkeys(names))
    if not shown:
        return f"no {kind}"
    return ", ".join(f"'{name}'" for name in shown[:8]) + (", ..." if len(shown) > 8 else "")  # noqa: PLR2004 - what a line holds
