"""The fast printer gives what xDSL's printer gives, on generated ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from printing_twins import assert_prints_same
from sweeps import STEP
from xdsl.dialects import arith, builtin, cf, func, memref, scf, test
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    UnregisteredOp,
    f32,
    f64,
    i1,
    i32,
)
from xdsl.ir import Block, Operation, Region, SSAValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Attribute

_TYPES: tuple[Callable[[], Attribute], ...] = (
    # Each call makes another object, or the same one again.
    lambda: i32,
    lambda: builtin.IntegerType(32),
    lambda: i1,
    lambda: f32,
    builtin.IndexType,
    lambda: MemRefType(f64, [2, -1]),
    lambda: builtin.FunctionType.from_lists([i32], [f32]),
)
_ATTRIBUTES: tuple[Callable[[int], Attribute], ...] = (
    lambda n: IntegerAttr(n, i32),
    lambda n: IntegerAttr(n % 2, i1),
    lambda n: IntegerAttr(n, builtin.IndexType()),
    lambda n: FloatAttr(n / 3, f32),
    lambda n: FloatAttr((0.0, -0.0, float("nan"), float("inf"))[n % 4], f64),
    lambda n: StringAttr(("plain", 'a "b"\n', "%d %s {}", "é")[n % 4]),
    lambda n: SymbolRefAttr(f"name{n}", ["nested"] * (n % 2)),
    lambda n: ArrayAttr([IntegerAttr(n, i32), UnitAttr()]),
    lambda n: DictionaryAttr({"odd name": StringAttr(str(n))}),
    lambda n: DenseIntOrFPElementsAttr.from_list(TensorType(i32, [2]), [n, 1]),
    lambda _: UnitAttr(),
    lambda n: _TYPES[n % len(_TYPES)](),
)
_HINTS = (None, None, "x", "y", "long_name")
_UNKNOWN = UnregisteredOp.with_name("un.known")


class _Drawing:
    """Draws blocks of ops."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.kinds = [self.number(0, 9) for _ in range(4)]
        self.values: list[SSAValue[Any]] = []

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def pick(self, values: Any) -> Any:
        return values[self.number(0, len(values) - 1)]

    def value(self, *types: Attribute) -> SSAValue[Any] | None:
        found = [each for each in self.values if not types or each.type in types]
        return self.pick(found) if found else None

    def fill(self, block: Block, depth: int, later: list[Block]) -> None:
        kept = len(self.values)
        self.values += block.args
        for _ in range(self.number(1, 4 if depth else 24)):
            op = self.op(self.pick(self.kinds), depth)
            if op is None:
                continue
            block.add_op(op)
            for result in op.results:
                result.name_hint = self.pick(_HINTS)
                self.values.append(result)
        if later:
            block.add_op(self.branch(later))
        del self.values[kept:]

    def branch(self, later: list[Block]) -> Operation:
        target, other, condition = self.pick(later), self.pick(later), self.value(i1)
        if condition is None or self.number(0, 1):
            return cf.BranchOp(target, *self.values[: self.number(0, 1)])
        return cf.ConditionalBranchOp(condition, target, [], other, self.values[:1])

    def region(self, depth: int, *types: Attribute) -> Region:
        blocks = [Block(arg_types=types if not n else [i32]) for n in range(self.number(1, 2))]
        for number, block in enumerate(blocks):
            for argument in block.args:
                argument.name_hint = self.pick(_HINTS)
            self.fill(block, depth + 1, blocks[number + 1 :])
        return Region(blocks)

    def op(self, kind: int, depth: int) -> Operation | None:
        one, two = self.value(i32), self.value(i32)
        if kind <= 2 or (kind >= 8 and depth > 1):
            attributes = {
                name: self.pick(_ATTRIBUTES)(self.number(0, 5))
                for name in ("a", "odd name", "b")[: self.number(0, 3)]
            }
            return self.pick((test.TestOp, _UNKNOWN, test.TestPureOp)).create(
                operands=[self.pick(self.values) for _ in range(self.number(0, 3))]
                if self.values
                else [],
                result_types=[self.pick(_TYPES)() for _ in range(self.number(0, 2))],
                attributes=attributes,
            )
        if kind == 3:
            return arith.ConstantOp(IntegerAttr(self.number(0, 99), i32))
        if kind == 4 and one is not None and two is not None:
            return self.pick((arith.AddiOp, arith.MuliOp))(one, two)
        if kind == 5 and one is not None and two is not None:
            return arith.CmpiOp(one, two, self.number(0, 9))
        if kind == 6 and one is not None:
            return func.CallOp(f"f{self.number(0, 2)}", [one] * self.number(0, 2), [i32])
        if kind == 7:
            return memref.AllocOp.get(f32, None, [2, self.number(1, 3)])
        if kind == 8:
            types = [i32] * self.number(0, 2)
            name = f"f{self.number(0, 99)}"
            body = self.region(depth, *types) if self.number(0, 3) else Region()
            return func.FuncOp(name, (types, []), body, visibility=self.pick((None, "private")))
        index = self.value(builtin.IndexType())
        if kind == 9 and index is not None:
            body = Block(arg_types=[builtin.IndexType()])
            self.fill(body, depth + 1, [])
            body.add_op(scf.YieldOp())
            return scf.ForOp(index, index, index, [], body)
        regions = [self.region(depth), Region()] if depth < 2 else []
        return test.TestOp.create(regions=regions)


@st.composite
def _modules(draw: st.DrawFn) -> ModuleOp:
    """Draw a module."""
    drawing = _Drawing(draw)
    block = Block()
    drawing.fill(block, 0, [])
    return ModuleOp(Region(block))


@settings(max_examples=25, deadline=None)
@given(_modules())
def test_generated_modules(module: ModuleOp) -> None:
    """The text, or the error, and the names are the same."""
    assert_prints_same(module)


@pytest.mark.sweep
@settings(max_examples=400 // min(STEP, 4), deadline=None)
@given(_modules())
def test_many_generated_modules(module: ModuleOp) -> None:
    """The text, or the error, and the names are the same."""
    assert_prints_same(module)
