"""Dialects whose code keeps state, or looks at things, in ways that no fast path may mind."""

_HEAD = """
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i32, StringAttr, UnitAttr
from xdsl.ir import Attribute, BlockArgument, Data, Dialect, Operation, SSAValue
from xdsl.irdl import *
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure
from xdsl.utils.exceptions import VerifyException

LOG = []
"""

_VALUES = '%a, %b = "test.op"() : () -> (i32, i32)\n'


def _program(lines: str) -> str:
    return f"builtin.module {{\n{_VALUES}{lines}}}\n"


_LITERAL = """
@irdl_op_definition
class LitOp(IRDLOperation):
    name = "h.lit"
    value = attr_def(Attribute)

    @classmethod
    def parse(cls, parser):
        if parser.parse_optional_keyword("zero"):
            return cls.create(attributes={"value": IntegerAttr(0, i32)})
        return cls.create(attributes={"value": parser.parse_attribute()})

    def print(self, printer):
        printer.print_string(" ")
        if type(self.value) is IntegerAttr and self.value.value.data == 0:
            printer.print_string("zero")
        else:
            printer.print_attribute(self.value)

DIALECT = Dialect("h", [LitOp])
"""

_GENERIC_REGION = """
@irdl_op_definition
class BoxOp(IRDLOperation):
    name = "h.box"
    body = region_def()

    @classmethod
    def parse(cls, parser):
        return cls.create(regions=[parser.parse_region()])

    def print(self, printer):
        former, printer.print_generic_format = printer.print_generic_format, True
        printer.print_string(" ")
        printer.print_region(self.body)
        printer.print_generic_format = former

DIALECT = Dialect("h", [BoxOp])
"""

_STATE_OF_THE_PARSER = """
TYPE = [i32]

@irdl_op_definition
class SetOp(IRDLOperation):
    name = "h.set"

    @classmethod
    def parse(cls, parser):
        TYPE[0] = parser.parse_type()
        return cls.create(attributes={"type": TYPE[0]})

    def print(self, printer):
        printer.print_string(" ")
        printer.print_attribute(self.attributes["type"])

@irdl_op_definition
class LitOp(IRDLOperation):
    name = "h.lit"

    @classmethod
    def parse(cls, parser):
        value = parser.parse_integer()
        return cls.create(attributes={"value": IntegerAttr(value, TYPE[0])})

    def print(self, printer):
        printer.print_string(" " + str(self.attributes["value"].value.data))

DIALECT = Dialect("h", [SetOp, LitOp])
"""

_REGISTERING = """
OPS = []

@irdl_op_definition
class NoteOp(IRDLOperation):
    name = "h.note"
    value = operand_def()
    assembly_format = "$value attr-dict `:` type($value)"

    def __post_init__(self):
        super().__post_init__()
        LOG.append("made")

@irdl_op_definition
class ListOp(IRDLOperation):
    name = "h.list"

    @classmethod
    def parse(cls, parser):
        LOG.append("parsed")
        return cls.create()

    def print(self, printer):
        LOG.append("printed")

DIALECT = Dialect("h", [NoteOp, ListOp])
"""

_PATTERN = """
class CountingPattern(RewritePattern):
    def __init__(self):
        self.left = 1

    def match_and_rewrite(self, op, rewriter):
        LOG.append(op.name)
        if self.left and "done" not in op.attributes:
            self.left -= 1
            op.attributes["done"] = UnitAttr()
            rewriter.notify_op_modified(op)

class Patterns(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls):
        return (CountingPattern(),)

@irdl_op_definition
class WorkOp(IRDLOperation):
    name = "h.work"
    traits = traits_def(Patterns())

DIALECT = Dialect("h", [WorkOp])
"""

_SUBCLASSES = """
class Base(IRDLOperation):
    pass

@irdl_op_definition
class OneOp(Base):
    name = "h.one"

    @classmethod
    def parse(cls, parser):
        return Base.__subclasses__()[-1].create()

    def print(self, printer):
        names = [each.__name__ for each in Base.__subclasses__()]
        attributes = [each.__name__ for each in IntegerAttr.__subclasses__()]
        printer.print_string(f" // {names} {attributes}")

DIALECT = Dialect("h", [OneOp])
"""

