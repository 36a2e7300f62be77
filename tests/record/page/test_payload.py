"""What the page holds: texts without repetition, and nothing that a browser could take for HTML."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from typing import TYPE_CHECKING, Any

from written_records import FUNCTIONS, large_record, written_record

from passel.record import Record
from passel.record.page import page
from passel.record.page.payload import payload
from passel.record.reader import TextReader
from passel.tool import main

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

KERNELS = Path(__file__).parents[3] / "examples" / "kernels.mlir"


def unpacked(html: str) -> tuple[Any, list[str]]:
    """Return what a page holds, read as the page does."""
    record, texts = re.findall(r'<script type="text/plain" id="(?:record|texts)">([\w+/=]*)<', html)
    return (
        json.loads(zlib.decompress(b64decode(record))),
        json.loads(zlib.decompress(b64decode(texts))),
    )


def test_every_text_is_there() -> None:
    """The texts before and after each execution are those of the record."""
    record = large_record(functions=5, passes=3)
    data, texts = unpacked(page("a page", [("a record", record)]))
    (shown,) = data["records"]
    for row, execution in zip(shown["executions"], record.executions, strict=True):
        fields = dict(zip(data["fields"], row, strict=True))
        for name, digest in (("before", execution.before), ("after", execution.after)):
            assert digest is not None
            assert texts[fields[name]] == record.text(digest)


def recorded(path: Path, *flags: str) -> Record:
    """Return the record of a run on functions with loops and calls."""
    pipeline = "builtin.module(func.func(cse,canonicalize),convert-scf-to-cf,canonicalize,cse)"
    words = [str(KERNELS), "-p", pipeline, *flags]
    assert main([*words, f"--record={path / 'record'}", "-o", "/dev/null"]) == 0
    return Record.open(path / "record")


def test_each_text_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function is parsed and printed once, also if its module is shown too."""
    read: list[str] = []

    readable = TextReader.readable

    def reading(self: TextReader, texts: Sequence[str]) -> list[str]:
        read.extend(texts)
        return readable(self, texts)

    monkeypatch.setattr(TextReader, "readable", reading)
    record = recorded(tmp_path)
    payload([("r", record)])
    assert len(read) == len(set(read)) > 4


def test_a_page_has_one_script_and_no_text_of_others() -> None:
    """Titles, IR and diagnostics cannot end a script or begin an element."""
    evil = "</script><script>alert(1)</script></title><!--"
    record = written_record([(f"{FUNCTIONS}/0:{evil}", evil, evil, evil)], evil)
    html = page(evil, [(evil, record)])
    assert html.count("</script>") == 3
    assert "alert(1)</script>" not in html
    assert "default-src 'none'" in html


def test_eighty_functions_and_ten_passes() -> None:
    """The page of a larger run takes 200 bytes for an execution at most."""
    html = page("a page", [("a record", large_record(functions=80, passes=10))])
    assert len(html.encode()) < 80 * 10 * 200 + 100_000
