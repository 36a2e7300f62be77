"""Verification accepts and rejects uses as mlir-opt does, with its words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import UNREGISTERED
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.test import TestOp as Op
from xdsl.ir import Block, Region

from passel.ir import InvalidIR
from passel.xdsl import XDSLAdapter
from passel.xdsl.definitions import check_definitions
from passel.xdsl.regions import HasOnlyGraphRegion, may_have_graph_region

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import MlirOpt
    from xdsl.ir import Operation

LATE = '"x.use"(%v) : (i32) -> ()  %v = "x.def"() : () -> i32'
EARLY = '%v = "x.def"() : () -> i32  "x.use"(%v) : (i32) -> ()'


def _function(body: str) -> str:
    return f"func.func @f(%c: i1, %n: index) {{ {body} }}"


CASES = {
    "in order": _function(f"{EARLY} return"),
    "out of order": _function(f"{LATE} return"),
    "itself": _function('%v = "x.both"(%v) : (i32) -> i32 return'),
    "module": LATE,
    "module, itself": '%v = "x.both"(%v) : (i32) -> i32',
    "module, nested use": '"x.op"() ({ "x.use"(%v) : (i32) -> () }) : () -> () %v = "x.def"() : () -> i32',
    "nested module": f"module {{ {LATE} }}",
    "gpu.module": f'"gpu.module"() <{{sym_name = "m"}}> ({{ {LATE} }}) : () -> ()',
    "unregistered": _function(f'"x.op"() ({{ {LATE} }}) : () -> () return'),
    "unregistered, several blocks": _function(
        f'"x.op"() ({{ {LATE} cf.br ^b ^b: "x.end"() : () -> () }}) : () -> () return'
    ),
    "graph in order around": _function(
        '"x.op"() ({ scf.if %c { "x.use"(%v) : (i32) -> () } %v = "x.def"() : () -> i32 }) : () -> () return'
    ),
    "own result inside": _function(
        '%v = "x.op"() ({ "x.use"(%v) : (i32) -> () }) : () -> i32 return'
    ),
    "own result inside a graph": '%v = "x.op"() ({ "x.use"(%v) : (i32) -> () }) : () -> i32',
    "scf.if, in order": _function(f"scf.if %c {{ {EARLY} }} return"),
    "scf.if, out of order": _function(f"scf.if %c {{ {LATE} }} return"),
    "scf.if, outer": _function(
        '%v = "x.def"() : () -> i32 scf.if %c { "x.use"(%v) : (i32) -> () } return'
    ),
    "scf.if, outer but later": _function(
        'scf.if %c { "x.use"(%v) : (i32) -> () } %v = "x.def"() : () -> i32 return'
    ),
    "scf.for, argument": _function(
        'scf.for %i = %n to %n step %n { "x.use"(%i) : (index) -> () } return'
    ),
    "blocks, dominating": _function(
        '%v = "x.def"() : () -> i32 cf.br ^a ^a: "x.use"(%v) : (i32) -> () return'
    ),
    "blocks, text order does not count": _function(
        'cf.br ^b ^a: "x.use"(%v) : (i32) -> () return ^b: %v = "x.def"() : () -> i32 cf.br ^a'
    ),
    "blocks, one of two ways": _function(
        'cf.cond_br %c, ^a, ^b ^a: %v = "x.def"() : () -> i32 cf.br ^b ^b: "x.use"(%v) : (i32) -> () return'
    ),
    "blocks, around a loop": _function(
        'cf.br ^a ^a: "x.use"(%v) : (i32) -> () %v = "x.def"() : () -> i32 cf.cond_br %c, ^a, ^b ^b: return'
    ),
    "blocks, argument": _function(
        '%v = "x.def"() : () -> i32 cf.br ^a(%v : i32) ^a(%w: i32): cf.br ^b ^b: "x.use"(%w) : (i32) -> () return'
    ),
    "blocks, argument of a sibling": _function(
        '%v = "x.def"() : () -> i32 cf.cond_br %c, ^a(%v : i32), ^b ^a(%w: i32): return ^b: "x.use"(%w) : (i32) -> () return'
    ),
    "blocks, nested use": _function(
        'cf.br ^a ^a: scf.if %c { "x.use"(%v) : (i32) -> () } return ^b: %v = "x.def"() : () -> i32 return'
    ),
    "blocks, nested in a dominated one": _function(
        '%v = "x.def"() : () -> i32 cf.br ^a ^a: scf.if %c { "x.use"(%v) : (i32) -> () } return'
    ),
    "unreachable, anything": _function(f"return ^a: {LATE} return"),
    "unreachable, from elsewhere": _function(
        'return ^a: "x.use"(%v) : (i32) -> () return ^b: %v = "x.def"() : () -> i32 return'
    ),
    "unreachable, used from reachable": _function(
        '"x.use"(%v) : (i32) -> () return ^a: %v = "x.def"() : () -> i32 return'
    ),
    "unreachable, nested in order": _function(
        'return ^a: %v = "x.def"() : () -> i32 scf.if %c { "x.use"(%v) : (i32) -> () } return'
    ),
    "unreachable, nested out of order": _function(
        'return ^a: scf.if %c { "x.use"(%v) : (i32) -> () } %v = "x.def"() : () -> i32 return'
    ),
    "unreachable, nested from elsewhere": _function(
        'return ^a: scf.if %c { "x.use"(%v) : (i32) -> () } return ^b: %v = "x.def"() : () -> i32 return'
    ),
    "unreachable, wrong inside": _function(f"return ^a: scf.if %c {{ {LATE} }} return"),
}


@pytest.mark.parametrize("case", CASES)
def test_as_mlir_opt(
    case: str,
    parse: Callable[[str], Operation],
    mlir_opt: MlirOpt,
) -> None:
    """The verdict, the message and its note are those of mlir-opt."""
    text = re.sub(r"((?:scf\.(?:if|for) [^{]*|else )\{[^}]*)\}", r"\1 scf.yield }", CASES[case])
    text = re.sub(
        r"(\^\w+(\([^)]*\))?:|cf\.\w+|return|scf\.\w+|ml_program\.output|\} else)", r"\n\1", text
    )
    theirs = mlir_opt(UNREGISTERED, source=text)
    found = re.search(r"error: (operand #\d+ does not dominate this use)", theirs.err)
    assert bool(found) == (theirs.code != 0), theirs.err
    module = parse(text)
    module.verify()
    XDSLAdapter(dominance=False).verify(module, recursive=True)
    if found is None:
        XDSLAdapter().verify(module, recursive=True)
        return
    with pytest.raises(InvalidIR) as caught:
        XDSLAdapter().verify(module, recursive=True)
    assert caught.value.message == found[1]
    note = re.search(r"note: (operand defined .*)", theirs.err)
    assert note is not None
    assert [message for _, message in caught.value.notes] == [note[1]]


def test_the_root_may_use_what_is_around(parse: Callable[[str], Operation]) -> None:
    """An op that is verified on its own sees the values around it, in their order."""
    use = '"x.op"() ({ "x.use"(%v) : (i32) -> () }) : () -> ()'
    define = '%v = "x.def"() : () -> i32'
    for body, valid in ((f"{define} {use}", True), (f"{use} {define}", False)):
        module = parse(_function(f"{body} func.return"))
        (branch,) = [
            op for op in module.walk() if op.regions and not op.get_attr_or_prop("sym_name")
        ][1:]
        try:
            XDSLAdapter().verify(branch, recursive=True)
        except InvalidIR:
            assert not valid
        else:
            assert valid


def test_values_do_not_leave_their_region() -> None:
    """Text cannot say it, but passes can do it."""
    inner = Op(result_types=[i32])
    user = Op(operands=inner.results)
    enclosing = Op(regions=[Region(Block([inner])), Region(Block())])
    module = ModuleOp([enclosing, user])
    with pytest.raises(InvalidIR) as caught:
        check_definitions(module)
    assert caught.value.op is user
    assert caught.value.notes == ((inner, "operand defined here (op in a child region)"),)
    user.detach()
    enclosing.regions[1].block.add_op(user)
    with pytest.raises(InvalidIR) as caught:
        check_definitions(module)
    ((_, note),) = caught.value.notes
    assert note.endswith("(op is neither in a parent nor in a child region)")
    inner.detach()
    with pytest.raises(InvalidIR):
        check_definitions(module)


def test_deep_nests_need_no_stack() -> None:
    """Two thousand regions, one in the other, are no reason to fail."""
    op = Op()
    for _ in range(2_000):
        op = Op(regions=[Region(Block([op]))])
    check_definitions(op)


def test_a_trait_makes_graph_regions() -> None:
    """A dialect's author can say that order does not matter."""
    from xdsl.dialects.scf import IfOp
    from xdsl.irdl import IRDLOperation, irdl_op_definition, region_def, traits_def

    @irdl_op_definition
    class Graph(IRDLOperation):
        name = "toy.graph"
        body = region_def()
        traits = traits_def(HasOnlyGraphRegion())

    assert may_have_graph_region(Graph)
    assert not may_have_graph_region(IfOp)
