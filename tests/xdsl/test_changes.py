"""Changes of xDSL ops as bytes: one op becomes what another like it has become."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import fields_of
from xdsl.dialects.builtin import (
    FileLineColLoc,
    FloatAttr,
    IntAttr,
    ModuleOp,
    StringAttr,
    f32,
    i1,
    i32,
)
from xdsl.dialects.test import TestOp as SomeOp
from xdsl.ir import Block, Operation, Region, SSAValue, SSAValues
from xdsl_inputs import xdsl_context

from passel.errors import EncodingError
from passel.xdsl import parse_source
from passel.xdsl.transport.changes import decode_changes, encode_changes, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

SOURCE = """
"test.op"() ({
^b0(%a: i32 loc("x.c":1:2), %b: i32):
  %c, %d = "test.op"(%a, %b) {x = 1 : i32, y = "y"} : (i32, i32) -> (i32, i32)
  %e = "un.known"(%c, %a) {z = #un.attr<"q">} : (i32, i32) -> !un.type<3>
  "test.op"(%b) ({
    %f = "test.op"(%a, %c) : (i32, i32) -> i1
    "test.op"(%f) ({
    ^b2(%g: f32):
      "test.op"(%g, %a) <{prop1 = 3 : i32}> : (f32, i32) -> ()
    }, {
    }) : (i1) -> ()
  }) : (i32) -> ()
  "test.termop"(%d) [^b1] : (i32) -> ()
^b1:
  %h = "test.op"(%a, %a, %e) : (i32, i32, !un.type<3>) -> i32 loc("y.c":3:4)
  "test.termop"(%h) [^b1, ^b3] : (i32) -> ()
^b3:
  "test.termop"() : () -> ()
}) : () -> ()
"""


def _nodes(root: Operation, *kinds: type[Any]) -> list[Any]:
    return [record[0] for record in snapshot(root) if isinstance(record[0], kinds)]


def _op_inside(root: Operation, random: Random) -> Operation:
    return random.choice(list(root.walk())[1:] or [root])


def _is_used(op: Operation) -> bool:
    """Return whether anything in an op has uses."""
    return any(each.first_use for each in _nodes(op, SSAValue, Block))


def _erase_op(root: Operation, random: Random) -> None:
    op = _op_inside(root, random)
    if op.parent is not None and not _is_used(op):
        op.parent.erase_op(op)


def _erase_block(root: Operation, random: Random) -> None:
    """Erase a block without predecessors, whose values have no uses."""
    block = random.choice(_nodes(root, Block))
    used = any(each.first_use for each in (block, *block.args)) or any(map(_is_used, block.ops))
    if block.parent is not None and not used:
        block.parent.erase_block(block)


def _use_other(root: Operation, random: Random) -> None:
    op = _op_inside(root, random)
    if op.operands:
        at = random.randrange(len(op.operands))
        op.operands[at] = random.choice(_nodes(root, SSAValue))


def _use_anew(root: Operation, random: Random) -> None:
    """Give an op the operands that it has, which changes the order of their uses."""
    op = _op_inside(root, random)
    op.operands = op.operands


def _replace(root: Operation, random: Random) -> None:
    values = _nodes(root, SSAValue)
    random.choice(values).replace_all_uses_with(random.choice(values))


def _add_op(root: Operation, random: Random) -> None:
    values = _nodes(root, SSAValue)
    regions = [Region([Block(arg_types=[i1]), Block()])] if random.random() < 0.3 else []
    op = SomeOp(
        random.choices(values, k=random.randrange(3)),
        random.choices([i32, i1, FloatAttr(1.0, f32).type], k=random.randrange(3)),
        attributes={"n": IntAttr(random.randrange(9)), "s": StringAttr("s")},
        regions=regions,
    )
    for result in op.results:
        result.name_hint = random.choice([None, "new"])
    _put(root, op, random)


def _move(root: Operation, random: Random) -> None:
    op = _op_inside(root, random)
    if not op.regions:
        op.detach()
        _put(root, op, random)


def _put(root: Operation, op: Operation, random: Random) -> None:
    block = random.choice(_nodes(root, Block))
    before = random.choice([*block.ops, None])
    if before is None:
        block.add_op(op)
    else:
        block.insert_op_before(op, before)


def _wrap(root: Operation, random: Random) -> None:
    """Let a new op take the regions of one."""
    op = _op_inside(root, random)
    if op.regions and op.parent is not None:
        regions = [op.detach_region(region) for region in op.regions]
        op.parent.insert_op_before(SomeOp(regions=regions), op)


def _name(root: Operation, random: Random) -> None:
    named = random.choice(_nodes(root, SSAValue, Block))
    named.name_hint = random.choice([None, "n", "other"])


def _set(root: Operation, random: Random) -> None:
    """Change attributes, the location, and the order of attributes."""
    op = random.choice(list(root.walk()))
    op.location = FileLineColLoc(StringAttr("new.c"), IntAttr(random.randrange(9)), IntAttr(1))
    op.attributes = dict(reversed(op.attributes.items()))
    op.attributes[random.choice("xn")] = random.choice([FloatAttr(0.0, f32), FloatAttr(-0.0, f32)])
    if op.properties and random.random() < 0.5:
        op.attributes.update(op.properties)
        op.properties.clear()


def _retype(root: Operation, random: Random) -> None:
    random.choice(_nodes(root, SSAValue))._type = random.choice([i1, f32])


def _change_arguments(root: Operation, random: Random) -> None:
    block = random.choice(_nodes(root, Block))
    unused = [argument for argument in block.args if not argument.uses]
    if unused and random.random() < 0.5:
        block.erase_arg(random.choice(unused))
    else:
        block.insert_arg(i32, random.randrange(len(block.args) + 1)).name_hint = "arg"


def _change_blocks(root: Operation, random: Random) -> None:
    region = random.choice(_nodes(root, Region))
    if len(region.blocks) and random.random() < 0.5:
        block = region.detach_block(random.randrange(len(region.blocks)))
    else:
        block = Block([SomeOp(random.choices(_nodes(root, SSAValue), k=2))], arg_types=[i32])
    region.insert_block(block, random.randrange(len(region.blocks) + 1))


def _jump(root: Operation, random: Random) -> None:
    op = _op_inside(root, random)
    blocks = _nodes(root, Block)
    op.successors = random.choices(blocks, k=random.randrange(3))


def _permute(root: Operation, random: Random) -> None:
    block = random.choice(_nodes(root, Block))
    block._args = tuple(random.sample(block._args, len(block._args)))
    op = _op_inside(root, random)
    op.results = SSAValues(random.sample(op.results, len(op.results)))
    for values in (block.args, op.results):
        for index, value in enumerate(values):
            value.index = index
    op.regions = tuple(random.sample(op.regions, len(op.regions)))
    op.successors = random.sample(op.successors, len(op.successors))


ACTS: list[Callable[[Operation, Random], None]] = [
    *(_erase_op, _erase_block, _use_other, _use_anew, _replace, _add_op, _move, _wrap, _name),
    *(_set, _retype, _change_arguments, _change_blocks, _jump, _permute),
]


def _check(here: Operation, there: Operation, change: Callable[[Operation], None]) -> None:
    """Change one op, send that to the other, and compare all of them."""
    context = xdsl_context()
    were_here, noted = snapshot(here), snapshot(there)
    known = {id(theirs[0]): mine[0] for theirs, mine in zip(noted, were_here, strict=True)}
    change(there)
    decode_changes(here, encode_changes(there, noted), context)()
    assert fields_of(here) == fields_of(there)
    for mine, theirs in zip(snapshot(here), snapshot(there), strict=True):
        assert mine[0] is known.get(id(theirs[0]), mine[0]), "what was there is the same object"


def _pair(source: str) -> tuple[Any, Any]:
    """Return two equal ops."""
    here, there = (parse_source(xdsl_context(), source, "a.mlir") for _ in range(2))
    return here, there


@settings(max_examples=settings().max_examples // 3)
@given(random=st.randoms(use_true_random=False), length=st.integers(2, 30))
def test_acts_are_repeated_together(random: Random, length: int) -> None:
    """Many changes arrive at once, and others after them."""

    def change(op: Operation) -> None:
        for _ in range(length):
            with suppress(IndexError):  # there is nothing left to choose from
                random.choice(ACTS)(op, random)

    here, there = _pair(SOURCE)
    for _ in range(2):
        _check(here, there, change)


def test_little_is_sent() -> None:
    """What is as it was is not sent, and attributes that were there are not."""
    _, there = _pair(SOURCE)
    noted = snapshot(there)
    assert encode_changes(there, noted) == b""
    (first,) = (op for op in there.walk() if len(op.results) == 2)
    first.attributes["again"] = first.attributes["y"]
    data = encode_changes(there, noted)
    assert len(data) < 400
    assert b"StringAttr" not in data


def _use_from_outside(root: Operation) -> None:
    op = next(op for op in root.walk() if op.operands)
    op.operands[0] = SomeOp(result_types=[i32]).results[0]


def _be_used_outside(root: Operation) -> None:
    op = next(op for op in root.walk() if op.operands)
    SomeOp(op.operands)
    op.operands = op.operands


def _detach_what_is_used(root: Operation) -> None:
    next(op for op in root.walk() if op.results and op.results[0].uses).detach()


def _detach_where_is_jumped_to(root: Operation) -> None:
    block = next(block for block in _nodes(root, Block) if block.uses)
    assert block.parent is not None
    block.parent.detach_block(block)


def _hold_a_function(root: Operation) -> None:
    root.attributes["local"] = StringAttr(cast("str", lambda: None))


@pytest.mark.parametrize(
    "change",
    [
        *(_use_from_outside, _be_used_outside, _detach_what_is_used),
        *(_detach_where_is_jumped_to, _hold_a_function),
    ],
    ids=lambda change: change.__name__,
)
def test_what_cannot_be_sent_is_refused(change: Callable[[Operation], None]) -> None:
    """It is done again where it belongs."""
    _, there = _pair(SOURCE)
    noted = snapshot(there)
    change(there)
    with pytest.raises(EncodingError):
        encode_changes(there, noted)


def test_another_op_is_refused() -> None:
    """Changes are for an op that is as the other one was."""
    here, there = _pair(SOURCE)
    noted = snapshot(there)
    there.attributes["x"] = StringAttr("x")
    data = encode_changes(there, noted)
    here.regions[0].blocks[0].add_op(SomeOp())
    with pytest.raises(EncodingError, match="was changed while another process"):
        decode_changes(here, data, xdsl_context())


def test_what_is_erased_uses_nothing() -> None:
    """An op that Python code still holds is left as xDSL leaves it when it erases one."""
    here, there = (ModuleOp([SomeOp(result_types=[i32])]) for _ in range(2))
    for module in (here, there):
        module.body.block.add_op(SomeOp([module.body.block.first_op]))  # pyright: ignore[reportArgumentType]
    last = here.body.block.last_op
    assert last is not None
    _check(here, there, lambda _: there.body.block.erase_op(there.body.block.last_op))  # pyright: ignore[reportArgumentType]
    assert last.parent is None
    assert not last._operand_uses  # pyright: ignore[reportPrivateUsage]
    assert last.prev_op is None
