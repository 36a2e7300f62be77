"""An index of a sequence: which steps have a class, a name, a type, a bundle or a label."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from passel.builder.sequence import Group
from passel.passes.pass_type import UNKNOWN

if TYPE_CHECKING:
    from passel.builder.declarations import DeclarationTable
    from passel.builder.sequence import Container, Sequence, Step
    from passel.passes import Pass

Key: TypeAlias = "tuple[str, Any]"
"""A key that steps are found by: a kind of thing, and the thing."""


class StepIndex:
    """Finds steps without looking at all of them, as long as the sequence stays as it is.

    Args:
        sequence: The steps.
        declarations: What is declared of passes.
    """

    def __init__(self, sequence: Sequence, declarations: DeclarationTable) -> None:
        self._sequence = sequence
        self._declarations = declarations

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
        of_class: dict[type[Pass[Any]], list[Key]] = {}
        enclosing: dict[Container | None, list[Key]] = {}
        for step in self._ordered:
            cls = type(step.pass_)
            if cls not in of_class:
                of_class[cls] = self._keys_of_class(step.pass_)
            if step.parent not in enclosing:
                enclosing[step.parent] = _enclosing_keys(step.parent)
            keys = [("label", step.label), *of_class[cls], *enclosing[step.parent]]
            for key in _with_bundles(keys, step) if step.bundles else keys:
                found.setdefault(key, []).append(step)
        return found

    def _keys_of_class(self, pass_: Pass[Any]) -> list[Key]:
        cls = type(pass_)
        return [
            ("exactly", cls),
            ("name", cls.name),
            *(("class", base) for base in cls.__mro__),
            *(("type", each) for each in self._declarations.of(pass_).types or (UNKNOWN,)),
        ]


def _enclosing_keys(container: Container | None) -> list[Key]:
    keys: list[Key] = []
    while container is not None:
        if container.label:
            keys.append(("label", container.label))
        if isinstance(container, Group):
            keys.append(("stage", container.name))
        container = container.parent
    return list(dict.fromkeys(keys))


def _with_bundles(keys: list[Key], step: Step) -> list[Key]:
    """Return the keys of a step with those of its bundles, each once."""
    bundles = [use.bundle for use in step.bundles]
    types: list[Key] = [("type", each) for bundle in bundles for each in bundle.types]
    if types:
        keys = [key for key in keys if key != ("type", UNKNOWN)]
    names: list[Key] = [("bundle", bundle.name) for bundle in bundles]
    uses: list[Key] = [("use of", bundle) for bundle in bundles]
    return list(dict.fromkeys((*keys, *names, *uses, *types)))


def _rank(step: Step) -> int:
    return step.rank
