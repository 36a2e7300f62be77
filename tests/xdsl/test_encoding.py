"""Contents of xDSL ops as bytes: what is read cannot be told from what was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, Operation

from passel.errors import EncodingError
from passel.xdsl import XDSLAdapter, parse_source
from passel.xdsl.transport import Snapshot, decode_changes, encode_changes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.context import Context


def contents(op: Operation) -> list[object]:
    """Return everything about an op that any pass could see, with numbers for objects."""
    numbers: dict[Any, int] = {}
    found: list[object] = []

    def number(thing: object) -> int:
        return numbers.setdefault(thing, len(numbers))

    for inner in op.walk():
        found += [type(inner).__name__, inner.name, number(inner), str(inner.location)]
        found += [number(each) for each in (*inner.operands, *inner.successors)]
        found += [(number(each), str(each.type), each.name_hint) for each in inner.results]
        found += [(k, str(v), type(v).__name__) for k, v in inner.properties.items()]
        found += [(k, str(v), type(v).__name__) for k, v in inner.attributes.items()]
        found.append([(number(u.operation), u.index) for r in inner.results for u in r.uses])
        for region in inner.regions:
            for block in region.blocks:
                found += [number(block), block.name_hint]
                found.append([(number(use.operation), use.index) for use in block.uses])
                for arg in block.args:
                    found += [number(arg), str(arg.type), arg.name_hint, str(arg.location)]
                    found.append([(number(use.operation), use.index) for use in arg.uses])
    return found


def sent(op: Operation) -> bytes:
    """Return an op for a process that knows nothing of it."""
    return encode_changes(op, Snapshot.of_shell(op))


def check(op: Operation, context: Context) -> None:
    """Give an op's contents to a shell of its kind, and compare all of it."""
    shell = type(op).create(result_types=op.result_types)
    decode_changes(shell, sent(op), context)
    shell.verify()
    assert contents(shell) == contents(op)


SOURCES = {
    "branches": """
        func.func @f(%a: i32 loc("x.c":1:2), %c: i1) -> i32 {
          cf.cond_br %c, ^then(%a : i32), ^done(%a : i32)
        ^then(%b: i32):
          %d = arith.addi %b, %a {tag = "t"} : i32 loc("y.c":3:4)
          cf.br ^done(%d : i32)
        ^done(%e: i32):
          func.return %e : i32
        }""",
    "nested": """
        func.func @f(%n: index, %m: memref<4xf32>) {
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          scf.for %i = %zero to %n step %one {
            scf.for %j = %zero to %i step %one {
              %x = memref.load %m[%j] : memref<4xf32>
              memref.store %x, %m[%i] : memref<4xf32>
            }
          }
          func.return
        }""",
    "unregistered": """
        "test.graph"() ({
          %a = "un.known"(%b) {x = #un.attr<"q w">} : (!un.type<3>) -> !un.type<3>
          %b:2 = "un.other"(%a) : (!un.type<3>) -> (!un.type<3>, !un.type<3>)
        }) : () -> ()""",
    "constants": """
        func.func @f() {
          %a = arith.constant dense<[1.0, 0.1, 3.4028235e38]> : tensor<3xf32>
          %b = arith.constant 0x7FC00001 : f32
          %c = arith.constant dense<true> : tensor<8xi1>
          func.return
        }""",
}


@pytest.mark.parametrize("name", SOURCES)
def test_contents_survive(name: str) -> None:
    """Ops, values, names, locations, attributes, and the order of uses are the same."""
    context = XDSLAdapter().create_context()
    context.allow_unregistered = True
    check(parse_source(context, SOURCES[name], "a.mlir"), context)


def test_orders_of_uses_survive() -> None:
    """Uses that were added in another order than that of the ops are in that order again."""
    block = Block(arg_types=[i32])
    (a,) = block.args
    ops = [arith.AddiOp(a, a) for _ in range(4)]
    block.add_ops([*ops, func.ReturnOp(ops[0])])
    ops[3].operands[0] = ops[1].results[0]
    ops[2].operands[1] = ops[0].results[0]
    ops[1].operands = [ops[0].results[0], a]
    module = ModuleOp([func.FuncOp("f", ((i32,), (i32,)))])
    function = next(iter(module.ops))
    function.regions[0].add_block(block)
    check(module, XDSLAdapter().create_context())


def test_what_uses_values_from_outside_is_refused() -> None:
    """Only ops that are isolated from above can be sent."""
    context = XDSLAdapter().create_context()
    module = parse_source(context, SOURCES["nested"], "a.mlir")
    loops = [op for op in module.walk() if op.name == "scf.for"]
    with pytest.raises(EncodingError, match="defined outside"):
        sent(loops[1])


def files(root: Any) -> Iterator[Any]:
    """Yield IR files of this repository."""
    yield from sorted(root.glob("examples/**/*.mlir"))
    yield from sorted(root.glob("tests/lit/**/*.mlir"))


def test_files_survive(pytestconfig: pytest.Config) -> None:
    """The files at hand that xDSL reads."""
    read = 0
    for path in files(pytestconfig.rootpath):
        context = XDSLAdapter().create_context()
        context.allow_unregistered = True
        try:
            module = parse_source(context, path.read_text(encoding="utf-8"), path.name)
            module.verify()
        except Exception:  # noqa: BLE001, S112 - many of them are wrong on purpose
            continue
        check(module, context)
        read += 1
    assert read > 30
