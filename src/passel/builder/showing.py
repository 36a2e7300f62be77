"""Displaying a pipeline: explanations of steps, and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.builder.sequence import Scope, Step, grouped, steps_in
from passel.passes.pass_type import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.rules import Rules
    from passel.builder.sequence import Node, Sequence


@dataclass(frozen=True)
class Explanation:
    """The reasons for the position of a step.

    Attributes:
        label: The label of the step.
        sentences: The reasons; the first names the author.
    """

    label: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n  ".join(self.sentences)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the sentences in notebooks."""
        from passel.notebooks import Text, bundle  # noqa: PLC0415 - for notebooks alone

        return bundle(Text(str(self)))


def explanation(step: Step, rules: Rules) -> Explanation:
    """Return the reasons for the position of a step."""
    sentences = [f"'{step.label}' was {step.origin.clause('added') or 'added'}"]
    neighbours = [
        f"{side} '{other.label}'"
        for side, distance in (("after", -1), ("before", 1))
        if (other := rules.neighbour(step, distance))
    ]
    if neighbours:
        sentences.append(f"it runs right {' and right '.join(neighbours)}")
    sentences += step.because
    for rule, subject in rules.all:
        if subject is step:
            sentences.append(f"it {rule.constraint} ({rule.source})")
    for rule, subject in rules.all:
        found = (rules.find(target) for target in rule.constraint.targets)
        if subject is not step and any(step in steps for steps in found):
            sentences.append(rule.about(subject))
    return Explanation(step.label, tuple(sentences))


# -- Pictures --------------------------------------------------------------------------------


class _Row(NamedTuple):
    text: str
    item: Node
    notes: str


def picture(sequence: Sequence, rules: Rules) -> str:
    """Return a tree of a pipeline, with intervals of types and the constraints."""
    rows = list(_rows(sequence.root.around(sequence.entries)))
    places = {row.item: n for n, row in enumerate(rows) if isinstance(row.item, Step)}
    intervals: dict[str, list[int]] = {}
    for step, place in places.items():
        for each in rules.types_of(step):
            if each != UNKNOWN:
                intervals.setdefault(each.name, []).append(place)
    letters = [chr(ord("a") + index % 26) for index in range(len(intervals))]
    width = max(len(row.text) for row in rows)
    lines: list[str] = []
    for place, row in enumerate(rows):
        marks = [_mark(place, each) for each in intervals.values()] if place else letters
        columns = "  " + " ".join(marks) if marks else ""
        notes = f"  {row.notes}" if row.notes else ""
        lines.append(f"{row.text:{width}}{columns}{notes}".rstrip())
    lines += [""] if intervals else []
    for letter, (name, found) in zip(letters, intervals.items(), strict=True):
        first, last = (rows[found[end]].item.label for end in (0, -1))
        reach = f"'{first}'" if first == last else f"'{first}' to '{last}'"
        lines.append(f"{letter} {name}: {reach}")
    constraints = {
        f"'{step.label}' {rule.constraint}": None
        for rule, step in rules.all
        if any(rules.others(target, step) for target in rule.constraint.targets)
    }
    lines += ["", *constraints] if constraints else []
    return "\n".join(lines) + "\n"


def _rows(
    group: list[Any], frame: str = "", margin: str = "", note: str = "", *, in_block: bool = False
) -> Iterator[_Row]:
    """Yield a row for a step or a scope, and rows for its contents."""
    node: Node = group[0]
    if isinstance(node, Step):
        text = str(node.pass_)
    else:
        text = node.name if node.kind == "nest" else f"{node.kind} {node.name}"
    yield _Row(
        frame + text, node, ", ".join(filter(None, (note, *_notes(group, in_block=in_block))))
    )
    steps = steps_in(group)
    is_by_default = bool(steps) and all(step.is_default for step in steps)
    is_block = isinstance(node, Scope) and node.kind == "bundle"
    shown = [each for each in grouped(group[1:-1]) if not _is_empty_edge(each)]
    for each in shown:
        tip, below = ("└─ ", "   ") if each is shown[-1] else ("├─ ", "│  ")
        said = "by default" if is_by_default else ""
        yield from _rows(each, margin + tip, margin + below, said, in_block=is_block)


def _is_empty_edge(group: list[Any]) -> bool:
    """Return whether the group is an empty `pre_` or `post_` stage."""
    node: Node = group[0]
    is_edge = isinstance(node, Scope) and node.name.startswith(("pre_", "post_"))
    return is_edge and not steps_in(group)


def _notes(group: list[Any], *, in_block: bool) -> Iterator[str]:
    node: Node = group[0]
    if isinstance(node, Step):
        yield from (f"bundle {use.bundle.name}" for use in node.bundles if not in_block)
    elif node.kind == "stage" and len(group) == 2:  # noqa: PLR2004 - its beginning and end
        yield "empty, required" if node.is_required else "empty"
    if node.origin.extension:
        file, line = node.origin.file, node.origin.line
        where = f" ({Path(file).name}:{line})" if file else ""
        yield f"by {node.origin.extension}{where}"


def _mark(row: int, places: list[int]) -> str:
    """Return the mark in a row for the interval of a type."""
    if row in places:
        return "●"
    return "│" if places[0] < row < places[-1] else " "
