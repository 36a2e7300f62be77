"""Parsing by example gives what the ordinary way gives, on every file there is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from twins import assert_same, repeated
from xdsl_inputs import sampled, unrolled_loops, xdsl_corpus

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

if TYPE_CHECKING:
    from tool_fixtures import MlirOpt


_TESTS = Path(__file__).parents[2]


@sampled(50)
def test_xdsls_corpus(step: int) -> None:
    """XDSL's own tests, five times each so that there is something to learn, give the same."""
    by_example = 0
    chunks = [chunk for _, chunk in xdsl_corpus()[::step]]
    for chunk in chunks:
        assert_same(chunk)
        by_example += assert_same(repeated(chunk, 5)).from_templates
    assert by_example > 4 * len(chunks)


@sampled(9)
def test_the_tools_inputs(step: int) -> None:
    """The inputs of the tool's tests give the same IR or the same error."""
    for file in sorted((_TESTS / "lit").rglob("*.mlir"))[::step]:
        for chunk in file.read_text(encoding="utf-8").split("// -----"):
            assert_same(chunk)
            assert_same(repeated(chunk, 4))


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
