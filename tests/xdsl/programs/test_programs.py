"""Real programs compute and print the same after the passes as before, in mlir-runner."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from random_programs.execution import execute_all
from xdsl_inputs import some

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAMS = sorted((Path(__file__).parent / "inputs").glob("*.mlir"), key=lambda path: path.name)
INPUTS = ((0, 1), (5, 3), (9, 12), (12, 9), (1, 27))

PIPELINES = (
    "inline,func.func(canonicalize,cse,mem2reg,canonicalize),sccp,symbol-dce",
    (
        "inline{default-pipeline={mem2reg,canonicalize,cse} max-iterations=2},sccp,"
        "composite-fixed-point-pass{pipeline={canonicalize,cse,sccp}},symbol-dce"
    ),
    "sccp,mem2reg{region-simplify=false},inline{inlining-threshold=60},symbol-dce,cse",
    "inline{default-pipeline={}},func.func(mem2reg),sccp,func.func(cse,dce)",
)


def entry(text: str) -> str:
    """Add a function that calls `main` with each input and prints what it returns."""
    calls: list[str] = []
    for index, (a, b) in enumerate(INPUTS):
        calls.append(f"""
  %a{index} = arith.constant {a} : i32
  %b{index} = arith.constant {b} : i32
  %r{index} = func.call @main(%a{index}, %b{index}) : (i32, i32) -> i32
  %w{index} = arith.extsi %r{index} : i32 to i64
  func.call @printI64(%w{index}) : (i64) -> ()
  func.call @printNewline() : () -> ()""")
    declarations = "".join(
        f"func.func private @{name}\n"
        for name in ("printI64(i64)", "printNewline()")
        if f"@{name.partition('(')[0]}(" not in text
    )
    return f"""{declarations}func.func @entry() {{{"".join(calls)}
  func.return
}}
"""


def with_entry(module: str) -> str:
    """Add the entry to a printed module."""
    head, brace, _ = module.rpartition("}")
    return f"{head}{entry(head)}{brace}"


@pytest.mark.parametrize("program", some(PROGRAMS, 4), ids=lambda path: path.stem)
def test_programs_compute_the_same(
    program: Path, transform: Callable[..., tuple[object, object]]
) -> None:
    """Programs compute the same after each pipeline, whether or not their arguments are known."""
    text = program.read_text(encoding="utf-8")
    whole = text + entry(text)
    variants: dict[str, str] = {}
    for pipeline in PIPELINES:
        variants[f"unknown arguments, {pipeline}"] = with_entry(str(transform(text, pipeline)[0]))
        variants[f"constants, {pipeline}"] = str(transform(whole, pipeline)[0])
    before, *after = execute_all([whole, *variants.values()])
    assert before.count("\n") >= len(INPUTS)
    assert not before.startswith("failed:")
    assert dict(zip(variants, after, strict=True)) == dict.fromkeys(variants, before)
