"""Passes without effect, for tests of builders."""

from __future__ import annotations

from passel import OperationPass, Pass
from passel.builder import BUFFERIZATION, LOWERING, PipelineBuilder


class A(Pass):
    """A pass for any op."""

    name = "a"


class B(Pass):
    """Another such pass."""

    name = "b"


class X(Pass):
    """A pass with an option."""

    name = "x"
    n: int = 0


class Bufferize(Pass):
    """A bufferization pass."""

    name = "bufferize"
    types = (BUFFERIZATION,)


class Lower(Pass):
    """A lowering pass."""

    name = "lower"
    types = (LOWERING,)


class OnFunc(OperationPass):
    """A pass on functions."""

    name = "on-func"
    anchor = "func.func"


class OnModule(OperationPass):
    """A pass on modules."""

    name = "on-module"
    anchor = "builtin.module"


def made(*items: object) -> PipelineBuilder:
    """Return a builder with some items."""
    builder = PipelineBuilder("builtin.module")
    builder.add(*items)
    return builder


def snapshot(builder: PipelineBuilder) -> list[object]:
    """Return the state that a call can change: nesting, labels and constraints."""
    rules = [
        (step.label, str(rule.constraint), rule.source) for rule, step in builder.constraints()
    ]
    steps = [(step.label, step.pass_) for step in builder.steps()]
    return [str(builder), *steps, *sorted(rules)]
