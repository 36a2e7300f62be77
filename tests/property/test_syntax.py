"""Text to nodes and back, for all nodes and for any text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import example, given, settings
from hypothesis import strategies as st

from passel import PipelineSyntaxError
from passel.pipeline import (
    OptionNode,
    OptionText,
    PassNode,
    PipelineNode,
    parse_elements,
    parse_pipeline,
    print_options,
    print_pipeline,
    quote,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.diagnostics import Span
    from passel.pipeline import ElementNode

SPACES = " \t\n\v\f\r"
TRICKY = " \t\n\u00a0\x1c,=(){}[]\"'\\abé"

texts = st.text() | st.text(TRICKY)
names = (
    st.text(st.characters(exclude_characters=",(){[", exclude_categories=["Cs"]), min_size=1)
    .map(lambda text: text.strip(SPACES))
    .filter(bool)
)
keys = st.text(st.characters(exclude_characters=SPACES + "={}\"'"), min_size=1)
words = st.text(st.characters(exclude_characters=SPACES + "{}\"'"))


def options_of(values: st.SearchStrategy[OptionText]) -> st.SearchStrategy[OptionNode]:
    """Options with and without values; only one with a value may lack a name."""
    named = st.builds(OptionNode, keys, st.none() | values)
    return named | st.builds(OptionNode, st.just(""), values)


plain_values = (
    st.builds(OptionText, words)
    | st.builds(OptionText, texts, st.just('"'))
    | st.builds(OptionText, texts.map(lambda text: text.replace("'", "")), st.just("'"))
)
values = st.recursive(
    plain_values,
    lambda inner: (
        st.builds(
            OptionText,
            st.lists(options_of(inner), max_size=3).map(lambda o: print_options(o).strip(SPACES)),
            st.just("{"),
        )
        | st.builds(OptionText, st.lists(texts.map(quote)).map(",".join), st.just("{"))
    ),
    max_leaves=4,
)
arguments = (st.builds(OptionText, words) | st.builds(OptionText, texts, st.just('"'))).filter(
    lambda value: "]" not in value.text
)
leaves = st.builds(
    PassNode, names, st.lists(options_of(values), max_size=3).map(tuple), st.none() | arguments
)
pipelines = st.builds(
    PipelineNode,
    names,
    st.lists(
        st.recursive(
            leaves,
            lambda inner: st.builds(PipelineNode, names, st.lists(inner, max_size=3).map(tuple)),
            max_leaves=6,
        ),
        max_size=4,
    ).map(tuple),
)


@given(pipelines)
def test_printed_pipelines_parse_back(node: PipelineNode) -> None:
    """Parsing what was printed gives equal nodes, on one line and indented."""
    text = print_pipeline(node)
    assert parse_pipeline(text) == node
    assert print_pipeline(parse_pipeline(text)) == text
    assert parse_pipeline(print_pipeline(node, pretty=True)) == node


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
        printed = print_pipeline(node)
        assert parse_pipeline(printed) == node
        assert print_pipeline(parse_pipeline(printed)) == printed
