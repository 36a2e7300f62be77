"""A pipeline as a flowchart of Mermaid."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.drawing.picture import Picture

# Of Okabe and Ito, told apart also by those who do not see all colours; without yellow and black.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F", "#882255")
_ESCAPES = str.maketrans({'"': "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "`": "#96;"})


def to_mermaid(picture: Picture) -> str:
    """Return a picture as a flowchart of Mermaid."""
    return "\n".join(["flowchart TB", *_boxes(picture), *_links(picture)]) + "\n"


def _boxes(picture: Picture) -> Iterator[str]:
    open_until: list[int] = []
    for index, row in enumerate(picture.rows):
        while open_until and open_until[-1] <= index:
            open_until.pop()
            yield f"{'  ' * (len(open_until) + 1)}end"
        margin = "  " * (len(open_until) + 1)
        lines = [row.text if row.kind in {"pass", "nest"} else f"{row.kind} {row.text}"]
        lines += [", ".join(row.notes)] if row.notes else []
        text = "<br/>".join(line.translate(_ESCAPES) for line in lines)
        if row.kind == "pass" or row.end == index + 1:
            yield f'{margin}r{index}["{text}"]'
        else:
            yield f'{margin}subgraph r{index}["{text}"]'
            yield f"{margin}  direction TB"
            open_until.append(row.end)
    while open_until:
        open_until.pop()
        yield f"{'  ' * (len(open_until) + 1)}end"


def _links(picture: Picture) -> Iterator[str]:
    for (first, _), (second, _) in pairwise(picture.passes()):
        yield f"  r{first} --> r{second}"
    for arc in picture.arcs:
        text = arc.text.translate(_ESCAPES)
        yield f'  r{arc.subject} -. "{text}" .-> r{arc.target}'
    for number, interval in enumerate(picture.intervals):
        name = interval.name.translate(_ESCAPES)
        members = ",".join(f"r{row}" for row in interval.rows)
        yield f"  classDef t{number} stroke:{_COLORS[number % len(_COLORS)]},stroke-width:3px"
        yield f"  %% {name}"
        yield f"  class {members} t{number}"
