"""Declaring passes: name, anchor, interface, options and statistics."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any, Generic, TypeVar

import pytest

from passel import OperationPass, Statistic, option


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


def test_statistics_and_summary() -> None:
    """Statistics have the attributes' names, inherited first; a summary is the own docstring's."""
    assert [s.name for s in Hoist.statistics()] == ["moved", "kept"]
    assert [s.name for s in Hoist2.statistics()] == ["moved", "kept", "failed"]
    assert Hoist.moved.description == "Things moved"
    assert (Hoist.summary(), Hoist2.summary()) == ("Move things up.", "")


@pytest.mark.parametrize("op_class", [FuncOp, MlirFuncOp])
def test_the_anchor_comes_from_the_type_parameter_or_the_body(op_class: Any) -> None:
    """An op class of either IR will do, and is inherited; a type variable is none."""
    op_type = TypeVar("op_type")

    class Made(OperationPass[op_class]):
        pass

    class Derived(Made):
        pass

    class OnModule(OperationPass[op_class]):
        anchor = "toy.module"

    class Base(OperationPass[op_type], Generic[op_type]):
        pass

    class Concrete(Base[op_class]):
        anchor = "toy.func"

    assert Made.anchor == Derived.anchor == Concrete.anchor == "toy.func"
    assert (OnModule.anchor, Base.anchor) == ("toy.module", None)
