"""Ops are common subexpressions if all that matters of them is equal, as in xDSL's `cse`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from loose_ops import EFFECTS, context_with, op_with
from rewriting_twins import rewritten
from xdsl.traits import Pure
from xdsl.transforms.common_subexpression_elimination import cse

from passel.xdsl import parse_source

if TYPE_CHECKING:
    from xdsl.ir import Operation

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def check(text: str, *ops: type[Operation]) -> bool:
    """Run passel's pass on a module and xDSL's on another; return whether it was changed."""
    context = context_with(*ops)
    ours, theirs = (parse_source(context, text, "test.mlir") for _ in range(2))
    before = str(theirs)
    rewritten(ours, "cse", context)
    cse(theirs)
    assert str(ours) == str(theirs)
    return str(ours) != before


@pytest.mark.parametrize(
    ("lines", "is_changed"),
    [
        # The same, with attributes that are several objects, or in another order.
        (['"t.pure"() {a = [1, "x"]} : () -> i32'] * 2, True),
        ([f'"t.pure"() {{{each}}} : () -> i32' for each in ("a = 1, b = 2", "b = 2, a = 1")], True),
        # Of other attributes, or under other names.
        ([f'"t.pure"() {{{each}}} : () -> i32' for each in ("a = 1", "a = 2")], False),
        ([f'"t.pure"() {{{each}}} : () -> i32' for each in ("a = 1", "b = 1")], False),
        # Of other types, operands, names.
        (['"t.pure"() : () -> i32', '"t.pure"() : () -> i64'], False),
        (['"t.pure"(%x) : (i32) -> i32', '"t.pure"(%y) : (i32) -> i32'], False),
        (['"t.pure"(%x, %y) : (i32, i32) -> i32', '"t.pure"(%y, %x) : (i32, i32) -> i32'], False),
        (['"t.pure"(%x) : (i32) -> i32', '"t.also_pure"(%x) : (i32) -> i32'], False),
        # With regions.
        (['"t.pure"() ({ "test.op"() : () -> () }) : () -> i32'] * 2, True),
        (
            [
                f'"t.pure"() ({{ "test.op"() {{a = {n}}} : () -> () }}) : () -> i32'
                for n in (1, 2, 1, 2)
            ],
            True,
        ),
        (['"t.pure"() ({ cf.br ^a ^a: "t.end"() : () -> () }) : () -> i32'] * 2, False),
        # Ends of blocks, and unregistered ops, which may be.
        (['"t.end"(%x) : (i32) -> i32'] * 2, False),
        (['"no.one"(%x) : (i32) -> i32'] * 2, False),
        # Known around, but not in what is isolated, and not after the region.
        (["arith.constant 1 : i32", '"t.pure"() ({ %r = arith.constant 1 : i32 "test.op"(%r) : (i32) -> () }) : () -> i32'], True),
        (['"t.pure"() ({ %r = arith.constant 1 : i32 "test.op"(%r) : (i32) -> () }) : () -> i32', "arith.constant 1 : i32"], False),
        (["arith.constant 1 : i32", '"t.pure"() ({ builtin.module { %r = arith.constant 1 : i32 "test.op"(%r) : (i32) -> () } }) : () -> i32'], False),
        (["arith.constant 1 : i32", '"no.one"() ({ %r = arith.constant 1 : i32 "test.op"(%r) : (i32) -> () }) : () -> i32'], False),
        (["arith.constant 1 : i32", '"no.one"() ({ "test.op"() : () -> () }) : () -> i32', "arith.constant 1 : i32"], True),
        # Reads, with nothing between, with writes, around regions and in others.
        (['"t.read"(%x) : (i32) -> i32'] * 3, True),
        (['"t.read"(%x) : (i32) -> i32', '"t.write"() : () -> i32', '"t.read"(%x) : (i32) -> i32'], False),
        (['"t.read"(%x) : (i32) -> i32', '"no.one"() : () -> i32', '"t.read"(%x) : (i32) -> i32'], False),
        (['"t.read"(%x) : (i32) -> i32', '"t.write"() : () -> i32', '"t.read"(%x) : (i32) -> i32', '"t.read"(%x) : (i32) -> i32'], True),
        (['"t.read"(%x) : (i32) -> i32', '"t.nested"() ({ %r = "t.read"(%x) : (i32) -> i32 "test.op"(%r) : (i32) -> () }) : () -> i32'], False),
        (['"t.read"(%x) : (i32) -> i32', '"t.nested"() ({ "t.write"() : () -> () "t.write"() : () -> () %r = "t.read"(%x) : (i32) -> i32 "test.op"(%r) : (i32) -> () }) : () -> i32'], False),
        (['"t.read"(%x) : (i32) -> i32', '"t.nested"() ({ "t.nested"() ({ "t.write"() : () -> () }) : () -> () }) : () -> i32', '"t.read"(%x) : (i32) -> i32'], False),
        (['"t.read"(%x) : (i32) -> i32', '"t.nested"() ({ "t.pure"(%x) : (i32) -> () }) : () -> i32', '"t.read"(%x) : (i32) -> i32'], True),
        (['"t.asked"(%x) <{value = "read"}> : (i32) -> i32', '"t.asked"(%x) <{value = "write"}> : (i32) -> i32', '"t.asked"(%x) <{value = "read"}> : (i32) -> i32'], False),
    ],
)  # fmt: skip
def test_subexpressions(lines: list[str], is_changed: bool) -> None:
    """Ops are merged if all that matters of them is equal, and nothing was written between."""
    body = "\n".join(f"%r{n} = {line}" for n, line in enumerate(lines))
    kinds = [
        line.rpartition("-> ")[2] if "->" in line else line.rpartition(": ")[2] for line in lines
    ]
    kinds = [kind.strip() for kind in kinds]
    used = (
        f'"test.op"({", ".join(f"%r{n}" for n in range(len(lines)))}) : ({", ".join(kinds)}) -> ()'
    )
    text = f'%x = "test.op"() : () -> i32\n%y = "test.op"() : () -> i32\n{body}\n{used}'
    ops = (*EFFECTS, op_with("t.also_pure", Pure()))
    assert check(text, *ops) == is_changed


@pytest.mark.parametrize(
    "text",
    [
        # The second sum's user was seen before it, and is known under its operand.
        (
            '%u = "t.pure"(%b) : (i32) -> i32 %a = "t.pure"() : () -> i32 %b = "t.pure"() : () -> i32'
            ' "test.op"(%u, %a) : (i32, i32) -> ()'
        ),
        # A user was seen, but in a region that is left.
        (
            '%n = "t.nested"() ({ %k = "t.pure"(%b) : (i32) -> i32 "test.op"(%k) : (i32) -> () }) : () -> i32'
            ' %a = "t.pure"() : () -> i32 %b = "t.pure"() : () -> i32 "test.op"(%n, %a) : (i32, i32) -> ()'
        ),
        # A user was seen before something isolated.
        (
            '%u = "t.pure"(%b) : (i32) -> i32 builtin.module { %c = "t.pure"() : () -> i32 "test.op"(%c) : (i32) -> () }'
            ' %a = "t.pure"() : () -> i32 %b = "t.pure"() : () -> i32 "test.op"(%u, %a) : (i32, i32) -> ()'
        ),
        # A user was seen in something that is isolated, or not registered.
        (
            '"no.one"() ({ %u = "t.pure"(%b) : (i32) -> i32 "test.op"(%u) : (i32) -> () }) : () -> ()'
            ' %a = "t.pure"() : () -> i32 %b = "t.pure"() : () -> i32 "test.op"(%a) : (i32) -> ()'
        ),
        # A user was seen, but has effects, so that it will not be used again.
        (
            '"test.op"(%b) : (i32) -> () %a = "t.pure"() : () -> i32 %b = "t.pure"() : () -> i32'
            ' "test.op"(%a) : (i32) -> ()'
        ),
    ],
)
def test_users_that_come_before(text: str) -> None:
    """In a graph region, an op that is known already keeps its operands."""
    check(text, *EFFECTS)


def test_ops_with_more_regions_than_others() -> None:
    """Ops with one region and with two, which xDSL's `cse` fails on, are not equal."""
    lines = '%a = "t.pure"() ({ }) : () -> i32 %b = "t.pure"() ({ }, { }) : () -> i32'
    module = parse_source(
        context_with(*EFFECTS), f'{lines} "test.op"(%a, %b) : (i32, i32) -> ()', ""
    )
    before = str(module)
    error, _ = rewritten(module, "cse", context_with(*EFFECTS))
    assert (str(module), error) == (before, "")
