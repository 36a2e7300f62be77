"""Attributes are told apart, and printed as they print themselves."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from printing_ops import PlainOp, op_that
from printing_twins import assert_prints_same
from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Block, Data, Operation, Region
from xdsl.irdl import ParametrizedAttribute, irdl_attr_definition

from passel.xdsl.fast.printer import FastPrinter
from passel.xdsl.locations import SourceLocation, SourceText

if TYPE_CHECKING:
    from printing_ops import Consult
    from xdsl.ir import Attribute
    from xdsl.printer import Printer


@irdl_attr_definition
class _Nosy(ParametrizedAttribute):
    """An attribute whose printer looks around."""

    name = "t.nosy"

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{len(printer._ssa_values)}>")  # pyright: ignore[reportPrivateUsage]


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
    op_class = op_that(shown or (lambda op, printer: printer.print_attribute(op.attributes["a"])))
    ops = [
        op_class.create(attributes={"a": attribute}, result_types=[i32])
        for attribute in attributes * 3
    ]
    return ModuleOp([PlainOp.create(regions=[Region(Block(ops))])])


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
    "all characters": (StringAttr("".join(map(chr, range(400)))), BytesAttr(bytes(range(256)))),
    "places": tuple(SourceLocation(_SOURCE, offset) for offset in range(3)),
    "places in arrays": tuple(ArrayAttr([SourceLocation(_SOURCE, n)]) for n in range(3)),
    "types in arrays": (ArrayAttr([f32]), ArrayAttr([f64])),
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


def test_a_long_text_is_written_at_once() -> None:
    """A text of a megabyte takes a few writes, not one for each character."""
    stream = StringIO()
    writes = list[str]()
    stream.write = lambda text: writes.append(text) or len(text)
    FastPrinter(stream=stream).print_attribute(StringAttr("a\n" * 500_000))
    assert "".join(writes) == '"' + "a\\0A" * 500_000 + '"'
    assert len(writes) < 10
