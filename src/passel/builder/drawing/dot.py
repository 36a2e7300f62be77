"""A pipeline as a graph for Graphviz."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from passel.builder.drawing.colors import color_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.drawing.picture import Picture, Row


def to_dot(picture: Picture) -> str:
    """Return a picture as a graph for Graphviz's `dot`."""
    lines = [
        "digraph pipeline {",
        '  graph [fontname="monospace", fontsize=11, style=rounded, color="#999999"];',
        '  node [fontname="monospace", fontsize=11, shape=box, style=rounded];',
        '  edge [fontname="sans-serif", fontsize=9];',
        *_boxes(picture),
        *_links(picture),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _boxes(picture: Picture) -> Iterator[str]:
    open_until: list[int] = []
    for index, row in enumerate(picture.rows):
        while open_until and open_until[-1] <= index:
            open_until.pop()
            yield f"{'  ' * (len(open_until) + 1)}}}"
        margin = "  " * (len(open_until) + 1)
        text = _quoted(_text(row))
        if row.kind == "pass" or row.end == index + 1:
            color = _color(picture, row)
            style = "" if row.kind == "pass" else ", style=dashed"
            yield f"{margin}r{index} [label={text}{color}{style}];"
        else:
            yield f"{margin}subgraph cluster_{index} {{"
            yield f"{margin}  label={text};"
            open_until.append(row.end)
    while open_until:
        open_until.pop()
        yield f"{'  ' * (len(open_until) + 1)}}}"


def _links(picture: Picture) -> Iterator[str]:
    for (first, _), (second, _) in pairwise(picture.passes()):
        yield f"  r{first} -> r{second} [weight=10];"
    for arc in picture.arcs:
        style = "dashed" if arc.strong else "dotted"
        yield (
            f"  r{arc.subject} -> r{arc.target} "
            f"[label={_quoted(arc.text)}, style={style}, constraint=false];"
        )


def _text(row: Row) -> str:
    lines = [row.text if row.kind in {"pass", "nest"} else f"{row.kind} {row.text}"]
    lines += [f"[{', '.join(row.types)}]"] if row.types else []
    lines += [", ".join(row.notes)] if row.notes else []
    return "\n".join(lines)


def _color(picture: Picture, row: Row) -> str:
    if not row.types:
        return ""
    names = [interval.name for interval in picture.intervals]
    return f', color="{color_of(names.index(row.types[0]))}"'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
