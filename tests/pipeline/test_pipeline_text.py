"""The textual form: what parses, what does not and why, and how it prints, as `mlir::parsePassPipeline`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from nodes import bare

from passel import PassManager, PassRegistry, PipelineError, PipelineSyntaxError
from passel.pipeline import (
    OptionNode,
    OptionText,
    PassNode,
    PipelineNode,
    parse_options,
    parse_pipeline,
    spelled,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("any()", PipelineNode("any")),
        ("x.y(a,b)", PipelineNode("x.y", (PassNode("a"), PassNode("b")))),
        ("m(f(a),g(),b)", PipelineNode("m", (PipelineNode("f", (PassNode("a"),)), PipelineNode("g"), PassNode("b")))),
        ("any(a{})", PipelineNode("any", (PassNode("a"),))),
        ("any(a{x})", PipelineNode("any", (PassNode("a", (OptionNode("x", None),)),))),
        ("any(a b)", PipelineNode("any", (PassNode("a b"),))),
        ("any(a})", PipelineNode("any", (PassNode("a}"),))),
        ("any(a[b])", PipelineNode("any", (PassNode("a", (), OptionText("b")),))),
        ("'m'(a)", PipelineNode("'m'", (PassNode("a"),))),
        ("any(*)", PipelineNode("any", (PassNode("*"),))),
    ],
)  # fmt: skip
def test_pipelines_parse(text: str, node: PipelineNode) -> None:
    """A name is everything up to the next of `, ( ) { [`; only parentheses nest."""
    assert bare(parse_pipeline(text)) == bare(node)


def test_white_space_is_free_around_names_and_brackets() -> None:
    """White space, line ends included, means nothing outside options."""
    node = parse_pipeline("any(a{x=1},f(b))")
    for text in (" \n any ( a { x=1 } , f ( b ) ) \t", "any(\n  a{x=1},\n  f(\n    b\n  )\n)"):
        assert bare(parse_pipeline(text)) == bare(node)


UNBALANCED = "encountered unbalanced parentheses while parsing pipeline: "
EXTRA = "encountered extra closing ')' creating unbalanced parentheses while parsing pipeline"
SYNTAX: dict[str, list[tuple[str, int, str]]] = {
    "expected pass pipeline to be wrapped with the anchor operation type, e.g. 'builtin.module(...)'; 'any(...)' accepts every operation": [
        *(("", 1, ""), ("  ", 1, "  "), ("a", 1, "a"), ("a,b", 1, "a,b")),
        ("m(a),m(b)", 1, "m(a),m(b)"),
    ],
    "expected an anchor before '(', such as 'func.func' or 'any'": [
        ("(a)", 1, ""),
        ("m((a))", 3, ""),
    ],
    "expected the name of a pass or pipeline here": [
        *(("m(a,)", 5, ""), ("m(,a)", 3, ""), ("m(a,,b)", 5, ""), ("m({x})", 3, "")),
        *(("m(a),", 6, ""), ("m(", 3, ""), (")", 1, "")),
    ],
    f"{UNBALANCED}'m(' is not closed": [("m(a", 1, "m"), ("m( f(a)", 1, "m")],
    f"{UNBALANCED}'f(' is not closed": [("m( f(a", 4, "f")],
    EXTRA: [("m(a))", 5, ")")],
    "expected ',' after parsing pipeline": [
        *(("m(a)b", 5, "b"), ("m(f(a)g)", 7, "g"), ("m(a(b)(c))", 7, "(")),
        *(("m(a{x}b)", 7, "b"), ("m(a{x}{y})", 7, "{"), ("m(a{x}[b])", 7, "[")),
    ],
    "missing closing '}' while processing pass options": [
        ("m(a{x)", 4, "{"),
        ("m(a{x={y})", 4, "{"),
    ],
    "a nested pipeline takes no options": [("f{x}(a)", 2, "{x}")],
    "missing closing ']'": [("m(a[b)", 4, "[")],
}


@pytest.mark.parametrize(
    ("message", "text", "column", "marked"),
    [(message, *each) for message, found in SYNTAX.items() for each in found],
)
def test_malformed_text(message: str, text: str, column: int, marked: str) -> None:
    """Each way to be wrong has its message, at its place in the whole text."""
    with pytest.raises(PipelineSyntaxError) as info:
        parse_pipeline(text, name="<p>")
    (problem,) = info.value.problems
    assert problem.message == message
    assert problem.span is not None
    place = problem.span.source.name, problem.span.line, problem.span.column, problem.span.text
    assert place == ("<p>", 1, column, marked)


LONG_OR_DEEP = [
    (lambda: "any(" * 10_000 + "a" + ")" * 10_000, "pipeline is nested more than 64 levels deep"),
    (lambda: "any(knobs{pipeline=" * 10_000 + "any()" + "})" * 10_000, "options are nested more than 64 levels deep"),
    (lambda: "any(knobs{words=" + "{" * 10_000 + "}" * 10_000 + "})", "options are nested more than 64"),
    (lambda: ("any(" * 60 + "knobs{pipeline=") * 60 + "any()" + ("}" + ")" * 60) * 60, "option 'pipeline' of pass 'knobs': is nested too deeply"),
    (lambda: "any(a" + ")" * 10_000, "encountered extra closing ')'"),
    (lambda: "any(" + "x" * 2_000_000 + ")", "does not refer to a registered pass"),
    (lambda: "any(" + ("x" * 999 + ",") * 9_000 + "a)", "does not refer to a registered pass"),
    (lambda: "any(" + " " * 2_000_000 + "x)", "does not refer to a registered pass"),
    (lambda: "any(a{" + "x" * 2_000_000 + "})", "no such option"),
    (lambda: 'any(set{at="' + "x" * 2_000_000 + '" to=x})', "'x' value invalid for integer"),
    (lambda: 'any(set{at="' + "x" * 2_000_000 + "})", "encountered unbalanced parentheses"),
    (lambda: "any(set{to=" + "9" * 2_000_000 + "})", "Exceeds the limit"),
    (lambda: "any(knobs{numbers=" + "1," * 100_000 + "x})", "'x' value invalid for integer"),
    (lambda: "x" * 2_000_000, "expected pass pipeline to be wrapped"),
]  # fmt: skip
"""Long and deep texts, and what is said of them; together they take 26 MB."""


@pytest.mark.parametrize(("make", "message"), LONG_OR_DEEP)
def test_long_and_deep_text_fails_fast(
    parse: Callable[[str], PassManager], make: Callable[[], str], message: str
) -> None:
    """Megabytes and ten thousand levels give one clear, short error in less than two seconds of work."""
    text, start = make(), time.process_time()
    if message == "encountered unbalanced parentheses":
        # The quote has no partner, so it stands for itself: unusual, but no error.
        assert len(str(parse(text))) > 2_000_000
    else:
        with pytest.raises(PipelineError) as info:
            parse(text)
        rendered = str(info.value)
        assert message in rendered
        assert len(rendered) < 100_000
    assert time.process_time() - start < 2


def test_the_flat_form_gets_the_anchor_it_is_given(registry: PassRegistry) -> None:
    """With `flat_anchor`, bare elements are wrapped; a full pipeline keeps its anchor."""

    def parse(text: str) -> str:
        return str(PassManager.parse(text, registry=registry, flat_anchor="toy.module"))

    assert parse("a,toy.func(b)") == "toy.module(a,toy.func(b))"
    assert parse("a") == "toy.module(a)"
    assert parse("") == "toy.module()"
    assert parse("toy.func(b)") == "toy.func(b)"
    with pytest.raises(PipelineSyntaxError, match="expected pass pipeline to be wrapped"):
        parse("toy.func(a),toy.func(b)")


# -- Option text -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a=", [("a", "", "")]),
        ("a= b", [("a", "", ""), ("b", None, "")]),
        (" a=1   b=2 ", [("a", "1", ""), ("b", "2", "")]),
        ("a=1\n\tb", [("a", "1", ""), ("b", None, "")]),
        ("a==1", [("a", "=1", "")]),
        ("=3", [("", "3", "")]),
        ("a={b c}", [("a", "b c", "{")]),
        ("a={}", [("a", "", "{")]),
        ("a={{b}}", [("a", "{b}", "{")]),
        ("a={b}{c}", [("a", "{b}{c}", "")]),
        ('a="b c"', [("a", "b c", '"')]),
        ("a='b c'", [("a", "b c", "'")]),
        ("a=' b '", [("a", " b ", "'")]),
        ('a=""', [("a", "", '"')]),
        ('a="b"c', [("a", '"b"c', "")]),
        ('a="b\\"c"', [("a", 'b"c', '"')]),
        ('a="b\\\\"', [("a", "b\\", '"')]),
        ('a="b\\n"', [("a", "b\\n", '"')]),
        ("a='b\\'", [("a", "b\\", "'")]),
        ('a="it\'s"', [("a", "it's", '"')]),
        ("a=it's b", [("a", "it's", ""), ("b", None, "")]),
        ("a=x'y z'w", [("a", "x'y z'w", "")]),
        ('a="b', [("a", '"b', "")]),
        ("a={b", [("a", "{b", "")]),
        ("a={b c=d", [("a", "{b c=d", "")]),
        ("a=(b c)", [("a", "(b", ""), ("c)", None, "")]),
        ('a={"}" b}', [("a", '"}" b', "{")]),
        ("a=\u00a0b", [("a", "\u00a0b", "")]),
    ],
)
def test_option_text_splits(text: str, expected: list[tuple[str, str | None, str]]) -> None:
    """White space separates; quotes and braces protect; one layer of them is taken off."""
    nodes = parse_options(text)
    assert [
        (node.key, node.value and node.value.text, node.value.quote if node.value else "")
        for node in nodes
    ] == expected
    assert bare(parse_options(" ".join(map(str, nodes)))) == bare(nodes)


def test_braces_around_options_are_those_around_all_of_them() -> None:
    """Where they may be, they mean nothing; those of a value are none around the options."""
    nodes = parse_options(" { a=1 b={2} } ", braces=True)
    assert bare(nodes) == bare(parse_options("a=1 b={2}"))
    assert [node.key for node in parse_options("{a=1} b={2}", braces=True)] == ["{a", "b"]
    (node,) = parse_options("  {a=x}", braces=True)
    assert node.span is not None
    assert (node.key, node.span.column) == ("a", 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.mlir", "a.mlir"),
        ("", '""'),
        ("a b", '"a b"'),
        ('say "hi"', "'say \"hi\"'"),
        ("it's", '"it\'s"'),
        ("both ' and \"", '"both \' and \\""'),
        ("back\\slash", "'back\\slash'"),
        ("a\nb", '"a\nb"'),
    ],
)
def test_strings_are_quoted_where_they_need_to_be(text: str, expected: str) -> None:
    """A string is bare if it can be, and reads back as itself always."""
    assert str(spelled(text)) == expected
    (node,) = parse_options(f"k={expected}")
    assert node.value is not None
    assert node.value.text == text
