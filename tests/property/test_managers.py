"""Managers to text and back, with random options of every type; any text to nodes and back."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Literal

from hypothesis import example, given, settings
from hypothesis import strategies as st
from nodes import bare

from passel import OpPassManager, Options, Pass, PassRegistry, PipelineSyntaxError, option
from passel.pipeline import PipelineNode, parse_elements, parse_pipeline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.diagnostics import Span
    from passel.pipeline import ElementNode


class Color(Enum):
    """Keywords that need care: one is a word of the grammar, one needs quotes."""

    NONE = "none"
    TRUE = "true"
    ODD = "a, b"
    TEN = 10


class Inner(Options):
    """A struct in a struct."""

    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


class Outer(Options):
    """A struct."""

    inner: Inner = Inner()
    inners: tuple[Inner, ...] = ()
    maybe: Inner | None = None


class Everything(Pass):
    """Has an option of every shape."""

    name = "everything"
    b: bool = False
    i: int = 0
    f: float = 0.0
    s: str = ""
    lit: Literal["x", "none", "a b", 3] = "x"
    color: Color = Color.TEN
    ints: tuple[int, ...] = ()
    strs: tuple[str, ...] = ("default",)
    nested: tuple[tuple[str, ...], ...] = ()
    opt_i: int | None = None
    opt_s: str | None = None
    opt_b: bool | None = None
    opt_lit: Literal["none", "some"] | None = None
    opt_color: Color | None = None
    opt_ints: tuple[int, ...] | None = None
    opt_items: tuple[int | None, ...] = ()
    outer: Outer = Outer()


class Holder(Pass):
    """Holds pipelines."""

    name = "holder"
    pipeline: OpPassManager = option(default_factory=OpPassManager)
    several: tuple[OpPassManager, ...] = ()
    maybe: OpPassManager | None = None
    must: str


REGISTRY = PassRegistry()
REGISTRY.register(Everything)
REGISTRY.register(Holder)

strings = (
    st.text()
    | st.text(" ,=(){}[]\"'\\\n\tab\u00a0é")
    | st.sampled_from(["none", "true", "1", "", " ", "any(x)", "{a}", "'", '"', "\\", "0x1"])
)
ints = st.integers(-(2**70), 2**70)
floats = st.floats(allow_nan=False)


def tuples_of(items: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Short tuples."""
    return st.lists(items, max_size=3).map(tuple)


inners = st.builds(Inner, text=strings, rows=tuples_of(tuples_of(strings)))
outers = st.builds(Outer, inner=inners, inners=tuples_of(inners), maybe=st.none() | inners)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "b": st.booleans(),
    "i": ints,
    "f": floats,
    "s": strings,
    "lit": st.sampled_from(["x", "none", "a b", 3]),
    "color": st.sampled_from(Color),
    "ints": tuples_of(ints),
    "strs": tuples_of(strings),
    "nested": tuples_of(tuples_of(strings)),
    "opt_i": st.none() | ints,
    "opt_s": st.none() | strings,
    "opt_b": st.none() | st.booleans(),
    "opt_lit": st.none() | st.sampled_from(["none", "some"]),
    "opt_color": st.none() | st.sampled_from(Color),
    "opt_ints": st.none() | tuples_of(ints),
    "opt_items": tuples_of(st.none() | ints),
    "outer": outers,
}
everything = st.lists(st.sampled_from(sorted(VALUES)), unique=True, max_size=4).flatmap(
    lambda keys: st.builds(Everything, **{key: VALUES[key] for key in keys})
)
anchors = st.sampled_from(["any", "builtin.module", "func.func", "é.x"])


def manager(anchor: str, entries: list[Any]) -> OpPassManager:
    """Make a manager."""
    return OpPassManager(anchor).add(*entries)


def managers(passes: st.SearchStrategy[Any]) -> st.SearchStrategy[OpPassManager]:
    """Managers of these passes, nested in each other."""
    return st.recursive(
        st.builds(manager, anchors, st.lists(passes, max_size=3)),
        lambda inner: st.builds(manager, anchors, st.lists(passes | inner, max_size=3)),
        max_leaves=3,
    )


def holders(pms: st.SearchStrategy[OpPassManager]) -> st.SearchStrategy[Holder]:
    """Passes with pipelines in their options."""
    return st.builds(
        Holder, pipeline=pms, several=tuples_of(pms), maybe=st.none() | pms, must=strings
    )


pipelines = managers(everything | holders(managers(everything | holders(managers(everything)))))


def typed(value: Any) -> Any:
    """Return a value with the types that equality does not see: 1 is not True, nor 1.0."""
    if isinstance(value, tuple):
        return [typed(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return type(value), str(value)


@given(everything)
def test_every_value_is_read_back_with_its_type(pass_: Everything) -> None:
    """Options print as text that reads back as equal values of the same types."""
    for all_options in (False, True):
        again = Everything.parse(pass_.option_text(all_options=all_options))
        assert again == pass_
        for key in VALUES:
            assert typed(getattr(again, key)) == typed(getattr(pass_, key))


@given(pipelines)
def test_managers_make_the_nodes_that_their_text_is(pm: OpPassManager) -> None:
    """What a manager hands to the printer equals what the parser makes of the print."""
    for all_options in (False, True):
        node = pm.to_node(all_options=all_options)
        assert str(node) == pm.to_text(all_options=all_options)
        assert bare(parse_pipeline(str(node))) == bare(node)
        assert bare(parse_pipeline(node.pretty())) == bare(node)
        for entry in pm:
            inner = entry.to_node(all_options=all_options)
            assert bare(parse_elements(str(inner))) == bare((inner,))


# -- Any text ---------------------------------------------------------------------------------


TRICKY = " \t\n\u00a0\x1c,=(){}[]\"'\\abé"


def spans(element: ElementNode) -> Iterator[Span]:
    """Yield the spans of a tree."""
    assert element.span is not None
    yield element.span
    if isinstance(element, PipelineNode):
        for inner in element.elements:
            yield from spans(inner)
        return
    values = [element.argument, *(option.value for option in element.options)]
    yield from (option.span for option in element.options if option.span)
    yield from (value.span for value in values if value and value.span)


@settings(max_examples=20 * settings().max_examples)
@given(st.text(TRICKY) | st.text())
@example("m(a{s='})")
@example('m(a{="}"})')
@example("m(a{x={y'}'})")
def test_any_text_parses_or_is_a_syntax_error(text: str) -> None:
    """No text has any other effect; whatever is located is located inside the text."""
    for wrapped in (text, f"m({text})", f"m(a{{{text}}})"):
        try:
            node = parse_pipeline(wrapped)
        except PipelineSyntaxError as error:
            found = [problem.span for problem in error.problems if problem.span]
            str(error)
        else:
            found = list(spans(node))
        assert found
        for span in found:
            assert span.source.text == wrapped
            assert 0 <= span.start <= span.end
            assert span.start <= len(wrapped)
            assert span.excerpt()


@settings(max_examples=20 * settings().max_examples)
@given(st.text(TRICKY))
def test_printing_what_was_parsed_is_canonical(text: str) -> None:
    """What parses prints as text that parses to equal nodes and prints as itself."""
    try:
        elements = parse_elements(f"a{{{text}}}")
    except PipelineSyntaxError:
        return
    for element in elements:
        node = PipelineNode("m", (element,))
        printed = str(node)
        assert bare(parse_pipeline(printed)) == bare(node)
        assert str(parse_pipeline(printed)) == printed
