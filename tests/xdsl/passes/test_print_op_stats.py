"""`print-op-stats`: byte for byte what mlir-opt writes, and nothing changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tool_fixtures import UNREGISTERED
from xdsl_inputs import REAL_FILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import MlirOpt
    from xdsl.ir import Operation

NAMES = """
builtin.module {
  func.func @f(%x: i32) -> i32 {
    %y = "a.b.c.d"(%x) : (i32) -> i32
    %z = "nodot"(%y) : (i32) -> i32
    %w = "averylongdialect.x"(%z) : (i32) -> i32
    llvm.call @g() : () -> ()
    func.return %w : i32
  }
  llvm.func @g()
}"""

FILES = ["arith_folding", "cf_switch", "llvm_functions", "scf_parallel", "vector_ops"]

MODULES = {
    "empty": "builtin.module { }",
    "names": NAMES,
    "one unregistered": 'builtin.module { "x"() : () -> () }',
    **{name: (REAL_FILES / f"{name}.mlir").read_text(encoding="utf-8") for name in FILES},
    "counts": "builtin.module {" + '"test.op"() : () -> () ' * 1234 + "}",
}


KINDS = {
    "func.func": "func.func @f() { func.return }",
    "llvm.func": "llvm.func @f() { llvm.return }",
    "gpu.module": '"gpu.module"() <{sym_name = "m"}> ({ "test.op"() : () -> () }) : () -> ()',
    "builtin.module": "builtin.module { builtin.module { } }",
}


@pytest.mark.parametrize("json", [False, True], ids=["table", "json"])
@pytest.mark.parametrize("name", MODULES)
def test_same_as_mlir(
    name: str,
    json: bool,
    parse_op: Callable[[str], Operation],
    run: Callable[..., object],
    mlir_opt: MlirOpt,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Both layouts are mlir-opt's, to the byte."""
    flag = "--print-op-stats" + "=json" * json
    theirs = mlir_opt(UNREGISTERED, flag, source=MODULES[name])
    assert theirs.code == 0, theirs.err
    text = MODULES[name]
    is_module = text.lstrip().startswith("builtin.module")
    op = parse_op(text if is_module else f"builtin.module {{ {text} }}")
    capsys.readouterr()
    run(op, f"builtin.module(print-op-stats{'{json}' if json else ''})")
    out, err = capsys.readouterr()
    assert err == theirs.err
    assert out == ""


@pytest.mark.parametrize("kind", KINDS)
def test_isolated_ops(
    kind: str,
    parse_op: Callable[[str], Operation],
    run: Callable[..., object],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The anchor itself is counted, whatever it is, and the op stays as it was."""
    op = parse_op(KINDS[kind])
    text = str(op)
    run(op, f"{kind}(print-op-stats{{json=true}})")
    counts = capsys.readouterr().err
    assert f'"{kind}" : {2 if kind == "builtin.module" else 1}' in counts
    assert str(op) == text


@pytest.mark.one_process
def test_once_per_op(
    parse_op: Callable[[str], Operation],
    run: Callable[..., object],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nested on functions, it reports each function by itself, in program order."""
    op = parse_op("""
builtin.module {
  func.func @f() { func.return }
  func.func @g() { "test.op"() : () -> () func.return }
}""")
    run(op, "builtin.module(func.func(print-op-stats))")
    first, second = capsys.readouterr().err.split("Operations encountered:")[1:]
    assert "test" not in first
    assert "test" in second
