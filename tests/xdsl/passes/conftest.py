"""What the tests of the passes share: running them, and comparing them with xDSL's."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl.transforms import get_all_passes
from xdsl_inputs import enough, xdsl_context, xdsl_corpus

from passel import PassManager
from passel.xdsl import XDSLAdapter, parse_source

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


@pytest.fixture
def same_as_xdsl(text_of: Callable[[Operation], str]) -> Callable[..., int]:
    """Compare a pass with xDSL's pass of a name over its corpus.

    Compared is every `step`th chunk that holds a text, at least `least` of them.

    Returns how many of the compared modules the pass changed.
    """

    def compare(
        own: Pass[Any],
        name: str,
        *,
        step: int,
        least: int,
        holding: str = "",
        leaving_out: Callable[[ModuleOp], bool] | None = None,
    ) -> int:
        theirs = PassPipeline((get_all_passes()[name]()(),))
        compared = changed = 0
        chunks = [
            (file, chunk)
            for file, chunk in xdsl_corpus()
            # xDSL renames resources whenever the same text is parsed again.
            if holding in chunk and "resource" not in chunk
        ]
        for file, chunk in chunks[::step]:
            context = xdsl_context()
            try:
                module = parse_source(context, chunk, file)
                module.verify()
                copy = parse_source(context, chunk, file)
            except Exception:  # noqa: BLE001, S112 - the corpus has tests of errors
                continue
            assert isinstance(copy, ModuleOp)
            if leaving_out is not None and leaving_out(copy):
                continue
            before = text_of(module)
            manager = PassManager("builtin.module", context, adapter=XDSLAdapter()).add(own)
            manager.enable_verifier(False)
            succeeds = _succeeds(theirs.apply, context, copy)
            assert _succeeds(manager.run, module) == succeeds, file
            assert text_of(module) == text_of(copy), file
            compared += 1
            changed += text_of(module) != before
        assert compared >= enough(least)
        return changed

    return compare


def _succeeds(call: Callable[..., object], *arguments: object) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            call(*arguments)
        except Exception:  # noqa: BLE001 - that both fail is what is compared
            return False
    return True
