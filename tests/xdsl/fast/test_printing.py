"""Ops are printed as by xDSL's printer, however many like them were printed before."""

from __future__ import annotations

from io import StringIO

import pytest
from twins import assert_prints_same
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr, i32
from xdsl.dialects.func import CallOp
from xdsl_inputs import xdsl_context

from passel.ir import PrintFlags
from passel.xdsl import XDSLAdapter, parse_source
from passel.xdsl.fast.printer import TemplatePrinter

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_odd_strings() -> None:
    """Strings with characters that stand for something in templates stay whole."""
    odd = StringAttr('\0\n"')
    assert_prints_same(ModuleOp([test.TestOp(attributes={"a": odd}) for _ in range(4)]))


def test_values_that_are_the_same_by_chance() -> None:
    """A shape is not learned from an op with one value as two operands."""
    one, two = test.TestOp(result_types=[i32]), test.TestOp(result_types=[i32])
    pairs = ((one, one), (one, one), (one, two), (two, one), (one, two), (two, two))
    assert_prints_same(ModuleOp([one, two, *(test.TestOp(pair) for pair in pairs)]))


def test_symbols() -> None:
    """Each call is printed with the symbol that it calls, also if that is among its attributes."""
    calls = [CallOp(name, [], []) for name in ("a", "b", "c d", "b", "e", "e", "f", "g")]
    for call, name in zip(calls[4:], "eehh", strict=True):
        call.attributes["other"] = SymbolRefAttr(name)
    calls[1].properties["callee"] = SymbolRefAttr("a", ["b"])
    assert_prints_same(ModuleOp(calls))


@pytest.mark.parametrize("other", ["", "{other = 2 : i32}", "{other = 3 : i32}", "{other = 3}"])
@pytest.mark.parametrize("kind", ["i32", "index", "i1"])
def test_numbers(kind: str, other: str) -> None:
    """Each constant is printed with its number, also if that is among its attributes."""
    numbers = ["true", "false"] * 4
    if kind != "i1":
        numbers = [f"{number} : {kind}" for number in (2, 2, 3, 3, -3, 4)]
    text = "".join(f"%{n} = arith.constant {other} {it}\n" for n, it in enumerate(numbers))
    assert_prints_same(parse_source(xdsl_context(), text, "test.mlir"))


def test_messages() -> None:
    """A message is printed below its op, though ops like it were printed before."""
    ops = [test.TestOp() for _ in range(4)]
    printer = TemplatePrinter(stream := StringIO())
    printer.print_op(module := ModuleOp(ops))
    printer.diagnostic.add_message(ops[3], "here")
    printer.print_op(module)
    assert "here" in stream.getvalue()


@pytest.mark.parametrize("body", ["scf.yield", "cf.br ^end ^end: scf.yield", "ub.unreachable"])
def test_the_terminators_of_an_execute_region(body: str) -> None:
    """Printed text reads back as the same IR, also where xDSL's own printer drops a part."""
    op = f"scf.execute_region {{\n{body}\n}}"
    module = parse_source(xdsl_context(), op, "test.mlir")
    again = parse_source(xdsl_context(), XDSLAdapter().print_op(module, PrintFlags()), "again.mlir")
    assert again.is_structurally_equivalent(module)
