"""Declarations that are refused when the class is defined, rather than found out in a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from passel import (
    DefinitionError,
    InterfacePass,
    OpPassManager,
    Options,
    Pass,
    PassManager,
    PassRegistry,
    Statistic,
    option,
)
from passel.testing import ToyAdapter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


def nothing(pm: OpPassManager) -> None:
    """Build an empty pipeline."""


async def _late(self: Any, op: Any, ctx: Any) -> None: ...


def _lazy(self: Any, op: Any, ctx: Any) -> Iterator[None]:
    yield


async def _both(self: Any, op: Any, ctx: Any) -> AsyncIterator[None]:
    yield


def _annotated(field: str, default: object = "x") -> dict[str, Any]:
    return {"__annotations__": {field: "str"}, field: default}


@pytest.mark.parametrize(
    ("base", "body", "said"),
    [
        (Pass, {"run": _late}, r"Wrong\.run is an async function, so calling it"),
        (Pass, {"run": _lazy}, r"Wrong\.run is a generator function \(it has a "),
        (Pass, {"run": _both}, r"Wrong\.run is an asynchronous generator function"),
        (Pass, {"can_schedule_on": _late}, r"Wrong\.can_schedule_on is an async function"),
        (Pass, {"name": 5}, "5 cannot be the name of a pass"),
        *(
            (
                Options,
                _annotated("x", option(name=name)),
                "cannot be the name of an option: names are",
            )
            for name in ("a b", "a=b", "{", 'a"', "a,b", "a\udc80")
        ),
        (
            Options,
            {"__annotations__": {"x": "int", "y": "int"}, "x": 0, "y": option(default=0, name="x")},
            "options 'x' and 'y' of .*Wrong are both written 'x'",
        ),
        *(
            (
                Pass,
                _annotated(field),
                (
                    f"^option '{field}' of Wrong has the name of an attribute of every Pass: write "
                    f"'{field} = ...' without an annotation to set that, or call it '{field}_', with "
                    f"'{field.replace('_', '-')}' as its name in text$"
                ),
            )
            for field in ("name", "anchor", "preserves", "ir", "dependent_dialects")
        ),
        *(
            (
                Pass,
                _annotated(field),
                (
                    f"^option '{field}' of Wrong has the name of an attribute of every Pass: call it "
                    f"'{field}_', with '{field.replace('_', '-')}' as its name in text$"
                ),
            )
            for field in ("run", "display_name", "to_text", "summary")
        ),
        (Options, _annotated("parse"), r"option 'parse' of .*Wrong has the name of an attrib"),
        (Pass, {"summary": Statistic("All")}, "statistic 'summary' of .*Wrong has the name of an"),
        (Pass, {"dependent_dialects": "arith"}, r"of .*Wrong is 'arith'; write \('arith',\)"),
    ],
)
def test_a_class_that_no_run_could_use_is_refused(
    base: Any, body: dict[str, Any], said: str
) -> None:
    """A body that would not run, and names that are taken or could not be read, are named."""
    with pytest.raises(DefinitionError, match=said):
        type("Wrong", (base,), body)


def test_a_function_that_is_a_pass_runs() -> None:
    """The same holds for functions that are added as passes."""

    async def late(op: Any, handle: Any) -> None: ...

    def lazy(op: Any, handle: Any) -> Iterator[None]:
        yield

    for function in (late, lazy):
        with pytest.raises(DefinitionError, match=rf"{function.__name__} is an? .* function"):
            PassManager(adapter=ToyAdapter()).add(function)


BAD_NAMES = [
    *("two words", "a,b", "a{b", "a}b", "a(b", "a)b", "a[b", "a]b", "", " ", "a\n", "a\0b"),
    *('a"b', "a'b", "a\udc80b", "a\\b", "a=b", "a/b"),
]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_reads_back(name: str) -> None:
    """A name that a pipeline could not spell is refused wherever it is given."""
    with pytest.raises(DefinitionError, match=r"cannot be the name of a pass: names are not"):
        type("Named", (Pass,), {"name": name})
    registry = PassRegistry()
    with pytest.raises(DefinitionError, match="cannot be the name of a pass"):
        registry.register(name, lambda: Pass)
    with pytest.raises(DefinitionError, match="cannot be the name of a pipeline"):
        registry.register_pipeline(name, nothing)
    assert not [*registry.passes(), *registry.pipelines()]


@pytest.mark.parametrize("name", ["cse", "a.b", "test_it", "x-2", "convert<i32>", "größe", "a:b"])
def test_any_other_name_will_do(name: str) -> None:
    """What reads back is a name, in any language."""
    registry = PassRegistry()
    registry.register(type("Named", (Pass,), {"name": name}))
    manager = PassManager.parse(f"any({name},{name}{{}})", registry=registry)
    assert str(manager) == f"any({name},{name})"


def test_an_option_is_no_attribute_of_a_base_class() -> None:
    """What a base class declares is taken as well; an option of it may get another default."""

    class Base(InterfacePass):  # pyright: ignore[reportMissingTypeArgument]
        level: int = 1
        seen = Statistic("Ops seen")
        limit = 4

        def helper(self) -> None: ...

    for field in ("seen", "helper", "interface"):
        with pytest.raises(DefinitionError, match=f"option '{field}' of Clash has the name of"):
            type("Clash", (Base,), {"__annotations__": {field: "int"}, field: 1})

    class Fine(Base):
        level: int = 2
        limit: int = 5

    assert Fine().option_text(all_options=True) == "level=2 limit=5"


def test_an_attribute_may_be_annotated_as_one() -> None:
    """`ClassVar` says that it is no option, and a name for text says what an option is called."""

    class Fine(Pass):
        name: ClassVar[str] = "fine"
        title: str = option(default="", name="name")

    assert str(Fine(title="x")) == "fine{name=x}"


@pytest.mark.parametrize(
    ("attribute", "value", "said"),
    [
        ("dependent_dialects", (3,), r"3 in dependent_dialects of Wrong is no text"),
        ("dependent_dialects", ("arith", None), r"None in dependent_dialects of Wrong is no text"),
        ("dependent_dialects", 3, r"dependent_dialects of Wrong is 3; write \(text, \.\.\.\)"),
        ("dependent_dialects", {"arith": 1}, r"of Wrong is {'arith': 1}; write \(text, \.\.\.\)"),
        ("effects", (None,), r"None in effects of Wrong is no text"),
        ("makes_legal", None, r"makes_legal of Wrong is None; write \(text, \.\.\.\)"),
        ("makes_illegal", (b"scf",), r"b'scf' in makes_illegal of Wrong is no text"),
        ("preserves", ("DominanceInfo",), r"'DominanceInfo' in preserves of Wrong is no class"),
        ("produces", (1,), r"1 in produces of Wrong is no class"),
        ("requires", (1,), r"1 in requires of Wrong is no class or text"),
        ("types", ("lowering",), r"in types of Wrong is no PassType; write PassType\('lowering'\)"),
    ],
)
def test_what_is_declared_is_of_its_kind(attribute: str, value: object, said: str) -> None:
    """A thing of another kind in a declaration is named with the attribute and the class."""
    with pytest.raises(DefinitionError, match=said):
        type("Wrong", (Pass,), {attribute: value})


def test_a_field_may_be_called_like_a_type() -> None:
    """Annotations mean the types, also where fields have their names."""

    class Named(Pass):
        name = "named"
        option: int = 3  # noqa: A003
        int: int = 4  # noqa: A003
        tuple: tuple[int, ...] = ()  # noqa: A003

    assert str(Named(int=5, option=1, tuple=[2])) == "named{int=5 option=1 tuple={2}}"  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", ["canScheduleOn", "dependentDialects", "getDependentDialects"])
def test_names_of_cpp_are_told_what_they_are_here(name: str) -> None:
    """What MLIR calls otherwise would be ignored, and is refused with its name here."""
    with pytest.raises(DefinitionError, match=f"{name} is called (can_schedule|dependent)_"):
        type("Ported", (Pass,), {"name": "ported", name: None})
