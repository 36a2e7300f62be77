"""Ops whose printers look around are not learned from, and nothing unusual is done by example."""

from __future__ import annotations

from io import StringIO
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from printing_twins import assert_prints_same, eager_examples, print_with
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
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Block, BlockArgument, Data, Operation, OpResult, OpTraits, Region, SSAValue
from xdsl.irdl import ParametrizedAttribute, irdl_attr_definition
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove

from passel.xdsl import parsed_in_context
from passel.xdsl.fast import PrintingMemory
from passel.xdsl.fast.example_printer import ExamplePrinter
from passel.xdsl.locations import SourceLocation, SourceText

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Attribute

    Consult = Callable[[Any, Any], object]


class _Plain(Operation):
    """An op without a custom form."""

    name = "t.plain"
    traits = OpTraits(tuple)


class _Isolated(_Plain):
    name = "t.isolated"
    traits = OpTraits(lambda: (IsolatedFromAbove(),))


class _Custom(Operation):
    """Base of ops with a custom form."""

    name = "t.op"
    traits = OpTraits(tuple)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)


def _op_that(consult: Consult) -> type[Operation]:
    """Return an op that prints what its printer learns from something."""

    class ConsultingOp(_Custom):
        def print(self, printer: Printer) -> None:
            super().print(printer)
            printer.print_string(f" {consult(self, printer)}")

    return ConsultingOp


_marked: set[Operation] = set()
_ATTRIBUTES = (StringAttr("one"), StringAttr("two"), IntegerAttr(1, i32), FloatAttr(0.5, f32))


def _module(op_class: type[Operation], **more: Any) -> ModuleOp:
    """Return a module with many ops of a class, in different surroundings."""
    block = Block(arg_types=[i32, i32, f32])
    values: list[SSAValue[Any]] = [*block.args]
    values[1].name_hint = "hint"
    for number in range(24):
        block.add_op(_Plain.create(operands=values[-2:], result_types=[(i32, f32)[number % 2]]))
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
        op.location = FileLineColLoc(StringAttr("file"), IntAttr(number), IntAttr(1))
        if number == 13:
            _marked.add(op)
        block.add_op(op)
        values.append(op.results[0])
    return ModuleOp([_Isolated.create(regions=[Region(block)])])


def _fields(thing: object) -> dict[str, object]:
    return vars(thing)


_numbers = count()

_LOOKING_AROUND: dict[str, Consult] = {
    "the op's block": lambda op, _: op.parent.args[0].type if op.parent else None,
    "the op before": lambda op, _: op.prev_op.name if op.prev_op else None,
    "the op's region": lambda op, _: type(op.parent_op()).__name__,
    "the op's fields": lambda op, _: len(_fields(op)),
    "the op's uses": lambda op, _: op._operand_uses[0]._next_use is None,  # noqa: SLF001
    "whether it is a certain op": lambda op, _: op in _marked,
    "the op's location": lambda op, _: op.location,
    "a field of its own": lambda op, _: getattr(op, "remark", None),
    "an operand's owner": lambda op, _: type(op.operands[0].owner).__name__,
    "an operand's hint": lambda op, _: op.operands[0].name_hint,
    "an operand's uses": lambda op, _: op.operands[0].uses.get_length(),
    "an operand's kind": lambda op, _: isinstance(op.operands[0], BlockArgument),
    "whether all are arguments": lambda op, _: all(
        isinstance(each, BlockArgument) for each in op.operands
    ),
    "an operand's exact class": lambda op, _: type(op.operands[0]) is OpResult,
    "an operand's other class": lambda op, _: type(op.operands[0]) is BlockArgument,
    "an operand's class": lambda op, _: op.operands[0].__class__.__name__,
    "a result's uses": lambda op, _: op.results[0].first_use is None,
    "a result's hint": lambda op, _: op.results[0].name_hint,
    "the name that was printed": lambda op, printer: printer.print_ssa_value(op.operands[0]) + "!",
    "the length of a name": lambda op, printer: len(printer.print_ssa_value(op.operands[0])),
    "names": lambda _, printer: len(printer._ssa_values),  # noqa: SLF001
    "the column": lambda _, printer: printer._current_column,  # noqa: SLF001
    "the line": lambda _, printer: printer._current_line,  # noqa: SLF001
    "the indentation": lambda _, printer: printer._indent,  # noqa: SLF001
    "the stream": lambda _, printer: printer.stream.tell(),
    "another value": lambda op, printer: op.parent and printer.print_ssa_value(op.parent.args[0]),
    "a number that grows": lambda _, __: next(_numbers),
    "a line of its own": lambda _, printer: printer.print_string("\nmore"),
    "a resource": lambda _, printer: printer.print_resource_handle("t", "handle"),
}


