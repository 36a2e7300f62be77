"""Fast paths read, print and rewrite as xDSL's own code does, on every file there is."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from odd_modules import odd_module
from rewriting_twins import compare_rewriting, rewritten
from twins import assert_prints_same, assert_same, printed, repeated
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ParseError
from xdsl_inputs import REAL_FILES, enough, sampled, unrolled_loops, xdsl_context, xdsl_corpus

from passel.xdsl import parse_source
from passel.xdsl.fast import slow_paths

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

if TYPE_CHECKING:
    from tool_fixtures import MlirOpt


_TESTS = Path(__file__).parents[2]


def _reads_same(text: str) -> int:
    """Compare a text, and five of it, so that there is something to learn."""
    assert_same(text)
    return assert_same(repeated(text, 5)).from_templates


def _prints_same(text: str) -> bool:
    try:
        op = parse_source(xdsl_context(), text, "test.mlir")
        module = ModuleOp([op, op.clone(), op.clone()])
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


@pytest.mark.parametrize("level", ["scf", "cf"])
@pytest.mark.parametrize(
    "flags",
    [[], ["--mlir-print-op-generic"], ["--mlir-print-local-scope", "--mlir-print-debuginfo"]],
)
def test_what_mlir_lowers(mlir_opt: MlirOpt, level: str, flags: list[str]) -> None:
    """Unrolled loops, as mlir-opt prints them in each form, give the same."""
    found = assert_same(unrolled_loops(mlir_opt, level, *flags))
    assert found.op is not None
    ops = sum(1 for _ in found.op.walk())
    if "--mlir-print-debuginfo" not in flags:  # each op has a location of its own
        assert found.from_templates > ops * 0.6


@sampled(80)
def test_odd_modules(step: int) -> None:
    """Modules whose values, ops and branches were moved about come out the same.

    Their text is compared: xDSL's `cse` erases in the order of a set of addresses, so that uses
    may be left in another order each time.
    """
    changed = 0
    for seed in range(0, 400, step):
        for pipeline in _PIPELINES:
            fast, slow = odd_module(seed), odd_module(seed)
            before = printed(fast)
            _, *found = rewritten(fast, pipeline, xdsl_context())
            with slow_paths():
                _, *expected = rewritten(slow, pipeline, xdsl_context())
            assert (printed(fast), *found) == (printed(slow), *expected)
            changed += printed(fast) != before
    assert changed > 1000 / step
