"""A fixture that runs passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from passel import PassManager
from passel.xdsl import XDSLAdapter

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.context import Context
    from xdsl.ir import Operation

    from passel import Pass, RunResult


@pytest.fixture
def run(context: Context) -> Callable[..., RunResult]:
    """Run a pipeline, or a single pass on whatever the op is."""

    def run_on(op: Operation, passes: str | Pass[Any]) -> RunResult:
        adapter = XDSLAdapter()
        if isinstance(passes, str):
            manager = PassManager.parse(passes, context, adapter=adapter)
        else:
            manager = PassManager(op.name, context, adapter=adapter).add(passes)
        manager.enable_verifier("always")
        return manager.run(op)

    return run_on
