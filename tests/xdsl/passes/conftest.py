"""What the tests of the passes share: parsing, xDSL's corpus, and mlir-opt."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import distribution
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mlir_tools import run_mlir_opt
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl.printer import Printer
from xdsl.transforms import get_all_passes

from passel import PassManager
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from xdsl.ir import Operation

    from passel import Pass, RunResult

_SPLIT = "// -----"


@cache
def _all_dialects() -> Context:
    context = Context(allow_unregistered=True)
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    return context


@pytest.fixture
def context() -> Context:
    """A context that knows all dialects and takes unregistered ops."""
    return _all_dialects().clone()


@pytest.fixture
def parse(context: Context) -> Callable[[str], Operation]:
    """Parse text to its single top-level op."""
    return lambda text: parse_source(context, text, "test.mlir", implicit_module=False)


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
def text_of() -> Callable[[Operation], str]:
    """Print an op in generic form with locations, so that nothing is hidden."""

    def to_text(op: Operation) -> str:
        stream = StringIO()
        Printer(stream=stream, print_generic_format=True).print_op(op)
        return stream.getvalue()

    return to_text


@pytest.fixture(scope="session")
def corpus() -> list[tuple[str, str]]:
    """Every chunk of xDSL's own tests, with its file's name."""
    folder = Path(str(distribution("xdsl").locate_file("tests/filecheck")))
    files = sorted(folder.rglob("*.mlir"))
    assert len(files) > 500, f"xDSL's test corpus is not installed at {folder}"
    return [
        (str(file.relative_to(folder)), chunk)
        for file in files
        for chunk in file.read_text(encoding="utf-8").split(_SPLIT)
        # xDSL renames resources whenever the same text is parsed again.
        if "resource" not in chunk
    ]


@pytest.fixture
def same_as_xdsl(
    corpus: list[tuple[str, str]], text_of: Callable[[Operation], str]
) -> Callable[..., int]:
    """Compare a pass with xDSL's pass of a name over a sample of its corpus.

    The sample is every `step`th chunk that holds a text, at least `least` of them.

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
        chunks = [(file, chunk) for file, chunk in corpus if holding in chunk]
        for file, chunk in chunks[::step]:
            context = _all_dialects().clone()
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
        assert compared >= least
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


@pytest.fixture(scope="session")
def mlir_opt() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run mlir-opt on text."""
    return run_mlir_opt
