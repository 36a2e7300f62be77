"""An index of a sequence: which steps have a class, a name, a type, a bundle or a label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from passel.builder.sequence import Group
from passel.passes.pass_type import UNKNOWN

if TYPE_CHECKING:
    from passel.builder.declarations import DeclarationTable
    from passel.builder.sequence import Sequence, Step
    from passel.passes import Pass

Key: TypeAlias = "tuple[str, Any]"
"""A key that steps are found by: a kind of thing, and the thing."""


class StepIndex:
    """Finds steps without looking at all of them.

    Args:
        sequence: The steps.
        declarations: What is declared of passes.
    """

    def __init__(self, sequence: Sequence, declarations: DeclarationTable) -> None:
        self._sequence = sequence
        self._declarations = declarations
        self._version = declarations.version
        self._keys: dict[Step, tuple[Key, ...]] = {}
        self._steps: dict[Key, dict[Step, None]] = {}
        self._of_class: dict[type[Pass[Any]], tuple[Key, ...]] = {}
        for step in sequence.steps():
            self.add(step)

    def add(self, step: Step) -> None:
        """Note a step that is there now."""
        self._keys[step] = keys = tuple(self._found_keys(step))
        for key in keys:
            self._steps.setdefault(key, {})[step] = None

    def discard(self, step: Step) -> None:
        """Note that a step is gone."""
        for key in self._keys.pop(step, ()):
            self._steps[key].pop(step, None)

    def keys(self, step: Step) -> tuple[Key, ...]:
        """Return all keys that a step is found by; a step that is gone has none."""
        self._refresh()
        return self._keys.get(step, ())

    def steps(self, *keys: Key) -> list[Step]:
        """Return the steps of any of some keys, in the order in which they run."""
        self._refresh()
        found: dict[Step, None] = {}
        for key in keys:
            found.update(self._steps.get(key, {}))
        if len(found) > 1:
            self._sequence.number()
            return sorted(found, key=_rank)
        return list(found)

    def first(self, *keys: Key) -> list[Step]:
        """Return the steps of the first of some keys that has any, in the order they run in."""
        for key in keys:
            if steps := self.steps(key):
                return steps
        return []

    def _refresh(self) -> None:
        """Look at all steps again if something was declared meanwhile."""
        if self._version == self._declarations.version:
            return
        self._version = self._declarations.version
        self._of_class.clear()
        for step in list(self._keys):
            self.discard(step)
            self.add(step)

    def _found_keys(self, step: Step) -> list[Key]:
        cls = type(step.pass_)
        of_class = self._of_class.get(cls)
        if of_class is None:
            of_class = self._of_class[cls] = self._keys_of_class(cls, step.pass_)
        keys = [*of_class, ("label", step.label)]
        for use in step.bundles:
            keys += [("bundle", use.bundle.name), ("use of", use.bundle)]
            keys += (("type", each) for each in use.bundle.types)
        if not any(kind == "type" for kind, _ in keys):
            keys.append(("type", UNKNOWN))
        container = step.parent
        while container is not None:
            if container.label:
                keys.append(("label", container.label))
            if isinstance(container, Group):
                keys.append(("stage", container.name))
            container = container.parent
        return keys

    def _keys_of_class(self, cls: type[Pass[Any]], pass_: Pass[Any]) -> tuple[Key, ...]:
        return (
            ("exactly", cls),
            ("name", cls.name),
            *(("class", base) for base in cls.__mro__),
            *(("type", each) for each in self._declarations.of(pass_).types),
        )


def _rank(step: Step) -> int:
    return step.rank
