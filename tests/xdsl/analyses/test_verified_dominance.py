"""Verification accepts and rejects uses as mlir-opt does, with its words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tool_fixtures import UNREGISTERED, run_mlir_opt_on_all
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.dialects.test import TestOp as Op
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import VerifyException

from passel.diagnostics import UNKNOWN
from passel.ir import InvalidIR
from passel.xdsl import XDSLAdapter
from passel.xdsl.definitions import check_definitions
from passel.xdsl.regions import HasOnlyGraphRegion, may_have_graph_region

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

DEF, USE = '%v = "x.def"() : () -> i32', '"x.use"(%v) : (i32) -> ()'
LATE, EARLY = f"{USE}  {DEF}", f"{DEF}  {USE}"


def _function(body: str) -> str:
    return f"func.func @f(%c: i1, %n: index) {{ {body} }}"


FUNCTIONS = {
    "in order": f"{EARLY} return",
    "out of order": f"{LATE} return",
    "itself": '%v = "x.both"(%v) : (i32) -> i32 return',
    "unregistered": f'"x.op"() ({{ {LATE} }}) : () -> () return',
    "unregistered, several blocks": f'"x.op"() ({{ {LATE} cf.br ^b ^b: "x.end"() : () -> () }}) : () -> () return',
    "graph in order around": f'"x.op"() ({{ scf.if %c {{ {USE} }} {DEF} }}) : () -> () return',
    "own result inside": f'%v = "x.op"() ({{ {USE} }}) : () -> i32 return',
    "scf.if, in order": f"scf.if %c {{ {EARLY} }} return",
    "scf.if, out of order": f"scf.if %c {{ {LATE} }} return",
    "scf.if, outer": f"{DEF} scf.if %c {{ {USE} }} return",
    "scf.if, outer but later": f"scf.if %c {{ {USE} }} {DEF} return",
    "scf.for, argument": 'scf.for %i = %n to %n step %n { "x.use"(%i) : (index) -> () } return',
    "blocks, dominating": f"{DEF} cf.br ^a ^a: {USE} return",
    "blocks, text order does not count": f"cf.br ^b ^a: {USE} return ^b: {DEF} cf.br ^a",
    "blocks, one of two ways": f"cf.cond_br %c, ^a, ^b ^a: {DEF} cf.br ^b ^b: {USE} return",
    "blocks, around a loop": f"cf.br ^a ^a: {USE} {DEF} cf.cond_br %c, ^a, ^b ^b: return",
    "blocks, argument": f'{DEF} cf.br ^a(%v : i32) ^a(%w: i32): cf.br ^b ^b: "x.use"(%w) : (i32) -> () return',
    "blocks, argument of a sibling": f'{DEF} cf.cond_br %c, ^a(%v : i32), ^b ^a(%w: i32): return ^b: "x.use"(%w) : (i32) -> () return',
    "blocks, nested use": f"cf.br ^a ^a: scf.if %c {{ {USE} }} return ^b: {DEF} return",
    "blocks, nested in a dominated one": f"{DEF} cf.br ^a ^a: scf.if %c {{ {USE} }} return",
    "unreachable, anything": f"return ^a: {LATE} return",
    "unreachable, from elsewhere": f"return ^a: {USE} return ^b: {DEF} return",
    "unreachable, used from reachable": f"{USE} return ^a: {DEF} return",
    "unreachable, nested in order": f"return ^a: {DEF} scf.if %c {{ {USE} }} return",
    "unreachable, nested out of order": f"return ^a: scf.if %c {{ {USE} }} {DEF} return",
    "unreachable, nested from elsewhere": f"return ^a: scf.if %c {{ {USE} }} return ^b: {DEF} return",
    "unreachable, wrong inside": f"return ^a: scf.if %c {{ {LATE} }} return",
}  # fmt: skip
"""Bodies of functions."""

CASES = {
    **{name: _function(body) for name, body in FUNCTIONS.items()},
    "module": f"{LATE}",
    "module, itself": '%v = "x.both"(%v) : (i32) -> i32',
    "module, nested use": f'"x.op"() ({{ {USE} }}) : () -> () {DEF}',
    "nested module": f"module {{ {LATE} }}",
    "gpu.module": f'"gpu.module"() <{{sym_name = "m"}}> ({{ {LATE} }}) : () -> ()',
    "own result inside a graph": f'%v = "x.op"() ({{ {USE} }}) : () -> i32',
}  # fmt: skip


def test_as_mlir_opt(parse: Callable[[str], Operation]) -> None:
    """The verdict, the message and its note are those of mlir-opt."""
    texts: dict[str, str] = {}
    for name, case in CASES.items():
        text = re.sub(r"((?:scf\.(?:if|for) [^{]*|else )\{[^}]*)\}", r"\1 scf.yield }", case)
        texts[name] = re.sub(r"(\^\w+(\([^)]*\))?:|cf\.\w+|return|scf\.\w+|\} else)", r"\n\1", text)
    messages = re.compile(r"(?:error|note): (?!see current operation)(.*)")
    theirs = run_mlir_opt_on_all(texts, UNREGISTERED)
    expected = {name: messages.findall(each.err) for name, each in theirs.items()}
    assert {name: _messages(parse(text)) for name, text in texts.items()} == expected


def _messages(module: Operation) -> list[str]:
    try:
        module.verify()
        XDSLAdapter(dominance=False).verify(module, recursive=True)
    except (InvalidIR, VerifyException) as error:
        return [f"without dominance: {error}"]
    try:
        XDSLAdapter().verify(module, recursive=True)
    except InvalidIR as error:
        return [error.message, *(message for _, message in error.notes)]
    return []


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
    assert caught.value.notes == ((UNKNOWN, "operand defined here (op in a child region)"),)
    user.detach()
    enclosing.regions[1].block.add_op(user)
    with pytest.raises(InvalidIR) as caught:
        check_definitions(module)
    ((_, note),) = caught.value.notes
    assert note.endswith("(op is neither in a parent nor in a child region)")
    inner.detach()
    with pytest.raises(InvalidIR):
        check_definitions(module)


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
