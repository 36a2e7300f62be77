"""Registries: names to passes and pipelines."""

from __future__ import annotations

import logging
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distribution
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from passel import (
    DefinitionError,
    DuplicateNameError,
    OpPassManager,
    Pass,
    PassRegistry,
    default_registry,
    diagnostics,
)
from passel.ir.adapters import adapter_names
from passel.manager.combinators import CompositeFixedPoint
from passel.passes import PassInfo, PassPipelineInfo

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
    """Of two classes with a name, the first stays; a class needs a name."""
    registry = PassRegistry()
    with pytest.raises(DefinitionError, match=r"cannot register Nameless, which has no name"):
        registry.register(type("Nameless", (Pass,), {}))
    registry.register(First)
    registry.register(First)  # modules may be imported twice
    with pytest.raises(DuplicateNameError) as info:
        registry.register(Second)
    assert str(info.value) == (
        f"'same' is registered by {__name__} and again by {__name__}; use override=True to replace "
        "the first"
    )
    assert found(registry, "same") is First
    registry.register_pipeline("same", add_nothing)  # which hides the pass
    assert (names(registry), len(registry.entries())) == ([], 1)
    with pytest.raises(DuplicateNameError):
        registry.register(Second)


def test_a_class_that_is_defined_anew_takes_the_place_of_the_old_one() -> None:
    """A cell of a notebook may be run again, and a module reloaded."""
    registry = PassRegistry()
    first, second = (type("Again", (Pass,), {"name": "again"}) for _ in range(2))
    registry.register(first)
    assert registry.register(second) is found(registry, "again") is second
    first.__qualname__ = second.__qualname__ = "made.<locals>.Again"
    with pytest.raises(DuplicateNameError, match="again"):  # a function's classes are others
        registry.register(first)


def test_factories_are_called_when_the_pass_is_used_and_once() -> None:
    """Registering, listing and looking up a name imports nothing; an error names what is not there."""
    calls: list[int] = []
    registry = PassRegistry()
    registry.register("lazy", lambda: calls.append(1) or First, origin="here")
    registry.register("no-class", "passel.manager.combinators:Nothing")
    registry.register("no-module", "passel.no_such_module:Nothing")
    registry.register("there", "passel.manager.combinators:CompositeFixedPoint")
    lazy, no_class, no_module, there = registry.passes()
    assert (lazy, lazy.origin, calls) == (registry.lookup_pass("lazy"), "here", [])
    assert lazy.pass_class is lazy.pass_class
    assert issubclass(lazy.pass_class, First)
    assert calls == [1]
    assert there.origin == "passel.manager.combinators"
    assert there.pass_class.__name__ == "CompositeFixedPoint"
    with pytest.raises(
        DefinitionError,
        match=r"pass 'no-class' from .* cannot be loaded: .*combinators' has no attribute 'Nothing'",
    ):
        _ = no_class.pass_class
    with pytest.raises(DefinitionError, match=r"cannot be loaded: ModuleNotFoundError: .*no_such"):
        _ = no_module.pass_class


class EntryPoint(NamedTuple):
    """An entry point of an installed package."""

    name: str
    register: Any
    module: str = "pytest"
    dist: Any = distribution("pytest")

    def load(self) -> Any:
        """Import it."""
        if isinstance(self.register, Exception):
            raise self.register
        return self.register


