"""Python's source text, laid out as `ruff format` lays it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.specification.markdown import reindented

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

INDENT = "    "


def literal(text: str) -> str:
    """Return a string literal, in double quotes unless that takes more escapes.

    Example:
        >>> print(literal("a"), literal('"a"'))
        "a" '"a"'
    """
    quote = "'" if text.count('"') > text.count("'") else '"'
    characters = (
        f"\\{char}" if char in (quote, "\\") else char if char.isprintable() else repr(char)[1:-1]
        for char in text
    )
    return f"{quote}{''.join(characters)}{quote}"


def imports(names: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield import statements, one per module.

    Args:
        names: Modules and names in them.
        width: The length of lines.
    """
    modules: dict[str, set[str]] = {}
    for module, name in names:
        modules.setdefault(module, set()).add(name)
    for module in sorted(modules):
        found = sorted(modules[module], key=_import_order)
        line = f"from {module} import {', '.join(found)}"
        if len(line) <= width:
            yield line
        else:
            yield from enclosed(f"from {module} import (", found, ")", 0, compact=False)


def _import_order(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def enclosed(
    head: str, items: Sequence[str], tail: str, width: int, *, compact: bool
) -> Iterator[str]:
    """Yield `head`, items separated by commas, and `tail`: on one line if that is not too long.

    Args:
        head: Ends in an opening bracket; its white space indents the other lines.
        items: What is in the brackets.
        tail: Begins with the closing bracket.
        width: The length of lines.
        compact: Whether the items may stand on a line of their own together, as they do in
            calls; else each has its own, as in displays of tuples.
    """
    joined = ", ".join(items)
    if len(head) + len(joined) + len(tail) <= width:
        yield f"{head}{joined}{tail}"
        return
    indent = head[: len(head) - len(head.lstrip())]
    yield head
    if compact and len(indent) + len(INDENT) + len(joined) <= width:
        yield f"{indent}{INDENT}{joined}"
    else:
        yield from (f"{indent}{INDENT}{item}," for item in items)
    yield f"{indent}{tail}"


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
    prefix = ""
    if "\\" in text or '"""' in text:
        if '"""' in text:
            text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        else:
            prefix = "r"
    lines = text.split("\n")
    if len(lines) == 1:
        yield f'{indent}{prefix}"""{lines[0]}"""'
        return
    yield f'{indent}{prefix}"""{lines[0]}'
    yield from (f"{indent}{line}" if line else "" for line in lines[1:])
    yield f'{indent}"""'


def argument(name: str, text: str, indent: str, width: int) -> Iterator[str]:
    """Yield `name="text",`, with the string broken into several that fit."""
    whole = f"{indent}{name}={literal(text)},"
    if len(whole) <= width:
        yield whole
        return
    parts = list(_broken(text, width - len(indent) - len(INDENT)))
    if " " not in text:
        yield whole
        return
    yield f"{indent}{name}=("
    yield from (f"{indent}{INDENT}{part}" for part in parts)
    yield f"{indent}),"


def _broken(text: str, width: int) -> Iterator[str]:
    """Yield literals for the parts of a text, broken between words."""
    if len(literal(text)) <= width:
        yield literal(text)
        return
    line = ""
    for word in text.split(" "):
        longer = f"{line}{word} "
        if line and len(literal(longer)) > width:
            yield literal(line)
            longer = f"{word} "
        line = longer
    yield literal(line[:-1])
