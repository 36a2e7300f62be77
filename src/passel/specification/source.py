"""Parts of Python's source text. How long lines are broken is a formatter's concern."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from passel.specification.markdown import reindented

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

INDENT = "    "


def literal(text: str) -> str:
    """Return a string literal, in double quotes.

    Example:
        >>> print(literal("it's"))
        "it's"
    """
    return json.dumps(text, ensure_ascii=False)  # which Python reads as well


def imports(names: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield import statements, one for each module.

    Args:
        names: Modules and names in them.
    """
    modules: dict[str, set[str]] = {}
    for module, name in names:
        modules.setdefault(module, set()).add(name)
    for module in sorted(modules):
        yield f"from {module} import {', '.join(sorted(modules[module]))}"


def docstring(summary: str, description: str, indent: str) -> Iterator[str]:
    """Yield a docstring's lines.

    Args:
        summary: One line; a full stop is put behind it if it has none.
        description: More paragraphs, indented as a whole; may be empty.
        indent: White space in front of each line.
    """
    summary = summary.strip()
    summary = summary[0].upper() + summary[1:] + ("" if summary[-1] in ".?!" else ".")
    body = [line.rstrip() for line in reindented(description.expandtabs(4)).strip("\n").split("\n")]
    text = "\n".join([summary, "", *body]) if any(body) else summary
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    first, *rest = text.split("\n")
    if not rest:
        yield f'{indent}"""{first}"""'
        return
    yield f'{indent}"""{first}'
    yield from (f"{indent}{line}" if line else "" for line in rest)
    yield f'{indent}"""'
