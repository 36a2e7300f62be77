"""Nodes to text, parsed back to equal nodes: the only printer of pipelines.

Passes and managers turn themselves into nodes to be printed. Also spells strings, because when
a string needs quotes is a question of this grammar.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from passel.pipeline.syntax import OptionNode, OptionText, PassNode, PipelineNode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.pipeline.syntax import ElementNode

_BARE = re.compile(r"""[^\s{}()\[\]'",\\]+""")


def spelled(text: str) -> OptionText:
    """Return a string as an option's value that reads back as it, bare where that is possible."""
    if _BARE.fullmatch(text):
        return OptionText(text)
    # Between single quotes there are no escapes, which mlir-opt does not know.
    return OptionText(text, "'" if ('"' in text or "\\" in text) and "'" not in text else '"')


def quote(text: str) -> str:
    r"""Spell a string so that it reads back as itself, bare where that is possible.

    Example:
        >>> print(quote("a.mlir"), quote("two words"), quote('say "hi"'))
        a.mlir "two words" 'say "hi"'
    """
    return print_value(spelled(text))


def print_pipeline(node: PipelineNode, *, pretty: bool = False, spaced: bool = False) -> str:
    """Print a pipeline on one line, or indented with one element a line.

    Args:
        node: The pipeline.
        pretty: Print one element a line.
        spaced: Put a space behind the commas between its own elements, as MLIR does in
            reproducers.

    Example:
        >>> from passel.pipeline import parse_pipeline
        >>> print(print_pipeline(parse_pipeline("any( cse , dce )"), pretty=True))
        any(
          cse,
          dce
        )
    """
    if spaced:
        return f"{node.anchor}({', '.join(map(print_element, node.elements))})"
    return _indented(node, "\n") if pretty else print_element(node)


def print_element(node: ElementNode) -> str:
    """Print a pass or a pipeline."""
    if isinstance(node, PassNode):
        return _leaf(node)
    return f"{node.anchor}({print_elements(node.elements)})"


def print_elements(nodes: Iterable[ElementNode]) -> str:
    """Print elements as they stand inside an anchor."""
    return ",".join(map(print_element, nodes))


def print_options(options: Iterable[OptionNode]) -> str:
    """Print options as they stand between braces."""
    return " ".join(map(_option, options))


def print_value(value: OptionText) -> str:
    """Print the value of an option."""
    match value.quote:
        case "":
            return value.text
        case "{":
            return f"{{{value.text}}}"
        case "'":
            return f"'{value.text}'"
        case _:
            escaped = value.text.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'


def _indented(node: ElementNode, newline: str) -> str:
    if isinstance(node, PassNode):
        return _leaf(node)
    inner = f"{newline}  "
    elements = f",{inner}".join(_indented(element, inner) for element in node.elements)
    return f"{node.anchor}({inner}{elements}{newline})"


def _leaf(node: PassNode) -> str:
    if not node.options and node.argument is None:
        return node.name
    argument = f"[{print_value(node.argument)}]" if node.argument is not None else ""
    options = f"{{{print_options(node.options)}}}" if node.options else ""
    return node.name + argument + options


def _option(node: OptionNode) -> str:
    return node.key if node.value is None else f"{node.key}={print_value(node.value)}"
