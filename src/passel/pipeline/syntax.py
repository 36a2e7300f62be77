"""The syntax tree of a textual pipeline: what was written, where, and nothing resolved.

Nodes compare by what they say; spans are left out of comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from passel.diagnostics import Span  # noqa: TC001 - named in a field's type


@dataclass(frozen=True, slots=True)
class OptionText:
    r"""The text of an option's value, with one layer of quotes or braces taken off.

    Attributes:
        text: The value. In double quotes, `\"` and `\\` are resolved.
        quote: What was taken off: `"`, `'`, `{` or nothing. A quoted text is one string,
            whatever it contains; text in braces or bare may be a list or a struct.
        span: Where `text` stands in the source, without the quotes.
    """

    text: str
    quote: str = ""
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class OptionNode:
    """One `key=value`; a key alone has no value, which differs from an empty one."""

    key: str
    value: OptionText | None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class PassNode:
    """A leaf: the name of a pass or of a registered pipeline, with its options.

    Attributes:
        name: As written.
        options: In the order written, repetitions included.
        argument: The text in square brackets after the name (`mlir-opt[cse]`), xDSL's
            shorthand for the one pass that has it.
        span: Where the name stands.
    """

    name: str
    options: tuple[OptionNode, ...] = ()
    argument: OptionText | None = None
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class PipelineNode:
    """An anchor and, in parentheses, what runs on each op of that name."""

    anchor: str
    elements: tuple[ElementNode, ...] = ()
    span: Span | None = field(default=None, compare=False)


ElementNode: TypeAlias = PassNode | PipelineNode
