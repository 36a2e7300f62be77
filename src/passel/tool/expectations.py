"""Check diagnostics against the expectations in comments, for `--verify-diagnostics`.

    // expected-error @+1 {{substring of the message}}
    // expected-remark-re @below {{literal text, {{regular expression}} in inner braces}}

Source: `mlir::SourceMgrDiagnosticVerifierHandler`, MLIR 22. As in MLIR, a line contains at most one
directive, an expectation matches any number of equal diagnostics, and the exit code depends only on
the expectations.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from passel.diagnostics import SEEN, Diagnostic, Location, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.frontend import SourcePart

_DIRECTIVE = re.compile(
    r"expected-(error|note|remark|warning)(-re)? *(@([+-][0-9]+|above|below|unknown))? *"
    r"\{\{(.*)\}\}$"
)
_INNER = re.compile(r"\{\{(.*?)\}\}")


@dataclass(slots=True)
class _Expectation:
    severity: Severity
    text: str
    pattern: re.Pattern[str]
    line: int | None  # None: a diagnostic without a place in a file
    place: Location
    met: bool = False


class DiagnosticVerifier:
    """A verifier that compares emitted diagnostics with the expected diagnostics.

    Args:
        source: The part of the input whose comments contain the expected diagnostics.
        only_expected: Whether to accept diagnostics that match no expectation.
    """

    def __init__(self, source: SourcePart, *, only_expected: bool = False) -> None:
        self.filename: str = source.name
        self.only_expected = only_expected
        self.complaints: list[Diagnostic] = []
        self._expectations = list(_read(source, self.complaints))
        self._by_line: defaultdict[int | None, list[_Expectation]] = defaultdict(list)
        for expectation in self._expectations:
            self._by_line[expectation.line].append(expectation)

    def __call__(self, diagnostic: Diagnostic) -> None:
        """Match a diagnostic and its notes against the expectations."""
        self._check(diagnostic)
        for note in diagnostic.notes:
            if not note.message.startswith(SEEN):  # which MLIR omits here
                self._check(note)

    def _check(self, diagnostic: Diagnostic) -> None:
        location = diagnostic.location
        line = location.line if location.file == self.filename else None
        near_miss: _Expectation | None = None
        for expectation in self._by_line.get(line, ()):
            if not expectation.pattern.search(diagnostic.message):
                continue
            if expectation.severity is diagnostic.severity:
                expectation.met = True
                return
            near_miss = expectation
        severity = diagnostic.severity.value
        if self.only_expected or diagnostic.is_extra:
            return
        message = f"unexpected {severity}: {diagnostic.message}"
        if near_miss is not None:
            expected, location = near_miss.severity.value, near_miss.place
            message = f"'{severity}' diagnostic emitted when expecting a '{expected}'"
        self.complaints.append(Diagnostic(Severity.ERROR, message, location))

    def finish(self) -> list[Diagnostic]:
        """Return an error for each mismatch, with errors about missing diagnostics last."""
        missing = [
            Diagnostic(
                Severity.ERROR,
                f'expected {expectation.severity.value} "{expectation.text}" was not produced',
                Location() if expectation.line is None else expectation.place,
            )
            for expectation in self._expectations
            if not expectation.met
        ]
        return self.complaints + missing


def _read(source: SourcePart, complaints: list[Diagnostic]) -> Iterator[_Expectation]:
    text: str | bytes = source.text
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    lines = [line.rstrip() for line in text.split("\n")]
    found = {index: match for index, line in enumerate(lines) if (match := _DIRECTIVE.search(line))}
    above, below = _nearest(found), _nearest(reversed(found), -1)
    for index, match in found.items():
        severity, is_regex, _, where, message = match.groups()
        place = Location(source.name, index + 1 + source.line_offset, match.start() + 1)
        target: int | None = None
        match where:
            case "unknown":
                pass
            case "above":
                target = above[index] if above[index] >= 0 else index
            case "below":
                target = below[index] if below[index] < len(lines) else index
            case _:
                target = index + int(where or 0)
        try:
            pattern = _pattern(message) if is_regex else re.compile(re.escape(message))
        except re.error as error:
            complaint = f"invalid regex: {error}"
            complaints.append(Diagnostic(Severity.ERROR, complaint, place))
            continue
        line = None if target is None else target + 1 + source.line_offset
        yield _Expectation(Severity(severity), message, pattern, line, place)


def _nearest(indices: Iterable[int], direction: int = 1) -> dict[int, int]:
    """Return, for each line, the nearest line that is not among them.

    Args:
        indices: The lines, in search order.
        direction: 1 for lines above, -1 for lines below.
    """
    nearest: dict[int, int] = {}
    for index in indices:
        before = index - direction
        nearest[index] = nearest.get(before, before)
    return nearest


def _pattern(text: str) -> re.Pattern[str]:
    """Return a pattern that is literal except inside inner braces."""
    parts = _INNER.split(text)
    return re.compile(
        "".join(f"(?:{part})" if i % 2 else re.escape(part) for i, part in enumerate(parts))
    )
