"""mlir-opt and passel accept the same pipelines, but where the table says that they differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passel import PassManager
from passel.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline_table import Build, Row

    from passel.ir import IRAdapter
    from passel.passes import PassRegistry


def error_of(text: str, registry: PassRegistry, adapter: IRAdapter) -> str:
    """Return why passel refuses the pipeline, or nothing."""
    try:
        PassManager.parse(text, registry=registry, adapter=adapter).check()
    except PipelineError as error:
        return str(error)
    return ""


def test_verdicts(
    row: Row,
    row_builds: dict[str, Build],
    registry: PassRegistry,
    adapter: IRAdapter,
) -> None:
    """The table tells what mlir-opt says, and passel says the same unless a reason is given."""
    real = row_builds[row.text]
    assert real.accepted is row.accepted, real.err

    error = error_of(row.text, registry, adapter)
    if row.differs:
        assert bool(error) is row.accepted, f"they agree: line {row.line} is out of date"
    else:
        assert bool(error) is not row.accepted, error or real.err


@pytest.mark.parametrize(("depth", "accepted"), [(60, True), (64, True), (65, False)])
def test_depth(
    depth: int,
    accepted: bool,
    mlir_build: Callable[[str], Build],
    registry: PassRegistry,
    adapter: IRAdapter,
) -> None:
    """Nesting is bounded, far beyond use, where mlir-opt trusts its stack."""
    text = "any(" * depth + "cse" + ")" * depth
    assert mlir_build(text).accepted
    error = error_of(text, registry, adapter)
    assert ("nested more than" in error) is not accepted
