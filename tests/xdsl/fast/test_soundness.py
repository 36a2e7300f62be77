"""Ops whose parsers look around are not learned from, and nothing unusual is done by example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from loose_ops import TextOp, context_with
from twins import assert_same
from xdsl.dialects.builtin import i32

from passel.xdsl import parse_source

if TYPE_CHECKING:
    from xdsl.parser import Parser

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_ops_do_not_share_dictionaries() -> None:
    """A change to the attributes or properties of one op leaves those alike alone."""
    line = '"test.op"() <{prop1 = 1 : i32}> {attr = 2 : i32} : () -> ()\n'
    module = parse_source(context_with(), f"builtin.module {{\n{line * 6}}}", "test.mlir")
    *_, one, other, last = module.walk()
    one.attributes["attr"] = one.properties["prop1"] = i32
    for op in (other, last):
        assert (str(op.attributes["attr"]), str(op.properties["prop1"])) == ("2 : i32", "1 : i32")


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
