"""The syntax tree of a textual pipeline, with spans and unresolved names.

Passes and managers are converted to syntax trees for printing. `str(node)` is text that parses to
the same node, apart from the spans.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from passel.diagnostics import Span


# A named tuple is created three times as fast as a frozen dataclass, and there are many nodes.


class OptionText(NamedTuple):
    r"""The text of an option's value, without the outer quotes or braces.

    Attributes:
        text: The text of the value, with the escapes `\"` and `\\` resolved.
        quote: The outer `"`, `'` or `{` that was removed; an empty string if there was none.
            Text in quotes is always a string. Text without quotes may also be a list or a struct.
        span: The span of the value in the source, without the quotes.
    """

    text: str
    quote: str = ""
    span: Span | None = None

    def __str__(self) -> str:
        text = self.text
        if self.quote == "{":
            return f"{{{text}}}"
        if self.quote == '"':
            text = text.replace("\\", "\\\\").replace('"', '\\"')
        return f"{self.quote}{text}{self.quote}"


class OptionNode(NamedTuple):
    """The syntax node of an option `key=value`. The value is None for a key without `=`."""

    key: str
    value: OptionText | None
    span: Span | None = None

    def __str__(self) -> str:
        return self.key if self.value is None else f"{self.key}={self.value}"


class PassNode(NamedTuple):
    """The syntax node of a pass or a registered pipeline, with its options.

    Attributes:
        name: The name of the pass or pipeline.
        options: The options in text order, including repeated options.
        argument: The text in square brackets after the name, as in xDSL's `mlir-opt[cse]`; None if
            there are no brackets.
        span: The span of the name in the source.
    """

    name: str
    options: tuple[OptionNode, ...] = ()
    argument: OptionText | None = None
    span: Span | None = None

    def __str__(self) -> str:
        argument = f"[{self.argument}]" if self.argument is not None else ""
        options = f"{{{' '.join(map(str, self.options))}}}" if self.options else ""
        return self.name + argument + options


class PipelineNode(NamedTuple):
    """The syntax node of a pipeline, whose elements run on the ops that match its anchor."""

    anchor: str
    elements: tuple[ElementNode, ...] = ()
    span: Span | None = None

    def __str__(self) -> str:
        return f"{self.anchor}({','.join(map(str, self.elements))})"

    def pretty(self, newline: str = "\n") -> str:
        """Return the pipeline as indented text, with one element per line.

        Args:
            newline: A newline character, followed by the indentation of the pipeline.

        Example:
            >>> from passel.pipeline import parse_pipeline
            >>> print(parse_pipeline("any( cse , dce )").pretty())
            any(
              cse,
              dce
            )
        """
        inner = f"{newline}  "
        elements = f",{inner}".join(
            each.pretty(inner) if isinstance(each, PipelineNode) else str(each)
            for each in self.elements
        )
        return f"{self.anchor}({inner}{elements}{newline})"


ElementNode: TypeAlias = PassNode | PipelineNode

_BARE = re.compile(r"""[^\s{}()\[\]'",\\]+""")


def spelled(text: str) -> OptionText:
    """Return the value of a string option as text, with quotes only if they are needed.

    Example:
        >>> print(spelled("a.mlir"), spelled("two words"), spelled('say "hi"'))
        a.mlir "two words" 'say "hi"'
    """
    if _BARE.fullmatch(text):
        return OptionText(text)
    # Text in single quotes has no escapes, which mlir-opt does not support.
    return OptionText(text, "'" if ('"' in text or "\\" in text) and "'" not in text else '"')
