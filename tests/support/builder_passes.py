"""Passes that do nothing, to build pipelines of."""

from __future__ import annotations

from passel import OperationPass, Pass
from passel.builder import BUFFERIZATION, LOWERING, PipelineBuilder


class A(Pass):
    """A pass for any op."""

    name = "a"


class B(Pass):
    """Another one."""

    name = "b"


class X(Pass):
    """One that can be told from its like."""

    name = "x"
    n: int = 0


class Bufferize(Pass):
    """One with a type."""

    name = "bufferize"
    types = (BUFFERIZATION,)


class Lower(Pass):
    """One with another type."""

    name = "lower"
    types = (LOWERING,)


class OnFunc(OperationPass):
    """One for functions."""

    name = "on-func"
    anchor = "func.func"


class OnModule(OperationPass):
    """One for modules."""

    name = "on-module"
    anchor = "builtin.module"


def made(*items: object) -> PipelineBuilder:
    """Return a builder with these items."""
    builder = PipelineBuilder("builtin.module")
    builder.add(*items)
    return builder


def snapshot(builder: PipelineBuilder) -> list[object]:
    """Return all that a call may change: steps with their labels, nesting and constraints."""
    rules = [
        (step.label, str(rule.constraint), rule.source) for rule, step in builder.constraints()
    ]
    steps = [(step.label, step.pass_) for step in builder.steps()]
    return [str(builder), *steps, *sorted(rules)]
