"""Running passes with the fast paths of rewriting and without, and comparing all that is left."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from layouts import layouts
from loose_ops import context_with
from xdsl_inputs import parsed_copy, xdsl_context

from passel import PassManager
from passel.xdsl import XDSLAdapter
from passel.xdsl.fast import slow_paths

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.context import Context
    from xdsl.ir import Operation


def compare_rewriting(
    text: str, pipeline: str, context: Callable[[], Context] = xdsl_context
) -> bool:
    """Run a pipeline on a module with fast paths and without; both must do the same.

    Returns:
        Whether the module was changed. It is not if it could not be read.
    """
    try:
        before, fast, slow = (parsed_copy(text, "test.mlir", context) for _ in range(3))
    except Exception:  # noqa: BLE001 - corpora have tests of errors
        return False
    done = rewritten(fast, pipeline, context())
    with slow_paths():
        assert done == rewritten(slow, pipeline, context())
    original, changed, expected = layouts(before, fast, slow)
    assert changed == expected
    return changed != original


def check(text: str, pipeline: str, *ops: type[Operation]) -> bool:
    """Compare as `compare_rewriting` does, on lines with some ops of dialect `t`."""
    module = f"builtin.module {{\n{text}\n}}"
    return compare_rewriting(module, pipeline, lambda: context_with(*ops))


def rewritten(
    op: Operation, pipeline: str, context: Context
) -> tuple[str, dict[str, dict[str, int]]]:
    """Run a pipeline on an op, and return the error and the statistics."""
    manager = PassManager.parse(f"{op.name}({pipeline})", context, adapter=XDSLAdapter())
    manager.enable_verifier(False)
    error = ""
    counts: dict[str, dict[str, int]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            counts = {path: dict(each) for path, each in manager.run(op).statistics.items()}
        except Exception as caught:  # noqa: BLE001 - that both fail alike is what is compared
            error = str(caught)
    return error, counts
