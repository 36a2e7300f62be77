"""Places in texts, carets, suggestions, and diagnostics as text."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from passel import Diagnostic, Location, Severity
from passel.diagnostics import Source, Span, closest, underline
from passel.errors import OptionError, Problem

TEXT = "first\n\tsecond word\nthird"


@pytest.mark.parametrize(
    ("start", "end", "line", "column", "text", "excerpt"),
    [
        (0, 5, 1, 1, "first", "first\n^~~~~"),
        (1, 2, 1, 2, "i", "first\n ^"),
        (5, 5, 1, 6, "", "first\n     ^"),
        (6, 7, 2, 1, "\t", "\tsecond word\n^"),
        (7, 13, 2, 2, "second", "\tsecond word\n\t^~~~~~"),
        (14, 24, 2, 9, "word\nthird", "\tsecond word\n\t       ^~~~"),
        (24, 24, 3, 6, "", "third\n     ^"),
    ],
)
def test_spans_know_their_place_and_mark_it(
    start: int, end: int, line: int, column: int, text: str, excerpt: str
) -> None:
    """Lines and columns count from 1; a caret and tildes mark the span on its first line."""
    span = Span(Source(TEXT, "<p>"), start, end)
    assert (span.line, span.column, span.text) == (line, column, text)
    assert (str(span), span.excerpt()) == (f"<p>:{line}:{column}", excerpt)


@pytest.mark.parametrize("column", [0, 1, 79, 80, 81, 500, 919, 920, 921, 999, 1000])
def test_long_lines_are_cut_around_the_caret(column: int) -> None:
    """What is marked is shown, with dots where the line goes on."""
    line = "".join(chr(0x4E00 + i) for i in range(1000))
    shown, carets = underline(line, column, 3).split("\n")
    assert len(shown) <= 166
    caret = carets.index("^")
    assert carets.count("^") == 1
    if column < 1000:
        assert shown[caret] == line[column]
        assert carets.count("~") == min(2, 999 - column)
    else:
        assert caret == len(shown)
    body = shown.removeprefix("...").removesuffix("...")
    assert body in line
    assert len(body) == 160
    assert shown.startswith("...") == (not line.startswith(body))
    assert shown.endswith("...") == (not line.endswith(body))


def test_errors_list_their_problems() -> None:
    """All problems are in the text of the error."""
    span = Span(Source("ab", "<p>"), 0, 1)
    error = OptionError(Problem("one", span), Problem("two"))
    assert str(error) == "<p>:1:1: error: one\nab\n^\ntwo"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.problems) == (OptionError, error.problems)


def test_long_messages_are_cut_in_the_middle() -> None:
    """A message that quotes megabytes of text is shortened where it is shown."""
    text = str(Problem("a" * 1000 + "b" * 1000))
    assert text == "a" * 200 + " ... " + "b" * 200


def test_notes_are_at_the_place_of_their_diagnostic_unless_told() -> None:
    """A note is attached in order, and rendered behind its diagnostic."""
    diagnostic = Diagnostic(Severity.WARNING, "careful", Location("a", 1, 2))
    note = diagnostic.attach_note("here")
    diagnostic.attach_note("there", Location("b", 3, 4))
    with pytest.raises(TypeError, match=r"a note needs a Location, not str; use ctx\.adapter\.loc"):
        diagnostic.attach_note("nowhere", "b:3:4")  # pyright: ignore[reportArgumentType]
    assert note.severity is Severity.NOTE
    assert str(diagnostic) == "a:1:2: warning: careful\na:1:2: note: here\nb:3:4: note: there"


def test_diagnostics_are_compared_by_what_they_say() -> None:
    """Equal data makes equal diagnostics, also after pickling; how the op is printed does not count."""
    said: dict[str, Any] = {
        "severity": Severity.ERROR,
        "message": "no",
        "location": Location("a", 1, 2),
    }
    full = Diagnostic(**said, notes=[Diagnostic(Severity.NOTE, "why")])
    full.origin, full.op_text = "p", "x"
    again = pickle.loads(pickle.dumps(full))
    assert again == full
    assert Diagnostic(**said) == Diagnostic(*said.values(), print_op=lambda: "op")
    for name in ("message", "origin", "op_text", "notes"):
        other = pickle.loads(pickle.dumps(full))
        setattr(other, name, [] if name == "notes" else "")
        assert other != full
    assert full != "no"


NAMES = [
    "affine-loop-unroll",
    "arith.constant",
    "canonicalize",
    "convert-scf-to-cf",
    "cse",
    "mem2reg",
    "split-input-file",
    "symbol-dce",
]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("csee", "cse"),
        ("sce", "cse"),
        ("Cse", "cse"),
        ("canonicalise", "canonicalize"),
        ("symbol_dce", "symbol-dce"),
        ("mem-2-reg", "mem2reg"),
        ("convert-scf", "convert-scf-to-cf"),
        ("loop-unroll", "affine-loop-unroll"),
        ("split-input", "split-input-file"),
        ("arith.constnt", "arith.constant"),
        ("inline", ""),
        ("x", ""),
        ("", ""),
        ("cse" * 1_000_000, ""),
    ],
)
def test_similar_names_are_suggested(name: str, meant: str) -> None:
    """A misspelled name leads to the intended name, and an unrelated name to none."""
    assert closest(name, NAMES) == meant
