"""Declaring passes, and declarations that are refused when the class is defined."""

from __future__ import annotations

import dataclasses
import pickle
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

import pytest

from passel import (
    DefinitionError,
    InterfacePass,
    OperationPass,
    Options,
    Pass,
    PassContext,
    PassFailedError,
    PassInstrumentation,
    PassManager,
    PassRegistry,
    PipelineError,
    Statistic,
    option,
)
from passel.testing import ToyAdapter, parse_toy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


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
    said = "cannot assign to 'limit' of Hoist: passes are immutable, since one object runs on all"
    with pytest.raises(dataclasses.FrozenInstanceError, match=said):
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
        anchor = op_class

    assert Made.anchor == Derived.anchor == Concrete.anchor == "toy.func"
    assert (OnModule.anchor, Base.anchor) == ("toy.module", None)


async def _late(self: Any, op: Any, ctx: Any) -> None: ...


def _lazy(self: Any, op: Any, ctx: Any) -> Iterator[None]:
    yield


async def _both(self: Any, op: Any, ctx: Any) -> AsyncIterator[None]:
    yield


def _option(field: str, default: object = "x") -> dict[str, Any]:
    return {"__annotations__": {field: "str"}, field: default}


@pytest.mark.parametrize(
    ("base", "body", "said"),
    [
        (Pass, {"run": _late}, r"Wrong\.run is an async function, so a call would not run the body"),
        (Pass, {"run": _lazy}, r"Wrong\.run is a generator function \(it has a "),
        (Pass, {"run": _both}, r"Wrong\.run is an async function"),
        (Pass, {"can_schedule_on": _late}, r"Wrong\.can_schedule_on is an async function"),
        (Pass, {"name": 5}, "5 cannot be the name of pass Wrong: names must"),
        (Pass, {"anchor": int}, "Wrong: int is not an op class: it has no op name"),
        (Options, _option("x", option(name="a b")), "cannot be the name of an option of Wrong: names"),
        (Options, {"__annotations__": {"x": "int", "y": "int"}, "x": 0, "y": option(default=0, name="x")}, "options 'x' and 'y' of .*Wrong have the same name 'x'"),
        (Pass, _option("dependent_dialects"), "of Pass: rename the option to 'dependent_dialects_'; to set the attribute, omit the type annotation$"),
        (Options, _option("parse"), r"option 'parse' of .*Wrong has the same name as an attrib"),
        (Pass, {"summary": Statistic("All")}, "statistic 'summary' of .*Wrong has the same name as an"),
        (Options, {"x": option(default=1)}, "Wrong: 'x' is a field but has no type annotation; declare"),
        (Options, _option("x", []), r"mutable default <class 'list'> for field x .*tuple\[int, "),
        (Pass, {"dependent_dialects": "arith"}, r"of .*Wrong must be a tuple; write \('arith',\)"),
        (Pass, {"effects": None}, r"effects of Wrong must be a tuple; write \(None,\)"),
        (Pass, {"effects": ("write-file",)}, "there is no effect 'write-file'.* 'write-files'"),
    ],
)  # fmt: skip
def test_a_class_that_no_run_could_use_is_refused(
    base: Any, body: dict[str, Any], said: str
) -> None:
    """A body that would not run, names that are taken, and values of another kind are named."""
    with pytest.raises(DefinitionError, match=said):
        type("Wrong", (base,), body)


class Ask(Pass):
    """Compute an analysis that has a method of C++."""

    def run(self, op: Any, ctx: PassContext) -> None:
        """Compute it."""
        ported: Any = type("Ported", (), {"isInvalidated": None})
        ctx.analysis(ported)


def test_names_of_cpp_are_told_what_they_are_here() -> None:
    """What MLIR calls otherwise would be ignored, and is refused with its name here."""
    for base, name, here in [
        (Pass, "runOnOperation", r"run\(self, op, ctx\)"),
        (Pass, "dependentDialects", r"dependent_dialects = \('arith',\)"),
        (PassInstrumentation, "runAfterPass", "after_pass"),
    ]:
        with pytest.raises(DefinitionError, match=rf"P\.{name} is a C\+\+ name; write {here}"):
            type("P", (base,), {name: None})
    type("Fine", (PassInstrumentation,), {"runModule": None})  # is none of MLIR's
    pm = PassManager("toy.module", adapter=ToyAdapter()).add(Ask())
    with pytest.raises(PassFailedError, match=r"C\+\+ name; write is_invalidated\("):
        pm.run(parse_toy("toy.module()"))


def test_a_function_that_is_a_pass_runs() -> None:
    """Asynchronous functions and generators are refused as passes."""
    pm: Any = PassManager(adapter=ToyAdapter())
    for function in (_late, _lazy):
        with pytest.raises(DefinitionError, match=rf"{function.__name__} is an? .* function"):
            pm.add(function)


