"""Pickling and `deepcopy` of builders, managers and registries."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from builder_passes import X

from passel import InsertionError, Pass, PassRegistry, default_registry
from passel.builder import PipelineBuilder, after_all

if TYPE_CHECKING:
    from collections.abc import Callable


def through_pickle(thing: Any) -> Any:
    """Return a pickled and unpickled copy."""
    return pickle.loads(pickle.dumps(thing))


COPIES = [through_pickle, copy.deepcopy]


def own_registry() -> PassRegistry:
    """Return a registry with a class, a lazy pass, and the installed passes."""
    registry = PassRegistry(default_registry())
    registry.register(X)
    registry.register("late", "builder_passes:A")
    return registry


@pytest.mark.parametrize("copied", COPIES)
def test_builders(copied: Callable[[Any], Any]) -> None:
    """A copy has the same steps, labels, constraints and registry, and changes independently."""
    builder = PipelineBuilder(registry=own_registry())
    with builder.nest("func.func") as functions:
        first = functions.add("canonicalize")
        functions.add("x{n=4}")
    builder.constrain("cse", after_all("canonicalize"))
    before = str(builder.build())
    # Classes of other builders stay behind: it may not be possible to import them.
    another = PipelineBuilder()
    another.add(type("Hidden", (Pass,), {"name": "hidden"})())
    another.build()
    other: PipelineBuilder = copied(builder)
    assert str(other.build()) == before
    with pytest.raises(InsertionError, match="canonicalize"):
        other.insert_before(first, "cse")
    other.insert_after(first, "cse")
    assert str(other.build()) == ("builtin.module(func.func(canonicalize,cse,x{n=4}))")
    assert str(builder.build()) == before


def test_registries() -> None:
    """A copy contains registered passes and finds the installed ones."""
    registry = own_registry()
    other = through_pickle(registry)
    other.register(type("More", (Pass,), {"name": "more"}))
    assert "late" in other
    assert "cse" in other
    assert "more" not in registry
    assert through_pickle(default_registry()) is default_registry()
