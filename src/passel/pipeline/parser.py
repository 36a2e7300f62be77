"""Parsing of pipelines to syntax nodes. `passel.passes.resolution` resolves the names later.

    pipeline  ::= anchor `(` elements? `)`                 the full form
                | element (`,` element)*                   the flat form, if allowed
    elements  ::= element (`,` element)*
    element   ::= name (`[` text `]`)? (`{` options `}`)?  a pass or a registered pipeline
                | anchor `(` elements? `)`                 a nested pipeline

A name ends before the next of the characters `,(){[`. White space around names and brackets is
ignored. The parser differs from MLIR 22 intentionally: `func.func()` is an empty nested pipeline
(MLIR prints this text but does not parse it), `(cse)` without an anchor is an error (MLIR accepts
an empty anchor), and the positions in errors are offsets into the complete text.

Source: `TextualPipeline` in `mlir/lib/Pass/PassRegistry.cpp`, MLIR 22.
"""

from __future__ import annotations

import re
from typing import NoReturn

from passel.diagnostics import Source, Span
from passel.errors import PipelineSyntaxError, Problem
from passel.pipeline.lexer import clean, find_closing_brace, located, split_options, trim
from passel.pipeline.syntax import ElementNode, OptionNode, OptionText, PassNode, PipelineNode

MAX_DEPTH = 64
"""The maximum nesting depth of pipelines, which limits the recursion of the parser."""

MAX_ELEMENTS = 10_000
"""The maximum number of passes and nested pipelines in one text."""

_NAME_END = re.compile(r"[,(){[]")
_NOT_SPACE = re.compile(r"\S", re.ASCII)


def parse_pipeline(
    text: str | Span, *, name: str = "<pass-pipeline>", flat_anchor: str | None = None
) -> PipelineNode:
    """Parse the text of a complete pipeline, and return the syntax tree.

    Args:
        text: The text of the pipeline, such as `builtin.module(func.func(cse))`, or the span of the
            pipeline in a longer text. If `text` is a span, errors give positions in the longer
            text.
        name: The name of the text in error messages.
        flat_anchor: The anchor to use if the text is in xDSL's flat form, such as
            `cse,canonicalize`, which has no anchor; None to reject text in this form.

    Raises:
        PipelineSyntaxError: The text is not a pipeline.

    Example:
        >>> parse_pipeline("any(cse)")
        PipelineNode(anchor='any', elements=(PassNode(name='cse', ...
    """
    elements = parse_elements(text, name=name)
    if len(elements) == 1 and isinstance(elements[0], PipelineNode):
        return elements[0]
    is_flat = not elements or any(isinstance(element, PassNode) for element in elements)
    if flat_anchor is None or not is_flat:
        message = (
            "expected pass pipeline to be wrapped with the anchor operation type, e.g. "
            "'builtin.module(...)'; 'any(...)' accepts every operation"
        )
        raise PipelineSyntaxError(Problem(message, _span(text, name)))
    return PipelineNode(flat_anchor, elements)


def parse_elements(text: str | Span, *, name: str = "<pass-pipeline>") -> tuple[ElementNode, ...]:
    """Parse a list of passes and nested pipelines, such as `cse,func.func(dce)`.

    Args:
        text: The text to parse, or its span in a longer text.
        name: The name of the text in error messages.

    Raises:
        PipelineSyntaxError: The text is not a list of passes and nested pipelines.
    """
    return _Parser(_span(text, name)).elements()


def _span(text: str | Span, name: str) -> Span:
    return Span(Source(text, name), 0, len(text)) if isinstance(text, str) else text


def parse_options(
    text: str | Span, *, name: str = "<options>", braces: bool = False
) -> tuple[OptionNode, ...]:
    """Parse the text of a pass's options, and return the option nodes.

    Args:
        text: The text of the options, or its span in a longer text.
        name: The name of the text in error messages.
        braces: Whether the text may be enclosed in braces.

    Example:
        >>> [node.key for node in parse_options("a=1 b={x y}")]
        ['a', 'b']
    """
    span = _span(text, name)
    if braces and (inner := clean(trim(span))).quote == "{":
        span = located(inner)
    return tuple(split_options(span))


