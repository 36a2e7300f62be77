"""`passel-report -o` and `passel-opt --report`: from a run to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from report_pages import PLUGIN

from passel.tool import main, report

if TYPE_CHECKING:
    from pathlib import Path

    from tool_fixtures import Tool

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


@pytest.mark.parametrize("keep", [False, True])
def test_a_page_from_a_run(tool: Tool, tmp_path: Path, keep: bool) -> None:
    """`--report` needs no record, and goes together with one."""
    page, file = tmp_path / "out.html", tmp_path / "kept"
    flags = [f"--record={file}"] if keep else []
    outcome = tool("-", PIPELINE, f"--report={page}", *flags, stdin=FUNCTION)
    assert (outcome.code, outcome.err) == (0, "")
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert file.exists() == keep


def test_a_failure_leaves_a_page(tool: Tool, tmp_path: Path) -> None:
    """A run that fails is reported like one that does not."""
    page, plugin = tmp_path / "out.html", tmp_path / "refusing_pass.py"
    plugin.write_text(PLUGIN)
    pipeline = "-p=builtin.module(func.func(dce,refuse{symbol=f}))"
    flags = (f"--load-pass-plugin={plugin}", f"--report={page}")
    outcome = tool("-", pipeline, *flags, stdin=FUNCTION)
    assert outcome.code == 1
    assert "this function is refused" in outcome.err
    assert page.exists()


def test_a_page_that_cannot_be_written(tool: Tool, record: Path, tmp_path: Path) -> None:
    """One error names the file."""
    page = tmp_path / "missing" / "out.html"
    outcome = tool("-", PIPELINE, f"--report={page}", stdin=FUNCTION)
    assert outcome.code == 1
    assert outcome.err.count("error:") == 1
    assert f"cannot open output file '{page}': No such file or directory" in outcome.err
    assert report.main([str(record), "-o", str(page)]) == 1


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["-o", "x.html", "--step=dce"], "-o writes a page with everything"),
        (["-o", "x.html", "--diff"], "-o writes a page with everything"),
    ],
)
def test_flags_that_do_not_go_together(
    record: Path, arguments: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is for terminals is refused for pages, and the other way round."""
    assert report.main([str(record), *arguments]) == 1
    assert error in capsys.readouterr().err
