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
    PassContext,
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


# -- Bodies that would not run -----------------------------------------------------------------


def test_an_asynchronous_run_is_refused() -> None:
    """It would never be awaited, so that the pass would succeed without having run."""
    with pytest.raises(DefinitionError, match=r"Late\.run is an async function, so calling it"):

        class Late(Pass):  # pyright: ignore[reportUnusedClass]
            async def run(self, op: Any, ctx: PassContext) -> None: ...  # pyright: ignore[reportIncompatibleMethodOverride]


def test_a_generator_is_no_run() -> None:
    """A `yield` anywhere in it keeps the body from running at all."""
    with pytest.raises(DefinitionError, match=r"Lazy\.run is a generator function \(it has a "):

        class Lazy(Pass):  # pyright: ignore[reportUnusedClass]
            def run(self, op: Any, ctx: PassContext) -> Iterator[None]:  # pyright: ignore[reportIncompatibleMethodOverride]
                yield

    with pytest.raises(DefinitionError, match=r"Both\.run is an asynchronous generator function"):

        class Both(Pass):  # pyright: ignore[reportUnusedClass]
            async def run(self, op: Any, ctx: PassContext) -> AsyncIterator[None]:  # pyright: ignore[reportIncompatibleMethodOverride]
                yield


def test_no_decision_is_asynchronous() -> None:
    """A coroutine is true, so that such a `can_schedule_on` would accept everything."""
    with pytest.raises(DefinitionError, match=r"Undecided\.can_schedule_on is an async function"):

        class Undecided(Pass):  # pyright: ignore[reportUnusedClass]
            async def can_schedule_on(self, kind: Any) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
                return False


def test_a_function_that_is_a_pass_runs() -> None:
    """The same holds for functions that are added as passes."""

    async def late(op: Any, handle: Any) -> None: ...

    def lazy(op: Any, handle: Any) -> Iterator[None]:
        yield

    for function in (late, lazy):
        with pytest.raises(DefinitionError, match=rf"{function.__name__} is an? .* function"):
            PassManager(adapter=ToyAdapter()).add(function)


# -- Names -------------------------------------------------------------------------------------

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


def test_a_name_is_text() -> None:
    """A number is no name."""
    with pytest.raises(DefinitionError, match="5 cannot be the name of a pass"):
        type("Named", (Pass,), {"name": 5})


@pytest.mark.parametrize("name", ["cse", "a.b", "test_it", "x-2", "convert<i32>", "größe", "a:b"])
def test_any_other_name_will_do(name: str) -> None:
    """What reads back is a name, in any language."""
    registry = PassRegistry()
    registry.register(type("Named", (Pass,), {"name": name}))
    manager = PassManager.parse(f"any({name},{name}{{}})", registry=registry)
    assert str(manager) == f"any({name},{name})"


def test_the_name_of_an_option_reads_back() -> None:
    """The same holds for the names of options."""
    for name in ("a b", "a=b", "{", 'a"', "a,b", "a\udc80"):
        with pytest.raises(DefinitionError, match=r"cannot be the name of an option: names are"):
            type("Struct", (Options,), {"__annotations__": {"x": int}, "x": option(name=name)})


def test_two_options_have_two_names() -> None:
    """An option's field and its name in text belong to it alone."""
    message = "options 'x' and 'y' of .*Struct are both written 'x'"
    with pytest.raises(DefinitionError, match=message):

        class Struct(Options):  # pyright: ignore[reportUnusedClass]
            x: int = 0
            y: int = option(default=0, name="x")


# -- Options with the names of attributes --------------------------------------------------------


@pytest.mark.parametrize("field", ["name", "anchor", "preserves", "ir", "dependent_dialects"])
def test_an_option_is_no_attribute_of_passes(field: str) -> None:
    """It would take the place of what every pass has, and break it far away."""
    with pytest.raises(DefinitionError) as info:
        type("Clash", (Pass,), {"__annotations__": {field: "str"}, field: "x"})
    assert str(info.value) == (
        f"option '{field}' of Clash has the name of an attribute of every Pass: write "
        f"'{field} = ...' without an annotation to set that, or call it '{field}_', with "
        f"'{field.replace('_', '-')}' as its name in text"
    )


@pytest.mark.parametrize("field", ["run", "display_name", "to_text", "summary"])
def test_an_option_is_no_method_of_passes(field: str) -> None:
    """Nor does it take the place of a method."""
    with pytest.raises(DefinitionError) as info:
        type("Clash", (Pass,), {"__annotations__": {field: "str"}, field: "x"})
    assert str(info.value) == (
        f"option '{field}' of Clash has the name of an attribute of every Pass: call it "
        f"'{field}_', with '{field.replace('_', '-')}' as its name in text"
    )


def test_an_option_is_no_attribute_of_options() -> None:
    """Structs of options have methods, too."""
    with pytest.raises(
        DefinitionError, match=r"option 'parse' of .*Clash has the name of an attrib"
    ):

        class Clash(Options):  # pyright: ignore[reportUnusedClass]
            parse: bool = False  # pyright: ignore[reportIncompatibleMethodOverride]


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


def test_a_statistic_is_no_attribute_of_passes() -> None:
    """It would take the place of what every pass has."""
    with pytest.raises(DefinitionError, match=r"statistic 'summary' of .*Clash has the name of an"):

        class Clash(Pass):  # pyright: ignore[reportUnusedClass]
            summary = Statistic("Summaries")  # pyright: ignore[reportAssignmentType]


def test_dialects_are_a_list() -> None:
    """A string would be taken for the list of its letters."""
    with pytest.raises(DefinitionError, match=r"of .*Wrong is 'arith'; write \('arith',\)"):

        class Wrong(Pass):  # pyright: ignore[reportUnusedClass]
            dependent_dialects = "arith"  # pyright: ignore[reportAssignmentType]


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
