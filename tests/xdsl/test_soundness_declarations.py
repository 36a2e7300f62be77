"""Whatever passes declare, no invalid IR of xDSL leaves a run as a success."""

import pytest
from declared_meddlers import ACTS, Case, cases, check, check_inside
from sweeps import STEP

from passel.xdsl import XDSLAdapter, parse_source


@pytest.mark.parametrize("case", [*cases(263)], ids=str)
def test_no_declaration_lets_invalid_ir_out(case: Case) -> None:
    """A pass that breaks the function beside fails, and equally so in any number of processes."""
    check(case, XDSLAdapter(), parse_source)


@pytest.mark.sweep
@pytest.mark.parametrize("act", ACTS)
def test_no_declaration_at_all_lets_invalid_ir_out(act: str) -> None:
    """That holds for each declaration, place, depth and pipeline."""
    for case in cases(STEP):
        if case.act == act:
            check(case, XDSLAdapter(), parse_source)


@pytest.mark.parametrize("behind", ["nothing", "claim", "level"])
@pytest.mark.parametrize("act", [each for each in ACTS if each != "erase"])
def test_what_is_said_to_be_preserved_is_looked_after(act: str, behind: str) -> None:
    """A pass on the module that breaks what is inside, and says that it did nothing, is named."""
    check_inside(act, behind, XDSLAdapter(), parse_source)
