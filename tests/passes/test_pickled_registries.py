"""Pickling of registries, which workers of executors get."""

from __future__ import annotations

import pickle

from builder_passes import X

from passel import Pass, PassRegistry, default_registry


def test_registries() -> None:
    """A copy contains registered passes and finds the installed ones."""
    registry = PassRegistry(default_registry())
    registry.register(X)
    registry.register("late", "builder_passes:A")
    other = pickle.loads(pickle.dumps(registry))
    other.register(type("More", (Pass,), {"name": "more"}))
    assert all(name in other for name in ("x", "late", "cse"))
    assert "more" not in registry
    assert pickle.loads(pickle.dumps(default_registry())) is default_registry()
