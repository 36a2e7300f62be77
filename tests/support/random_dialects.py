"""Random dialects `h` whose code keeps state and looks around, and programs of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

_HEAD = """
from dataclasses import dataclass
from itertools import count
from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, UnitAttr, i32, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, BlockArgument, Data, Dialect, Operation, OpResult, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import *
from xdsl.irdl.declarative_assembly_format import AttributeVariable, CustomDirective, irdl_custom_directive
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import *
from xdsl.utils.exceptions import VerifyException

LOG = []
STATE = {"n": 0, "style": "plain", "allowed": True}
NUMBERS = count()

def note(*what):
    LOG.append(what)
"""

_ATTRIBUTES = (
    """
@irdl_attr_definition
class A{k}(ParametrizedAttribute{type}):
    name = "h.a{k}"

    @classmethod
    def parse_parameters(cls, parser):
        note("parse a{k}", STATE["n"])
        STATE["n"] += 1
        return []

    def print_parameters(self, printer):
        note("print a{k}", printer._current_column)
""",
    """
@irdl_attr_definition
class A{k}(Data[list]{type}):
    name = "h.a{k}"

    @classmethod
    def parse_parameter(cls, parser):
        return [next(NUMBERS)]

    def print_parameter(self, printer):
        self.data.append(len(self.data))
        printer.print_string(f"<{{self.data[0]}}>")

    def __hash__(self):
        return 1  # how often it is asked depends on addresses

    def __eq__(self, other):
        return self is other
""",
)

_CONSULTED = (
    "type(value) is OpResult",
    "len(parser.ssa_values) % 3",
    "value.name_hint",
    "value.uses.get_length()",
    'STATE["n"]',
    "len(LOG) % 5",
    "parser.pos % 2",
)
_SHOWN = (
    "printer.print_generic_format",
    "printer._current_line % 7",
    "len(printer._ssa_values) % 4",
    'STATE["style"]',
    "next(NUMBERS)",
    "self.parent is None",
    "[each.__name__ for each in IntegerAttr.__subclasses__()]",
    "[type(each) is OpResult for each in self.operands]",
)
_BODIES = {
    "__init__": "super().__init__(*args, **keywords); note('init')",
    "__post_init__": "super().__post_init__(); note('post'); STATE['n'] += 1",
    "__eq__": "return self is args[0]",
    "__hash__": "return id(self)",
    "is_structurally_equivalent": "note('same'); return super().is_structurally_equivalent(*args, **keywords)",
    "clone": "note('clone'); return super().clone(*args, **keywords)",
    "verify_": "note('verify')",
    "detach": "note('detach'); return super().detach()",
}
_TRAITS = {
    "effects": """
class Effects{k}(MemoryEffect):
    @classmethod
    def get_effects(cls, op):
        note("effects {k}")
        return set() if STATE["n"] % 2 == 0 else None
""",
    "patterns": """
class Pattern{k}(RewritePattern):
    def __init__(self):
        self.left = {left}

    def match_and_rewrite(self, op, rewriter):
        note("pattern {k}", self.left, STATE["n"])
        if self.left and len(op.attributes) < 3:
            self.left -= 1
            STATE["n"] += 1
            op.attributes[f"d{{len(op.attributes)}}"] = UnitAttr()
            rewriter.notify_op_modified(op)

KEPT{k} = (Pattern{k}(),)

class Patterns{k}(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls):
        note("patterns {k}")
        return {given}
