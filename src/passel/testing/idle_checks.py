"""CHECK lines that can never fail: FileCheck does not read them, or any output fulfils them."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_KINDS = ("", "-NEXT", "-SAME", "-NOT", "-DAG", "-LABEL", "-EMPTY")
_COMMENT = re.compile(
    r"\s*(?://+|#+|;+)\s*(?P<word>[A-Za-z][\w-]*)(?P<colon>(?:\{LITERAL\})?:)?(?P<rest>.*)"
)
_ANYTHING = re.compile(r"(\{\{(\.[*+]|\^|\$)*\}\}|\s)*")
_UNREAD = re.compile(r"\b(RUN|COM)\b.*?\b(?P<word>[A-Z][\w-]*):")
_REGEX = re.compile(r"\{\{.*?\}\}|\[\[.*?\]\]")


class IdleCheck(NamedTuple):
    """A line that can never fail.

    Attributes:
        line: Its number, counted from 1.
        problem: Why it cannot, and what would help.
    """

    line: int
    problem: str


class CheckLine(NamedTuple):
    """A line that FileCheck reads.

    Attributes:
        line: Its number, counted from 1.
        kind: Such as `-NEXT`; empty for a plain one.
        pattern: What is behind the colon, without spaces around it.
    """

    line: int
    kind: str
    pattern: str


def check_lines(text: str, prefix: str = "CHECK") -> Iterator[CheckLine]:
    """Yield the lines of a text that FileCheck reads."""
    for number, line in enumerate(text.splitlines(), 1):
        match = _COMMENT.fullmatch(line)
        if match is None or not match["colon"] or not match["word"].startswith(prefix):
            continue
        kind = match["word"].removeprefix(prefix)
        if kind in _KINDS or re.fullmatch(r"-COUNT-\d+", kind):
            yield CheckLine(number, kind, match["rest"].strip())


def idle_checks(text: str, prefix: str = "CHECK") -> list[IdleCheck]:
    r"""Return the lines of a text that look like checks, and can never fail.

    Args:
        text: The file with the checks.
        prefix: What directives begin with.

    Example:
        >>> for found in idle_checks("// CHECK: a\n// CHECK-NXT: b\n// CHECK:\n"):
        ...     print(found.line, found.problem)
        2 'CHECK-NXT' is no directive; did you mean 'CHECK-NEXT'?
        3 an empty pattern is found everywhere
    """
    found = [*_misspelt(text, prefix), *_empty(check_lines(text, prefix))]
    found += _swallowed(list(check_lines(text, prefix)), prefix)
    return sorted(found)


def _misspelt(text: str, prefix: str) -> Iterator[IdleCheck]:
    directives = [prefix + kind for kind in (*_KINDS, "-COUNT-1")]
    for number, line in enumerate(text.splitlines(), 1):
        unread = _UNREAD.search(line)
        if unread and unread["word"] in directives:
            yield IdleCheck(
                number, f"FileCheck does not read '{unread['word']}' on a line with {unread[1]}"
            )
        match = _COMMENT.fullmatch(line)
        if match is None or unread:
            continue
        word = match["word"]
        if word in directives or re.fullmatch(rf"{re.escape(prefix)}-COUNT-\d+", word):
            # Prose may begin with the word alone.
            if not match["colon"] and word != prefix:
                yield IdleCheck(number, f"'{word}' lacks the colon right behind it")
            continue
        if not word.isupper() or not (match["colon"] or match["rest"].lstrip().startswith(":")):
            continue
        near = get_close_matches(word.replace("_", "-"), directives, 1, 0.75)
        if near and (not word.startswith(prefix) or _is_kind(word.removeprefix(prefix))):
            yield IdleCheck(number, f"'{word}' is no directive; did you mean '{near[0]}'?")


def _is_kind(word: str) -> bool:
    """Return whether a word behind the prefix seems to be a kind of directive."""
    return bool(get_close_matches(word.replace("_", "-"), _KINDS[1:], 1, 0.75))


def _empty(lines: Iterable[CheckLine]) -> Iterator[IdleCheck]:
    for line in lines:
        if line.kind == "-EMPTY":
            continue
        if not line.pattern:
            yield IdleCheck(line.line, "an empty pattern is found everywhere")
        elif line.kind in ("", "-SAME", "-DAG") and _ANYTHING.fullmatch(line.pattern):
            yield IdleCheck(line.line, f"'{line.pattern}' is found everywhere")


def _swallowed(lines: Sequence[CheckLine], prefix: str) -> Iterator[IdleCheck]:
    """Yield prohibitions that end before what they forbid can come."""
    for index, line in enumerate(lines):
        if line.kind != "-NOT":
            continue
        after = next((each for each in lines[index + 1 :] if each.kind != "-NOT"), None)
        if after is None:
            continue
        word = f"{prefix}{after.kind}"
        if after.kind in ("-NEXT", "-SAME", "-EMPTY"):
            yield IdleCheck(
                line.line,
                f"nothing lies between this line and what '{word}' in line {after.line} finds",
            )
        elif not _REGEX.search(after.pattern) and after.pattern in line.pattern:
            yield IdleCheck(
                line.line,
                f"whatever it forbids is found first by '{word}' in line {after.line}",
            )
