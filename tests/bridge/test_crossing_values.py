"""What an op consists of is the same after it has been over there and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from xdsl_inputs import NOT_MLIR, REAL_FILES

from passel import PassFailedError
from passel.mlir.crossing import MLIRSide
from passel.xdsl.crossing import XDSLSide

if TYPE_CHECKING:
    from pathlib import Path

    from worlds import World

    from passel.bridge.crossing import Side

INPUTS = sorted(REAL_FILES.glob("*.mlir"))

INVALID = {"arith.trunci": "MLIR gives it a property that it does not have in xDSL"}
"""Ops that xDSL finds invalid, and why; they come back nevertheless."""

VALUES = [
    "1.1 : f16",
    "1.1 : bf16",
    "0x7FC00001 : f32",
    "0x7FF0000000000000 : f64",
    "-0.0 : f32",
    "dense<[1.1, 2.2, 0.1]> : tensor<3xf32>",
    "dense<[1.1, 6.0e-08]> : tensor<2xf16>",
    "dense<[0x7FC00001, 0xFF800000, 0x4D8EF3C4]> : tensor<3xf32>",
    'dense<"0xCDCC8C3FCDCC0C40"> : tensor<2xf32>',
    "dense<[[1, -2], [3, 4]]> : tensor<2x2xi8>",
    "dense<> : tensor<0xf32>",
    "array<f32: 1.1, 2.2>",
    r'"a\00b\FF\C3\A9\22\\\n\t"',
    "170141183460469231731687303715884105727 : i128",
    "unit",
    "@outer::@inner",
    "[1 : i32, [@f], {x = 2 : i8, y}]",
    "affine_map<(d0)[s0] -> (d0 + s0 floordiv 2)>",
    "(i32, f32) -> (index, !vendor.thing<[3]>)",
    '#vendor.thing<"x", [1]>',
    "!vendor.thing",
]


def _sides(world: World) -> tuple[Side, Side]:
    if world.other == "xdsl":
        return MLIRSide(world.context), XDSLSide()
    return XDSLSide(world.context), MLIRSide()


def _there_and_back(world: World, text: str) -> tuple[str, str]:
    here, there = _sides(world)
    op = world.read(text)
    other = there.read(here.write(op, there.knows))
    if not any(name in text for name in INVALID):
        there.adapter.verify(other, recursive=True)
    back = here.read(there.write(other, here.knows))
    return here.write(op), here.write(back)


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        ('"a.mlir":1:2', '"a.mlir":1:2'),
        ('"a.mlir":1:2 to 3:4', '"a.mlir":1:2'),
        ('"a.mlir":1:2 to :4', '"a.mlir":1:2'),
        ('"n"("a.mlir":1:2 to :4)', '"n"("a.mlir":1:2)'),
        (
            'callsite("a.mlir":1:2 to 3:4 at "b.mlir":5:6 to :7)',
            'callsite("a.mlir":1:2 at "b.mlir":5:6)',
        ),
        (
            'fused<"inlined">["a.mlir":1:2 to 3:4, "b.mlir":5:6]',
            'fused["a.mlir":1:2, "b.mlir":5:6]',
        ),
    ],
)
def test_locations_of_mlir(mlir_world: World, printed: str, kept: str) -> None:
    """Locations that JAX writes and xDSL cannot express come back with what xDSL can."""
    text = '"builtin.module"() ({^bb0:}) : () -> () loc({})'
    before, after = _there_and_back(mlir_world, text.replace("loc({})", f"loc({printed})"))
    assert before.endswith(f"loc({printed})")
    assert after.endswith(f"loc({kept})")


_LARGE = "i1 i2 i4 i12 i20 i48 ui1 ui12 si4 index complex<i1> complex<i24> f8E5M2 tf32"


@pytest.mark.parametrize("element", _LARGE.split())
def test_large_constants(world: World, element: str) -> None:
    """Elements that MLIR prints in hexadecimal, bits eight to a byte, come back as they were."""
    values = [str(float(n % 3)) if element[0] in "ft" else str(-(n % 2)) for n in range(101)]
    if element in ("i1", "ui1", "complex<i1>"):
        values = [str(n % 3 == 0).lower() for n in range(101)]
    if element.startswith("complex"):
        values = [f"({each}, {values[0]})" for each in values]
    constant = f"dense<[{', '.join(values).replace('-', '' if element[0] == 'u' else '-')}]>"
    text = f'"builtin.module"() ({{^bb0:}}) {{t.v = {constant} : tensor<101x{element}>}} : () -> ()'
    before, after = _there_and_back(world, text)
    assert before == after


@pytest.mark.parametrize("value", VALUES)
def test_attributes(world: World, value: str) -> None:
    """Attributes come back as they were, bit by bit."""
    text = f"module attributes {{x.value = {value}}} {{}}"
    before, after = _there_and_back(world, text)
    assert after == before


def test_unregistered_ops(world: World) -> None:
    """Unregistered ops come back with attributes, properties, regions and locations."""
    text = """
      %0 = "vendor.make"() <{p = 1.1 : f32}> {q = #vendor.x<"y">} : () -> !vendor.t<3> loc("a")
      "vendor.use"(%0) ({
      ^bb0(%arg0: i32 loc("b.c":1:2)):
        "vendor.end"(%arg0)[^bb1] : (i32) -> () loc(fused["d", "e.f":3:4])
      ^bb1:
        "vendor.end"() : () -> () loc(callsite("f" at "g.h":5:6))
      }) : (!vendor.t<3>) -> () loc(unknown)
    """
    before, after = _there_and_back(world, text)
    assert after == before


def test_properties_that_the_other_ir_lacks(xdsl_world: World) -> None:
    """What is a property in xDSL and nothing in MLIR comes back as a property."""
    text = """"gpu.module"() <{sym_name = "m"}> ({
        "gpu.func"() <{function_type = () -> (), kernel}> ({
          "gpu.return"() : () -> ()
        }) {sym_name = "k"} : () -> ()
    }) : () -> ()"""
    here, there = _sides(xdsl_world)
    back = here.read(there.write(there.read(here.write(xdsl_world.read(text), there.knows))))
    (module,) = xdsl_world.adapter.children(back)
    (function,) = xdsl_world.adapter.children(module)
    assert "kernel" in function.properties


def test_resources_are_refused(world: World) -> None:
    """The contents of resources live beside the IR: rather than lost, they are refused."""
    text = "module attributes {x.v = dense_resource<lost> : tensor<2xf32>} {}"
    with pytest.raises(PassFailedError, match="uses resource 'lost', which cannot be conver"):
        world.manager("builtin.module(other(cse))").run(world.read(text))


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ('dense<["a", "b"]> : tensor<2x!test.s>', "Expected either a float"),
        ("dense<[1.0, 2.0]> : tensor<2xf80>", "xDSL cannot store values of type f80"),
        ("dense<[1.0, 2.0]> : tensor<2xf128>", "xDSL cannot store values of type f128"),
    ],
)
def test_what_the_other_ir_cannot_read(mlir_world: World, value: str, why: str) -> None:
    """What cannot cross fails with the reason, and leaves the op alone."""
    module = mlir_world.read(f"module attributes {{x.v = {value}}} {{}}")
    before = mlir_world.text(module)
    with pytest.raises(PassFailedError, match=f"xDSL cannot read the op: {why}"):
        mlir_world.manager("builtin.module(other(cse))").run(module)
    assert mlir_world.text(module) == before


@pytest.mark.parametrize(
    "path", [path for path in INPUTS if path.stem not in NOT_MLIR], ids=lambda path: path.stem
)
def test_real_files(mlir_world: World, path: Path) -> None:
    """Files of many dialects come back from xDSL as they were."""
    before, after = _there_and_back(mlir_world, path.read_text())
    assert after == before