@pytest.fixture
def installing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Let packages be installed that offer other passes, by the names of entry points."""
    adapter_names()  # which are read once

    def install(points: dict[str, Any]) -> None:
        found = {"passel.passes": [EntryPoint(*point) for point in points.items()]}
        vars(diagnostics)["_tell"].get().cache_clear()
        monkeypatch.setattr("passel.passes.registry.entry_points", found.__getitem__)
        default_registry.cache_clear()

    yield install
    default_registry.cache_clear()


def test_the_default_registry_has_the_passes_of_installed_packages(
    installing: Callable[[dict[str, Any]], None], caplog: pytest.LogCaptureFixture
) -> None:
    """Entry points are called at the first lookup, by name; each broken one is logged once."""
    order: list[str] = []

    def good(registry: PassRegistry) -> None:
        order.append("good")
        registry.register(First)
        registry.register_pipeline("line", add_nothing)

    def bad(registry: PassRegistry) -> None:
        order.append("bad")
        raise ValueError

    installing({"a": bad, "m": ImportError("gone"), "z": good})
    with caplog.at_level(logging.WARNING, "passel"):
        registry = default_registry()
        assert order == []
        infos = registry.lookup("same"), registry.lookup("line")
        assert len(registry.passes()) == len(registry.passes()) == 1
    package = f"package 'pytest' {pytest.__version__}"
    assert order == ["bad", "good"]
    assert {info.origin for info in infos if info} == {f"{__name__} in {package}"}
    messages = (record.getMessage() for record in caplog.records)
    assert sorted(re.sub(r" \(\S+\.py:\d+\)", " (FILE)", each) for each in messages) == [
        f"{package} is skipped: ImportError: gone (FILE)",
        f"{package} is skipped: ValueError (FILE)",
    ]


def test_an_entry_point_of_an_ir_is_for_that_ir(
    installing: Callable[[dict[str, Any]], None],
) -> None:
    """One with the name of an IR that has an adapter is not loaded for another IR."""
    loaded: list[str] = []

    def load(name: str) -> Callable[[PassRegistry], None]:
        return lambda _: loaded.append(name)

    installing({name: load(name) for name in ("mlir", "xdsl", "zoo")})
    default_registry().lookup("x", ir="xdsl")
    assert loaded == ["xdsl", "zoo"]
    assert default_registry().passes() == []
    assert loaded == ["xdsl", "zoo", "mlir"]


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
        _, cse, line = registry.entries(ir=ir)
        assert cse.origin == origin
        assert (cse, line) == (registry.lookup("cse", ir=ir), registry.lookup("line", ir=ir))
        assert isinstance(line, PassPipelineInfo)
        assert line.summary == (ir or "zoo")
    assert "any" in registry
    assert registry.lookup("cse", ir="sea") is None
    assert names(registry, "sea") == ["any"]


@pytest.mark.parametrize(("first", "second"), [("", "zoo"), ("zoo", ""), ("zoo", "zoo"), ("", "")])
def test_what_one_ir_would_see_twice_is_refused(first: str, second: str) -> None:
    """A pass for any IR has its name for every IR; replacing it on purpose is fine."""
    registry = PassRegistry()
    registry.register("cse", lambda: First, origin="one", ir=first)
    with pytest.raises(DuplicateNameError, match="registered by one and again by two"):
        registry.register("cse", lambda: Second, origin="two", ir=second)
    registry.register("cse", lambda: Second, origin="two", ir=second, override=True)
    assert issubclass(found(PassRegistry(registry, scope="zoo"), "cse") or int, Second)


def test_a_pickled_manager_keeps_its_registry() -> None:
    """So a pass in a worker finds the same names; the default registry stays what it is."""
    registry = PassRegistry()
    registry.register("own", CompositeFixedPoint)
    pm = pickle.loads(pickle.dumps(OpPassManager("toy.func", registry=registry)))
    assert str(pm.add("own")) == "toy.func(own)"
    assert pickle.loads(pickle.dumps(default_registry())) is default_registry()


def test_a_registry_for_one_ir() -> None:
    """It and its copies have the entries for the IR or for all, its own, then the IR's passes."""
    registry = PassRegistry()
    registry.register("mine", lambda: First)
    registry.register("farmers", lambda: First, ir="farm")
    registry.register("own-b", lambda: Second)
    zoo = PassRegistry(registry, Own(), scope="zoo")
    zoo.register_pipeline("tidy", add_nothing)
    PassRegistry(zoo).register("more", lambda: First)
    for each in (zoo, PassRegistry(zoo), PassRegistry(zoo, scope="zoo")):
        assert names(each) == ["mine", "own-a", "own-b"]
        assert [i.name for i in each.entries() if isinstance(i, PassPipelineInfo)] == ["tidy"]
        assert issubclass(found(each, "own-b") or int, Second)
        assert issubclass(found(each, "own-a") or int, First)
        assert [name in each for name in ("farmers", "own-line")] == [False, True]
        for typed, meant in {"own-aa": "own-a", "mime": "mine", "tdiy": "tidy"}.items():
            assert each.suggest(typed) == f"; did you mean '{meant}'?"
        for nothing in ("farmer", "lots"):  # `lost` does not exist
            assert each.suggest(nothing) == ""
    assert "tidy" not in registry


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
