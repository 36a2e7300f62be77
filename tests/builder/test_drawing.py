"""Pictures of pipelines."""

from __future__ import annotations

import re

from builder_passes import A, B, Bufferize, Lower, OnFunc, X, made

from passel.builder import Bundle, Extension, PipelineBuilder, Stage

TREE = """\
builtin.module
├─ a
├─ bufferize       bufferization, by tensors (test_drawing.py:N)
├─ func.func
│  ├─ on-func      bundle both
│  ├─ x{n=3}       bundle both
│  └─ bufferize    bufferization
├─ b
└─ stage lowering
   └─ lower        lowering
"""


def drawn() -> PipelineBuilder:
    """Return a builder with a nested pipeline, a bundle and a stage."""

    def tensors(builder: PipelineBuilder) -> None:
        builder.insert_after(A, Bufferize())

    builder = made(A())
    nested = builder.nest("func.func")
    nested.add(Bundle("both", OnFunc(), X(n=3)))
    nested.add(Bufferize())
    builder.stage("lowering", Lower())
    builder.insert_before(Stage("lowering"), B())
    return builder.extend(Extension("tensors", tensors))


def test_tree() -> None:
    """The picture shows nesting, stages, types, bundles and authors."""
    assert re.sub(r"py:\d+", "py:N", drawn().draw()) == TREE
