"""Registries: names to passes and pipelines."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from passel import (
    DefinitionError,
    DuplicateNameError,
    OpPassManager,
    Pass,
    PassRegistry,
    default_registry,
)
from passel.ir import adapter_names
from passel.passes import PassInfo, PassPipelineInfo
from passel.passes.registry import installed_registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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


def test_what_cannot_be_registered_is_refused() -> None:
    """Of two classes with a name, the first stays; a class needs a name, and a name a factory."""
    registry = PassRegistry()
    with pytest.raises(DefinitionError, match=r"trying to register Nameless, which has no name"):
        registry.register(type("Nameless", (Pass,), {}))
    with pytest.raises(TypeError, match=r"register\('x'\) needs a factory"):
        registry.register("x")  # pyright: ignore[reportArgumentType]
    registry.register(First)
    registry.register(First)  # modules may be imported twice
    with pytest.raises(DuplicateNameError) as info:
        registry.register(Second)
    assert str(info.value) == (
        f"'same' is already registered by {__name__}, and again by {__name__}; "
        "use override=True to replace it"
    )
    assert info.value.name == "same"
    assert found(registry, "same") is First


def test_a_class_that_is_defined_anew_takes_the_place_of_the_old_one() -> None:
    """A cell of a notebook may be run again, and a module reloaded."""
    registry = PassRegistry()

    def made() -> type[Pass]:
        class Again(Pass):
            name = "again"

        return Again

    with pytest.raises(DuplicateNameError, match="again"):  # a function's classes are others
        list(map(registry.register, [made(), made()]))
    first, second = made(), made()
    first.__qualname__ = second.__qualname__ = "Again"
    registry = PassRegistry()
    registry.register(first)
    assert registry.register(second) is found(registry, "again") is second


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
    assert info.pass_class is info.pass_class
    assert issubclass(info.pass_class, First)
    assert calls == [1]


def test_a_factory_may_be_a_place() -> None:
    """`module:Class` is imported when the pass is used; an error names what is not there."""
    registry = PassRegistry()
    registry.register("there", "passel.manager.combinators:CompositeFixedPoint")
    registry.register("nowhere", "passel.manager.combinators:Nothing")
    registry.register("no-module", "passel.no_such_module:Nothing")
    found = {info.name: info for info in registry.passes()}
    assert found["there"].origin == "passel.manager.combinators"
    assert found["there"].pass_class.__name__ == "CompositeFixedPoint"
    with pytest.raises(
        DefinitionError,
        match=r"pass 'nowhere' of .* cannot be loaded: .*combinators has no Nothing",
    ):
        _ = found["nowhere"].pass_class
    with pytest.raises(DefinitionError, match=r"cannot be loaded: ModuleNotFoundError: .*no_such"):
        _ = found["no-module"].pass_class


class EntryPoint:
    """What an installed package offers."""

    package = "pytest"

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
    """Entry points are called at the first lookup, by name; broken ones are logged with the list."""
    groups: list[str] = []
    order: list[str] = []

    def good(registry: PassRegistry) -> None:
        order.append("good")
        registry.register(First)
        registry.register_pipeline("line", add_nothing)

    def bad(registry: PassRegistry) -> None:
        order.append("bad")
        raise ValueError

    def entry_points(group: str) -> list[EntryPoint]:
        groups.append(group)
        broken = ImportError("gone")
        return [EntryPoint("a", bad), EntryPoint("m", broken), EntryPoint("z", good)]

    adapter_names()  # which are read once
    monkeypatch.setattr("passel.ir.left_out._left_out", {})
    monkeypatch.setattr("passel.passes.registry.entry_points", entry_points)
    default_registry.cache_clear()
    installed_registry.cache_clear()
    try:
        with caplog.at_level(logging.WARNING, "passel"):
            registry = default_registry()
            assert default_registry() is registry
            assert order == []
            assert registry.lookup_pass("same")
            assert not caplog.records
            assert list(registry.passes())
            assert list(registry.passes())
    finally:
        default_registry.cache_clear()
        installed_registry.cache_clear()
    assert groups == ["passel.passes"]
    package = f"package 'pytest' {pytest.__version__}"
    assert order == ["bad", "good"]
    infos = registry.lookup_pass("same"), registry.lookup("line")
    assert {info.origin for info in infos if info} == {f"{__name__} of {package}"}
    assert found(registry, "same") is First
    assert sorted(record.getMessage() for record in caplog.records) == [
        f"{package} is left out: ImportError: gone (entry point 'm' of passel.passes)",
        f"{package} is left out: ValueError (entry point 'a' of passel.passes)",
    ]


def test_an_entry_point_of_an_ir_is_for_that_ir(monkeypatch: pytest.MonkeyPatch) -> None:
    """One with the name of an IR that has an adapter is not loaded for another IR."""
    loaded: list[str] = []

    def load(name: str) -> Callable[[PassRegistry], None]:
        return lambda _: loaded.append(name)

    def entry_points(group: str) -> list[EntryPoint]:
        return [EntryPoint(name, load(name)) for name in ("mlir", "xdsl", "zoo")]

    assert {"mlir", "xdsl"} <= set(adapter_names())
    monkeypatch.setattr("passel.passes.registry.entry_points", entry_points)
    default_registry.cache_clear()
    installed_registry.cache_clear()
    try:
        registry = default_registry()
        registry.lookup_pass("x", ir="xdsl")
        assert loaded == ["xdsl", "zoo"]
        assert list(registry.passes()) == []
        assert loaded == ["xdsl", "zoo", "mlir"]
    finally:
        default_registry.cache_clear()
        installed_registry.cache_clear()


# -- Registries for one IR, and chains of sources --------------------------------------------


class Own:
    """An IR's own passes: `own-a` and `own-b`, and `lost`, which it does not have after all."""

    ir = "zoo"

    def lookup(self, name: str, *, ir: str = "") -> PassInfo | PassPipelineInfo | None:
        """Return a pass, or the pipeline."""
        assert ir in ("", "zoo")
        if name == "own-line":
            return PassPipelineInfo(name, add_nothing)
        return PassInfo(name, "zoo", First, "zoo") if name in ("own-a", "own-b") else None

    def entries(self, *, ir: str = "") -> Iterator[PassInfo | PassPipelineInfo]:
        """Yield the passes: it cannot list pipelines."""
        return filter(None, map(self.lookup, ("own-b", "own-a")))

    def names(self, *, ir: str = "") -> Iterator[str]:
        """Yield what may be meant."""
        return iter(("own-a", "own-b", "lost"))


