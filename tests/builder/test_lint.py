"""Lint: findings about a pipeline without IR."""

from __future__ import annotations

from typing import Any

import pytest
from builder_passes import A, B, X, made

from passel import PassRegistry
from passel.builder import (
    Bundle,
    DeclarationTable,
    PassType,
    PipelineBuilder,
    followed_by,
    lint,
)
from passel.diagnostics import Severity
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
    ("builtin.module(func.func(cse),gpu.module(gpu.func(cse)),func.func(sccp))", ["func.func"], "warning: two nested pipelines on 'func.func' run as one"),
    ("builtin.module(func.func(cse),func.func(cse))", ["func.func", "cse"], "warning: two nested pipelines"),
    ("builtin.module(cse,cse)", ["cse"], "warning: 'cse' runs twice in a row; the second run is redundant: remove one"),
    ("builtin.module(func.func(sccp),cse,canonicalize,func.func(sccp))", ["cse"], "warning: 'cse', 'canonicalize' run on 'builtin.module' between nested pipelines"),
    ("builtin.module(func.func(func.func(cse)))", ["func.func"], "warning: 'func.func' matches no op directly inside 'func.func': "),
    ("builtin.module(func.func())", ["func.func"], "warning: the nested pipeline on 'func.func' is empty: add a pass to it or remove it"),
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


def test_registered_pipelines_have_no_findings() -> None:
    """Lint does not report nested pipelines in registered pipelines, which cannot be merged."""
    registry = PassRegistry()
    registry.register(A)
    registry.register(B)

    def add(manager: Any) -> None:
        manager.add_nested("func.func", A()).add_nested("func.func", A())

    registry.register_pipeline("p", add)
    table = DeclarationTable()
    table.declare(A, idempotent=True)
    text = "builtin.module(p,func.func(b))"
    assert said(PipelineBuilder.parse(text, registry=registry, declarations=table)) == []


def test_types_that_no_pass_has() -> None:
    """Lint reports types that no pass has, with a suggestion."""
    builder = made(A())
    builder.add(Bundle("b", B(), types=(PassType("bufferisation"),)))
    builder.constrain("a", followed_by(PassType("my-own")))
    first, second = (message for message, _ in said(builder) if "which no pass has" in message)
    assert first.startswith("warning: bundle 'b' (")
    assert first.endswith(", which no pass has; did you mean 'bufferization'?")
    assert second.startswith("warning: a constraint on 'a'")
    assert second.endswith(" refers to type 'my-own', which no pass has; give a pass this type")


def test_broken_constraints_and_contracts_are_errors() -> None:
    """Broken contracts are errors."""

    class Live: ...

    find = type("Find", (A,), {"name": "find", "produces": (Live,)})
    use = type("Use", (B,), {"name": "use", "requires": (Live,)})
    builder = made(find(), X(), use())
    (finding,) = lint(builder)
    assert finding.severity is Severity.ERROR
    assert "does not claim to preserve Live" in finding.message