BAD_NAMES = [
    *("two words", "a,b", "a{b", "a}b", "a(b", "a)b", "a[b", "a]b", "", " ", "a\n", "a\0b"),
    *('a"b', "a'b", "a\udc80b", "a\\b", "a=b", "a/b"),
]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_reads_back(name: str) -> None:
    """A name that a pipeline could not spell is refused for passes and pipelines."""
    registry = PassRegistry()
    for what, give in (
        ("pass Named: names must not", lambda: type("Named", (Pass,), {"name": name})),
        ("a pass", lambda: registry.register(name, lambda: Pass)),
        ("a pipeline", lambda: registry.register_pipeline(name, print)),
    ):
        with pytest.raises(DefinitionError, match=f"cannot be the name of {what}"):
            give()
    assert not registry.entries()


@pytest.mark.parametrize("name", ["cse", "a.b", "test_it", "x-2", "convert<i32>", "größe", "a:b"])
def test_any_other_name_will_do(name: str) -> None:
    """What reads back is a name, in any language."""
    registry = PassRegistry()
    registry.register(type("Named", (Pass,), {"name": name}))
    manager = PassManager.parse(f"any({name},{name}{{}})", registry=registry)
    assert str(manager) == f"any({name},{name})"


def test_what_a_base_class_declares_is_taken() -> None:
    """An option of a base class may get another default, and a class variable is not an option."""

    class Base(InterfacePass):  # pyright: ignore[reportMissingTypeArgument]
        name: ClassVar[str] = "base"
        level: int = 1
        title: str = option(default="", name="name")
        seen = Statistic("Ops seen")

        def helper(self) -> None: ...

    for field in ("seen", "helper", "interface"):
        with pytest.raises(DefinitionError, match=f"option '{field}' of Clash has the same name"):
            type("Clash", (Base,), {"__annotations__": {field: "int"}, field: 1})

    class Fine(Base):
        level: int = 2

    assert Fine(title="x").to_text(all_options=True) == "base{level=2 name=x}"


def test_inherited_options_have_the_types_of_their_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module of a derived class need not know these types."""
    monkeypatch.setitem(sys.modules, "mixins", module := ModuleType("mixins"))
    text = """from __future__ import annotations; import dataclasses, typing
Level = typing.Literal["low", "high"]
@dataclasses.dataclass(frozen=True)
class Mixin: level: Level = "high"
"""
    exec(text, vars(module))  # noqa: S102
    kind: Any = type("Mixed", (module.Mixin, Pass), {"name": "mixed", "run": print})
    assert kind(level="low").to_text() == "mixed{level=low}"


def test_a_field_may_be_called_like_a_type() -> None:
    """Annotations mean the types, also where fields have their names."""

    class Named(Pass):
        name = "named"
        option: int = 3  # noqa: A003
        int: int = 4  # noqa: A003
        tuple: tuple[int, ...] = ()  # noqa: A003

    assert str(Named(int=5, option=1, tuple=[2])) == "named{int=5 option=1 tuple={2}}"  # pyright: ignore[reportArgumentType]


# -- What a class lacks ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "body", "said"),
    [
        (Pass, {}, "P does not define run(self, op, ctx)"),
        (OperationPass, {"run": print}, "P needs an anchor: derive from OperationPass[<class"),
        (InterfacePass, {"run": print}, "P needs an interface: derive from InterfacePass[<cla"),
    ],
)
def test_a_class_that_lacks_something_may_stand_but_not_run(
    base: Any, body: dict[str, Any], said: str
) -> None:
    """Its pipeline is refused as a whole before anything runs, at its place in text."""
    registry = PassRegistry()
    registry.register(type("P", (base,), {"name": "p", **body}))
    pm = PassManager.parse("toy.module(p)", registry=registry, adapter=ToyAdapter())
    with pytest.raises(PipelineError) as caught:
        pm.run(parse_toy("toy.module()"))
    assert said in str(caught.value)
    assert caught.value.problems[0].span


def test_type_parameters_are_classes() -> None:
    """Others would be ignored, and the pass would have no anchor."""
    with pytest.raises(
        DefinitionError, match=r"P: 'toy\.func' in brackets is not a class; to name"
    ):

        class P(cast("Any", OperationPass)["toy.func"]): ...  # pyright: ignore[reportUnusedClass]


class Looking(Pass):
    """Keeps a table of what it looks for."""

    name = "looking"
    table: ClassVar[dict[str, Later]] = {}
    depth: int = 1

    def run(self, op: Any, ctx: PassContext) -> None:
        """Do nothing."""


class Later:
    """Defined after the pass that keeps it."""


def test_a_class_variable_may_have_a_type_that_is_defined_later() -> None:
    """Only the types of options are read."""
    assert [info.name for info in Looking.option_infos()] == ["depth"]
