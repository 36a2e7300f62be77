"""Pictures of pipelines."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from builder_passes import A, B, Bufferize, Lower, OnFunc, X, made

from passel.builder import Bundle, Extension, PipelineBuilder, after_any, followed_by

TREE = """\
builtin.module         a b
├─ a
├─ bufferize           ●    by tensors (test_drawing.py:N)
├─ func.func           │
│  ├─ on-func          │    if fast, bundle both
│  ├─ x{n=3}           │    if fast, bundle both
│  └─ bundle block     │
│     └─ bufferize     ●
├─ stage pre_lowering
│  └─ b                     disabled
└─ stage lowering
   └─ lower              ●  by default

a bufferization: 'bufferize#2' to 'bufferize'
b lowering: 'lower'

'x' must run after at least one 'on-func'
'a' should be followed by some 'b'
"""


def drawn() -> PipelineBuilder:
    """Return a builder with one of everything."""

    def tensors(builder: PipelineBuilder) -> None:
        builder.insert_after(A, Bufferize())

    builder = made(A())
    nested = builder.nest("func.func")
    nested.add(Bundle("both", OnFunc(), X(n=3)), when="fast")
    nested.add(Bundle("block", Bufferize(), together=True))
    builder.stage("lowering", Lower())
    builder.add(B(), stage="pre_lowering")
    builder.disable(B)
    builder.constrain("x", after_any("on-func"))
    builder.constrain("a", followed_by(B))
    return builder.extend(Extension("tensors", tensors))


def test_tree() -> None:
    """Stages, blocks, conditions, who added what, types as columns, constraints."""
    assert re.sub(r"py:\d+", "py:N", drawn().draw()) == TREE


def test_svg_is_well_formed() -> None:
    """Each row is a box with its text; types are bars, with a dot for each pass; arcs have a head."""
    image = ET.fromstring(drawn().draw("svg"))  # noqa: S314 - our own
    name = "{http://www.w3.org/2000/svg}"
    picture = drawn().picture()
    boxes = [each.get("class") for each in image.iter(f"{name}rect") if each.get("class")]
    assert boxes == [row.kind for row in picture.rows]
    texts = ["".join(each.itertext()) for each in image.iter(f"{name}text")]
    assert "x{n=3}x{n=3}" in texts  # its title and itself
    assert len(list(image.iter(f"{name}circle"))) == 3
    arcs = [each.get("class") for each in image.iter(f"{name}path") if each.get("class")]
    assert sorted(map(str, arcs)) == ["arc", "arc weak"]


def test_nothing_sticks_out_of_the_image() -> None:
    """Boxes are inside of the image, and of the boxes around them."""
    image = ET.fromstring(drawn().draw("svg"))  # noqa: S314 - our own
    width, height = (float(image.get(key, "0")) for key in ("width", "height"))
    rows = drawn().picture().rows
    boxes: list[Any] = [
        tuple(float(each.get(key, "0")) for key in ("x", "y", "width", "height"))
        for each in image.iter("{http://www.w3.org/2000/svg}rect")
        if each.get("class")
    ]
    for index, row in enumerate(rows):
        x, y, w, h = boxes[index]
        assert x + w < width
        assert y + h < height
        for inner in boxes[index + 1 : row.end]:
            assert x < inner[0]
            assert inner[0] + inner[2] < x + w
            assert y < inner[1]
            assert inner[1] + inner[3] < y + h


def test_mermaid() -> None:
    """Boxes are closed where they end, passes follow each other, constraints are dotted."""
    text = drawn().draw("mermaid")
    assert text.count("subgraph") == text.count(" end\n")
    assert '    r5["x{n=3}<br/>if fast, bundle both"]\n' in text
    assert "  r4 --> r5\n" in text
    assert "  r5 -. \"must run after at least one 'on-func'\" .-> r4\n" in text
    assert "  class r2,r7 t0\n" in text


def test_dot() -> None:
    """Boxes are clusters; what stands in quotes is escaped."""
    text = drawn().draw("dot")
    assert text.count("{") - text.count("x{n=3}") == text.count("}") - text.count("x{n=3}")
    assert re.search(r"subgraph cluster_3 \{\n +label=\"func.func\";", text)
    assert "  r1 -> r9 [label=\"should be followed by some 'b'\", style=dotted" in text
    builder = PipelineBuilder('a"b')
    assert '"a\\"b"' in builder.draw("dot")
    assert '["a#quot;b"]' in builder.draw("mermaid")


def test_an_empty_pipeline() -> None:
    """There is something to see of it."""
    builder = PipelineBuilder()
    builder.stage("lowering", required=True)
    assert builder.draw() == "builtin.module\n└─ stage lowering  empty, required\n"


def test_unknown_forms() -> None:
    """The error names the forms."""
    form: Any = "png"
    with pytest.raises(ValueError, match="drawn as tree, mermaid, dot, svg, not as 'png'"):
        PipelineBuilder().draw(form)
