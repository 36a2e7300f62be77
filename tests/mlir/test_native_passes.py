"""MLIR's passes by name: what is found, what is refused and how it is said."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from mlir.ir import Context, Module

from passel import OptionError, PassManager, PipelineError
from passel.mlir import parse_source

SOURCE = "func.func @f(%a: i32) { %0 = arith.addi %a, %a : i32 return }"


@pytest.mark.parametrize(
    ("pipeline", "column", "message"),
    [
        ("builtin.module(canonicalise)", 16, "did you mean 'canonicalize'?"),
        ("builtin.module(cse,func.func(cze))", 30, "did you mean 'cse'?"),
        ("builtin.module(gpu-register-host-buffers{bogus=1})", 42, "bogus"),
    ],
)
def test_what_is_refused(pipeline: str, column: int, message: str) -> None:
    """Misspelt names and wrong options are found when the text is read, with their places."""
    with pytest.raises(PipelineError, match=message.replace("?", r"\?")) as caught:
        PassManager.parse(pipeline, Context())
    span = caught.value.span
    assert span is not None
    assert span.start + 1 == column


def test_a_pass_for_functions_says_so() -> None:
    """On another op, the error names the interface that the pass accepts."""
    manager = PassManager.parse("builtin.module(affine-loop-unroll)", Context())
    with pytest.raises(PipelineError, match=r"It runs on functions \(FunctionOpInterface\) only"):
        manager.run(Module.parse(SOURCE, manager.context))


def test_options_of_registered_pipelines() -> None:
    """MLIR's registered pipelines are taken apart, and refuse options that they do not have."""
    manager = PassManager.parse("builtin.module(sparsifier{vl=4})", Context())
    assert "sparse" in str(manager)
    with pytest.raises(OptionError, match="bogus"):
        PassManager.parse("builtin.module(sparsifier{bogus=4})", Context())


def test_reasons_that_mlir_writes_to_the_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    """They are part of the error, and later output gets to the standard error."""
    with pytest.raises(OptionError, match="--vl option: 'wide' value invalid"):
        PassManager.parse("builtin.module(sparsifier{vl=wide})", Context())
    os.write(2, b"after")
    assert capfd.readouterr().err.endswith("after")


def test_nothing_that_other_threads_write_is_lost(capfd: pytest.CaptureFixture[str]) -> None:
    """What other threads write to the standard error gets there while MLIR refuses pipelines."""
    context, lines = Context(), 20_000

    def write() -> None:
        for _ in range(lines):
            os.write(2, b"a line\n")

    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(write)
        while not writing.done():
            with pytest.raises(OptionError, match="no such option bogus"):
                PassManager.parse("any(gpu-register-host-buffers{bogus=1})", context)
            module = parse_source(context, SOURCE, "t")
            PassManager.parse("builtin.module(func.func(cse,canonicalize))", context).run(module)
        writing.result()
    assert capfd.readouterr().err.count("a line\n") == lines
