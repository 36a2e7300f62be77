"""Fast paths read, print and rewrite as xDSL's own code does, on every file there is."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from odd_modules import odd_module
from rewriting_twins import compare_rewriting, rewritten
from tool_fixtures import run_mlir_opt
from twins import assert_prints_same, assert_same, repeated
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ParseError
from xdsl_inputs import REAL_FILES, enough, parsed_copy, sampled, xdsl_context, xdsl_corpus

from passel.xdsl.fast import slow_paths

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

_TESTS = Path(__file__).parents[2]


def _reads_same(text: str) -> int:
    """Compare a text, and five of it, so that there is something to learn."""
    assert_same(text)
    return assert_same(repeated(text, 5)).from_templates


def _prints_same(text: str) -> bool:
    try:
        op = parsed_copy(text, "test.mlir")
        module = ModuleOp([op, op.clone()])
    except (ParseError, ValueError, TypeError):
        return False
    assert_prints_same(module)
    return True


_PIPELINES = ("canonicalize", "dce", "canonicalize,cse,canonicalize,dce")
_CHECKS = {
    "read": (_reads_same, 4),
    "print": (_prints_same, enough(600) / 1000),
    **{each: (partial(compare_rewriting, pipeline=each), 0.1) for each in _PIPELINES},
}
"""What is compared, and how much has to come of it for each text on average."""


@sampled(50)
@pytest.mark.parametrize("name", _CHECKS)
def test_xdsls_corpus(step: int, name: str) -> None:
    """XDSL's own tests come out the same, with the order of uses, names and locations."""
    check, least = _CHECKS[name]
    chunks = xdsl_corpus()[::step]
    assert sum(check(chunk) for _, chunk in chunks) > len(chunks) * least


@sampled(9)
@pytest.mark.parametrize("name", _CHECKS)
def test_our_files(step: int, name: str) -> None:
    """The files that other tests read come out the same, and as parts of a pipeline."""
    check, _ = _CHECKS[name]
    folders = [_TESTS / "lit"]
    if name != "read":  # five times each would take long
        folders += [REAL_FILES, _TESTS / "xdsl" / "programs"]
    for file in sorted(file for folder in folders for file in folder.rglob("*.mlir"))[::step]:
        for chunk in file.read_text(encoding="utf-8").split("// -----"):
            check(chunk)
            if name in _PIPELINES:
                compare_rewriting(chunk, f"func.func({name})")


_LOOPS = """
func.func @f(%a: memref<16x8xf32>, %b: memref<8x24xf32>, %c: memref<16x24xf32>) {
  linalg.matmul ins(%a, %b : memref<16x8xf32>, memref<8x24xf32>) outs(%c : memref<16x24xf32>)
  linalg.map { arith.addf } ins(%c, %c : memref<16x24xf32>, memref<16x24xf32>) outs(%c : memref<16x24xf32>)
  return
}
"""
_UNROLLED = (
    "builtin.module(convert-linalg-to-affine-loops,func.func(affine-loop-unroll{unroll-factor=8}),"
    "lower-affine)"
)


@cache
def _unrolled_loops() -> str:
    """Return unrolled loops over floats of two types."""
    source = _LOOPS + _LOOPS.replace("@f", "@g").replace("f32", "f64")
    return run_mlir_opt(f"--pass-pipeline={_UNROLLED}", source=source).out


@pytest.mark.parametrize("lowering", [[], ["--convert-scf-to-cf"]], ids=["scf", "cf"])
@pytest.mark.parametrize(
    "flags",
    [[], ["--mlir-print-op-generic"], ["--mlir-print-local-scope", "--mlir-print-debuginfo"]],
)
def test_what_mlir_lowers(lowering: list[str], flags: list[str]) -> None:
    """Unrolled loops, as mlir-opt prints them in each form, give the same."""
    found = assert_same(run_mlir_opt(*lowering, *flags, source=_unrolled_loops()).out)
    assert found.op is not None
    ops = sum(1 for _ in found.op.walk())
    if "--mlir-print-debuginfo" not in flags:  # each op has a location of its own
        assert found.from_templates > ops * 0.6


@sampled(80)
def test_odd_modules(step: int, text_of: Callable[[Operation], str]) -> None:
    """Modules whose values, ops and branches were moved about come out the same.

    Their text is compared: xDSL's `cse` erases in the order of a set of addresses, so that uses
    may be left in another order each time.
    """
    changed = 0
    for seed in range(0, 400, step):
        before = text_of(odd_module(seed))
        for pipeline in _PIPELINES:
            fast, slow = odd_module(seed), odd_module(seed)
            found = rewritten(fast, pipeline, xdsl_context())
            with slow_paths():
                assert found == rewritten(slow, pipeline, xdsl_context())
            after = text_of(fast)
            assert after == text_of(slow)
            changed += after != before
    assert changed > 1000 / step
