"""Finishing a sequence when it is built: conditions, stages, and what is said about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from passel.builder.conditions import holds
from passel.builder.sequence import Group, Step
from passel.errors import InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from passel.builder.sequence import Container, Node, Sequence


class Remark(NamedTuple):
    """Something that building a pipeline has done to it.

    Attributes:
        kind: `dropped`, `inserted` or `warning`.
        label: The label of the step.
        message: What and why, in a sentence.
    """

    kind: str
    label: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


def finish(sequence: Sequence, variables: Mapping[str, Any]) -> list[Remark]:
    """Make a sequence ready to be built, and return what was done to it.

    Args:
        sequence: The sequence, which is changed.
        variables: The values that conditions ask for.

    Raises:
        InsertionError: A required stage is empty, or a condition asks for a variable that is
            not set.
    """
    remarks: list[Remark] = []
    for item in list(_items(sequence.root)):
        if item.parent is not None:
            remarks += _apply_conditions(sequence, item, variables)
    for item in list(_items(sequence.root)):
        if isinstance(item, Group):
            _fill(sequence, item)
    return remarks


def _apply_conditions(
    sequence: Sequence, item: Node, variables: Mapping[str, Any]
) -> Iterator[Remark]:
    if isinstance(item, Step) and not item.enabled:
        yield Remark("dropped", item.label, f"'{item.label}' is disabled")
        sequence.unlink(item)
        return
    for condition in item.conditions:
        if not holds(condition, variables, item.label):
            what = (
                condition
                if isinstance(condition, str)
                else getattr(condition, "__qualname__", condition)
            )
            yield Remark("dropped", item.label, f"'{item.label}' runs only if {what}")
            sequence.unlink(item)
            return


def _fill(sequence: Sequence, stage: Group) -> None:
    if any(True for _ in stage.steps()):
        return
    for item in stage.default:
        sequence.append(item.copy(), stage)
    if stage.is_required and not stage.items:
        message = f"stage '{stage.name}' has to be filled, but nothing would run in it"
        raise InsertionError(Problem(message))


def _items(container: Container) -> Iterator[Node]:
    for item in container.items:
        yield item
        if not isinstance(item, Step):
            yield from _items(item)
