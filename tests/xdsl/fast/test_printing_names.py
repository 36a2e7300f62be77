"""Values and blocks get the same names, in ops with regions and successors too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from printing_ops import CustomOp, IsolatedOp, PlainOp
from printing_twins import assert_prints_same
from xdsl.dialects.builtin import (
    ModuleOp,
    f32,
    i32,
)
from xdsl.ir import Block, Operation, Region

if TYPE_CHECKING:
    from printing_ops import Consult
    from xdsl.printer import Printer


def _region_op(consult: Consult) -> type[Operation]:
    class RegionOp(CustomOp):
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
            [PlainOp.create(result_types=[i32])] * (number % 2),
            arg_types=[(i32, f32)[number // 12]] * (number % 3),
        )
        if inner.args:
            inner.args[0].name_hint = "hint"
        blocks = [[], [inner], [inner, Block()], [inner, Block(), Block()]][number % 4]
        ops.append(op_class.create(regions=[Region(blocks), Region()], result_types=[i32]))
    assert_prints_same(ModuleOp([IsolatedOp.create(regions=[Region(Block(ops))])]))


def test_names_of_isolated_ops() -> None:
    """Names are counted anew in each isolated op, and go on after it."""
    functions: list[Operation] = []
    for _ in range(6):
        block = Block(arg_types=[i32, i32])
        block.args[0].name_hint = "hint"
        block.add_ops(PlainOp.create(result_types=[i32]) for _ in range(2))
        functions += [
            IsolatedOp.create(regions=[Region(block)], result_types=[i32]),
            IsolatedOp.create(result_types=[i32]),
        ]
    assert_prints_same(ModuleOp(functions))


def test_names_in_unusual_order() -> None:
    """Values that are used before their definition, or by it, are named where they are first."""
    block = Block()
    ops = [CustomOp.create(operands=[], result_types=[i32]) for _ in range(12)]
    for number, op in enumerate(ops):
        op.operands = [ops[(number * 5) % 12].results[0], op.results[0]]
    block.add_ops(ops)
    assert_prints_same(ModuleOp([PlainOp.create(regions=[Region(block)])]))


def test_successors() -> None:
    """Blocks are named in the same order, also those that are met in no region."""
    blocks = [Block() for _ in range(6)]
    elsewhere = Block()
    for number, block in enumerate(blocks):
        targets = [blocks[(number * 2) % 6], blocks[number // 2], elsewhere][: 2 + number % 2]
        block.add_op(PlainOp.create(successors=targets))
    blocks[2].name_hint = "hint"
    assert_prints_same(ModuleOp([PlainOp.create(regions=[Region(blocks)])]))

    class BranchOp(CustomOp):
        def print(self, printer: Printer) -> None:
            same = self.successors[0] is self.successors[1]
            printer.print_string(f" {same} {len(self.successors)}")

    blocks = [Block() for _ in range(8)]
    for number, block in enumerate(blocks):
        block.add_op(BranchOp.create(successors=[blocks[number // 2], blocks[number // 3]]))
    assert_prints_same(ModuleOp([PlainOp.create(regions=[Region(blocks)])]))
