"""Realistic files of many dialects go through the tool, and come out as MLIR and xDSL say.

`PIPELINES` has what differs from the rule for a file.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import UNREGISTERED, run_mlir_opt_on_all
from xdsl.parser import Parser
from xdsl_inputs import NEWEST_XDSL, NOT_MLIR, REAL_FILES, enough, sampled, some, xdsl_context

from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import Tool

# Some of xDSL's own patterns use what xDSL has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:xdsl")


STANDARD = "builtin.module(func.func(cse,canonicalize),symbol-dce)"
"""What most people type; it leaves functions of other dialects alone."""

_RISCV = "builtin.module(riscv_func.func(cse,canonicalize),symbol-dce)"

PIPELINES = {
    "csl_program": "builtin.module(csl.module(cse,canonicalize),symbol-dce)",
    "gpu_kernels": (
        "builtin.module(func.func(cse,canonicalize),gpu.module(gpu.func(cse,canonicalize),"
        "symbol-dce),symbol-dce)"
    ),
    "hw_circuit": "builtin.module(hw.module(cse,canonicalize),symbol-dce)",
    "llvm_functions": "builtin.module(llvm.func(cse,canonicalize),symbol-dce)",
    "nested_modules": (
        "builtin.module(func.func(cse,canonicalize),builtin.module(func.func(cse,canonicalize)),"
        "symbol-dce)"
    ),
    "riscv_branches": "builtin.module(cse,canonicalize,symbol-dce)",
    **dict.fromkeys(("riscv_functions", "riscv_loops", "snitch_streams"), _RISCV),
    "x86_functions": "builtin.module(x86_func.func(cse,canonicalize),symbol-dce)",
}
"""What changes files whose code is not in `func.func`, or not all of it."""

ALL = sorted(path.stem for path in REAL_FILES.glob("*.mlir"))


def path_of(name: str) -> str:
    """Return an input's path."""
    return str(REAL_FILES / f"{name}.mlir")


def refusal(name: str) -> str:
    """Return how xDSL refuses an input if an older one than the newest is installed, or nothing."""
    if version("xdsl") >= NEWEST_XDSL:
        return ""
    text = (REAL_FILES / f"{name}.mlir").read_text(encoding="utf-8")
    try:
        Parser(xdsl_context(), text).parse_module().verify()
    except Exception as error:  # noqa: BLE001 - whatever it raises
        return f"xDSL {version('xdsl')}: {str(error).splitlines()[-1].strip()}"
    return ""


@pytest.fixture
def passel_opt(tool: Tool) -> Callable[..., str]:
    """passel-opt, which must succeed and have nothing to say but the IR."""

    def run(*arguments: str) -> str:
        code, out, err = tool(
            UNREGISTERED, "--mlir-diagnostic-verbosity-level=warnings", *arguments
        )
        assert (code, err) == (0, "")
        return out

    return run


@pytest.mark.parametrize("name", some(ALL, 3))
def test_result_is_valid_and_smaller(name: str, passel_opt: Callable[..., str]) -> None:
    """The pipeline removes what is redundant, and what is left verifies after every pass."""
    if why := refusal(name):
        pytest.skip(why)
    before = passel_opt(path_of(name))
    after = passel_opt(path_of(name), "-p", PIPELINES.get(name, STANDARD), "--verify-each=always")
    assert len(after.splitlines()) < len(before.splitlines())
    context = xdsl_context()
    module = parse_source(context, after, name)
    XDSLAdapter().verify(module, recursive=True)
    module.verify()


@sampled(3)
def test_mlir_takes_the_result(step: int, passel_opt: Callable[..., str]) -> None:
    """mlir-opt reads the result in both forms, verifies it, and runs its own cse over it."""
    results = {
        f"{name} {form}": passel_opt(path_of(name), "-p", PIPELINES.get(name, STANDARD), *form)
        for name in [name for name in ALL if name not in NOT_MLIR][::step]
        if not refusal(name)
        for form in ([], ["--mlir-print-op-generic"])
    }
    assert len(results) >= enough(16)
    taken = run_mlir_opt_on_all(results, UNREGISTERED, "--verify-each", "--cse")
    assert {name: each.err for name, each in taken.items() if each.code or not each.out} == {}
