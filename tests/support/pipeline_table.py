"""Pipelines in a table, and what mlir-opt made of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Row:
    """One pipeline of `pipelines.txt`.

    Attributes:
        text: The pipeline.
        line: Where it stands in the table.
        accepted: Whether mlir-opt accepts it.
        differs: Why passel's verdict is the opposite one; empty if it is the same.
        dump: Why passel does not read mlir-opt's dump as it reads the pipeline; or empty.
        text_note: Why mlir-opt does not read passel's text as it reads the pipeline; or empty.
    """

    text: str
    line: int
    accepted: bool
    differs: str = ""
    dump: str = ""
    text_note: str = ""


_ESCAPE = re.compile(r"\\(u[0-9a-f]{4}|.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f", "s": " ", "e": "", "\\": "\\"}
_NOTES = ("passel accepts", "passel rejects", "dump", "text")


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if code[0] == "u" else _ESCAPES[code]


def read_rows(text: str) -> Iterator[Row]:
    """Parse the table; its head says how it is written.

    Yields:
        One row per pipeline, in order.
    """
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line[:2] not in ("+ ", "- "):
            known = line[:1] in ("", "#") or line.strip().partition(": ")[0] in _NOTES
            assert known, f"line {number + 1} of the table"
            continue
        notes = dict[str, str]()
        for note in takewhile(lambda line: line.startswith("    "), lines[number + 1 :]):
            key, _, reason = note.strip().partition(": ")
            notes[key] = reason
        accepted = line[0] == "+"
        opposite = "passel rejects" if accepted else "passel accepts"
        assert notes.keys() <= {opposite, "dump", "text"}, f"line {number + 1} of the table"
        differs = notes.get(opposite, "")
        pipeline = _ESCAPE.sub(_unescaped, line[2:])
        yield Row(
            pipeline, number + 1, accepted, differs, notes.get("dump", ""), notes.get("text", "")
        )


class Build(NamedTuple):
    """What mlir-opt makes of a pipeline.

    Attributes:
        dumped: The pipeline as it was understood, if it could be built.
        err: All messages.
    """

    dumped: str | None
    err: str

    @property
    def accepted(self) -> bool:
        """Whether the pipeline could be built and scheduled, however its passes then fared."""
        return self.dumped is not None and "unable to schedule pass" not in self.err
