"""Types that consist of the same are one object, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from twins import assert_same
from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    Builtin,
    FloatAttr,
    IntegerAttr,
    NoneAttr,
    StringAttr,
    TensorType,
    f32,
    f64,
    i1,
    i8,
    i32,
)
from xdsl.dialects.test import Test
from xdsl.ir import Attribute, Data, Dialect, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl_inputs import xdsl_context

from passel.xdsl.fast import contents
from passel.xdsl.fast.contents import Shared
from passel.xdsl.fast.example_parser import ExampleParser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.parser import AttrParser


@irdl_attr_definition
class _Anything(Data[Any]):
    """An attribute that is equal to those of equal Python values."""

    name = "t.anything"
    data: Any = None

    @classmethod
    def parse_parameter(cls, parser: object) -> Any:
        raise NotImplementedError

    def print_parameter(self, printer: object) -> None:
        raise NotImplementedError


@irdl_attr_definition
class _With(ParametrizedAttribute, TypeAttribute):
    """A type with an attribute of any kind."""

    name = "t.with"
    parameter: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [parser.parse_attribute()]


_DIFFERENT: dict[str, tuple[Attribute, Attribute]] = {
    "zeros": (FloatAttr(0.0, f64), FloatAttr(-0.0, f64)),
    "a number and a truth": (_Anything(1), _Anything(True)),
    "numbers": (_Anything(1), _Anything(1.0)),
    "text and bytes": (_Anything("1"), _Anything(b"1")),
    "tuples": (_Anything((1, 2)), _Anything((1, True))),
    "lists": (_Anything([1]), _Anything([1])),
    "types of numbers": (IntegerAttr(1, i32), IntegerAttr(1, i8)),
    "classes": (NoneAttr(), ArrayAttr(())),
    "a nested type": (TensorType(f32, [4]), TensorType(f64, [4])),
    "large": (ArrayAttr([i1] * 2000), ArrayAttr([i1] * 2000)),
    "long": (StringAttr("x" * 2000), StringAttr("x" * 2000)),
}


@pytest.mark.parametrize("subject", _DIFFERENT)
def test_attributes_that_seem_equal(subject: str) -> None:
    """Attributes that differ, whatever they say of each other, stand for themselves."""
    shared = Shared()
    for each in (*_DIFFERENT[subject], *map(_With, _DIFFERENT[subject])):
        assert shared.first(each) is each


@pytest.mark.parametrize("attribute", [FloatAttr(float("nan"), f32), _Anything((1, ("a", None)))])
def test_attributes_that_consist_of_the_same(attribute: Attribute) -> None:
    """The first of attributes that consist of the same stands for all."""
    shared = Shared()
    copies = [shared.first(type(attribute)(*vars(attribute).values())) for _ in range(3)]
    assert copies[0] is copies[1] is copies[2]


@pytest.mark.parametrize("limit", [0, 3])
def test_forgotten_attributes(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many types there are, few are remembered, and none for another at its address."""
    monkeypatch.setattr(contents, "_MAX_SHARED", limit)
    shared = Shared()
    for number in range(100):
        assert shared.first(_Anything(number)).data == number
        assert len(shared._first) <= limit + 1  # pyright: ignore[reportPrivateUsage]


def test_types_of_a_source() -> None:
    """All mentions of a type in a source are one object, also those of arguments of blocks."""
    text = """\
    riscv_func.func @f(%a: !riscv.reg<a0>, %b: !riscv.reg<a0>, %c: !riscv.reg) {
      %0 = riscv.add %c, %c : (!riscv.reg, !riscv.reg) -> !riscv.reg
      %1 = riscv.mv %c : (!riscv.reg) -> !riscv.reg<a0>
      riscv_func.return
    }"""
    (function,) = ExampleParser(xdsl_context(), text).parse_top_level()
    a, b, c = function.regions[0].block.args
    add, move, _ = function.regions[0].block.ops
    assert a.type is b.type is move.results[0].type
    assert c.type is add.results[0].type


def test_types_that_seem_equal_in_a_source() -> None:
    """Types print as they are written, though xDSL finds them equal."""

    def context() -> Context:
        context = Context()
        for dialect in (Builtin, Test, Dialect("t", [], [_With])):
            context.load_dialect(dialect)
        return context

    texts = ("0.0 : f64", "-0.0 : f64", "#builtin.int<1>", "1 : i32", "1 : i64", "true", "1 : i1")
    lines = "".join(f'%{n} = "test.op"() : () -> !t.with<{texts[n % 7]}>\n' for n in range(40))
    assert assert_same(f"builtin.module {{\n{lines}}}", context).by_example
