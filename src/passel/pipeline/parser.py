"""Text to nodes. Knows no pass, no registry and no IR; resolves nothing.

    pipeline  ::= anchor `(` elements? `)`                 the full form
                | element (`,` element)*                   the flat form, if allowed
    elements  ::= element (`,` element)*
    element   ::= name (`[` text `]`)? (`{` options `}`)?  a pass or a registered pipeline
                | anchor `(` elements? `)`                 a nested pipeline

A name is everything up to the next of `, ( ) { [`, trimmed; white space is free around
names and brackets. Knowingly different from MLIR 22: `func.func()` is an empty nested
pipeline (MLIR prints those but does not read them), `(cse)` without an anchor is an error
(there: an anchor with an empty name), and positions refer to the whole text.

Source: `mlir/lib/Pass/PassRegistry.cpp` (`TextualPipeline`), MLIR 22.
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from passel.diagnostics import Source, Span
from passel.errors import PipelineSyntaxError, Problem
from passel.pipeline.lexer import (
    WHITE_SPACE,
    clean,
    find_closing_brace,
    split_options,
    split_struct,
)
from passel.pipeline.syntax import ElementNode, OptionNode, OptionText, PassNode, PipelineNode

MAX_DEPTH = 64
"""Deepest nesting of pipelines; everything downstream may then recurse safely."""

MAX_ELEMENTS = 10_000
"""Most passes and nested pipelines of one text."""

_NAME_END = re.compile(r"[,(){[]")
_NOT_SPACE = re.compile(r"\S", re.ASCII)
_NOT_WRAPPED = (
    "expected pass pipeline to be wrapped with the anchor operation type, "
    "e.g. 'builtin.module(...)'"
)


def parse_pipeline(
    text: str, *, name: str = "<pass-pipeline>", flat_anchor: str | None = None
) -> PipelineNode:
    """Parse a whole pipeline.

    Args:
        text: The pipeline, such as `builtin.module(func.func(cse))`.
        name: What errors call the text.
        flat_anchor: The anchor for text in xDSL's flat form (`cse,canonicalize`). Without
            it, only the full form is accepted.

    Raises:
        PipelineSyntaxError: The text is not a pipeline.

    Example:
        >>> parse_pipeline("any(cse)")
        PipelineNode(anchor='any', elements=(PassNode(name='cse', ...
    """
    return parse_pipeline_at(Span(Source(text, name), 0, len(text)), flat_anchor=flat_anchor)


def parse_pipeline_at(span: Span, *, flat_anchor: str | None = None) -> PipelineNode:
    """Parse a pipeline that is a part of a longer text, such as an option's value.

    Raises:
        PipelineSyntaxError: The part is not a pipeline; positions are those in the whole.
    """
    elements = _Parser(span).parse()
    first = elements[0] if elements else None
    if len(elements) == 1 and isinstance(first, PipelineNode):
        return first
    is_flat = any(isinstance(element, PassNode) for element in elements)
    if flat_anchor is None or (elements and not is_flat):
        raise PipelineSyntaxError(Problem(_NOT_WRAPPED, span))
    return PipelineNode(flat_anchor, elements)


def parse_elements(text: str, *, name: str = "<pass-pipeline>") -> tuple[ElementNode, ...]:
    """Parse bare elements (`cse,func.func(dce)`), as they stand inside an anchor.

    Raises:
        PipelineSyntaxError: The text is not a list of elements.
    """
    return parse_elements_at(Span(Source(text, name), 0, len(text)))


def parse_elements_at(span: Span) -> tuple[ElementNode, ...]:
    """Parse bare elements that are a part of a longer text, such as an option's value.

    Raises:
        PipelineSyntaxError: The part is not a list of elements; positions are those in the whole.
    """
    return _Parser(span).parse()


def parse_options(
    text: str, *, name: str = "<options>", braces: bool = False
) -> tuple[OptionNode, ...]:
    """Parse the options of one pass as they stand between its braces.

    Args:
        text: The options.
        name: What errors call the text.
        braces: Whether the text may be in braces.

    Example:
        >>> [node.key for node in parse_options("a=1 b={x y}")]
        ['a', 'b']
    """
    source = Source(text, name)
    if braces and (inner := clean(source, 0, len(text))).quote == "{":
        return tuple(split_struct(inner))
    return tuple(split_options(source, 0, len(text)))


class _Open(NamedTuple):
    """A nested pipeline whose closing parenthesis has not been seen."""

    anchor: str
    span: Span
    elements: list[ElementNode]


class _Parser:
    """One pass over the text with an explicit stack, so that depth is ours to limit."""

    def __init__(self, span: Span) -> None:
        self.source = span.source
        self.position = span.start
        self.end = span.end
        self.stack: list[_Open] = []
        self.elements: list[ElementNode] = []
        self.count = 0

    def parse(self) -> tuple[ElementNode, ...]:
        self._skip_space()
        if self.position == self.end:
            return ()
        while self._element():
            pass
        if self.stack:
            self._fail(
                "encountered unbalanced parentheses while parsing pipeline: "
                f"'{self.stack[-1].anchor}(' is not closed",
                self.stack[-1].span,
            )
        return tuple(self.elements)

    def _element(self) -> bool:
        """Parse one element, or open a nested pipeline; return whether more must follow."""
        name, span = self._name()
        self.count += 1
        if self.count > MAX_ELEMENTS:
            self._fail(f"a pipeline has {MAX_ELEMENTS} elements at most", span)
        char = self._peek()
        if char == "(":
            self._open(name, span)
            if not self._at_closing():
                return True
            return self._close_and_continue()
        self._add(self._leaf(name, span))
        return self._close_and_continue()

    def _name(self) -> tuple[str, Span]:
        text, start = self.source.text, self.position
        match = _NAME_END.search(text, start, self.end)
        end = match.start() if match else self.end
        self.position = end
        raw = text[start:end]
        name = raw.strip(WHITE_SPACE)
        start += len(raw) - len(raw.lstrip(WHITE_SPACE)) if name else 0
        return name, Span(self.source, start, start + len(name))

    def _leaf(self, name: str, span: Span) -> PassNode:
        if not name:
            self._fail("expected the name of a pass or pipeline here", span)
        argument = self._argument() if self._peek() == "[" else None
        options = self._options() if self._peek() == "{" else ()
        return PassNode(name, options, argument, span)

    def _argument(self) -> OptionText:
        start = self.position + 1
        end = self.source.text.find("]", start, self.end)
        if end < 0:
            self._fail("missing closing ']'", Span(self.source, start - 1, start))
        self.position = end + 1
        self._skip_space()
        return clean(self.source, start, end)

    def _options(self) -> tuple[OptionNode, ...]:
        start = self.position
        end = find_closing_brace(self.source, start, self.end)
        if end is None:
            message = "missing closing '}' while processing pass options"
            self._fail(message, Span(self.source, start, start + 1))
        self.position = end + 1
        self._skip_space()
        if self._peek() == "(":
            self._fail("a nested pipeline takes no options", Span(self.source, start, end + 1))
        return tuple(split_options(self.source, start + 1, end))

    def _open(self, anchor: str, span: Span) -> None:
        if not anchor:
            self._fail("expected an anchor before '(', such as 'func.func' or 'any'", span)
        if len(self.stack) >= MAX_DEPTH:
            self._fail(f"pipeline is nested more than {MAX_DEPTH} levels deep", span)
        self.stack.append(_Open(anchor, span, []))
        self.position += 1

    def _at_closing(self) -> bool:
        self._skip_space()
        return self._peek() == ")"

    def _close_and_continue(self) -> bool:
        """Close what closes here; return whether a comma announces another element."""
        while self._peek() == ")":
            if not self.stack:
                message = (
                    "encountered extra closing ')' creating unbalanced parentheses "
                    "while parsing pipeline"
                )
                self._fail(message, self._here())
            closed = self.stack.pop()
            self._add(PipelineNode(closed.anchor, tuple(closed.elements), closed.span))
            self.position += 1
            self._skip_space()
        if self.position == self.end:
            return False
        if self._peek() != ",":
            self._fail("expected ',' after parsing pipeline", self._here())
        self.position += 1
        return True

    def _add(self, node: ElementNode) -> None:
        (self.stack[-1].elements if self.stack else self.elements).append(node)

    def _peek(self) -> str:
        return self.source.text[self.position] if self.position < self.end else ""

    def _skip_space(self) -> None:
        match = _NOT_SPACE.search(self.source.text, self.position, self.end)
        self.position = match.start() if match else self.end

    def _here(self) -> Span:
        return Span(self.source, self.position, self.position + 1)

    def _fail(self, message: str, span: Span) -> NoReturn:
        raise PipelineSyntaxError(Problem(message, span))
