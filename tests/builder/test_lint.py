"""Lint: findings about a pipeline without IR."""

from __future__ import annotations

from typing import Any

import pytest

from passel.builder import (
    PipelineBuilder,
    lint,
)
from passel.mlir import MLIRAdapter
from passel.xdsl import XDSLAdapter


def said(builder: PipelineBuilder, adapter: Any = None) -> list[tuple[str, str]]:
    """Return the findings, each with the text at its place."""
    return [
        (f"{each.severity.value}: {each.message}", each.span.text if each.span else "")
        for each in lint(builder, adapter)
    ]


FINDINGS: list[tuple[str, list[str], str]] = [
    ("builtin.module(func.func(cse,canonicalize),symbol-dce)", [], ""),
    ("builtin.module(builtin.module(func.func(cse)))", [], ""),
    ("builtin.module(any(cse),any(canonicalize),cse,any(cse))", [], ""),
    ("builtin.module(cse,canonicalize,cse)", [], ""),
    ("builtin.module()", [], ""),
    ("builtin.module(cse,cse)", ["cse"], "warning: 'cse' runs twice in a row; the second run is redundant: remove one"),
    ("builtin.module(func.func(sccp),cse,canonicalize,func.func(sccp))", ["cse"], "warning: 'cse', 'canonicalize' run on 'builtin.module' between nested pipelines"),
    ("builtin.module(func.fun(cse))", ["func.fun"], "error: no registered operation is called 'func.fun'; did you mean 'func.func'?"),
    ("builtin.module(scf.for(cse))", ["scf.for"], "error: 'scf.for' cannot anchor a pipeline: it is not marked as 'IsolatedFromAbove'"),
]  # fmt: skip


@pytest.mark.parametrize("adapter", [XDSLAdapter, MLIRAdapter])
@pytest.mark.parametrize(("text", "about", "expected"), FINDINGS)
def test_findings(adapter: Any, text: str, about: list[str], expected: str) -> None:
    """Each finding has a place and suggests a fix; a good pipeline has no findings."""
    found = said(PipelineBuilder.parse(text, adapter=adapter()), adapter())
    assert [place for _, place in found] == about
    assert not found or found[0][0].startswith(expected)
