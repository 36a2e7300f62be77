"""CHECK lines made from an output, with variables for the names of values.

Source: `mlir/utils/generate-test-checks.py`, MLIR 22.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from passel.testing.idle_checks import check_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SPLIT = "// -----"
"""The line between parts of a file that are tests of their own."""

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|%[\w$.-]+|\[\[|\{\{')
_VALUE = "%[A-Za-z0-9_$.-]+"
_SYMBOL = re.compile(r"(?P<head>\s*[\w.]+ (?:(?:private|public|nested) )?@(?P<name>[\w.$-]+)\(?)")
_ALIAS = "#!"
"""How names of attributes and types begin, which MLIR prints before the IR."""
_RESULT = re.compile(r"\s*%[\w$.-]+(?::\d+)?(?:, %[\w$.-]+)* = \"?(?:\w+\.)*(?P<op>\w+)")
_COMMENT = re.compile(r"(?<=:)\s*// (?:\d+ preds|pred|no pred).*$")


def updated(text: str, outputs: Iterable[str], prefix: str = "CHECK") -> str:
    r"""Return a file with CHECK lines that its output fulfils, in place of those that it has.

    Those of an op with a symbol stand before it, others at the end of their part.

    Args:
        text: The file.
        outputs: The output of each part between lines `// -----`.
        prefix: What directives begin with.

    Example:
        >>> print(updated("func.func @f()", ["func.func @f() {\n  %0 = a.b : i32\n}"]))
        // CHECK-LABEL: func.func @f() {
        // CHECK-NEXT:    [[B:%[A-Za-z0-9_$.-]+]] = a.b : i32
        // CHECK-NEXT:  }
        func.func @f()
    """
    old = {line.line for line in check_lines(text, prefix)}
    kept = [line for number, line in enumerate(text.split("\n"), 1) if number not in old]
    parts = "\n".join(kept).split(SPLIT)
    return SPLIT.join(
        _with_checks(part, output, prefix) for part, output in zip(parts, outputs, strict=True)
    )


def _with_checks(part: str, output: str, prefix: str) -> str:
    lines = part.split("\n")
    last, places = int(not lines[0]), dict[int, list[str]]()  # not on the line that splits
    end = len(lines) - (not lines[-1])
    for group in _groups(output):
        symbol = _SYMBOL.match(group[0])
        place = last if group[0][0] in _ALIAS else end
        if symbol:
            pattern = re.compile(rf"\s*[\w.]+ (?:\w+ )?@{re.escape(symbol['name'])}\b")
            found = [index for index, line in enumerate(lines) if pattern.match(line)]
            place = max(found[0] if found else last, last)
        last = place
        indent = re.match(r"\s*", lines[place] if place < len(lines) else "")
        space = indent[0] if indent else ""
        places.setdefault(place, []).extend(f"{space}// {each}" for each in _checks(group, prefix))
    for place in sorted(places, reverse=True):
        lines[place:place] = places[place]
    return "\n".join(lines)


def _groups(output: str) -> Iterator[list[str]]:
    """Yield the lines of each op at the top, or right inside of the module if that is there."""
    lines = [_COMMENT.sub("", line) for line in output.strip("\n").split("\n")]
    while lines[0] and lines[0][0] in _ALIAS:
        yield [lines.pop(0)]
    if re.match(r"(builtin\.)?module\b.*\{$", lines[0]):
        body = [line[2:] for line in lines[1:] if line.strip()]
        lines = body[:-1] if len(lines) > 1 and lines[-1] == "}" else body
    group: list[str] = []
    for line in lines:
        if group and re.match(r"[^\s}^]", line) and line.strip():
            yield group
            group = []
        if line.strip():
            group.append(line)
    if group:
        yield group


def _checks(group: list[str], prefix: str) -> Iterator[str]:
    """Yield the directives for the lines of an op."""
    names: dict[str, str] = {}
    width = len(f"{prefix}-LABEL: ")
    first, *rest = group
    symbol = _SYMBOL.match(first)
    if symbol and "%" in first:
        yield f"{prefix}-LABEL: {_escaped(symbol['head'])}"
        tail = _named(first[symbol.end() :], names)
        yield f"{prefix + '-SAME:':<{width}}{' ' * len(symbol['head'])}{tail}"
    elif symbol:
        yield f"{prefix}-LABEL: {_named(first, names)}"
    else:
        yield f"{prefix + ':':<{width}}{_named(first, names)}"
    for line in rest:
        yield f"{prefix + '-NEXT:':<{width}}{_named(line, names)}"


def _named(line: str, names: dict[str, str]) -> str:
    """Return a line with variables for values: the first use of each defines its variable."""
    result = _RESULT.match(line)

    def piece(match: re.Match[str]) -> str:
        text = match[0]
        if not text.startswith("%"):
            return _escaped(text)
        if text in names:
            return f"[[{names[text]}]]"
        name = names[text] = _variable(text[1:], result, set(names.values()))
        return f"[[{name}:{_VALUE}]]"

    return _PIECE.sub(piece, line)


def _variable(value: str, result: re.Match[str] | None, taken: set[str]) -> str:
    """Return a name for a value that is not taken: its own, or that of the op."""
    base = re.sub(r"\W", "_", value).upper()
    if value[0].isdigit():
        base = result["op"].upper() if result else f"V{base}"
    name, number = base, 0
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    return name


def _escaped(text: str) -> str:
    return text.replace("{{", r"{{\{\{}}").replace("[[", r"{{\[\[}}")