def names(registry: PassRegistry, ir: str = "") -> list[str]:
    """List the passes."""
    return [info.name for info in registry.passes(ir=ir)]


def test_passes_for_different_irs_share_a_name() -> None:
    """Each IR sees its own; who asks for none in particular sees the first."""
    registry = PassRegistry()
    registry.register("cse", lambda: First, origin="one", ir="zoo")
    registry.register("cse", lambda: Second, origin="two", ir="farm")
    registry.register("any", lambda: First)
    registry.register_pipeline("line", add_nothing, summary="zoo", ir="zoo")
    registry.register_pipeline("line", add_nothing, summary="farm", ir="farm")
    for ir, origin in (("zoo", "one"), ("farm", "two"), ("", "one")):
        info = registry.lookup_pass("cse", ir=ir)
        assert info is not None
        assert info.origin == origin
        line = registry.lookup("line", ir=ir)
        assert isinstance(line, PassPipelineInfo)
        assert line.summary == (ir or "zoo")
        assert names(registry, ir) == ["any", "cse"]
    assert registry.lookup_pass("cse", ir="sea") is None
    assert names(registry, "sea") == ["any"]
    assert [*registry.pipelines(ir="sea")] == []


@pytest.mark.parametrize(("first", "second"), [("", "zoo"), ("zoo", ""), ("zoo", "zoo"), ("", "")])
def test_what_one_ir_would_see_twice_is_refused(first: str, second: str) -> None:
    """A pass for any IR has its name for every IR; replacing it on purpose is fine."""
    registry = PassRegistry()
    registry.register("cse", lambda: First, origin="one", ir=first)
    with pytest.raises(DuplicateNameError, match="registered by one, and again by two"):
        registry.register("cse", lambda: Second, origin="two", ir=second)
    registry.register("cse", lambda: Second, origin="two", ir=second, override=True)
    assert issubclass(found(registry.for_ir("zoo"), "cse") or int, Second)


def test_a_registry_for_one_ir() -> None:
    """It shows what is registered for the IR or for all, then what the IR brings."""
    registry = PassRegistry()
    registry.register("mine", lambda: First)
    registry.register("farmers", lambda: First, ir="farm")
    registry.register("own-b", lambda: Second)
    zoo = registry.for_ir("zoo", Own())
    assert names(zoo) == ["mine", "own-a", "own-b"]
    assert issubclass(found(zoo, "own-b") or int, Second)
    assert issubclass(found(zoo, "own-a") or int, First)
    assert "farmers" not in zoo
    assert "own-line" in zoo
    assert zoo.suggest("own-aa") == "; did you mean 'own-a'?"
    assert zoo.suggest("mime") == "; did you mean 'mine'?"
    assert zoo.suggest("farmer") == ""
    assert zoo.suggest("lots") == ""  # close to what does not exist


def test_what_is_added_for_one_ir_is_everywhere() -> None:
    """Listings, suggestions and copies of a registry for one IR have its own entries, too."""
    registry = PassRegistry()
    zoo = registry.for_ir("zoo", Own())
    zoo.register("plugin", lambda: First)
    zoo.register_pipeline("tidy", add_nothing)
    for each in (zoo, zoo.copy(), zoo.for_ir("zoo", Own())):
        assert "plugin" in names(each)
        assert [info.name for info in each.pipelines()] == ["tidy"]
        assert each.suggest("plugni") == "; did you mean 'plugin'?"
        assert each.suggest("tdiy") == "; did you mean 'tidy'?"
        assert names(each) == ["own-a", "own-b", "plugin"]
    assert "plugin" not in registry


def test_who_comes_second_waits_until_all_is_loaded() -> None:
    """A thread that looks up a name while another one loads sees all that is loaded."""
    registry, begun, go_on = PassRegistry(), Event(), Event()

    def load(loading: PassRegistry) -> None:
        begun.set()
        go_on.wait(60)
        loading.register(First)

    registry.defer(load)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(found, registry, "same")
        begun.wait(60)
        second = threads.submit(found, registry, "same")
        go_on.set()
        assert [first.result(60), second.result(60)] == [First, First]


def test_a_copy_is_independent() -> None:
    """Adding to a copy does not change the original, and back."""
    registry = PassRegistry()
    registry.register(First)
    copy = registry.copy()
    copy.register("more", lambda: First)
    copy.register_pipeline("line", add_nothing)
    assert found(copy, "same") is First
    assert "more" not in registry
    assert "line" not in registry
