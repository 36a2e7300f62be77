"""Nodes to text: canonical, and parsed back to equal nodes.

Also spells strings, because when a string needs quotes is a question of this grammar.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from passel.pipeline.syntax import OptionNode, OptionText, PassNode, PipelineNode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.pipeline.syntax import ElementNode

_BARE = re.compile(r"""[^\s{}()\[\]'",\\]+""")


def quote(text: str) -> str:
    r"""Spell a string so that it reads back as itself, bare where that is possible.

    Example:
        >>> print(quote("a.mlir"), quote("two words"), quote('say "hi"'))
        a.mlir "two words" 'say "hi"'
    """
    if _BARE.fullmatch(text):
        return text
    # Between single quotes there are no escapes, which mlir-opt does not know.
    if ('"' in text or "\\" in text) and "'" not in text:
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def print_pipeline(node: PipelineNode, *, pretty: bool = False) -> str:
    """Print a pipeline on one line, or indented with one element a line.

    Example:
        >>> from passel.pipeline import parse_pipeline
        >>> print(print_pipeline(parse_pipeline("any( cse , dce )"), pretty=True))
        any(
          cse,
          dce
        )
    """
    return "".join(_pieces(node, 0 if pretty else None))


def print_options(options: Iterable[OptionNode]) -> str:
    """Print options as they stand between braces."""
    return " ".join(map(_option, options))


def _pieces(node: ElementNode, indent: int | None) -> Iterable[str]:
    if isinstance(node, PassNode):
        yield _leaf(node)
        return
    inner = None if indent is None else indent + 1
    newline = "" if inner is None else "\n" + "  " * inner
    yield f"{node.anchor}({newline}"
    for index, element in enumerate(node.elements):
        if index:
            yield "," + newline
        yield from _pieces(element, inner)
    yield ")" if indent is None else "\n" + "  " * indent + ")"


def _leaf(node: PassNode) -> str:
    argument = f"[{_value(node.argument)}]" if node.argument is not None else ""
    options = f"{{{print_options(node.options)}}}" if node.options else ""
    return node.name + argument + options


def _option(node: OptionNode) -> str:
    return node.key if node.value is None else f"{node.key}={_value(node.value)}"


def _value(value: OptionText) -> str:
    match value.quote:
        case "{":
            return f"{{{value.text}}}"
        case "":
            return value.text
        case _:
            return quote_as(value)


def quote_as(value: OptionText) -> str:
    """Spell a quoted text with the kind of quotes that it was written with."""
    if value.quote == "'":
        return f"'{value.text}'"
    escaped = value.text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