_STYLE = """
STYLE = ["plain"]

@irdl_op_definition
class StyledOp(IRDLOperation):
    name = "h.styled"

    @classmethod
    def parse(cls, parser):
        parser.parse_optional_keyword("plain") or parser.parse_keyword("fancy")
        return cls.create()

    def print(self, printer):
        printer.print_string(" " + STYLE[0])

def between(op):
    STYLE[0] = "fancy" if STYLE[0] == "plain" else "plain"

DIALECT = Dialect("h", [StyledOp])
"""

_COUNTERS = """
from itertools import count
PARSED, PRINTED = count(), count()

@irdl_op_definition
class NumberOp(IRDLOperation):
    name = "h.number"

    @classmethod
    def parse(cls, parser):
        parser.parse_optional_integer()
        return cls.create(attributes={"n": IntegerAttr(next(PARSED), i32)})

    def print(self, printer):
        printer.print_string(f" {next(PRINTED)}")

DIALECT = Dialect("h", [NumberOp])
"""

_MUTABLE = """
@irdl_attr_definition
class ListAttr(Data[list]):
    name = "h.items"

    @classmethod
    def parse_parameter(cls, parser):
        with parser.in_angle_brackets():
            return [parser.parse_integer()]

    def print_parameter(self, printer):
        printer.print_string(f"<{self.data[0]}>")

def between(op):
    ops = [each for each in op.walk() if each.name == "test.op" and "items" in each.attributes]
    ops[1].attributes["items"].data[0] = 7

DIALECT = Dialect("h", [], [ListAttr])
"""

_REGISTRY = """
from dataclasses import dataclass
ALLOWED = [True]

@dataclass(frozen=True)
class Allowed(AttrConstraint):
    def verify(self, attr, constraint_context):
        LOG.append("asked")
        if not ALLOWED[0]:
            raise VerifyException("not allowed")

    def mapping_type_vars(self, type_var_mapping):
        return self

@irdl_op_definition
class AskOp(IRDLOperation):
    name = "h.ask"
    value = attr_def(Allowed())

def between(op):
    ALLOWED[0] = not ALLOWED[0]

DIALECT = Dialect("h", [AskOp])
"""

_KIND_OF_VALUE = """
@irdl_op_definition
class UseOp(IRDLOperation):
    name = "h.use"
    value = operand_def()

    @classmethod
    def parse(cls, parser):
        value = parser.parse_operand()
        marks = {"argument": UnitAttr()} if type(value) is BlockArgument else {}
        return cls.create(operands=[value], attributes=marks)

    def print(self, printer):
        printer.print_string(" ")
        printer.print_operand(self.value)

DIALECT = Dialect("h", [UseOp])
"""

ROWS = {
    "a printer that tests exact classes": (_LITERAL, "h.lit 5 : i32\n" * 250 + "h.lit zero\n" * 50),
    "a printer that sets the generic form": (
        _GENERIC_REGION,
        "h.box {\n%0 = arith.addi %a, %b : i32\n%1 = arith.addi %a, %b : i32\n"
        '"test.termop"() : () -> ()\n}\n' * 90,
    ),
    "a parser that follows an earlier op": (
        _STATE_OF_THE_PARSER,
        "h.lit 1\n" * 5 + "h.set si8\n" + "h.lit 1\n" * 10,
    ),
    "a class that registers its ops": (_REGISTERING, "h.note %a : i32\n" * 50 + "h.list\n" * 50),
    "a pattern with state": (_PATTERN, '"h.work"() : () -> ()\n' * 10),
    "a walk of subclasses": (_SUBCLASSES, "h.one\n" * 300),
    "a style that is switched": (_STYLE, "h.styled plain\n" * 300),
    "parsers and printers that count": (_COUNTERS, "h.number 1\n" * 30),
    "an attribute that is mutated": (
        _MUTABLE,
        '"test.op"() {items = #h.items<1>} : () -> ()\n' * 300,
    ),
    "a constraint that asks a registry": (
        _REGISTRY,
        '"h.ask"() {value = 1 : i32} : () -> ()\n' * 9,
    ),
    "a parser that asks what a value is": (
        _KIND_OF_VALUE,
        "h.use %a\n" * 90
        + '"test.op"() ({\n^bb0(%c: i32):\n'
        + "h.use %c\n" * 90
        + '"test.termop"() : () -> ()\n}) : () -> ()\n',
    ),
}
"""Sources of dialects `h`, and programs of theirs."""

DIALECTS = {name: _HEAD + source for name, (source, _) in ROWS.items()}
PROGRAMS = {name: _program(lines) for name, (_, lines) in ROWS.items()}
