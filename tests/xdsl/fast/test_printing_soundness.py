"""The printers of dialects are called for each op, and see what they see with xDSL's printer."""

from __future__ import annotations

from io import StringIO
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from printing_ops import CustomOp, IsolatedOp, PlainOp, op_that
from printing_twins import assert_prints_same, print_with
from xdsl.dialects.builtin import (
    ArrayAttr,
    FileLineColLoc,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    f32,
    i32,
    i64,
)
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.printer import Printer

from passel.xdsl.fast.printer import FastPrinter

if TYPE_CHECKING:
    from printing_ops import Consult


_marked: set[Operation] = set()
_ATTRIBUTES = (StringAttr("one"), StringAttr("two"), IntegerAttr(1, i32), FloatAttr(0.5, f32))


def _module(op_class: type[Operation], **more: Any) -> ModuleOp:
    """Return a module with many ops of a class, in different surroundings."""
    block = Block(arg_types=[i32, i32, f32])
    values: list[SSAValue[Any]] = [*block.args]
    values[1].name_hint = "hint"
    for number in range(24):
        block.add_op(PlainOp.create(operands=values[-2:], result_types=[(i32, f32)[number % 2]]))
        used = [values[number % len(values)], values[number // 2 % len(values)]]
        if number % 5 == 0:
            used = used[:1] * 2
        op = op_class.create(
            operands=used,
            result_types=[(i32, f32, i32, i64)[number % 4]],
            attributes={"a": _ATTRIBUTES[number // 2 % 4], "u": UnitAttr()},
            **more,
        )
        op.results[0].name_hint = (None, "hint", "x")[number % 3]
        if number > 11:
            op.location = FileLineColLoc(StringAttr("file"), IntAttr(number), IntAttr(1))
        if number == 13:
            _marked.add(op)
        block.add_op(op)
        values.append(op.results[0])
    return ModuleOp([IsolatedOp.create(regions=[Region(block)])])


def _fields(thing: object) -> dict[str, object]:
    return vars(thing)


_numbers = count()
_elsewhere = Block(arg_types=[i32]).args[0]

_CONSULTED: dict[str, Consult] = {
    "the op's block": lambda op, _: op.parent.args[0].type if op.parent else None,
    "the op before": lambda op, _: op.prev_op.name if op.prev_op else None,
    "the op's region": lambda op, _: type(op.parent_op()).__name__,
    "the op's fields": lambda op, _: len(_fields(op)),
    "the op's uses": lambda op, _: op._operand_uses[0]._next_use is None,
    "whether it is a certain op": lambda op, _: op in _marked,
    "the op's location": lambda op, _: op.location,
    "a field of its own": lambda op, _: getattr(op, "remark", None),
    "an operand's owner": lambda op, _: type(op.operands[0].owner).__name__,
    "an operand's hint": lambda op, _: op.operands[0].name_hint,
    "an operand's uses": lambda op, _: op.operands[0].uses.get_length(),
    "an operand's kind": lambda op, _: isinstance(op.operands[0], BlockArgument),
    "an operand's exact class": lambda op, _: type(op.operands[0]) is OpResult,
    "an operand's other class": lambda op, _: type(op.operands[0]) is BlockArgument,
    "an operand's class": lambda op, _: op.operands[0].__class__.__name__,
    "a result's uses": lambda op, _: op.results[0].first_use is None,
    "a result's hint": lambda op, _: op.results[0].name_hint,
    "the name that was printed": lambda op, printer: printer.print_ssa_value(op.operands[0]) + "!",
    "the length of a name": lambda op, printer: len(printer.print_ssa_value(op.operands[0])),
    "names": lambda _, printer: len(printer._ssa_values),
    "the column": lambda _, printer: printer._current_column,
    "the line": lambda _, printer: printer._current_line,
    "the indentation": lambda _, printer: printer._indent,
    "the stream": lambda _, printer: printer.stream.tell(),
    "another value": lambda op, printer: op.parent and printer.print_ssa_value(op.parent.args[0]),
    "a value that is not its own": lambda _, p: p.print_list([_elsewhere], p.print_ssa_value),
    "a number that grows": lambda _, __: next(_numbers),
    "a line of its own": lambda _, printer: printer.print_string("\nmore"),
    "a resource": lambda _, printer: printer.print_resource_handle("t", "handle"),
    "types": lambda op, _: op.operands[0].type,
    "whether a type is another": lambda op, _: op.operands[0].type == op.operands[1].type,
    "the class of a type": lambda op, _: isinstance(op.results[0].type, type(f32)),
    "whether operands are the same": lambda op, _: op.operands[0] is op.operands[1],
    "an attribute": lambda op, _: op.attributes["a"],
    "the class of an attribute": lambda op, _: type(op.attributes["a"]).__name__,
    "the data of an attribute": lambda op, _: _fields(op.attributes["a"]),
    "an attribute's hash": lambda op, _: op.attributes["a"] in {StringAttr("two"): 1},
    "whether there is an attribute": lambda op, _: "b" in op.attributes,
    "an attribute as such": lambda op, printer: printer.print_attribute(op.attributes["a"]),
    "a symbol": lambda op, printer: (
        isinstance(a := op.attributes["a"], StringAttr) and printer.print_symbol_name(a.data)
    ),
    "a string": lambda op, printer: (
        isinstance(a := op.attributes["a"], StringAttr) and printer.print_string_literal(a.data)
    ),
    "an array of attributes": lambda op, p: p.print_attribute(ArrayAttr([op.attributes["a"]])),
    "all attributes": lambda op, printer: printer.print_op_attributes(op.attributes),
    "parts of the text": lambda _, __: "100% %s %d",
}


@pytest.mark.parametrize("subject", [s for s in _CONSULTED if s != "a number that grows"])
def test_whatever_a_printer_consults(subject: str) -> None:
    """Whatever a printer learns of an op and its surroundings, each op's text is its own."""
    assert_prints_same(_module(op_that(_CONSULTED[subject])))


def test_a_printer_that_asks_what_all_operands_are() -> None:
    """Operands of one kind each do not make an example for operands all of one kind."""
    op_class = op_that(lambda op, _: all(isinstance(v, BlockArgument) for v in op.operands))
    block = Block(arg_types=[i32] * 3)
    made = PlainOp.create(result_types=[i32])
    block.add_op(made)
    pairs = [[block.args[0], made.results[0]]] * 4 + [list(block.args[:2])] * 4
    block.add_ops(op_class.create(operands=pair, result_types=[i32]) for pair in pairs)
    assert_prints_same(ModuleOp([PlainOp.create(regions=[Region(block)])]))


def test_a_printer_is_called_for_each_op() -> None:
    """Each op of a class that has a printer of its own is printed by it, and once."""
    calls: list[object] = []
    module = _module(op_that(lambda op, _: calls.append(op)))
    print_with(FastPrinter(StringIO()), module)
    assert len(calls) == 24


def test_a_field_that_shadows_one_of_the_class() -> None:
    """An op of which a field differs from that of its class is printed with its own."""

    class StyledOp(CustomOp):
        style: ClassVar[str] = "plain"

        def print(self, printer: Printer) -> None:
            printer.print_string(self.style)

    module = _module(StyledOp)
    *_, last = module.walk()
    vars(last)["style"] = "bold"
    assert_prints_same(module)


def test_a_class_that_answers_for_its_fields() -> None:
    """An op whose class decides how its fields are read is printed as it says."""

    class AnsweringOp(CustomOp):
        @property
        def place(self) -> str:
            return "within"

        def __getattribute__(self, name: str) -> Any:
            read = super().__getattribute__
            if name == "place" and read("parent") is not None and read("_next_op") is None:
                return "last"
            return read(name)

        def print(self, printer: Printer) -> None:
            printer.print_string(self.place)

    assert_prints_same(_module(AnsweringOp))


def test_diagnostics() -> None:
    """A printer with messages for ops prints them under these ops."""
    module = _module(CustomOp)
    *_, last = module.walk()
    found: list[str] = []
    for printer in (Printer(StringIO()), FastPrinter(StringIO())):
        printer.diagnostic.add_message(last, "a message")
        found.append(print_with(printer, module).text)
    assert "a message" in found[0]
    assert found[0] == found[1]
