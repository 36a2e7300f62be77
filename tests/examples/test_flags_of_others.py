"""The pages for who comes from mlir-opt or xdsl-opt speak of every flag of those."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from documents import ROOT
from xdsl.xdsl_opt_main import xDSLOptMain

from passel.tool.flags import NOT_HERE
from passel.tool.settings import Settings, by_name

if TYPE_CHECKING:
    from tool_fixtures import MlirOpt

_IN_CODE = re.compile(r"`(-[^`]*)`")
_SPELT_OTHERWISE = {"h", "p", "time-passes"}
"""Flags of mlir-opt that are LLVM's or other names of flags that are there."""


def named_on(page: str) -> set[str]:
    """Return the flags that a page shows, without dashes and values."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `-")]
    return {
        re.split(r"[= {]", flag.lstrip("-"))[0] for row in rows for flag in _IN_CODE.findall(row)
    }


def test_every_flag_of_mlir_opt_has_a_row(mlir_opt: MlirOpt) -> None:
    """Those that passel-opt has, those that it knows to lack, and whatever else is MLIR's."""
    theirs = set(re.findall(r"^  --?([\w-]+)", mlir_opt("--help-hidden").out, re.MULTILINE))
    expected = (
        theirs & (by_name(Settings.flags.values()).keys() | NOT_HERE.keys()) - _SPELT_OTHERWISE
    )
    expected |= {name for name in theirs if name.startswith(("mlir-", "remark"))}
    expected -= {name for name in theirs if name.startswith("remarks-filter-")}  # one row says so
    assert len(expected) > 60
    assert expected - named_on("from-mlir-opt.md") == set()


def test_every_flag_of_xdsl_opt_has_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    """All that its parser knows."""
    with pytest.raises(SystemExit):
        xDSLOptMain(args=["--help"])
    shown = capsys.readouterr().out
    usage = shown.partition("positional arguments")[0]
    theirs = set(re.findall(r"\[--?([\w-]+)", usage))
    assert len(theirs) > 15
    assert theirs - named_on("from-xdsl-opt.md") == set()
