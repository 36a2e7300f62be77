"""A pipeline as an SVG image: boxes in boxes, types as bars beside them, constraints as arcs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

from passel.builder.drawing.colors import color_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.drawing.picture import Arc, Picture

_ROW = 26
_INDENT = 18
_GAP = 5
_CHARACTER = 7.3
"""Width of a character of the passes' font, rounded up."""
_SMALL = 6.2
"""Average width of a character of the notes' font, rounded up."""
_COLUMN = 24
_MARGIN = 16
_LONGEST = 64
_SLANT = 0.7

_STYLE = """\
text { font: 12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328; }
.note, .type { font: 11px system-ui, 'Helvetica Neue', Arial, sans-serif; fill: #656d76; }
.title { font-weight: 600; }
.off { fill: #8c959f; text-decoration: line-through; }
.nest { fill: #f6f8fa; stroke: #d0d7de; }
.stage { fill: #fff8e6; stroke: #d4a72c; stroke-dasharray: 4 3; }
.bundle { fill: #eef6ff; stroke: #54aeff; }
.pass { fill: #ffffff; stroke: #d0d7de; }
.arc { fill: none; stroke: #656d76; stroke-width: 1.2; }
.weak { stroke-dasharray: 3 3; }
"""


class _Layout(NamedTuple):
    """Where things are, in pixels.

    Attributes:
        left: Where the outermost box begins.
        top: Where it begins.
        rows: Where each row begins.
        width: Its width.
        notes: Where notes begin.
        types: Where the bars of types begin.
        total: The width of the image.
        height: The height of the image.
    """

    left: float
    top: float
    rows: tuple[float, ...]
    width: float
    notes: float
    types: float
    total: float
    height: float


def to_svg(picture: Picture) -> str:
    """Return a picture as a self-contained SVG image."""
    layout = _layout(picture)
    size = f'width="{layout.total:.0f}" height="{layout.height:.0f}"'
    view = f'viewBox="0 0 {layout.total:.0f} {layout.height:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img">',
        f"<title>{escape(picture.rows[0].text)}</title>",
        f"<style>{_STYLE}</style>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *_boxes(picture, layout),
        *_bars(picture, layout),
        *_arcs(picture, layout),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _layout(picture: Picture) -> _Layout:
    left = _MARGIN + (18 + 12 * _lanes(picture)[1] if picture.arcs else 0)
    width = max(
        2 * _INDENT * row.depth + 24 + _CHARACTER * len(_title(row.kind, row.text))
        for row in picture.rows
    )
    widest = max((_SMALL * len(", ".join(row.notes)) for row in picture.rows), default=0.0)
    notes = left + width + 14
    types = notes + (widest + 14 if widest else 0)
    names = [_SMALL * len(interval.name) for interval in picture.intervals]
    top = _MARGIN + max((_SLANT * name + 8 for name in names), default=0)
    slanted = max(
        (index * _COLUMN + _SLANT * name for index, name in enumerate(names)), default=0.0
    )
    total = types + slanted + (_COLUMN if names else 0) + _MARGIN
    rows = tuple(_tops(picture, top))
    height = _bottom(picture, rows, 0) + _MARGIN
    return _Layout(left, top, rows, width, notes, types, total, height)


def _tops(picture: Picture, top: float) -> Iterator[float]:
    """Yield where rows begin: below the lower edges of boxes that end before them."""
    for index in range(len(picture.rows)):
        yield (
            top
            + _ROW * index
            + _GAP * sum(row.end <= index for row in picture.rows[:index] if row.kind != "pass")
        )


def _bottom(picture: Picture, rows: tuple[float, ...], index: int) -> float:
    """Return where the box of a row ends."""
    end = picture.rows[index].end
    inner = sum(row.end == end for row in picture.rows[index + 1 : end] if row.kind != "pass")
    is_pass = picture.rows[index].kind == "pass"
    return rows[end - 1] + _ROW - 2 + (0 if is_pass else _GAP * (inner + 0.5))


