"""Targets: naming steps of a sequence by class, name, handle, bundle, type of pass or stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from passel.builder.bundle import Bundle
from passel.builder.sequence import Group, Step
from passel.diagnostics import suggest
from passel.errors import InsertionError, Problem
from passel.passes import Pass, PassType
from passel.passes.pass_type import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.declarations import DeclarationTable
    from passel.builder.sequence import BundleUse, Node, Sequence
    from passel.builder.step_index import Key, StepIndex


class Handle(NamedTuple):
    """The items that one call has put into a builder; it stays valid whatever is put beside it.

    A handle is valid for copies of the builder as well.

    Attributes:
        labels: The labels of the items that were added, in order.
    """

    labels: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(self.labels)


class Stage(NamedTuple):
    """A named place in a pipeline that a framework promises to keep.

    Attributes:
        name: Its name.
    """

    name: str

    def __str__(self) -> str:
        return self.name


Target: TypeAlias = "type[Pass[Any]] | str | Handle | Step | Bundle | PassType | Stage"
"""A class of passes, a name of a pass, a label, what was added earlier, or the type of a pass."""

Occurrence: TypeAlias = Literal["first", "last", "all"] | int
"""Which of several that match: the first, the last, all, or a number counted from 0."""

_INDICES = {"first": 0, "last": -1, "all": 0}

Unit: TypeAlias = "list[Node]"
"""One thing that a target stands for: a step, all of a bundle, or the group of a stage."""


class Targets:
    """Finds what targets stand for.

    Args:
        sequence: The items.
        declarations: What is declared of passes.
        index: Finds steps.
    """

    def __init__(
        self, sequence: Sequence, declarations: DeclarationTable, index: StepIndex
    ) -> None:
        self._sequence = sequence
        self._declarations = declarations
        self._index = index

    def types_of(self, step: Step) -> tuple[PassType, ...]:
        """Return the parts that a step plays: its pass's own, and its bundles'."""
        from_bundles = (each for use in step.bundles for each in use.bundle.types)
        declared = (*self._declarations.of(step.pass_).types, *from_bundles)
        return tuple(dict.fromkeys(declared)) or (UNKNOWN,)

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
        return [[step] for step in find_steps(self._index, target)]

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
        if steps := self._index.steps(("name", name)):
            return [[step] for step in steps]
        item = self._sequence.labelled(name)
        if item is not None:
            return [[item]]
        return self._additions(name) or self.units(Stage(name))

    def _additions(self, bundle: str) -> list[Unit]:
        """Return the members of each addition of a bundle."""
        found: dict[BundleUse, Unit] = {}
        for step in self._index.steps(("bundle", bundle)):
            for use in step.bundles:
                if use.bundle.name == bundle:
                    found.setdefault(use, []).append(step)
        return list(found.values())

    def _stages(self) -> Iterator[Group]:
        todo: list[Node] = [self._sequence.root]
        while todo:
            item = todo.pop()
            if isinstance(item, Group) and not item.is_closed:
                yield item
            if not isinstance(item, Step):
                todo += reversed(item.items)

    def _missing(self, target: Target, there: int, wanted: int) -> str:
        what = describe(target)
        if there:
            number = f"are {there}" if there > 1 else "is only 1"
            return f"there is no occurrence {wanted} of {what}: there {number}, counted from 0"
        if isinstance(target, PassType):
            return (
                f"there is no pass of type '{target}', so there is no place before, after or "
                f"inside of it: add one first, or declare the type of a pass that is there"
            )
        if isinstance(target, Stage):
            names, kind = [stage.name for stage in self._stages()], "stages"
        else:
            names, kind = [name for name in self.names() if name], "passes"
        given = target.name if isinstance(target, (Bundle, Stage)) else target
        hint = suggest(given, names) if isinstance(given, str) else ""
        return f"{what} is not in the pipeline{hint or '; it has ' + _listed(names, kind)}"


def keys_of(target: Target) -> tuple[Key, ...]:
    """Return the keys of a target; of a string all that it may mean, the first one first."""
    if isinstance(target, str):
        return (("name", target), ("label", target), ("bundle", target), ("stage", target))
    if isinstance(target, Handle):
        return tuple(("label", label) for label in target.labels)
    if isinstance(target, Step):
        return (("label", target.label),)
    if isinstance(target, Stage):
        return (("stage", target.name),)
    if isinstance(target, Bundle):
        return (("bundle", target.name),)
    if isinstance(target, PassType):
        return (("type", target),)
    return (("class", target),)


def find_steps(index: StepIndex, target: Target) -> list[Step]:
    """Return the steps of a target, in the order in which they run."""
    keys = keys_of(target)
    return index.steps(*keys) if isinstance(target, Handle) else index.first(*keys)


def describe(target: Target) -> str:
    """Return a target as messages name it."""
    if isinstance(target, Step):
        return f"step '{target.label}'"
    if isinstance(target, Handle):
        return f"'{target}'"
    if isinstance(target, Bundle):
        return f"bundle '{target.name}'"
    if isinstance(target, PassType):
        return f"type '{target}'"
    if isinstance(target, Stage):
        return f"stage '{target}'"
    if isinstance(target, type):
        return f"pass '{target.name or target.__name__}'"
    return f"'{target}'"


def check_target(given: object) -> None:
    """Refuse what is no target.

    Raises:
        TypeError: It is something else.
    """
    known = isinstance(given, (str, Handle, Step, Bundle, PassType, Stage))
    if not known and not _is_pass_class(given):
        raise TypeError(_no_target(given))


def _is_pass_class(target: object) -> bool:
    return isinstance(target, type) and issubclass(target, Pass)


def _no_target(given: object) -> str:
    hint = "; its class is one" if _is_pass_class(type(given)) else ""
    return (
        "a target is a class of passes, a name, what 'add' returned, a step, a bundle, a type of "
        f"pass or a stage, not {given!r}{hint}"
    )


def _listed(names: list[str], kind: str) -> str:
    shown = list(dict.fromkeys(names))
    if not shown:
        return f"no {kind}"
    return ", ".join(f"'{name}'" for name in shown[:8]) + (", ..." if len(shown) > 8 else "")  # noqa: PLR2004 - what a line holds
