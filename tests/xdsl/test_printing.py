"""What is printed reads back as the same IR, also where xDSL's own printer drops a part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passel.ir import PrintFlags
from passel.xdsl import XDSLAdapter

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation


@pytest.mark.parametrize("body", ["scf.yield", "cf.br ^end ^end: scf.yield", "ub.unreachable"])
def test_the_terminators_of_an_execute_region_are_printed(
    body: str, parse: Callable[[str], Operation]
) -> None:
    """An `scf.execute_region` without results keeps its branches and its terminator."""
    module = parse(f"scf.execute_region {{\n{body}\n}}")
    text = XDSLAdapter().print_op(module, PrintFlags())
    assert parse(text).is_structurally_equivalent(module)
