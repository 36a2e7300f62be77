"""Names that are not UTF-8, which the bindings cannot make Python text of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from processes import survived

FAILING = r"""
from mlir.ir import Context
from passel import PassFailedError, PassManager
from passel.mlir import ParseError, parse_source

def show(source, pipeline="builtin.module(func.func(convert-complex-to-llvm))", **options):
    context = Context()
    try:
        module = parse_source(context, source, "t.mlir", **options)
        PassManager.parse(pipeline, context).run(module, on_diagnostic=print)
    except ParseError as error:
        print(*error.diagnostics, sep="\n")
    except PassFailedError as error:
        print(error)

COS = "func.func @f(%a: complex<f32>) { %0 = complex.cos %a : complex<f32> LOC return }"
"""


def test_a_file_in_a_location() -> None:
    """Bytes that are no text are shown as escapes, wherever a pass or the verifier reports."""
    found = survived(FAILING + r"""show(COS.replace("LOC", 'loc("\\FF.mlir":3:4)'))""")
    assert found.splitlines()[0].startswith(r"\xff.mlir:3:4: error: failed to legalize")
    source = r'''"func.func @f() -> i32 { \"func.return\"() : () -> () loc(\"\\FE\":5:6) }"'''
    found = survived(f"{FAILING}show({source})")
    assert found.startswith(r"\xfe:5:6: error: 'func.return' op has 0 operands")


def test_names_of_locations_and_calls() -> None:
    """Names, fused locations and call sites have names in turn."""
    places = (r'"\\FF"', r'fused["\\FF":1:2, "b":3:4]', r'callsite("\\FF" at "b":3:4)')
    scripts = (f"show(COS.replace('LOC', 'loc({place})'))\n" for place in places)
    assert survived(FAILING + "".join(scripts)).count("error: failed to legalize") == 3


@pytest.mark.parametrize("text", ["func.func @f() {} }", "module { module }", ""])
def test_the_file_itself(text: str, tmp_path: Path) -> None:
    """A file whose name is not UTF-8 is read, and shown with escapes."""
    path = os.fsencode(tmp_path) + b"/\xff.mlir"
    Path(os.fsdecode(path)).write_text(text, encoding="utf-8")
    script = f"""
import os
from mlir.ir import Context
from passel.mlir import ParseError, parse_file, parse_source

path = os.fsdecode({path!r})
for parse in (
    lambda: parse_file(path, Context()),
    lambda: parse_source(Context(), {text!r}, path),
    lambda: parse_source(Context(), {text!r}, path, implicit_module=False),
):
    try:
        print(parse().operation.name)
    except ParseError as error:
        print(error.diagnostics[0].location.file)
"""
    shown = os.fsencode(tmp_path).decode() + r"/\xff.mlir"
    found = survived(script).splitlines()
    assert found == ([shown] * 3 if text else ["builtin.module"] * 2 + [shown])
