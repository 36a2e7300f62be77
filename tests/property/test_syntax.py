"""Text to nodes and back, for any text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import example, given, settings
from hypothesis import strategies as st

from passel import PipelineSyntaxError
from passel.pipeline import PipelineNode, parse_elements, parse_pipeline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.diagnostics import Span
    from passel.pipeline import ElementNode

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
        assert parse_pipeline(printed) == node
        assert str(parse_pipeline(printed)) == printed
