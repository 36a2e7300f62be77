"""What dialects do that keep state or look around is what they do with xDSL."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from both_sides import as_passel, as_xdsl, loaded
from xdsl.utils.exceptions import VerifyException

from passel import PassManager
from passel.xdsl import XDSLAdapter, parse_source
from passel.xdsl.invariants import InvariantChecker

if TYPE_CHECKING:
    from tool_fixtures import Tool


def _rows() -> Any:
    spec = importlib.util.spec_from_file_location("rows", Path(__file__).with_name("rows.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

_ROWS = _rows()
_OTHER = 'builtin.module {\n%0 = arith.constant 1 : i32\n"test.op"(%0) : (i32) -> ()\n}\n'


@pytest.mark.parametrize("row", _ROWS.ROWS)
@pytest.mark.parametrize("way", ["cold", "warm", "after another file"])
def test_texts_ir_and_effects_are_xdsls(row: str, way: str) -> None:
    """Texts, all fields of the IR and what the dialect notes are the same, one time or several."""
    program = _ROWS.PROGRAMS[row]
    texts = {"cold": [program], "warm": [program] * 3, "after another file": [_OTHER, program]}[way]
    source = _ROWS.DIALECTS[row]
    if way == "after another file":
        source += "\n_between = globals().get('between')\n"
        source += "def between(op):\n    'h.items' in str(op) and _between and _between(op)\n"
    assert as_passel(source, texts) == as_xdsl(source, texts)


@pytest.mark.parametrize("row", _ROWS.ROWS)
def test_the_tool_with_two_processes(row: str, tool: Tool, tmp_path: Path) -> None:
    """`passel-opt -j 2` with the dialect in a plugin prints what xDSL prints."""
    plugin, file = tmp_path / f"hostile_{abs(hash(row))}.py", tmp_path / "program.mlir"
    plugin.write_text(_ROWS.DIALECTS[row], encoding="utf-8")
    file.write_text(_ROWS.PROGRAMS[row], encoding="utf-8")
    outcome = tool(str(file), f"--load-pass-plugin={plugin}", "-j", "2")
    expected = as_xdsl(_ROWS.DIALECTS[row] + "\nbetween = lambda op: None", [_ROWS.PROGRAMS[row]])
    assert (outcome.code, outcome.err) == (0, "")
    if row != "parsers and printers that count":  # the last text is not the first one there
        assert outcome.out.strip() == str(expected[1]).strip()
    sys.modules.pop(plugin.stem, None)


def test_a_constraint_that_changes_its_mind() -> None:
    """What a constraint says of an op now is what counts, not what it said of one like it."""
    module = loaded(_ROWS.DIALECTS["a constraint that asks a registry"])
    adapter = XDSLAdapter(dialects=[module.DIALECT])
    text = _ROWS.PROGRAMS["a constraint that asks a registry"]
    op = parse_source(adapter.create_context(), text, "test.mlir")
    checker = InvariantChecker()
    asks = [each for each in op.walk() if each.name == "h.ask"]
    for each in asks:
        checker.check(each)
    assert module.LOG.count("asked") >= len(asks)
    module.ALLOWED[0] = False
    for each in asks:
        with pytest.raises(VerifyException):
            checker.check(each)


def test_patterns_start_anew_in_each_run() -> None:
    """A pattern that counts what it does counts from the beginning whenever it is asked for."""
    module = loaded(_ROWS.DIALECTS["a pattern with state"])
    adapter = XDSLAdapter(dialects=[module.DIALECT])
    context = adapter.create_context()
    for _ in range(2):
        op = parse_source(context, _ROWS.PROGRAMS["a pattern with state"], "test.mlir")
        PassManager("builtin.module", context, adapter=adapter).add("canonicalize").run(op)
        assert sum("done" in each.attributes for each in op.walk()) == 10