@pytest.mark.parametrize("subject", [s for s in _LOOKING_AROUND if s != "a number that grows"])
def test_a_printer_that_looks_around_is_not_learned_from(subject: str) -> None:
    """Whatever a printer learns besides an op's parts, each op's text is its own."""
    assert_prints_same(_module(_op_that(_LOOKING_AROUND[subject])))


def test_a_printer_that_numbers_its_ops_is_not_learned_from() -> None:
    """Each op gets a number of its own from a printer that keeps count."""
    module = _module(_op_that(_LOOKING_AROUND["a number that grows"]))
    with eager_examples():
        memory = PrintingMemory()
        texts = [_by_example(module, memory) for _ in range(3)]
    assert texts[1] != texts[2]


def _by_example(op: Operation, memory: PrintingMemory) -> str:
    return print_with(ExamplePrinter(StringIO(), memory=memory), op).text


_LEARNED: dict[str, Consult] = {
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


@pytest.mark.parametrize("subject", _LEARNED)
def test_a_printer_of_an_ops_parts_is_learned_from(subject: str) -> None:
    """What depends on an op's parts alone is done by example, and right for other parts."""
    assert assert_prints_same(_module(_op_that(_LEARNED[subject]))) > 4 * 40


def test_a_class_whose_author_says_so_is_not_learned_from() -> None:
    """Each op of a class that is parsed in context is printed by its printer, and only once."""
    calls: list[object] = []
    op_class = parsed_in_context(_op_that(lambda op, _: calls.append(op)))
    module = _module(op_class)
    with eager_examples():
        memory = PrintingMemory()
        for _ in range(3):
            _by_example(module, memory)
    assert len(calls) == 3 * 24


def test_a_field_that_shadows_one_of_the_class() -> None:
    """An op of which a field differs from that of its class is printed with its own."""

    class StyledOp(_Custom):
        style: ClassVar[str] = "plain"

        def print(self, printer: Printer) -> None:
            printer.print_string(self.style)

    module = _module(StyledOp)
    *_, last = module.walk()
    vars(last)["style"] = "bold"
    assert_prints_same(module)


def test_a_class_that_answers_for_its_fields() -> None:
    """An op whose class decides how its fields are read is printed as it says."""

    class AnsweringOp(_Custom):
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


def test_subclasses_are_not_registered() -> None:
    """A class that keeps a list of its subclasses does not get those of ghosts."""
    registered: list[type[Operation]] = []

    class RegisteringOp(_Custom):
        def __init_subclass__(cls) -> None:
            registered.append(cls)

    assert assert_prints_same(_module(RegisteringOp)) > 4 * 40
    assert not registered


@irdl_attr_definition
class _Nosy(ParametrizedAttribute):
    """An attribute whose printer looks around."""

    name = "t.nosy"

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{len(printer._ssa_values)}>")  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


@irdl_attr_definition
class _Text(Data[Any]):
    """An attribute that prints what it is given."""

    name = "t.text"
    data: Any = "a default"

    @classmethod
    def parse_parameter(cls, parser: object) -> Any:
        raise NotImplementedError

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data!r}>")


