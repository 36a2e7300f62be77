"""Pictures of pipelines."""

from __future__ import annotations

import re

from builder_passes import A, B, Bufferize, Lower, OnFunc, X, made

from passel.builder import Bundle, Extension, PipelineBuilder, after_any, followed_by

TREE = """\
builtin.module         a b
├─ a
├─ bufferize           ●    by tensors (test_drawing.py:N)
├─ func.func           │
│  ├─ on-func          │    bundle both
│  ├─ x{n=3}           │    bundle both
│  └─ bufferize        ●
├─ stage pre_lowering
│  └─ b
└─ stage lowering
   └─ lower              ●  by default

a bufferization: 'bufferize#2' to 'bufferize'
b lowering: 'lower'

'x' must run after at least one 'on-func'
'a' should be followed by 'b'
"""


def drawn() -> PipelineBuilder:
    """Return a builder with a nested pipeline, bundles, stages and constraints."""

    def tensors(builder: PipelineBuilder) -> None:
        builder.insert_after(A, Bufferize())

    builder = made(A())
    nested = builder.nest("func.func")
    nested.add(Bundle("both", OnFunc(), X(n=3)))
    nested.add(Bufferize())
    builder.stage("lowering", Lower())
    builder.add(B(), stage="pre_lowering")
    builder.constrain("x", after_any("on-func"))
    builder.constrain("a", followed_by(B))
    return builder.extend(Extension("tensors", tensors))


def test_tree() -> None:
    """The picture shows nesting, authors, intervals of types, and constraints."""
    assert re.sub(r"py:\d+", "py:N", drawn().draw()) == TREE


def test_an_empty_pipeline() -> None:
    """The picture shows empty stages, but no empty stages around them."""
    builder = PipelineBuilder()
    builder.stage("lowering", required=True)
    assert builder.draw() == "builtin.module\n└─ stage lowering  empty, required\n"
