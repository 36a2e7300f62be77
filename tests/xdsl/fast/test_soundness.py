"""Ops whose parsers look around are not learned from, and nothing unusual is done by example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from loose_ops import context_with
from text_ops import TextOp, operand_of
from twins import assert_same
from xdsl.dialects.builtin import IntAttr, StringAttr, i32
from xdsl.ir import (
    Attribute,
    Operation,
    OpResult,
    ParametrizedAttribute,
    SSAValue,
)
from xdsl.irdl import irdl_attr_definition
from xdsl_inputs import xdsl_context

from passel.xdsl import parse_source
from passel.xdsl.fast.templates import Types
from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.parser import AttrParser, Parser
    from xdsl.parser.core import UnresolvedOperand

    Consult = Callable[[Any, UnresolvedOperand, SSAValue[Any]], object]

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

_LINES = """\
builtin.module {
  %a, %b, %longer = "t.source"() : () -> (i32, i32, i32)
  "t.region"() ({
  ^bb0(%c: i32, %d: i32):
    %0 = t.op %a : i32
    %1 = t.op %a : i32
    %2 = t.op %b : i32
    %3 = t.op %longer : i32
      %4 = t.op %c : i32
    %named = t.op %d : i32
    "t.use"(%a) : (i32) -> ()
    %6 = t.op %a : i32
    %7 = t.op %named : i32
    %8 = t.op %0 : i32
    %9 = t.op %d : i32
  }) : () -> ()
}
"""


def _op_that(consult: Consult) -> type[Operation]:
    """Return an op that keeps in an attribute what its parser learns from something."""

    class ConsultingOp(TextOp):
        @classmethod
        def parse(cls, parser: Parser) -> ConsultingOp:
            operand = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            type_ = parser.parse_type()
            value = parser.resolve_operand(operand, type_)
            seen = StringAttr(str(consult(parser, operand, value)))
            return cls.create(operands=[value], result_types=[type_], attributes={"seen": seen})

    return ConsultingOp


_LOOKING_AROUND: dict[str, Consult] = {
    "values in scope": lambda parser, _, __: len(parser.ssa_values),
    "the next token": lambda parser, _, __: parser._current_token.text,
    "the position": lambda parser, _, __: parser.pos + 1,
    "an operand's name": lambda _, operand, __: operand.operand_name,
    "an operand's hint": lambda _, __, value: value.name_hint,
    "an operand's exact class": lambda _, __, value: type(value) is OpResult,
}


@pytest.mark.parametrize("subject", _LOOKING_AROUND)
def test_a_parser_that_looks_around_is_not_learned_from(subject: str) -> None:
    """Whatever a parser learns besides tokens and types, each op gets its own."""
    assert_same(_LINES, lambda: context_with(_op_that(_LOOKING_AROUND[subject])))


def _with_field(op: Operation) -> None:
    op.remark = object.__name__  # pyright: ignore[reportAttributeAccessIssue]


def _with_hint(op: Operation) -> None:
    op.results[0].name_hint = "own"


@pytest.mark.parametrize("change", [_with_field, _with_hint])
def test_ops_that_are_more_than_their_fields(change: Callable[[Operation], None]) -> None:
    """What a parser adds to its op beside the usual is there on each of them."""

    class ChangedOp(TextOp):
        @classmethod
        def parse(cls, parser: Parser) -> ChangedOp:
            op = cls.create(operands=[operand_of(parser)], result_types=[i32])
            change(op)
            return op

    for line in ("%x{} = t.op %a\n", "t.op %a\n"):
        lines = "".join(line.format(n) for n in range(8)) + "%1 = t.op %a\n%2 = t.op %a\n"
        text = f'builtin.module {{\n%a = "t.source"() : () -> i32\n{lines}}}'
        assert_same(text, lambda: context_with(ChangedOp))


def test_an_attribute_that_looks_around() -> None:
    """An attribute whose parser looks around is parsed anew for each op."""

    @irdl_attr_definition
    class Nosy(ParametrizedAttribute):
        name = "t.nosy"
        seen: IntAttr

        @classmethod
        def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
            return (IntAttr(len(parser.ssa_values)),)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]

    lines = "".join(f'%{n} = "t.other"() {{a = #t.nosy}} : () -> i32\n' for n in range(8))
    text = f"builtin.module {{\n{lines}}}"
    assert not assert_same(text, lambda: context_with(attributes=[Nosy])).from_templates


def test_ops_do_not_share_dictionaries() -> None:
    """A change to the attributes or properties of one op leaves those alike alone."""
    line = '"test.op"() <{prop1 = 1 : i32}> {attr = 2 : i32} : () -> ()\n'
    module = parse_source(context_with(), f"builtin.module {{\n{line * 6}}}", "test.mlir")
    *_, one, other, last = module.walk()
    one.attributes["attr"] = one.properties["prop1"] = i32
    for op in (other, last):
        assert (str(op.attributes["attr"]), str(op.properties["prop1"])) == ("2 : i32", "1 : i32")


def test_types_that_only_seem_equal() -> None:
    """Types that xDSL finds equal although they print differently are not the same."""
    texts = ("#dlti.dl_spec<>", "#dlti.dl_spec<i32 = i32>", "#dlti.dl_spec<i32 = i32>")
    none, one, again = (SourceParser(xdsl_context(), text).parse_attribute() for text in texts)
    assert none == one
    types = Types()
    assert [types.first(each) for each in (none, one, again)] == [none, one, one]
    assert types.first(again) is one is not types.first(none)


def test_names_mean_what_the_dialects_around_say() -> None:
    """An op's short name stands for another op where another dialect surrounds it."""

    class Return(TextOp):
        name = "t.return"

        @classmethod
        def parse(cls, parser: Parser) -> Return:
            parser.parse_optional_keyword("nothing")
            return cls.create()

    class Around(TextOp):
        name = "t.around"

        @classmethod
        def parse(cls, parser: Parser) -> Around:
            return cls.create(regions=[parser.parse_region()])

    lines = "t.around {\nreturn\n}\nfunc.func @f() {\nreturn\n}\n" * 6
    text = f"builtin.module {{\n{lines}}}"
    assert assert_same(text, lambda: context_with(Return, Around)).from_templates


def test_names_mean_what_the_context_says_now() -> None:
    """A name that the context learns only later is another op from then on."""
    lines = "func.func @f() {\nreturn\n}\n" * 6
    text = f'builtin.module {{\n{lines}"return"() : () -> ()\n{lines}}}'
    assert_same(text, context_with)
