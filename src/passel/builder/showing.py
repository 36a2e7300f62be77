"""Drawing a pipeline as a tree, and explaining the positions of its steps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from passel.builder.steps import Step, steps_in
from passel.passes.pass_type import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.rules import Rules
    from passel.builder.steps import Node, Scope


@dataclass(frozen=True)
class Explanation:
    """An explanation of the position of a step.

    Attributes:
        label: The label of the step.
        sentences: The reasons for the position. The first sentence names the author of the step.
    """

    label: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n  ".join(self.sentences)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the text of the explanation in notebooks."""
        from passel.notebooks import Text, bundle  # noqa: PLC0415 - for notebooks alone

        return bundle(Text(str(self)))


def explanation(step: Step, rules: Rules) -> Explanation:
    """Return an explanation of the position of a step."""
    sentences = [f"'{step.label}' was {step.origin.clause('added') or 'added'}"]
    neighbours = [
        f"right {side} '{other.label}'"
        for side, distance in (("after", -1), ("before", 1))
        if (other := rules.neighbour(step, distance))
    ]
    if neighbours:
        sentences.append(f"it runs {' and '.join(neighbours)}")
    sentences += step.because
    others: list[str] = []
    for rule, subject in rules.all:
        if subject is step:
            sentences.append(f"it {rule.constraint} ({rule.source})")
        elif step in rules.find(rule.constraint.target):
            others.append(rule.about(subject))
    return Explanation(step.label, (*sentences, *others))


# -- Pictures --------------------------------------------------------------------------------


class _Row(NamedTuple):
    text: str
    node: Node
    notes: str


def picture(root: Scope, rules: Rules) -> str:
    """Draw a pipeline as a text tree, with the constraints and the range of each pass type."""
    rows = list(_rows(root))
    intervals: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        for each in rules.types_of(row.node) if isinstance(row.node, Step) else ():
            if each != UNKNOWN:
                intervals.setdefault(each.name, []).append(place)
    letters = [chr(ord("a") + index % 26) for index in range(len(intervals))]
    width = max(len(row.text) for row in rows)
    lines: list[str] = []
    for place, row in enumerate(rows):
        marks = [_mark(place, each) for each in intervals.values()] if place else letters
        columns = "  " + " ".join(marks) if marks else ""
        lines.append(f"{row.text:{width}}{columns}  {row.notes}".rstrip())
    lines += [""] if intervals else []
    for letter, (name, found) in zip(letters, intervals.items(), strict=True):
        ends = dict.fromkeys(f"'{rows[place].node.label}'" for place in (found[0], found[-1]))
        lines.append(f"{letter} {name}: {' to '.join(ends)}")
    constraints = dict.fromkeys(
        f"'{step.label}' {rule.constraint}"
        for rule, step in rules.all
        if rules.others(rule.constraint.target, step)
    )
    lines += ["", *constraints] if constraints else []
    return "\n".join(lines) + "\n"


def _rows(node: Node, frame: str = "", margin: str = "", *notes: str) -> Iterator[_Row]:
    """Yield a row for a step or a scope, and rows for its contents."""
    shown = ", ".join((*notes, *_notes(node)))
    if isinstance(node, Step):
        yield _Row(frame + str(node.pass_), node, shown)
        return
    title = node.name if node.kind == "nest" else f"{node.kind} {node.name}"
    yield _Row(frame + title, node, shown)
    steps = steps_in(node.items)
    inner = ["by default"] if steps and all(step.is_default for step in steps) else []
    inside = [each for each in node.items if isinstance(each, Step) or not _is_empty_edge(each)]
    for each in inside:
        tip, below = ("└─ ", "   ") if each is inside[-1] else ("├─ ", "│  ")
        yield from _rows(each, margin + tip, margin + below, *inner)


def _is_empty_edge(scope: Scope) -> bool:
    """Return whether a scope is an empty `pre_` or `post_` stage."""
    return scope.name.startswith(("pre_", "post_")) and not steps_in([scope])


def _notes(node: Node) -> Iterator[str]:
    if isinstance(node, Step):
        yield from (f"bundle {use.bundle.name}" for use in node.bundles)
    elif node.kind == "stage" and not node.items:
        yield "empty, required" if node.is_required else "empty"
    if node.origin.extension:
        file, line = node.origin.file, node.origin.line
        where = f" ({Path(file).name}:{line})" if file else ""
        yield f"by {node.origin.extension}{where}"


def _mark(row: int, places: list[int]) -> str:
    """Return the mark that a row needs for the interval of a pass type."""
    if row in places:
        return "●"
    return "│" if places[0] < row < places[-1] else " "
