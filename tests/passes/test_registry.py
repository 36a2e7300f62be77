"""Registries: names to passes and pipelines."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from passel import (
    DefinitionError,
    DuplicateNameError,
    OpPassManager,
    Pass,
    PassRegistry,
    default_registry,
)


class First(Pass):
    """The first."""

    name = "same"


class Second(Pass):
    """The second, of the same name."""

    name = "same"


def add_nothing(pm: OpPassManager) -> None:
    """Build an empty pipeline."""


def found(registry: PassRegistry, name: str) -> type[Pass[Any]] | None:
    """Return the class registered under a name."""
    info = registry.lookup_pass(name)
    return info and info.pass_class


def test_registering_works_as_a_decorator() -> None:
    """The class is returned, so that it can be decorated."""
    registry = PassRegistry()
    assert registry.register(First) is First
    assert found(registry, "same") is First


def test_an_unknown_name_is_none() -> None:
    """Lookups of names that are not registered return nothing."""
    assert PassRegistry().lookup_pass("x") is None
    assert PassRegistry().lookup_pipeline("x") is None


def test_registering_the_same_class_again_does_nothing() -> None:
    """Modules that register at import may be imported twice."""
    registry = PassRegistry()
    registry.register(First)
    info = registry.lookup_pass("same")
    registry.register(First)
    assert registry.lookup_pass("same") is info


def test_another_class_of_the_same_name_is_refused() -> None:
    """The error names both, and the way to replace; the first stays."""
    registry = PassRegistry()
    registry.register(First)
    with pytest.raises(DuplicateNameError) as info:
        registry.register(Second)
    assert str(info.value) == (
        f"'same' is already registered by {__name__}, and again by {__name__}; "
        "use override=True to replace it"
    )
    assert info.value.name == "same"
    assert found(registry, "same") is First


def test_override_replaces() -> None:
    """What is replaced on purpose is no error."""
    registry = PassRegistry()
    registry.register(First)
    registry.register(Second, override=True)
    assert found(registry, "same") is Second
    registry.register("same", lambda: First, override=True)
    assert found(registry, "same") is First


def test_a_pass_without_a_name_cannot_be_registered() -> None:
    """Nothing could refer to it."""

    class Nameless(Pass):
        pass

    with pytest.raises(DefinitionError, match=r"trying to register .*Nameless, which has no name"):
        PassRegistry().register(Nameless)


def test_factories_are_called_when_the_pass_is_used_and_once() -> None:
    """Registering, listing and looking up a name imports nothing."""
    calls: list[int] = []

    def factory() -> type[Pass[Any]]:
        calls.append(1)
        return First

    registry = PassRegistry()
    registry.register("lazy", factory, origin="here")
    info = registry.lookup_pass("lazy")
    assert info is not None
    assert ([*registry.passes()], info.origin, calls) == ([info], "here", [])
    assert info.pass_class is info.pass_class is First
    assert calls == [1]


def test_a_name_needs_a_factory() -> None:
    """A string alone registers nothing."""
    with pytest.raises(TypeError, match=r"register\('x'\) needs a factory"):
        PassRegistry().register("x")  # pyright: ignore[reportArgumentType]


def test_two_factories_of_one_name_are_refused() -> None:
    """Also without loading either, and each is named by its origin."""
    registry = PassRegistry()
    registry.register("lazy", lambda: First, origin="one")
    with pytest.raises(DuplicateNameError, match="registered by one, and again by two"):
        registry.register("lazy", lambda: First, origin="two")


def test_pipelines_have_a_table_of_their_own() -> None:
    """A pipeline may share a pass's name, but not another pipeline's."""
    registry = PassRegistry()
    registry.register(First)
    registry.register_pipeline("same", add_nothing, summary="All of it.")
    info = registry.lookup_pipeline("same")
    assert info is not None
    assert (info.summary, info.options, info.origin) == ("All of it.", None, __name__)
    assert found(registry, "same") is First
    with pytest.raises(DuplicateNameError):
        registry.register_pipeline("same", add_nothing)
    registry.register_pipeline("same", add_nothing, summary="Other.", override=True)
    replaced = registry.lookup_pipeline("same")
    assert replaced is not None
    assert replaced.summary == "Other."


def test_listings_are_sorted_by_name() -> None:
    """Help does not depend on the order of registration."""
    registry = PassRegistry()
    for name in ("c", "a", "b"):
        registry.register(name, lambda: First)
        registry.register_pipeline(name, add_nothing)
    assert [info.name for info in registry.passes()] == ["a", "b", "c"]
    assert [info.name for info in registry.pipelines()] == ["a", "b", "c"]


def test_suggestions_cover_passes_and_pipelines() -> None:
    """A slip of the fingers is answered with the closest name of either kind."""
    registry = PassRegistry()
    registry.register("canonicalize", lambda: First)
    registry.register_pipeline("optimize", add_nothing)
    assert registry.suggest("canonicalise") == "; did you mean 'canonicalize'?"
    assert registry.suggest("optimise") == "; did you mean 'optimize'?"
    assert registry.suggest("zzz") == ""


def test_a_copy_is_independent() -> None:
    """Adding to a copy does not change the original, and back."""
    registry = PassRegistry()
    registry.register(First)
    copy = registry.copy()
    copy.register("more", lambda: First)
    copy.register_pipeline("line", add_nothing)
    assert found(copy, "same") is First
    assert registry.lookup_pass("more") is None
    assert registry.lookup_pipeline("line") is None


class EntryPoint:
    """What an installed package offers."""

    def __init__(self, name: str, register: Any) -> None:
        self.name, self._register = name, register

    def load(self) -> Any:
        """Import it."""
        if isinstance(self._register, Exception):
            raise self._register
        return self._register


def test_the_default_registry_has_the_passes_of_installed_packages(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Entry points are called at the first lookup, by name; a broken one is logged and left out."""
    groups: list[str] = []
    order: list[str] = []

    def good(registry: PassRegistry) -> None:
        order.append("good")
        registry.register(First)

    def bad(registry: PassRegistry) -> None:
        order.append("bad")
        raise ValueError

    def entry_points(*, group: str) -> list[EntryPoint]:
        groups.append(group)
        broken = ImportError("gone")
        return [EntryPoint("z", good), EntryPoint("a", bad), EntryPoint("m", broken)]

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    default_registry.cache_clear()
    try:
        with caplog.at_level(logging.ERROR, "passel"):
            registry = default_registry()
            assert default_registry() is registry
            assert order == []
            assert list(registry.passes())
    finally:
        default_registry.cache_clear()
    assert groups == ["passel.passes"]
    assert order == ["bad", "good"]
    assert found(registry, "same") is First
    assert [record.getMessage() for record in caplog.records] == [
        "entry point 'a' of passel.passes failed; skipped",
        "entry point 'm' of passel.passes failed; skipped",
    ]