def _with_attributes(*attributes: Attribute, shown: Consult | None = None) -> ModuleOp:
    op_class = _op_that(shown or _LEARNED["an attribute as such"])
    ops = [
        op_class.create(attributes={"a": attribute}, result_types=[i32])
        for attribute in attributes * 3
    ]
    return ModuleOp([_Plain.create(regions=[Region(Block(ops))])])


def test_an_attribute_that_looks_around() -> None:
    """An attribute whose printer looks around is printed anew each time."""
    assert_prints_same(_with_attributes(_Nosy()))


_SOURCE = SourceText("source", "test.mlir")
_ALIKE: dict[str, tuple[Attribute, ...]] = {
    "zeros": (FloatAttr(0.0, f64), FloatAttr(-0.0, f64)),
    "not a number": (FloatAttr(float("nan"), f64), FloatAttr(-float("nan"), f64)),
    "a number and a truth": (_Text(1), _Text(True), _Text(1.0)),
    "integers": (IntegerAttr(1, i32), IntegerAttr(1, i64), IntegerAttr(1, i1), IntegerAttr(-1, i1)),
    "texts": (_Text("1"), _Text(b"1"), _Text(("1",))),
    "long texts": tuple(StringAttr("x" * 1000 + end) for end in "ab"),
    "places in a source": tuple(SourceLocation(_SOURCE, offset) for offset in range(3)),
    "large arrays": tuple(ArrayAttr([i1] * 1000 + [StringAttr(end)]) for end in "ab"),
}


@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("subject", _ALIKE)
def test_attributes_that_seem_equal(subject: str, *, keyed: bool) -> None:
    """Attributes that are equal, or nearly, though they print differently are not the same."""

    def shown(op: Operation, _: Printer) -> object:
        attribute = op.attributes["a"]
        return repr(attribute.data) if isinstance(attribute, _Text) else attribute

    assert_prints_same(_with_attributes(*_ALIKE[subject], shown=shown if keyed else None))


def test_attributes_at_addresses_of_others() -> None:
    """An attribute that was printed stays alive, so that none gets its address and its text."""
    memory = PrintingMemory()
    with eager_examples():
        for number in range(300):
            module = _with_attributes(_Text(number))
            assert _by_example(module, memory).count(f"<{number}>") == 3


def _region_op(consult: Consult) -> type[Operation]:
    class RegionOp(_Custom):
        def print(self, printer: Printer) -> None:
            printer.print_string(f" {consult(self, printer)} ")
            for region in self.regions:
                printer.print_region(region, print_entry_block_args=False)
            printer.print_string(" end")

    return RegionOp


_OF_REGIONS: dict[str, Consult] = {
    "arguments": lambda op, p: (
        op.regions[0].blocks and p.print_list(op.regions[0].blocks[0].args, p.print_block_argument)
    ),
    "how many arguments": lambda op, _: [len(r.blocks[0].args) for r in op.regions if r.blocks],
    "whether it is empty": lambda op, _: [bool(region.blocks) for region in op.regions],
    "how many blocks": lambda op, _: [len(region.blocks) for region in op.regions],
    "its ops": lambda op, _: [len(r.block.ops) for r in op.regions if len(r.blocks) == 1],
    "its last op": lambda op, _: [r.blocks.last.last_op for r in op.regions if r.blocks],
    "its parent": lambda op, _: [region.parent is op for region in op.regions],
    "an argument's uses": lambda op, _: (
        op.regions[0].blocks and [arg.first_use is None for arg in op.regions[0].blocks[0].args]
    ),
}


