"""Parsing with MLIR's parser: what it returns, where things are, what is wrong, and odd names."""

from __future__ import annotations

import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mlir.ir import Context
from processes import survived

from passel.errors import PasselError
from passel.mlir import MLIRAdapter, ParseError, parse_file, parse_source

if TYPE_CHECKING:
    from passel.diagnostics import Diagnostic


TWO = """\
// Two functions.
#map = affine_map<(d0) -> (d0)>
func.func @f(%a: i32 loc("arg.py":1:2)) attributes {x.y = #map} {
  return loc(fused["own.py":3:4, unknown])
}
func.func @g(%a: i32) { return }
"""


@pytest.fixture
def context() -> Context:
    """A context."""
    return Context()


def errors(context: Context, source: str | bytes, **options: Any) -> list[str]:
    """Return what is wrong with a source, with notes."""
    with pytest.raises(ParseError) as caught:
        parse_source(context, source, "t.mlir", **options)
    assert isinstance(caught.value, PasselError)
    return [line for each in caught.value.diagnostics for line in str(each).splitlines()]


def places(op: Any) -> list[str]:
    """Return where an op and all that is inside of it comes from."""
    adapter = MLIRAdapter()
    found = [str(adapter.location(op))]
    for child in adapter.children(op):
        found += places(child)
    return found


@pytest.mark.parametrize(
    ("text", "name", "inside"),
    [
        ("", "builtin.module", 0),
        ("module {}", "builtin.module", 0),
        ("module {} module {}", "builtin.module", 2),
        ("func.func private @f()", "builtin.module", 1),
        (TWO, "builtin.module", 2),
    ],
)
def test_implicit_modules(context: Context, text: str, name: str, inside: int) -> None:
    """A single module is the result; everything else is put into one."""
    op = parse_source(context, text, "t.mlir")
    assert op.operation.name == name
    assert len(MLIRAdapter().children(op)) == inside
    assert type(op).__name__ == "ModuleOp"


def test_no_implicit_module(context: Context) -> None:
    """On demand the only op is the result, of whatever kind; there must be one."""
    op = parse_source(context, "func.func private @f()", "t.mlir", implicit_module=False)
    assert op.operation.name == "func.func"
    for text in ("", TWO):
        (error,) = errors(context, text, implicit_module=False)
        assert "source must contain a single top-level operation" in error


def test_errors(context: Context) -> None:
    """An error has its place in the file, and its notes, of which the text of the op is one."""
    message = "t.mlir:7:13: error: expected non-function type"
    assert errors(context, "\nfunc.func @f(", line_offset=5) == [message]
    assert errors(context, TWO + "func.func @f(") == [message]
    assert errors(context, b"// \xff", line_offset=1) == [
        "t.mlir:2:4: error: invalid UTF-8: invalid start byte"
    ]
    found = errors(context, "func.func private @f()\nfunc.func private @f()")
    assert found[0] == "t.mlir:2:1: error: redefinition of symbol named 'f'"
    assert found[1] == "t.mlir:2:1: note: see current operation: "
    assert found[-1] == "t.mlir:1:1: note: see existing symbol definition here"


def test_block_arguments_of_a_class_of_their_own() -> None:
    """A package may have registered a class for values of a type; locations are right all the same."""
    script = """
import mlir.dialects.transform.extras
from mlir.ir import Context
from passel.mlir import parse_source
text = "func.func private @f()\\nfunc.func @g(%a: !transform.any_op) { return }"
print(parse_source(Context(), text, "t.mlir").operation.get_asm(enable_debug_info=True))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "%arg0: !transform.any_op loc(" in done.stdout
    assert '"-"' not in done.stdout


def test_unregistered_dialects(context: Context) -> None:
    """Whether they are accepted is the context's affair."""
    text = '"no.such"() : () -> ()'
    (error, *_) = errors(context, text)
    assert "no.such" in error or "unregistered" in error
    context.allow_unregistered_dialects = True
    assert parse_source(context, text, "t.mlir")


def test_bytecode(context: Context, tmp_path: Path) -> None:
    """Bytecode is recognized by its beginning, and brings its own locations."""
    op = parse_source(context, TWO, "t.mlir")
    stream = BytesIO()
    op.operation.write_bytecode(stream)
    path = tmp_path / "t.mlirbc"
    path.write_bytes(stream.getvalue())
    again = parse_file(path)
    assert str(again) == str(op)
    assert places(again) == places(op)
    (error, *_) = errors(context, stream.getvalue()[:60])
    assert error.startswith("t.mlir:0:0: error: ")


def test_files(context: Context, tmp_path: Path) -> None:
    """A file is parsed with its path as name."""
    path = tmp_path / "t.mlir"
    path.write_text(TWO, encoding="utf-8")
    op = parse_file(path, context)
    assert op.operation.context is context
    assert places(op)[1] == f"{path}:3:1"
    with pytest.raises(FileNotFoundError):
        parse_file(tmp_path / "none.mlir")


def test_warnings_are_handed_on(context: Context) -> None:
    """Warnings go to `on_warning`, and are no errors."""
    found: list[Diagnostic] = []
    text = 'module {} {-# external_resources: { zoo: { cat: "0x08000000" } } #-}'
    parse_source(context, text, "t.mlir", on_warning=found.append)
    expected = "t.mlir:1:37: warning: ignoring unknown external resources for 'zoo'"
    assert [*map(str, found)] == [expected]


NAMED = """\
#a = loc("-")
func.func @f(%a: i32 loc(callsite("n"("-":1:2) at "b.py":2:3))) attributes {x = "#loc = loc(\\22-\\22:1:1)"} {
  return loc(fused["-":3:4, #a])
}
func.func @g(%a: i32) { return }
"""


def test_the_name_of_a_source_in_locations_of_every_kind(context: Context) -> None:
    """Sources of several ops have it in locations inside of others, but not in strings."""
    op = parse_source(context, NAMED, 'a "b".mlir', line_offset=1)
    assert places(op)[1::3] == ['a "b".mlir:3:1', 'a "b".mlir:6:25']
    text = str(op.operation.get_asm(enable_debug_info=True))
    assert text.count('"a \\22b\\22.mlir":') == 8
    assert text.count('"-"') == 1
    assert 'x = "#loc = loc(\\22-\\22:1:1)"' in text


# -- Names that are not UTF-8 -----------------------------------------------------------------


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
