"""Rewriting gives what xDSL's own walker, driver and functions give, on every file there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from odd_modules import odd_module
from rewriting_twins import compare_rewriting, rewritten
from twins import printed
from xdsl_inputs import REAL_FILES, sampled, xdsl_context, xdsl_corpus

from passel.xdsl.fast import slow_paths

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

_TESTS = Path(__file__).parents[2]
PIPELINES = ("canonicalize", "dce", "canonicalize,cse,canonicalize,dce")


@sampled(50)
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_xdsls_corpus(step: int, pipeline: str) -> None:
    """XDSL's own tests come out the same, with the order of uses, names and locations."""
    # xDSL renames resources whenever the same text is parsed again.
    chunks = [chunk for _, chunk in xdsl_corpus()[::step] if "resource" not in chunk]
    changed = [compare_rewriting(chunk, pipeline) for chunk in chunks]
    assert sum(map(bool, changed)) > len(chunks) * 0.1


@sampled(8)
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_our_files(step: int, pipeline: str) -> None:
    """The files that other tests read come out the same, nested and from the top."""
    files = sorted([*REAL_FILES.glob("*.mlir"), *(_TESTS / "xdsl" / "programs").rglob("*.mlir")])
    for file in files[::step]:
        text = file.read_text(encoding="utf-8")
        compare_rewriting(text, pipeline)
        compare_rewriting(text, f"func.func({pipeline})")


@sampled(40)
def test_odd_modules(step: int) -> None:
    """Modules whose values, ops and branches were moved about come out the same.

    Their text is compared: xDSL's `cse` erases in the order of a set of addresses, so that uses
    may be left in another order each time.
    """
    changed = 0
    for seed in range(0, 400, step):
        for pipeline in PIPELINES:
            fast, slow = odd_module(seed), odd_module(seed)
            before = printed(fast)
            _, *found = rewritten(fast, pipeline, xdsl_context())
            with slow_paths():
                _, *expected = rewritten(slow, pipeline, xdsl_context())
            assert (printed(fast), *found) == (printed(slow), *expected)
            changed += printed(fast) != before
    assert changed > 1000 / step
