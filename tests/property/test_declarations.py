"""Whatever passes declare, no invalid IR leaves a run as a success, on any IR."""

from __future__ import annotations

from typing import Any

import pytest
import toy_meddling
from declared_meddlers import ACTS, Case, cases, check
from sweeps import STEP

import passel.mlir as on_mlir
import passel.xdsl as on_xdsl
from passel.testing import ToyAdapter

IRS: dict[str, dict[str, Any]] = {
    "toy": {"adapter": ToyAdapter(), "parse": toy_meddling.parse},
    "xdsl": {"adapter": on_xdsl.XDSLAdapter(), "parse": on_xdsl.parse_source},
    "mlir": {"adapter": on_mlir.MLIRAdapter(), "parse": on_mlir.parse_source},
}

SAMPLE = [
    (ir, case) for ir, step in (("toy", 211), ("xdsl", 263), ("mlir", 431)) for case in cases(step)
]


@pytest.mark.parametrize(("ir", "case"), SAMPLE, ids=str)
def test_no_declaration_lets_invalid_ir_out(ir: str, case: Case) -> None:
    """A pass that breaks the function beside fails, and equally so in any number of workers."""
    check(case, **IRS[ir])


@pytest.mark.sweep
@pytest.mark.parametrize("ir", IRS.values(), ids=IRS)
@pytest.mark.parametrize("act", ACTS)
def test_no_declaration_at_all_lets_invalid_ir_out(act: str, ir: dict[str, Any]) -> None:
    """That holds for each declaration, place, depth and pipeline."""
    for case in cases(STEP):
        if case.act == act:
            check(case, **ir)
