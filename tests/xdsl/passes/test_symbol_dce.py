"""`symbol-dce`, on the modules of `symbol_dce.mlir` and elsewhere, and `strip-debuginfo`: as mlir-opt."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import UNREGISTERED, run_mlir_opt_on_all
from xdsl.traits import SymbolOpInterface
from xdsl_inputs import readable

from passel import PassFailedError, PassManager
from passel.ir import PrintFlags
from passel.xdsl import XDSLAdapter
from passel.xdsl.passes.strip_debuginfo import StripDebugInfo
from passel.xdsl.passes.symbol_dce import SymbolDCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import MlirOpt
    from xdsl.context import Context
    from xdsl.dialects.builtin import StringAttr
    from xdsl.ir import Operation

    from passel import RunResult

_PARTS = Path(__file__).with_name("symbol_dce.mlir").read_text(encoding="utf-8")
CASES = {
    name: case if case.lstrip().startswith("builtin.module") else f"builtin.module {{ {case} }}"
    for name, _, case in (part.partition("\n") for part in _PARTS.split("// CASE: ")[1:])
}
if version("xdsl") < "0.66":
    del CASES["private llvm symbols"]  # `llvm.func` is a symbol since then

PIPELINES = [
    "builtin.module(symbol-dce)",
    "builtin.module(builtin.module(symbol-dce))",
    "builtin.module(builtin.module(symbol-dce),symbol-dce)",
    "builtin.module(any(symbol-dce))",
]

TABLES = """
builtin.module {
  builtin.module {
    func.func nested @hidden_by_a_nameless_module() { func.return }
    func.func @public() { func.return }
  }
  builtin.module @named {
    func.func nested @visible() { func.return }
    func.func private @dead() { func.return }
  }
  builtin.module @private attributes {sym_visibility = "private"} {
    func.func nested @hidden() { func.return }
  }
}"""


def test_same_as_mlir(
    parse_op: Callable[[str], Operation],
    run: Callable[..., RunResult],
    text_of: Callable[[Operation], str],
) -> None:
    """mlir-opt erases the same symbols, and refuses the same modules."""
    flags = (UNREGISTERED, "--mlir-print-op-generic")
    theirs = run_mlir_opt_on_all(CASES, *flags, "--symbol-dce")
    ours, refused = dict[str, str](), dict[str, str]()
    for name, op in readable(CASES, parse_op).items():
        try:
            run(op, SymbolDCE())
            ours[name] = text_of(op)
        except PassFailedError as error:
            refused[name] = f"{error} / {theirs[name].err}"
    alike = "may be symbol tables.*potentially unknown symbol table"
    assert [name for name, said in refused.items() if not re.search(alike, said, re.DOTALL)] == []
    erased = {name: each.out for name, each in run_mlir_opt_on_all(ours, *flags).items()}
    assert erased == {name: theirs[name].out for name in ours}


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_nested_pipelines(
    pipeline: str,
    parse_op: Callable[[str], Operation],
    run: Callable[..., RunResult],
    text_of: Callable[[Operation], str],
    mlir_opt: MlirOpt,
) -> None:
    """Also when it runs on nested tables, it hides and erases what mlir-opt does."""
    generic = "--mlir-print-op-generic"
    op = parse_op(TABLES)
    theirs = mlir_opt(UNREGISTERED, f"--pass-pipeline={pipeline}", generic, source=TABLES)
    assert theirs.code == 0, theirs.err
    run(op, pipeline)
    assert mlir_opt(UNREGISTERED, generic, source=text_of(op)).out == theirs.out


@pytest.mark.parametrize(
    "text",
    [
        "func.func @f() { func.return }",
        "llvm.func @f() { llvm.return }",
        '"gpu.func"() <{function_type = () -> ()}> ({ "gpu.return"() : () -> () }) {sym_name = "f"} : () -> ()',
    ],
)
def test_not_a_table(
    text: str, parse_op: Callable[[str], Operation], run: Callable[..., RunResult]
) -> None:
    """On an op without a symbol table, the pass fails, and says where it runs."""
    with pytest.raises(PassFailedError, match=r"symbol table, as in builtin.module\(symbol-dce\)"):
        run(parse_op(text), SymbolDCE())


def test_statistics(parse_op: Callable[[str], Operation], run: Callable[..., RunResult]) -> None:
    """Symbols inside of dead ones count as well, as they are erased first."""
    result = run(
        parse_op("""
builtin.module {
  builtin.module @dead attributes {sym_visibility = "private"} {
    func.func @inside() { func.return }
  }
  func.func private @dead_too() { func.return }
}"""),
        SymbolDCE(),
    )
    assert result.statistics == {"builtin.module/0:symbol-dce": {"num-dce'd": 3}}


def test_failure_names_the_op(
    parse_op: Callable[[str], Operation], run: Callable[..., RunResult]
) -> None:
    """The op that may be a table is blamed, where it stands in the source."""
    op = parse_op('builtin.module {\n  "x.y"() ({ "x.z"() : () -> () }) : () -> ()\n}')
    with pytest.raises(PassFailedError) as caught:
        run(op, SymbolDCE())
    diagnostic = caught.value.failures[0].diagnostic
    assert diagnostic.message.startswith("'x.y' op pass 'symbol-dce' failed")
    assert str(diagnostic.location) == "test.mlir:2:3"


def test_names_are_looked_up_in_an_index(
    context: Context,
    parse_op: Callable[[str], Operation],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The work grows with the number of symbols, not with its square."""
    asked = 0
    name_of = SymbolOpInterface.get_sym_attr_name

    def counting(trait: SymbolOpInterface, op: Operation) -> StringAttr | None:
        nonlocal asked
        asked += 1
        return name_of(trait, op)

    monkeypatch.setattr(SymbolOpInterface, "get_sym_attr_name", counting)
    calls = (
        f"func.func private @f{n}() {{ func.call @f{n + 1}() : () -> () func.return }}"
        for n in range(200)
    )
    op = parse_op(
        "builtin.module {"
        + "".join(calls)
        + "func.func private @f200() { func.return } "
        + "func.func @main() { func.call @f100() : () -> () func.return } }"
    )
    manager = PassManager("builtin.module", context, adapter=XDSLAdapter()).add(SymbolDCE())
    manager.enable_verifier(False)
    result = manager.run(op)
    assert result.statistics == {"builtin.module/0:symbol-dce": {"num-dce'd": 100}}
    assert asked < 202 * 10


def test_strip_debuginfo(
    parse_op: Callable[[str], Operation], run: Callable[..., object], mlir_opt: MlirOpt
) -> None:
    """The locations of all ops and arguments are erased, and nothing else."""
    source = """
builtin.module {
  "test.op"() : () -> () loc("kept.py":1:2)
  func.func @f(%x: i32) { func.return loc(fused[unknown]) }
  llvm.func @g(%x: i32) { llvm.return loc(callsite("a" at "b.py":1:1)) }
}"""
    flags = ("--mlir-print-debuginfo", "--mlir-print-local-scope", "--mlir-print-op-generic")
    theirs = mlir_opt(UNREGISTERED, "--strip-debuginfo", *flags, source=source)
    assert theirs.code == 0, theirs.err
    op = parse_op(source)
    run(op, StripDebugInfo())
    ours = XDSLAdapter().print_op(op, PrintFlags(generic=True, debuginfo=True))
    assert mlir_opt(UNREGISTERED, *flags, source=ours).out == theirs.out