class _Parser:
    """A parser that reads a text once, from its beginning to its end."""

    def __init__(self, span: Span) -> None:
        self.source = span.source
        self.text = span.source.text
        self.position = span.start
        self.end = span.end
        self.count = 0

    def elements(self, opened: Span | None = None, depth: int = 0) -> tuple[ElementNode, ...]:
        """Parse elements up to the end of the text, or past the closing parenthesis.

        Args:
            opened: The anchor before the opening parenthesis; None if there is no parenthesis.
            depth: The number of enclosing parentheses.
        """
        last = "" if opened is None else ")"
        found: list[ElementNode] = []
        self._go_to(_NOT_SPACE)
        char = self._peek()
        if char != last:
            char = ","
        while char == ",":
            found.append(self._element(depth))
            char = self._peek()
            self.position += char == ","
        if char != last:
            self._fail_between(char, opened)
        self.position += len(last)
        return tuple(found)

    def _fail_between(self, char: str, opened: Span | None) -> NoReturn:
        """Report an unexpected character after an element."""
        if opened is not None and not char:
            message = "encountered unbalanced parentheses while parsing pipeline: "
            self._fail(f"{message}'{opened.text}(' is not closed", opened)
        if char == ")":
            message = "encountered extra closing ')' creating unbalanced parentheses while parsing"
            self._fail(f"{message} pipeline")
        self._fail("expected ',' after parsing pipeline")

    def _element(self, depth: int) -> ElementNode:
        start = self.position
        self._go_to(_NAME_END)
        span = trim(Span(self.source, start, self.position))
        name = span.text
        if not name:
            span = Span(self.source, start, start)
        self.count += 1
        if self.count > MAX_ELEMENTS:
            self._fail(f"a pipeline can have at most {MAX_ELEMENTS} elements", span)
        if self._peek() == "(":
            if not name:
                self._fail("expected an anchor before '(', such as 'func.func' or 'any'", span)
            if depth >= MAX_DEPTH:
                self._fail(f"pipeline is nested more than {MAX_DEPTH} levels deep", span)
            self.position += 1
            node: ElementNode = PipelineNode(name, self.elements(span, depth + 1), span)
        else:
            if not name:
                self._fail("expected the name of a pass or pipeline here", span)
            argument = self._argument() if self._peek() == "[" else None
            options = self._options() if self._peek() == "{" else ()
            node = PassNode(name, options, argument, span)
        self._go_to(_NOT_SPACE)
        return node

    def _argument(self) -> OptionText:
        start = self.position + 1
        end = self.text.find("]", start, self.end)
        if end < 0:
            self._fail("missing closing ']'")
        self.position = end + 1
        self._go_to(_NOT_SPACE)
        return clean(trim(Span(self.source, start, end)))

    def _options(self) -> tuple[OptionNode, ...]:
        start = self.position
        end = find_closing_brace(Span(self.source, start, self.end))
        if end is None:
            self._fail("missing closing '}' while processing pass options")
        self.position = end + 1
        self._go_to(_NOT_SPACE)
        if self._peek() == "(":
            self._fail("a nested pipeline takes no options", Span(self.source, start, end + 1))
        return tuple(split_options(Span(self.source, start + 1, end)))

    def _peek(self) -> str:
        return self.text[self.position] if self.position < self.end else ""

    def _go_to(self, pattern: re.Pattern[str]) -> None:
        """Go to the next match of a pattern, or to the end of the text."""
        match = pattern.search(self.text, self.position, self.end)
        self.position = match.start() if match else self.end

    def _fail(self, message: str, span: Span | None = None) -> NoReturn:
        here = Span(self.source, self.position, self.position + 1)
        raise PipelineSyntaxError(Problem(message, span or here))
