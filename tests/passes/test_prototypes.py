"""Classes of passes that are made at run time, and registered by a pass with options set."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from xdsl.passes import ModulePass
from xdsl.transforms.convert_scf_to_cf import ConvertScfToCf
from xdsl.transforms.memref_stream_interleave import MemRefStreamInterleavePass

from passel import (
    DefinitionError,
    Options,
    Pass,
    PassManager,
    PassRegistry,
    PipelineError,
    Statistic,
    option,
)
from passel.xdsl.module_passes import wrap_module_pass

if TYPE_CHECKING:
    from collections.abc import Iterator


class Shape(Options):
    """How loops look."""

    tiles: tuple[int, ...] = ()


class Unroll(Pass):
    """Unroll loops.

    As often as its option says.
    """

    name = "unroll"
    factor: int = option(default=4, help="How often.")
    wanted: str
    shape: Shape = Shape()
    done = Statistic("Loops unrolled")


@pytest.fixture
def registry() -> PassRegistry:
    """A registry with passes like a given one."""
    registry = PassRegistry()
    registry.register(Unroll)
    much = Unroll(factor=16, wanted="all", shape=Shape(tiles=(2, 3)))
    registry.register("unroll-much", lambda: much)
    return registry


def passes_in(text: str, registry: PassRegistry) -> Iterator[Any]:
    """Yield the passes of a pipeline."""
    return iter(PassManager.parse(text, registry=registry))


def test_its_options_are_the_defaults(registry: PassRegistry) -> None:
    """What is written wins, what is not is the registered pass's, also where it is required."""
    plain, other = passes_in("builtin.module(unroll-much,unroll-much{factor=4})", registry)
    assert (plain.factor, plain.wanted, plain.shape) == (16, "all", Shape(tiles=(2, 3)))
    assert (other.factor, other.wanted) == (4, "all")
    info = registry.lookup_pass("unroll-much")
    assert info is not None
    assert info.pass_class.summary() == "Unroll loops."
    assert {each.name: each.default for each in info.pass_class.option_infos()} == {
        "factor": 16,
        "wanted": "all",
        "shape": Shape(tiles=(2, 3)),
    }
    assert isinstance(plain, Unroll)
    assert plain.display_name == "Unroll"
    assert type(plain).statistics() == Unroll.statistics()


def test_what_it_prints_reads_back(registry: PassRegistry) -> None:
    """Text has the registered name, and the options that are not the registered pass's."""
    shaped = "unroll-much{shape={tiles={7}}},unroll{wanted=some}"
    text = f"builtin.module(unroll-much,unroll-much{{factor=4}},{shaped})"
    manager = PassManager.parse(text, registry=registry)
    assert str(manager) == text
    whole = manager.to_text(all_options=True)
    assert PassManager.parse(whole, registry=registry) == manager


def test_other_defaults_under_its_own_name() -> None:
    """A pass of the class prints without them, and would be read as another one."""
    registry = PassRegistry()
    registry.register("unroll", lambda: Unroll(factor=8, wanted="all"), origin="here")
    info = registry.lookup_pass("unroll")
    assert info is not None
    with pytest.raises(DefinitionError) as caught:
        _ = info.pass_class
    assert str(caught.value) == (
        "pass 'unroll' from here cannot be loaded: Unroll is also named 'unroll', but "
        "'unroll{factor=8 wanted=all}' has different defaults; register the pass under a different name"
    )
    name = MemRefStreamInterleavePass.name
    registry.register(name, lambda: MemRefStreamInterleavePass(pipeline_depth=7), ir="xdsl")
    with pytest.raises(PipelineError, match="under a different name"):
        list(passes_in(f"builtin.module({name})", registry))


class Declared(Pass):
    """Count what it is run on."""

    name = "declared"
    can_fork = True
    factor: int = 4


def test_a_class_under_another_name() -> None:
    """Its passes print under that name, read back, and are what the class declares."""
    registry = PassRegistry()
    registry.register(Declared)
    registry.register("other", f"{__name__}:Declared")
    text = "builtin.module(other{factor=5},other,declared)"
    manager = PassManager.parse(text, registry=registry)
    assert str(manager) == text
    assert str(PassManager.parse(str(manager), registry=registry)) == text
    given, other, plain = passes_in(text, registry)
    assert (type(given), type(plain)) == (type(other), Declared)
    assert (other.summary(), other.display_name) == ("Count what it is run on.", "Declared")
    assert other.preserves == plain.preserves
    assert pickle.loads(pickle.dumps(given)) == given


def test_passes_of_an_ir() -> None:
    """A class or a pass of xDSL's own may be registered, also by where it is."""
    registry = PassRegistry()
    registry.register("as-class", lambda: ConvertScfToCf, ir="xdsl")
    registry.register("as-factory", ConvertScfToCf, ir="xdsl")
    registry.register("by-place", "xdsl.transforms.convert_scf_to_cf:ConvertScfToCf", ir="xdsl")
    registry.register("as-pass", lambda: MemRefStreamInterleavePass(pipeline_depth=7), ir="xdsl")
    text = "builtin.module(as-class,as-factory,by-place,as-pass)"
    *names, interleave = passes_in(text, registry)
    assert list(map(str, names)) == ["as-class", "as-factory", "by-place"]
    assert interleave.module_pass() == MemRefStreamInterleavePass(pipeline_depth=7)
    assert pickle.loads(pickle.dumps(interleave)) == interleave


@dataclass(frozen=True)
class Foreign(ModulePass):
    """A pass of xDSL's with options that have the names of attributes of passel's passes."""

    name = "foreign"
    anchor: str = "x"
    run: int = 1
    limit: object = None

    def apply(self, ctx: Any, op: Any) -> None:
        """Do nothing."""


def test_options_of_an_ir_may_have_names_that_are_taken() -> None:
    """Their fields end with an underscore, their names in text do not."""
    wrapped = wrap_module_pass(Foreign(anchor="a b", run=2))
    assert str(wrapped) == 'foreign{anchor="a b" run=2}'
    assert wrapped.module_pass() == Foreign(anchor="a b", run=2)


@pytest.mark.parametrize(
    "thing", [3, int, ConvertScfToCf.apply, print], ids=["number", "class", "method", "function"]
)
def test_what_is_no_pass(thing: Any) -> None:
    """A function that returns anything else is an error that shows what it was."""
    registry = PassRegistry()
    registry.register("thing", lambda: thing, origin="here")
    info = registry.lookup_pass("thing")
    assert info is not None
    with pytest.raises(
        DefinitionError, match=r"pass 'thing' from here cannot be loaded: .* is not a pass"
    ):
        _ = info.pass_class
