"""Builders as registered pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from builder_passes import A, OnFunc, made

from passel import (
    AnchorError,
    OpPassManager,
    PassManager,
    PassRegistry,
    PipelineError,
)

if TYPE_CHECKING:
    from passel.builder import PipelineBuilder


def registry_with(**builders: PipelineBuilder) -> PassRegistry:
    """Return a registry with builders as pipelines."""
    registry = PassRegistry()
    for name, builder in builders.items():
        registry.register_pipeline(name, builder)
    return registry


def test_another_anchor_is_refused() -> None:
    """A builder's pipeline stands where its anchor is, or any op; the error says where."""
    builder = made(OpPassManager("func.func").add(OnFunc()))
    registry = registry_with(p=builder)
    assert str(PassManager.parse("any(p)", registry=registry)) == "any(func.func(on-func))"
    with pytest.raises(AnchorError, match=r"for 'builtin\.module', not for") as caught:
        PassManager.parse("builtin.module(func.func(p))", registry=registry)
    assert caught.value.span is not None
    assert caught.value.span.column == 26


def test_what_it_cannot_build_is_refused() -> None:
    """A stage that is empty is an error at the place of the pipeline's name."""
    builder = made(A())
    builder.stage("lowering", required=True)
    with pytest.raises(PipelineError, match="stage 'lowering' has to be filled") as caught:
        PassManager.parse("any(p)", registry=registry_with(p=builder))
    assert caught.value.span is not None