""",
    "pure": "",
    "none": "",
}


class Names:
    """What a dialect brings: names of ops with how they are written, of attributes and types."""

    def __init__(self) -> None:
        self.custom: list[str] = []
        self.generic: list[str] = []
        self.attributes: list[str] = []
        self.types: list[str] = []


def random_dialect(random: Random) -> tuple[str, Names]:
    """Return the source of a dialect, and the names that programs may use."""
    names, parts = Names(), [_HEAD]
    ops: list[str] = []
    attributes: list[str] = []
    for k in range(random.randint(0, 3)):
        is_type = random.random() < 0.5
        source = random.choice(_ATTRIBUTES)
        parts.append(source.format(k=k, type=", TypeAttribute" if is_type else ""))
        (names.types if is_type else names.attributes).append(f"{'!' if is_type else '#'}h.a{k}")
        attributes.append(f"A{k}")
    for k in range(random.randint(2, 4)):
        parts.append(_op(random, k, names))
        ops.append(f"O{k}")
    parts.append(f"DIALECT = Dialect('h', [{', '.join(ops)}], [{', '.join(attributes)}])")
    changes = ["STATE['style'] = 'fancy'", "STATE['n'] += 1", "note('between')"]
    parts.append(f"def between(op):\n    {random.choice(changes)}")
    return "\n".join(parts), names


def _op(random: Random, k: int, names: Names) -> str:
    lines: list[str] = []
    trait = random.choice(list(_TRAITS))
    given = random.choice([f"(Pattern{k}(),)", f"(Pattern{k}(), Pattern{k}())", f"KEPT{k}"])
    before = _TRAITS[trait].format(k=k, left=random.randint(0, 3), given=given)
    traits = {"effects": f"Effects{k}()", "patterns": f"Patterns{k}(), Pure()", "pure": "Pure()"}
    form = random.choice(["hand", "format", "directive", "generic"])
    if form != "generic":
        names.custom.append(f"h.o{k}")
    names.generic.append(f"h.o{k}")
    if form == "directive":
        before += _directive(k)
    lines += [
        "@irdl_op_definition",
        f"class O{k}(IRDLOperation{', HasFolderInterface' if random.random() < 0.2 else ''}):",
        f"    name = 'h.o{k}'",
        "    value = operand_def(i32)",
        "    out = result_def(i32)",
        f"    extra = opt_attr_def({_constraint(random)}, attr_name='extra')",
        f"    traits = traits_def({traits.get(trait, '')})",
    ]
    if "HasFolderInterface" in lines[1]:
        lines += ["    def fold(self):", "        note('fold', STATE['n'] % 2)"]
        lines += ["        return (self.value,) if STATE['n'] % 5 == 4 else None"]
    if form == "format":
        lines.append("    assembly_format = '$value attr-dict'")
    if form == "directive":
        lines += [
            f"    custom_directives = (D{k},)",
            f"    assembly_format = '$value custom<D{k}>($extra) attr-dict'",
        ]
    if form == "hand":
        lines += _hand_written(random)
    for method in random.sample(list(_BODIES), random.choice([0, 0, 1, 2])):
        lines += [f"    def {method}(self, *args, **keywords):", f"        {_BODIES[method]}"]
        if method == "__eq__" and "__hash__" not in lines[-1]:
            lines.append("    __hash__ = Operation.__hash__")
    return before + "\n" + "\n".join(lines) + "\n"


def _constraint(random: Random) -> str:
    return random.choice(["Attribute", "Attribute", "Asking()"]).replace("Asking()", "AnyAttr()")


def _directive(k: int) -> str:
    return f"""
@irdl_custom_directive
class D{k}(CustomDirective):
    extra: AttributeVariable

    def parse(self, parser, state):
        note("directive parse")
        if parser.parse_optional_keyword("more"):
            state.attributes["extra"] = IntegerAttr(next(NUMBERS), i32)

    def print(self, printer, state, op):
        note("directive print")
        if "extra" in op.attributes:
            state.print_whitespace(printer)
            printer.print_string("more")
"""


def _hand_written(random: Random) -> list[str]:
    consulted, shown = random.choice(_CONSULTED), random.choice(_SHOWN)
    return [
        "    @classmethod",
        "    def parse(cls, parser):",
        "        value = parser.resolve_operand(parser.parse_unresolved_operand(), i32)",
        f"        seen = StringAttr(str({consulted}))",
        "        STATE['n'] += 1",
        "        attributes = parser.parse_optional_attr_dict()",
        "        return cls.create(operands=[value], result_types=[i32], attributes={'seen': seen, **attributes})",
        "    def print(self, printer):",
        "        printer.print_string(' ')",
        "        printer.print_operand(self.operands[0])",
        f"        shown = {shown}",
        "        note('print', str(shown))",
        "        printer.print_op_attributes(self.attributes)",
    ]


def random_program(random: Random, names: Names) -> str:
    """Return a module with many lines of few shapes."""
    shapes = [_shape(random, names) for _ in range(random.randint(2, 5))]
    values, lines = ["a", "b"], ['%a, %b = "test.op"() : () -> (i32, i32)']
    for n in range(random.choice([6, 20, 60])):
        value = random.choice(values)
        lines.append(random.choice(shapes).format(r=n, v=value, n=random.randint(0, 3)))
        if lines[-1].startswith("%"):
            values.append(str(n))
    used = ", ".join(f"%{value}" for value in values[-2:])
    lines.append(f'"test.op"({used}) : (i32, i32) -> ()')
    return "builtin.module {\n" + "\n".join(lines) + "\n}\n"


def _shape(random: Random, names: Names) -> str:
    given = enumerate((*names.attributes, *names.types))
    entries = [f"x{k} = {each}" for k, each in given if random.random() < 0.4]
    entries += ["n = {n} : i32"] * (random.random() < 0.4)
    dictionary = " {{" + ", ".join(entries) + "}}" if entries else ""
    kind = random.random()
    if names.custom and kind < 0.5:
        return "%{r} = " + random.choice(names.custom) + " %{v}" + dictionary
    if kind < 0.8:
        name = random.choice(names.generic)
        return '%{r} = "' + name + '"(%{v})' + dictionary + " : (i32) -> i32"
    return random.choice(["%{r} = arith.addi %{v}, %{v} : i32", "%{r} = arith.constant {n} : i32"])
