"""Declaring passes: name, anchor, interface, options and statistics."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any, Generic, TypeVar

import pytest

from passel import (
    OperationPass,
    Statistic,
    option,
)
from passel.testing import ToyAdapter

FUNC = ToyAdapter.kinds["toy.func"]
MODULE = ToyAdapter.kinds["toy.module"]


class FuncOp:
    """An op class."""

    name = "toy.func"


class MlirFuncOp:
    """An op class of MLIR's bindings."""

    OPERATION_NAME = "toy.func"

    @property
    def name(self) -> str:
        """An attribute of the op."""
        return "x"


class Hoist(OperationPass[FuncOp]):
    """Move things up.

    And explain at length.
    """

    name = "hoist"
    dependent_dialects = ("extra",)
    limit: int = option(default=100)
    moved = Statistic("Things moved")
    kept_back = Statistic("Things kept", name="kept")


class Hoist2(Hoist):  # noqa: D101 - that is its point
    name = "hoist2"
    failed = Statistic("Things dropped")


def test_a_pass_is_a_frozen_value() -> None:
    """Passes compare, hash and pickle by class and options, and cannot be changed."""
    assert Hoist(limit=3) == Hoist(limit=3)
    assert Hoist(limit=3) != Hoist(limit=4)
    assert Hoist() != Hoist2()
    assert hash(Hoist(limit=3)) == hash(Hoist(limit=3))
    assert pickle.loads(pickle.dumps(Hoist(limit=3))) == Hoist(limit=3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Hoist().limit = 3  # pyright: ignore[reportAttributeAccessIssue]


def test_statistics_are_named_after_their_attribute() -> None:
    """Dashes for underscores unless a name is given; inherited ones come first."""
    assert [s.name for s in Hoist.statistics()] == ["moved", "kept"]
    assert [s.name for s in Hoist2.statistics()] == ["moved", "kept", "failed"]
    assert Hoist.moved.description == "Things moved"


def test_the_summary_is_the_first_line_of_the_own_docstring() -> None:
    """Without a docstring there is no summary, neither inherited nor generated."""
    assert Hoist.summary() == "Move things up."
    assert Hoist2.summary() == ""


@pytest.mark.parametrize("op_class", [FuncOp, MlirFuncOp])
def test_the_anchor_comes_from_the_type_parameter(op_class: Any) -> None:
    """An op class of either IR is enough to say what a pass runs on; it is inherited."""

    class Made(OperationPass[op_class]):
        pass

    class Derived(Made):
        pass

    assert Made.anchor == Derived.anchor == "toy.func"


def test_an_anchor_in_the_class_body_wins() -> None:
    """Where there is no op class, or another is meant, the body says so."""

    class OnModule(OperationPass[FuncOp]):
        anchor = "toy.module"

    class ByName(OperationPass):
        anchor = "toy.func"

    assert (OnModule.anchor, ByName.anchor) == ("toy.module", "toy.func")


def test_a_generic_pass_waits_for_its_subclass() -> None:
    """A type variable is no anchor; the subclass names one in its body."""
    op_type = TypeVar("op_type")

    class Base(OperationPass[op_type], Generic[op_type]):
        pass

    class Concrete(Base[FuncOp]):
        anchor = "toy.func"

    assert Base.anchor is None
    assert Concrete.anchor == "toy.func"
