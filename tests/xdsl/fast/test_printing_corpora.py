"""The fast printer gives what xDSL's printer gives, on every file there is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from printing_twins import assert_prints_same
from xdsl.utils.exceptions import ParseError
from xdsl_inputs import REAL_FILES, enough, sampled, xdsl_context, xdsl_corpus

from passel.ir import PrintFlags
from passel.xdsl import XDSLAdapter, parse_source
from passel.xdsl.fast import slow_paths

if TYPE_CHECKING:
    from xdsl.ir import Operation

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

_TESTS = Path(__file__).parents[2]


def _parsed(text: str) -> Operation | None:
    try:
        return parse_source(xdsl_context(), text, "test.mlir")
    except ParseError:
        return None


@sampled(80)
def test_xdsls_corpus(step: int) -> None:
    """XDSL's own tests, printed in each form, give the same text and names."""
    ops = [op for _, chunk in xdsl_corpus()[::step] if (op := _parsed(chunk)) is not None]
    assert len(ops) > enough(1000) // step
    for op in ops:
        assert_prints_same(op)


@sampled(12)
def test_our_files(step: int) -> None:
    """The files that other tests read give the same."""
    files = [*REAL_FILES.glob("*.mlir"), *(_TESTS / "xdsl" / "programs").rglob("*.mlir")]
    files += (_TESTS / "lit").rglob("*.mlir")
    for file in sorted(files)[::step]:
        for chunk in file.read_text(encoding="utf-8").split("// -----"):
            op = _parsed(chunk)
            if op is not None:
                assert_prints_same(op)


@pytest.mark.parametrize(
    "flags",
    [
        PrintFlags(),
        PrintFlags(generic=True),
        PrintFlags(skip_regions=True),
        PrintFlags(elide_elements=2),
        PrintFlags(debuginfo=True),
    ],
)
def test_one_adapter_prints_again_and_again(flags: PrintFlags) -> None:
    """What an adapter has printed before changes no text, whatever the flags."""
    adapter = XDSLAdapter()
    constant = (
        'arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>\n"t.op"() {a = 1 : i32} : () -> ()\n'
    )
    body = f"func.func @f(%a: i32) {{\nscf.execute_region {{\n{constant * 9}scf.yield\n}}\nreturn\n}}\n"
    module = _parsed(body * 20)
    assert module is not None
    for each in (flags, PrintFlags(), flags._replace(local_scope=True)):
        with slow_paths():
            expected = adapter.print_op(module, each)
        for _ in range(3):
            assert adapter.print_op(module, each) == expected
