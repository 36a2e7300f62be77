"""Filter optimization remarks, and write remarks as YAML, as in mlir-opt.

Source: `RemarkEmittingPolicyFinal` and `LLVMRemarkStreamer`, MLIR 22; `YAMLRemarkSerializer` and
the YAML writer of LLVM 22.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import TextIO

    from passel.diagnostics import Diagnostic, OptimizationRemark
    from passel.passes.remarks import RemarkFilter

_WRAPS_AT = 70
_INDENT = 19
"""The column after which a line in braces is broken, and the indentation of the next line."""

_PLAIN = re.compile(r"(?![ ,-])[\w^., \t-]+(?<! )", re.ASCII)
"""Text that needs no quotes, unless it denotes null, a boolean or a number."""

_SPECIAL = re.compile(
    r"null|Null|NULL|true|True|TRUE|false|False|FALSE|\.(?:inf|Inf|INF|nan|NaN|NAN)"
    r"|0o[0-7]+|0x[0-9a-fA-F]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
)


@contextmanager
def sifting_remarks(
    report: Callable[[Diagnostic], None], wanted: RemarkFilter, *, final: bool, yaml: TextIO | None
) -> Generator[Callable[[Diagnostic], None]]:
    """Yield a diagnostic handler that filters the remarks of a run.

    Args:
        report: A function that receives all diagnostics that are not remarks. Unless `yaml` is
            given, the function also receives the selected remarks.
        wanted: A dict that maps each selected kind of remark to a regular expression for
            categories. Remarks of other kinds are dropped, and so are remarks in categories that do
            not match.
        final: Whether to keep only the last of several remarks with the same name, kind, category
            and location.
        yaml: The stream to which remarks are written as YAML. None means that remarks are reported
            as diagnostics.
    """
    held: dict[object, Diagnostic] = {}

    def write(diagnostic: Diagnostic) -> None:
        if yaml is None or diagnostic.remark is None:
            report(diagnostic)
        else:
            yaml.write(yaml_of(diagnostic.remark))

    def take(diagnostic: Diagnostic) -> None:
        if (remark := diagnostic.remark) is None:
            report(diagnostic)
        elif (pattern := wanted.get(remark.kind)) and pattern.search(remark.category):
            if final:
                held[remark.kind, remark.name, remark.category, remark.location] = diagnostic
            else:
                write(diagnostic)

    try:
        yield take
    finally:
        for each in held.values():
            write(each)


def yaml_of(remark: OptimizationRemark) -> str:
    """Return a remark as a YAML document, in LLVM's format."""
    place = remark.location
    where = f"DebugLoc:        {{ File: {_scalar(place.file or '<unknown file>')}"
    for key, number in (("Line", place.line), ("Column", place.column)):
        where += ", "
        if len(where.rpartition("\n")[2].encode()) > _WRAPS_AT:
            where += "\n" + " " * _INDENT
        where += f"{key}: {number}"
    lines = [
        f"--- !{remark.kind}",
        _entry("Pass", remark.category),
        _entry("Name", remark.name),
        f"{where} }}",
        _entry("Function", remark.function or "<unknown function>"),
    ]
    if facts := remark.texts():
        lines += ["Args:", *(f"  - {_entry(key, text)}" for key, text in facts.items())]
    return "\n".join([*lines, "...\n"])


def _entry(key: str, text: str) -> str:
    return f"{key}:{' ' * max(16 - len(key), 1)}{_scalar(text)}"


def _scalar(text: str) -> str:
    if not (text.isascii() and text.replace("\t", " ").isprintable()):
        import json  # noqa: PLC0415 - rarely needed

        return json.dumps(text, ensure_ascii=False)
    if _PLAIN.fullmatch(text) and not _SPECIAL.fullmatch(text):
        return text
    return "'" + text.replace("'", "''") + "'"