@pytest.mark.parametrize("subject", _OF_REGIONS)
def test_ops_with_regions(subject: str) -> None:
    """Ops around others are printed, and what is in them named, as ever."""
    op_class = _region_op(_OF_REGIONS[subject])
    ops: list[Operation] = []
    for number in range(24):
        inner = Block(
            [_Plain.create(result_types=[i32])] * (number % 2), arg_types=[i32] * (number % 3)
        )
        if inner.args:
            inner.args[0].name_hint = "hint"
        blocks = [[], [inner], [inner, Block()], [inner, Block(), Block()]][number % 4]
        ops.append(op_class.create(regions=[Region(blocks), Region()], result_types=[i32]))
    assert_prints_same(ModuleOp([_Isolated.create(regions=[Region(Block(ops))])]))


def test_a_region_that_is_indented_more() -> None:
    """An op that indents its region does so each time."""

    class IndentingOp(_Custom):
        def print(self, printer: Printer) -> None:
            with printer.indented():
                printer.print_region(self.regions[0])

    ops = [
        IndentingOp.create(regions=[Region(Block([_Plain.create()]))], result_types=[i32])
        for _ in range(6)
    ]
    assert_prints_same(ModuleOp(list(ops)))


def test_names_of_isolated_ops() -> None:
    """Names are counted anew in each isolated op, and go on after it."""
    functions: list[Operation] = []
    for _ in range(6):
        block = Block(arg_types=[i32, i32])
        block.args[0].name_hint = "hint"
        block.add_ops(_Plain.create(result_types=[i32]) for _ in range(2))
        functions += [
            _Isolated.create(regions=[Region(block)], result_types=[i32]),
            _Isolated.create(result_types=[i32]),
        ]
    assert assert_prints_same(ModuleOp(functions)) > 4 * 20


def test_names_in_unusual_order() -> None:
    """Values that are used before their definition, or by it, are named where they are first."""
    block = Block()
    ops = [_Custom.create(operands=[], result_types=[i32]) for _ in range(12)]
    for number, op in enumerate(ops):
        op.operands = [ops[(number * 5) % 12].results[0], op.results[0]]
    block.add_ops(ops)
    assert_prints_same(ModuleOp([_Plain.create(regions=[Region(block)])]))


def test_successors() -> None:
    """Blocks are named in the same order, also those that are met in no region."""
    blocks = [Block() for _ in range(6)]
    elsewhere = Block()
    for number, block in enumerate(blocks):
        targets = [blocks[(number * 2) % 6], blocks[number // 2], elsewhere][: 2 + number % 2]
        block.add_op(_Plain.create(successors=targets))
    blocks[2].name_hint = "hint"
    assert_prints_same(ModuleOp([_Plain.create(regions=[Region(blocks)])]))

    class BranchOp(_Custom):
        def print(self, printer: Printer) -> None:
            same = self.successors[0] is self.successors[1]
            printer.print_string(f" {same} {len(self.successors)}")

    blocks = [Block() for _ in range(8)]
    for number, block in enumerate(blocks):
        block.add_op(BranchOp.create(successors=[blocks[number // 2], blocks[number // 3]]))
    assert_prints_same(ModuleOp([_Plain.create(regions=[Region(blocks)])]))


def test_diagnostics() -> None:
    """A printer with messages for ops prints them under these ops."""
    module = _module(_Custom)
    *_, last = module.walk()
    memory = PrintingMemory()
    with eager_examples():
        for _ in range(3):
            _by_example(module, memory)
        found: list[str] = []
        for printer in (Printer(StringIO()), ExamplePrinter(StringIO(), memory=memory)):
            printer.diagnostic.add_message(last, "a message")
            found.append(print_with(printer, module).text)
    assert "a message" in found[0]
    assert found[0] == found[1]


def test_printing_twice_with_one_printer() -> None:
    """A second op is printed with the names that the printer has given to the first."""
    module = _module(_Custom)
    with eager_examples():
        expected, found = (
            [print_with(printer, module).text for _ in range(4)]
            for printer in (Printer(StringIO()), ExamplePrinter(StringIO()))
        )
    assert found == expected
