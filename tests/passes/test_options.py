"""Declaring options, reading whole option blocks, and printing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel import DefinitionError, OptionError, Options, Pass, PassManager, option
from passel.pipeline import parse_options

if TYPE_CHECKING:
    from collections.abc import Callable


class Tiling(Options):
    """Options as their author writes them."""

    sizes: tuple[int, ...] = ()
    peel_loops: bool = False
    depth: int = option(default=2, help="How deep.", name="max-depth")
    seen: tuple[str, ...] = option(default_factory=tuple)


class Child(Tiling):
    """Adds to and changes what it inherits."""

    depth: int = option(default=9, name="max-depth")
    extra: str = "e"


class Unnamed(Options):
    """Has options that must be given."""

    must: int
    also: str = option(name="also-must")
    may: int = 0


def test_options_are_declared_by_annotations() -> None:
    """Each field is an option; its text name has dashes unless `option` names it."""
    _, _, depth, seen = infos = Tiling.option_infos()
    assert [info.name for info in infos] == ["sizes", "peel-loops", "max-depth", "seen"]
    assert depth[:5] == ("max-depth", "depth", "How deep.", False, 2)
    assert depth.codec.metavar == "<int>"
    assert seen.default == ()


@pytest.mark.parametrize(
    ("hint", "default", "said"),
    [
        ("Nowhere", None, r"the type of option 'x' of .*Bad cannot be evaluated .*'Nowhere' is"),
        (bytes, b"", r"option 'x' of .*Bad: .*bytes.* is not an option type"),
        (int, "x", r"option 'x' of .*Bad: expected int, got 'x'"),
    ],
)
def test_types_and_defaults_that_cannot_be(hint: Any, default: object, said: str) -> None:
    """The error names the class and the option when the class is defined."""
    with pytest.raises(DefinitionError, match=said):
        type("Bad", (Options,), {"__annotations__": {"x": hint}, "x": default})()


# -- Reading ---------------------------------------------------------------------------------


OTHERS = "for Tiling; it has sizes, peel-loops, max-depth, seen"
NO_NUMBER = "value invalid for integer argument!"
WRONG = [
    ("sizse=1", ["no such option 'sizse' for Tiling; did you mean 'sizes'?"], ["sizse"]),
    ("q", [f"no such option 'q' {OTHERS}"], ["q"]),
    ("{x=1}", [f"no such option '{{x' {OTHERS}"], ["{x"]),
    ("=3", [f"no such option '' {OTHERS}"], [""]),
    (
        "depth=x q sizes=1,y",
        [
            f"option 'max-depth' of Tiling: 'x' {NO_NUMBER}",
            f"no such option 'q' {OTHERS}",
            f"option 'sizes' of Tiling: 'y' {NO_NUMBER}",
        ],
        ["x", "q", "y"],
    ),
]


@pytest.mark.parametrize(("text", "messages", "marked"), WRONG)
def test_wrong_option_blocks(text: str, messages: list[str], marked: list[str]) -> None:
    """All that is wrong is reported at once, in the order of the text, each at its place."""
    with pytest.raises(OptionError) as info:
        Tiling.parse(text)
    assert [problem.message for problem in info.value.problems] == messages
    assert [problem.span.text for problem in info.value.problems if problem.span] == marked


def test_missing_options_are_all_reported(parse: Callable[[str], PassManager]) -> None:
    """An option without a default must be given, in text and in Python; text names the pass."""
    with pytest.raises(OptionError) as info:
        parse("any(a,needy)")
    assert [(p.message, p.span and p.span.text) for p in info.value.problems] == [
        ("pass 'needy' requires option 'must'", "needy"),
        ("pass 'needy' requires option 'also-must'", "needy"),
    ]
    assert [info.required for info in Unnamed.option_infos()] == [True, True, False]
    with pytest.raises(TypeError):
        Unnamed(must=1)  # pyright: ignore[reportCallIssue]


def test_at_most_a_hundred_unknown_options_are_reported() -> None:
    """More are not read by people, and finding them takes time."""
    with pytest.raises(OptionError) as info:
        Tiling.parse("x " * 500)
    assert len(info.value.problems) == 100


def test_an_object_is_no_text() -> None:
    """A field of type `Any` holds what is given in Python; text cannot set it, and says so."""

    class Holding(Pass):
        name = "holding"
        thing: Any
        maybe: Any | None = None

    pass_ = Holding(thing=object())
    assert (str(pass_), Holding.option_infos()) == ("holding{<thing=...>}", ())
    assert Holding(thing=1).to_text(all_options=True) == "holding{<thing=...>}"
    said = {
        "": "requires option 'thing', a Python object; create the pass in Python",
        "thing=1": "option 'thing' of it: text cannot contain Python objects",
        "thing=1 <maybe=...>": "no such option '<maybe' for it",
    }
    for text, message in said.items():
        with pytest.raises(OptionError, match=message):
            Holding.read_options(parse_options(text), "it", None)


# -- Printing --------------------------------------------------------------------------------


def test_required_options_always_print() -> None:
    """What has no default cannot be left out."""
    assert Unnamed(must=0, also="").option_text() == 'also-must="" must=0'

    class Given(Options):
        must: int | None

    assert Given(must=None).option_text() == "must=none"


def test_all_options_reach_into_structs_and_pipelines(make: Callable[..., Pass[Any]]) -> None:
    """Options of options are printed in full as well."""
    from passel import OpPassManager

    text = make("knobs", pipeline=OpPassManager().add(make("set"))).to_text(all_options=True)
    assert "size={height=1 width=1}" in text
    assert 'pipeline={any(set{at="" preserve=false to=-1})}' in text


def test_escaped_text_is_located_in_itself() -> None:
    """Where escapes make the value differ from what was written, the value is shown."""

    class Nested(Options):
        words: tuple[int, ...] = ()

    with pytest.raises(OptionError) as info:
        Nested.parse('words="1,\\"x\\""')
    span = info.value.problems[0].span
    assert span is not None
    assert (span.source.name, span.source.text, span.text) == ("<option>", '1,"x"', "x")
