"""What stands in a stage by default: steps like any other, until something comes instead."""

from __future__ import annotations

import pytest
from builder_passes import A, B, Bufferize, OnFunc, X

from passel import InsertionError, OpPassManager
from passel.builder import (
    BUFFERIZATION,
    PipelineBuilder,
    Stage,
    after_any,
    before_first,
)


def framework(*default: object) -> PipelineBuilder:
    """Return a builder with a stage `middle` between others."""
    builder = PipelineBuilder()
    builder.add(B())
    builder.stage("middle", *(default or (Bufferize(), A())))
    return builder


def test_it_is_found_and_shown() -> None:
    """By name, class, type and stage."""
    builder = framework()
    assert str(builder) == str(builder.build()) == "builtin.module(b,bufferize,a)"
    for target in ("a", A, BUFFERIZATION, Stage("middle")):
        assert target in builder
    assert builder.find("middle") == (*builder.find("bufferize"), *builder.find("a"))


def test_what_is_put_next_to_it_lets_it_stay() -> None:
    """Also if something is put into the stage afterwards, or one that it was put next to is gone."""
    builder = framework()
    builder.insert_after(BUFFERIZATION, X())
    builder.add(B(), stage="middle")
    builder.remove(A)
    assert str(builder.build()) == "builtin.module(b,bufferize,x,b)"


def test_what_is_put_next_to_the_stage_is_not_in_it() -> None:
    """The default goes once something is put into the stage."""
    builder = framework()
    builder.insert_after(Stage("middle"), X())
    builder.add(B(), stage="middle")
    builder.add(A(), stage="middle")
    assert str(builder.build()) == "builtin.module(b,b,a,x)"


def test_what_is_taken_out_does_not_come_back() -> None:
    """A default of which all is left out is built as nothing."""
    builder = framework()
    builder.remove(Bufferize)
    builder.remove(A)
    assert str(builder.build()) == "builtin.module(b)"


def test_constraints_order_it() -> None:
    """Before and in a nested pipeline; a wrong place is refused at once."""
    builder = framework(OpPassManager("func.func").add("canonicalize,cse"))
    builder.constrain(X, before_first("canonicalize"))
    builder.constrain(OnFunc, after_any("canonicalize"), before_first("cse"))
    builder.place(OnFunc())
    builder.place(X())
    assert str(builder) == "builtin.module(b,x,func.func(canonicalize,on-func,cse))"
    with pytest.raises(InsertionError, match="'canonicalize' runs earlier"):
        builder.add(X())
