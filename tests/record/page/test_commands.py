"""`passel-report -o`: from a record to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passel.tool import main, report

if TYPE_CHECKING:
    from pathlib import Path


FUNCTION = """\
func.func @f() {
  %0 = arith.constant 1 : i32
  return
}
"""
PIPELINE = "-p=builtin.module(func.func(dce))"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record."""
    source, file = tmp_path / "input.mlir", tmp_path / "record"
    source.write_text(FUNCTION)
    assert main([str(source), PIPELINE, f"--record={file}", "-o", "/dev/null"]) == 0
    return file


def test_a_page_about_two_records(record: Path, tmp_path: Path) -> None:
    """Records of one input are told apart by their own names."""
    page, other = tmp_path / "out.html", tmp_path / "other"
    other.write_bytes(record.read_bytes())
    assert report.main([str(record), str(other), "-o", str(page)]) == 0
    assert "<title>record and other</title>" in page.read_text()


def test_flags_that_do_not_go_together(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is for terminals is refused for pages."""
    assert report.main([str(record), "-o", "x.html", "--step=dce"]) == 1
    assert "-o writes the full report" in capsys.readouterr().err