def _title(kind: str, text: str) -> str:
    title = f"{kind} {text}" if kind in {"stage", "bundle"} else text
    return title if len(title) <= _LONGEST else f"{title[: _LONGEST - 1]}…"


def _middle(layout: _Layout, index: int) -> float:
    return layout.rows[index] + _ROW / 2


def _boxes(picture: Picture, layout: _Layout) -> Iterator[str]:
    for index, row in enumerate(picture.rows):
        x = layout.left + _INDENT * row.depth
        width = layout.width - 2 * _INDENT * row.depth
        y = layout.rows[index] + 2
        height = _bottom(picture, layout.rows, index) - y
        yield (
            f'<rect class="{row.kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" rx="5"/>'
        )
        names = {"pass": "" if row.enabled else "off"}.get(row.kind, "title")
        yield (
            f'<text class="{names}" x="{x + 10:.1f}" y="{_middle(layout, index) + 4:.1f}">'
            f"<title>{escape(row.text)}</title>{escape(_title(row.kind, row.text))}</text>"
        )
        if row.notes:
            yield (
                f'<text class="note" x="{layout.notes:.1f}" '
                f'y="{_middle(layout, index) + 4:.1f}">{escape(", ".join(row.notes))}</text>'
            )


def _bars(picture: Picture, layout: _Layout) -> Iterator[str]:
    for number, interval in enumerate(picture.intervals):
        x = layout.types + _COLUMN * number + 6
        color = color_of(number)
        first, last = (_middle(layout, interval.rows[i]) for i in (0, -1))
        name = escape(interval.name)
        yield (
            f'<text class="type" transform="translate({x - 2:.1f} {layout.top - 2:.1f}) '
            f'rotate(-45)" style="fill:{color}">{name}</text>'
        )
        yield (
            f'<rect x="{x - 4:.1f}" y="{first - 8:.1f}" width="8" height="{last - first + 16:.1f}" '
            f'rx="4" fill="{color}" opacity="0.25"><title>{name}</title></rect>'
        )
        for row in interval.rows:
            y = _middle(layout, row)
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>'


def _lanes(picture: Picture) -> tuple[dict[Arc, int], int]:
    """Return a lane for each arc, such that those in one lane do not overlap."""
    lanes: list[list[Arc]] = []
    found: dict[Arc, int] = {}
    for arc in sorted(dict.fromkeys(picture.arcs), key=lambda a: abs(a.subject - a.target)):
        free = (n for n, lane in enumerate(lanes) if not any(_overlap(arc, a) for a in lane))
        number = next(free, len(lanes))
        if number == len(lanes):
            lanes.append([])
        lanes[number].append(arc)
        found[arc] = number
    return found, len(lanes)


def _overlap(one: Arc, other: Arc) -> bool:
    first, last = sorted((one.subject, one.target))
    return first <= max(other.subject, other.target) and min(other.subject, other.target) <= last


def _arcs(picture: Picture, layout: _Layout) -> Iterator[str]:
    lanes, _ = _lanes(picture)
    if lanes:
        yield (
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#656d76"/>'
            "</marker></defs>"
        )
    for arc, lane in lanes.items():
        x = layout.left - 14 - 12 * lane
        starts = [layout.left + _INDENT * picture.rows[row].depth for row in arc[:2]]
        y1, y2 = (_middle(layout, row) for row in arc[:2])
        style = "arc" if arc.strong else "arc weak"
        label = f"{picture.rows[arc.subject].label} {arc.text}"
        yield (
            f'<path class="{style}" d="M{starts[0]:.1f} {y1:.1f} H{x + 6:.1f} Q{x:.1f} {y1:.1f} '
            f"{x:.1f} {y1 + (6 if y2 > y1 else -6):.1f} V{y2 + (-6 if y2 > y1 else 6):.1f} "
            f'Q{x:.1f} {y2:.1f} {x + 6:.1f} {y2:.1f} H{starts[1]:.1f}" marker-end="url(#head)">'
            f"<title>{escape(label)}</title></path>"
        )
