"""Drawing a pipeline as a tree, and explaining the positions of its steps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from passel.builder.steps import Step
from passel.passes.pass_type import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.rules import Rules
    from passel.builder.steps import Node, Scope


def explanation(step: Step, rules: Rules) -> str:
    """Return an explanation of the position of a step, with one reason on each line."""
    lines = [f"'{step.label}' was {step.origin.clause('added') or 'added'}"]
    neighbours = [
        f"right {side} '{other.label}'"
        for side, distance in (("after", -1), ("before", 1))
        if (other := rules.neighbour(step, distance))
    ]
    if neighbours:
        lines.append(f"it runs {' and '.join(neighbours)}")
    if step.because:
        lines.append(step.because)
    others: list[str] = []
    for rule, subject in rules.all:
        if subject is step:
            lines.append(f"it {rule.constraint} ({rule.source})")
        elif step in rules.find(rule.constraint.target):
            others.append(rule.about(subject))
    return "\n  ".join([*lines, *others])


def picture(root: Scope, rules: Rules) -> str:
    """Draw a pipeline as a text tree, with the types, the bundles and the authors of the passes."""
    rows = list(_rows(root, rules))
    width = max(len(text) for text, _ in rows)
    return "".join(f"{text:{width}}  {notes}".rstrip() + "\n" for text, notes in rows)


def _rows(node: Node, rules: Rules, frame: str = "", margin: str = "") -> Iterator[tuple[str, str]]:
    """Yield the text and the notes of a step or a scope, and of the contents of a scope."""
    notes = ", ".join(_notes(node, rules))
    if isinstance(node, Step):
        yield frame + str(node.pass_), notes
        return
    yield frame + (node.name if node.kind == "nest" else f"stage {node.name}"), notes
    for each in node.items:
        tip, below = ("└─ ", "   ") if each is node.items[-1] else ("├─ ", "│  ")
        yield from _rows(each, rules, margin + tip, margin + below)


def _notes(node: Node, rules: Rules) -> Iterator[str]:
    if isinstance(node, Step):
        yield from (each.name for each in rules.types_of(node) if each != UNKNOWN)
        yield from (f"bundle {use.bundle.name}" for use in node.bundles)
    if node.origin.extension:
        file, line = node.origin.file, node.origin.line
        where = f" ({Path(file).name}:{line})" if file else ""
        yield f"by {node.origin.extension}{where}"
