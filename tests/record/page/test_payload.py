"""What the page holds: texts without repetition, and nothing that a browser could take for HTML."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written_records import FUNCTIONS, WrittenRecord, large_record

from passel.record import Lineage, Origin, Record, in_custom_form
from passel.record.page import page
from passel.record.page.payload import LineTable, payload
from passel.tool import main

KERNELS = Path(__file__).parents[3] / "examples" / "kernels.mlir"
LINE = st.sampled_from(["{", "}", "a line of IR", "another line", "", "\u2028 \r"])


def unpacked(html: str) -> tuple[Any, list[str]]:
    """Return what a page holds, read as the page does."""
    record, lines = re.findall(r'<script type="text/plain" id="(?:record|lines)">([\w+/=]*)<', html)
    return (
        json.loads(zlib.decompress(b64decode(record))),
        zlib.decompress(b64decode(lines)).decode().split("\n"),
    )


def text_of(runs: list[int], lines: list[str]) -> str:
    """Return a text, from its runs of lines."""
    pairs = zip(runs[::2], runs[1::2], strict=True)
    return "\n".join(line for start, count in pairs for line in lines[start : start + count])


@given(st.lists(st.lists(LINE, max_size=12).map("\n".join), max_size=8))
def test_texts_are_runs_of_lines(texts: list[str]) -> None:
    """Each text can be put together again from its runs."""
    table = LineTable()
    runs = [table.add(text) for text in texts]
    assert [text_of(each, table.lines) for each in runs] == texts


def test_a_text_that_repeats_another_adds_little() -> None:
    """A line that is new is added, and what is around it copied, however far back it stands."""
    table = LineTable()
    lines = [f"  %{i} = some.op in line {i}" for i in range(2000)]
    table.add("\n".join(lines))
    runs = table.add("\n".join([*lines[:1000], "  new.line", *lines[1000:]]))
    assert runs == [0, 1000, 2000, 1, 1000, 1000]
    assert table.lines[2000:] == ["  new.line"]


def test_every_text_is_there() -> None:
    """The texts before and after each execution are those of the record."""
    record = large_record(functions=5, passes=3)
    data, lines = unpacked(page("a page", [("a record", record)]))
    (shown,) = data["records"]
    for row, execution in zip(shown["executions"], record.executions, strict=True):
        for index, digest in zip(row[9:11], (execution.before, execution.after), strict=True):
            assert digest is not None
            assert text_of(data["texts"][index], lines) == record.text(digest)


MARGIN = re.compile(r"(\d*)(?: (.*?)(\??))?")


def margin_of(margin: str, line: str) -> Origin:
    """Return the origin that stands behind a line, as the page finds it."""
    found = MARGIN.fullmatch(margin)
    assert found is not None
    maker, place, guess = found.groups()
    if place is None:
        place = re.sub(r'.* loc\("([^"]*)"(:\d+:\d+)\)', r"\1\2", line)
    return Origin(int(maker) if maker else None, place, bool(guess))


@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
def test_margins_of_all_steps(tmp_path: Path, ir: str) -> None:
    """Behind each line of a text at a step is the origin that `--blame` gives it there."""
    if ir == "mlir":
        pytest.importorskip("passel.mlir")
    file, pipeline = (
        tmp_path / "record",
        "func.func(cse,canonicalize),convert-scf-to-cf,canonicalize,cse",
    )
    words = ["-p", f"builtin.module({pipeline})", f"--ir={ir}", "--record-each-pass"]
    assert main([str(KERNELS), *words, f"--record={file}", "-o", "/dev/null"]) == 0
    record = Record.open(file)
    (run,) = record.info.runs
    data, table = payload([("r", record)])
    (shown,) = data["records"]
    lineage, count = Lineage(record, run), 0
    for row, execution in zip(shown["executions"], record.executions, strict=True):
        lines = in_custom_form(lineage.after(execution), ir)
        if execution.after == execution.before or not lines:
            continue
        text = text_of(data["texts"][row[10]], table).split("\n")
        margins = text_of(row[11]["origins"][1], table).split("\n")
        for blamed, margin, line in zip(lines, margins, text, strict=True):
            assert not margin if blamed.origin is None else margin_of(margin, line) == blamed.origin
        count += 1
    assert count > 3
    ((_, after, _, last),) = shown["whole"]
    lines = in_custom_form(lineage.in_the_end(), ir)
    text, margins = (text_of(runs, table).split("\n") for runs in (data["texts"][after], last))
    for blamed, margin, line in zip(lines, margins, text, strict=True):
        assert not margin if blamed.origin is None else margin_of(margin, line) == blamed.origin


def test_texts_of_two_records_are_there_once() -> None:
    """A record that is compared with itself takes no more texts."""
    record = large_record(functions=5, passes=3)
    one = unpacked(page("one", [("a", record)]))
    two = unpacked(page("two", [("a", record), ("b", record)]))
    assert one[1] == two[1]
    assert one[0]["texts"] == two[0]["texts"]


def test_a_page_has_one_script_and_no_text_of_others() -> None:
    """Titles, IR and diagnostics cannot end a script or begin an element."""
    evil = "</script><script>alert(1)</script></title><!--"
    record: Record = WrittenRecord([(f"{FUNCTIONS}/0:{evil}", evil, evil, evil)], evil)
    html = page(evil, [(evil, record)])
    assert html.count("</script>") == 3
    assert "alert(1)</script>" not in html
    assert "default-src 'none'" in html


def test_a_thousand_functions_and_ten_passes() -> None:
    """The page of a large run takes 2 MB at most."""
    html = page("a page", [("a record", large_record(functions=1000, passes=10))])
    assert len(html.encode()) < 2_000_000
