"""Ops are printed as by xDSL's printer, however many like them were printed before."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr, i32
from xdsl.dialects.func import CallOp
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError
from xdsl_inputs import REAL_FILES, enough, sampled, xdsl_context, xdsl_corpus

from passel.xdsl import parse_source
from passel.xdsl.fast.printer import TemplatePrinter

if TYPE_CHECKING:
    from xdsl.ir import Operation

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

_FORMS = ((), ("print_generic_format",), ("print_properties_as_attributes",), ("print_debuginfo",))


def _printed(class_: type[Printer], op: Operation, flags: tuple[str, ...]) -> tuple[Any, ...]:
    """Return all that can be seen after an op was printed twice by one printer, or the error."""
    options: dict[str, Any] = dict.fromkeys(flags, True)
    printer: Any = class_(StringIO(), **options)
    try:
        for _ in range(2):
            printer.print_op(op)
    except Exception as error:  # noqa: BLE001 - dialects' printers raise what they like
        return type(error), str(error)
    names = {id(each): name for each, name in (printer._ssa_values | printer._blocks).items()}
    return printer.stream.getvalue(), names, printer._dialect_resources


def _assert_prints_same(op: Operation) -> None:
    for form in _FORMS:
        expected = _printed(Printer, op, form)
        if isinstance(expected[0], type):
            return  # xDSL leaves an op behind that has lost its name
        assert _printed(TemplatePrinter, op, form) == expected


def _three_of(text: str) -> Operation | None:
    try:
        op = parse_source(xdsl_context(), text, "test.mlir")
        return ModuleOp([op, op.clone(), op.clone()])
    except (ParseError, ValueError, TypeError):
        return None


@sampled(80)
def test_xdsls_corpus(step: int) -> None:
    """XDSL's own tests, three times each, give the same text and names in each form."""
    ops = [op for _, chunk in xdsl_corpus()[::step] if (op := _three_of(chunk)) is not None]
    assert len(ops) > enough(1000) // step
    for op in ops:
        _assert_prints_same(op)


@sampled(12)
def test_our_files(step: int) -> None:
    """The files that other tests read give the same."""
    files = [*REAL_FILES.glob("*.mlir"), *(Path(__file__).parents[2] / "lit").rglob("*.mlir")]
    for file in sorted(files)[::step]:
        for chunk in file.read_text(encoding="utf-8").split("// -----"):
            if (op := _three_of(chunk)) is not None:
                _assert_prints_same(op)


def test_odd_strings() -> None:
    """Strings with characters that stand for something in templates stay whole."""
    odd = StringAttr('\0\n"')
    _assert_prints_same(ModuleOp([test.TestOp(attributes={"a": odd}) for _ in range(4)]))


def test_values_that_are_the_same_by_chance() -> None:
    """A shape is not learned from an op with one value as two operands."""
    one, two = test.TestOp(result_types=[i32]), test.TestOp(result_types=[i32])
    pairs = ((one, one), (one, one), (one, two), (two, one), (one, two), (two, two))
    _assert_prints_same(ModuleOp([one, two, *(test.TestOp(pair) for pair in pairs)]))


def test_symbols() -> None:
    """Each call is printed with the symbol that it calls, also if that is among its attributes."""
    calls = [CallOp(name, [], []) for name in ("a", "b", "c d", "b", "e", "e", "f", "g")]
    for call, name in zip(calls[4:], "eehh", strict=True):
        call.attributes["other"] = SymbolRefAttr(name)
    calls[1].properties["callee"] = SymbolRefAttr("a", ["b"])
    _assert_prints_same(ModuleOp(calls))


@pytest.mark.parametrize("other", ["", "{other = 2 : i32}", "{other = 3 : i32}", "{other = 3}"])
@pytest.mark.parametrize("kind", ["i32", "index", "i1"])
def test_numbers(kind: str, other: str) -> None:
    """Each constant is printed with its number, also if that is among its attributes."""
    numbers = ["true", "false"] * 4
    if kind != "i1":
        numbers = [f"{number} : {kind}" for number in (2, 2, 3, 3, -3, 4)]
    text = "".join(f"%{n} = arith.constant {other} {it}\n" for n, it in enumerate(numbers))
    _assert_prints_same(parse_source(xdsl_context(), text, "test.mlir"))


def test_messages() -> None:
    """A message is printed below its op, though ops like it were printed before."""
    ops = [test.TestOp() for _ in range(4)]
    printer = TemplatePrinter(stream := StringIO())
    printer.print_op(module := ModuleOp(ops))
    printer.diagnostic.add_message(ops[3], "here")
    printer.print_op(module)
    assert "here" in stream.getvalue()
