"""An index of a sequence: which steps have a class, a name, a type, a bundle or a label."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from passel.builder.sequence import Group
from passel.passes.pass_type import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.builder.sequence import Container, Sequence, Step
    from passel.passes import PassType

Key: TypeAlias = "tuple[str, Any]"
"""A key that steps are found by: a kind of thing, and the thing."""


class StepIndex:
    """Finds steps without looking at all of them, as long as the sequence stays as it is.

    Args:
        sequence: The steps, whose keys are looked up.
    """

    def __init__(self, sequence: Sequence) -> None:
        self._sequence = sequence

    def steps(self, *keys: Key) -> list[Step]:
        """Return the steps of any of some keys, in the order in which they run."""
        found = [self._by_key[key] for key in keys if key in self._by_key]
        if len(found) == 1:
            return found[0]
        return sorted({step for steps in found for step in steps}, key=_rank)

    def first(self, *keys: Key) -> list[Step]:
        """Return the steps of the first of some keys that has any, in the order they run in."""
        found = next((key for key in keys if key in self._by_key), None)
        return [] if found is None else self._by_key[found]

    def before(self, step: Step) -> Step | None:
        """Return the step that runs right before another one."""
        return self._ordered[step.rank - 1] if step.rank else None

    def after(self, step: Step) -> Step | None:
        """Return the step that runs right after another one."""
        return next(iter(self._ordered[step.rank + 1 : step.rank + 2]), None)

    @cached_property
    def _ordered(self) -> list[Step]:
        """All steps in the order in which they run."""
        ordered = list(self._sequence.steps())
        for rank, step in enumerate(ordered):
            step.rank = rank
        return ordered

    @cached_property
    def _by_key(self) -> dict[Key, list[Step]]:
        """The steps of each key, in the order in which they run."""
        found: dict[Key, list[Step]] = {}
        enclosing: dict[Container | None, list[Key]] = {}
        for step in self._ordered:
            if step.parent not in enclosing:
                enclosing[step.parent] = _enclosing_keys(step.parent)
            for key in (("label", step.label), *step.keys, *enclosing[step.parent]):
                found.setdefault(key, []).append(step)
        return found


def keys_of_step(step: Step, types: Iterable[PassType]) -> tuple[Key, ...]:
    """Return all that a step is found by wherever it stands, each once.

    Args:
        step: The step.
        types: The parts that its pass plays.
    """
    cls = type(step.pass_)
    bundles = [use.bundle for use in step.bundles]
    types = [*types, *(each for bundle in bundles for each in bundle.types)]
    keys: list[Key] = [("exactly", cls), ("name", cls.name)]
    keys += (("class", base) for base in cls.__mro__)
    keys += (("type", each) for each in types or (UNKNOWN,))
    keys += (("bundle", bundle.name) for bundle in bundles)
    keys += (("use of", bundle) for bundle in bundles)
    return tuple(dict.fromkeys(keys))


def _enclosing_keys(container: Container | None) -> list[Key]:
    keys: list[Key] = []
    while container is not None:
        if container.label:
            keys.append(("label", container.label))
        if isinstance(container, Group):
            keys.append(("stage", container.name))
        container = container.parent
    return list(dict.fromkeys(keys))


def _rank(step: Step) -> int:
    return step.rank
