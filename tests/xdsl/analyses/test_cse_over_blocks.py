"""`cse` over the dominator tree: results, statistics and what it preserves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tool_fixtures import UNREGISTERED
from xdsl.context import Context

from passel import Pass, PassManager
from passel.xdsl import DominanceInfo, XDSLAdapter
from passel.xdsl.passes.cse import CSE

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import MlirOpt
    from xdsl.ir import Operation

    from passel import PassContext

A, B, C = (f"%{name} = arith.addi %x, %x : i32\n" for name in "abk")
USE_A, USE_B, USE_C = (f'"x.use"(%{name}) : (i32) -> ()\n' for name in "abk")
BRANCH = "cf.cond_br %c, ^l, ^r\n^l:\n"
END = "func.return\n"

BODIES = {
    "one block": A + B + USE_A + USE_B + END,
    "nothing to do": A + USE_A + END,
    "dead": A + END,
    "dead chain": A + "%d = arith.muli %a, %a : i32\n" + END,
    "dominating": A + USE_A + "cf.br ^l\n^l:\n" + B + USE_B + END,
    "both ways": A
    + USE_A
    + BRANCH
    + B
    + USE_B
    + "cf.br ^e\n^r:\n"
    + C
    + USE_C
    + "cf.br ^e\n^e:\n"
    + END,
    "siblings": BRANCH + A + USE_A + "cf.br ^e\n^r:\n" + B + USE_B + "cf.br ^e\n^e:\n" + END,
    "join": BRANCH + A + USE_A + "cf.br ^e\n^r:\n" + "cf.br ^e\n^e:\n" + B + USE_B + END,
    "join of a known": A + USE_A + BRANCH + "cf.br ^e\n^r:\n" + "cf.br ^e\n^e:\n" + B + USE_B + END,
    "loop": "cf.br ^l\n^l:\n" + A + USE_A + "cf.cond_br %c, ^l, ^r\n^r:\n" + B + USE_B + END,
    "into a loop": A + USE_A + "cf.br ^l\n^l:\n" + B + USE_B + "cf.cond_br %c, ^l, ^r\n^r:\n" + END,
    "unreachable": A + USE_A + END + "^u:\n" + B + C + USE_B + USE_C + END,
    "dead in unreachable": END + "^u:\n" + A + END,
    "chain": A
    + "%d = arith.muli %a, %a : i32\ncf.br ^l\n^l:\n"
    + B
    + '%e = arith.muli %b, %b : i32\n"x.use"(%d, %e) : (i32, i32) -> ()\n'
    + END,
    "block arguments": A
    + "cf.br ^l(%a : i32)\n^l(%y: i32):\n"
    + B
    + "%d = arith.addi %y, %x : i32\n%e = arith.addi %y, %x : i32\n"
    + '"x.use"(%b, %d, %e) : (i32, i32, i32) -> ()\n'
    + END,
    "scf.if inside": A
    + USE_A
    + BRANCH
    + "scf.if %c {\n"
    + B
    + USE_B
    + "scf.yield\n}\ncf.br ^r\n^r:\n"
    + END,
    "scf.if before": "scf.if %c {\n"
    + B
    + USE_B
    + "scf.yield\n}\n"
    + A
    + USE_A
    + BRANCH
    + "cf.br ^r\n^r:\n"
    + C
    + USE_C
    + END,
    "two if": "scf.if %c {\n"
    + A
    + B
    + USE_A
    + USE_B
    + "scf.yield\n} else {\n"
    + C
    + USE_C
    + "scf.yield\n}\n"
    + END,
    "loads": "%m = memref.alloca() : memref<i32>\n%a = memref.load %m[] : memref<i32>\n%b = memref.load %m[] : memref<i32>\n"
    + USE_A
    + USE_B
    + END,
    "loads across blocks": "%m = memref.alloca() : memref<i32>\n%a = memref.load %m[] : memref<i32>\n"
    + USE_A
    + "cf.br ^l\n^l:\n%b = memref.load %m[] : memref<i32>\n"
    + USE_B
    + END,
    "store between loads": "%m = memref.alloca() : memref<i32>\n%a = memref.load %m[] : memref<i32>\nmemref.store %x, %m[] : memref<i32>\n%b = memref.load %m[] : memref<i32>\n"
    + USE_A
    + USE_B
    + END,
    "constants": "%a = arith.constant 1 : i32\n"
    + BRANCH
    + "%b = arith.constant 1 : i32\n"
    + USE_B
    + "cf.br ^r\n^r:\n"
    + USE_A
    + END,
}


def _text(body: str) -> str:
    return f"func.func @f(%c: i1, %x: i32) {{\n{body}}}"


@pytest.mark.parametrize("name", BODIES)
def test_as_mlir_opt(
    name: str,
    parse: Callable[[str], Operation],
    text_of: Callable[[Operation], str],
    mlir_opt: MlirOpt,
) -> None:
    """The result, printed by mlir-opt, is that of mlir-opt's pass, and the counts are true."""
    text = _text(BODIES[name])
    theirs = mlir_opt(UNREGISTERED, "--cse", source=text)
    assert theirs.code == 0, theirs.err
    module = parse(text)
    before = sum(1 for _ in module.walk())
    manager = PassManager("builtin.module", Context(), adapter=XDSLAdapter())
    manager.add(CSE())
    manager.enable_verifier("always")
    result = manager.run(module)
    assert mlir_opt(UNREGISTERED, source=text_of(module)).out == theirs.out
    counts = {name: n for group in result.statistics.values() for name, n in group.items()}
    erased = before - sum(1 for _ in module.walk())
    assert sum(counts.values()) == erased, counts
    assert set(counts) <= {"num-cse'd", "num-dce'd"}


class Ask(Pass):
    """Compute dominance, and check whether it was there."""

    name = "ask"
    seen: bool = False

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Ask for the trees."""
        cached = ctx.cached_analysis(DominanceInfo)
        assert (cached is not None) == self.seen
        info = ctx.analysis(DominanceInfo)
        for inner in op.walk():
            for region in inner.regions:
                info.tree(region)
        ctx.preserve_all()


@pytest.mark.parametrize("name", BODIES)
def test_dominance_is_preserved(name: str, parse: Callable[[str], Operation]) -> None:
    """Dominance survives, and is what it would be if it were computed again."""
    manager = PassManager("builtin.module", Context(), adapter=XDSLAdapter())
    manager.add(Ask()).add(CSE()).add(Ask(seen=True))
    manager.enable_analysis_verifier()
    manager.run(parse(_text(BODIES[name])))
