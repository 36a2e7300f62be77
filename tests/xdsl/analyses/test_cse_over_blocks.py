"""`cse` over the dominator tree: results, statistics and what it preserves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tool_fixtures import UNREGISTERED, run_mlir_opt_on_all
from xdsl.context import Context
from xdsl_inputs import readable

from passel import Pass, PassInstrumentation, PassManager
from passel.xdsl import DominanceInfo, XDSLAdapter
from passel.xdsl.passes.cse import CSE

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

    from passel import PassContext

PARTS = {
    **{name.upper(): f"%{name} = arith.addi %x, %x : i32" for name in "abk"},
    **{f"use {name}": f'"x.use"(%{name}) : (i32) -> ()' for name in "abk"},
    "slot": "%m = memref.alloca() : memref<i32>",
    **{f"load {name}": f"%{name} = memref.load %m[] : memref<i32>" for name in "ab"},
    "branch": "cf.cond_br %c, ^l, ^r\n^l:",
    "end": "func.return",
}
"""Lines that come often."""

BODIES = {
    "one block": "A; B; use a; use b; end",
    "nothing to do": "A; use a; end",
    "dead": "A; end",
    "dead chain": "A; %d = arith.muli %a, %a : i32; end",
    "dominating": "A; use a; cf.br ^l; ^l:; B; use b; end",
    "both ways": "A; use a; branch; B; use b; cf.br ^e; ^r:; K; use k; cf.br ^e; ^e:; end",
    "siblings": "branch; A; use a; cf.br ^e; ^r:; B; use b; cf.br ^e; ^e:; end",
    "join": "branch; A; use a; cf.br ^e; ^r:; cf.br ^e; ^e:; B; use b; end",
    "join of a known": "A; use a; branch; cf.br ^e; ^r:; cf.br ^e; ^e:; B; use b; end",
    "loop": "cf.br ^l; ^l:; A; use a; cf.cond_br %c, ^l, ^r; ^r:; B; use b; end",
    "into a loop": "A; use a; cf.br ^l; ^l:; B; use b; cf.cond_br %c, ^l, ^r; ^r:; end",
    "unreachable": "A; use a; end; ^u:; B; K; use b; use k; end",
    "dead in unreachable": "end; ^u:; A; end",
    "chain": 'A; %d = arith.muli %a, %a : i32; cf.br ^l; ^l:; B; %e = arith.muli %b, %b : i32; "x.use"(%d, %e) : (i32, i32) -> (); end',
    "block arguments": 'A; cf.br ^l(%a : i32); ^l(%y: i32):; B; %d = arith.addi %y, %x : i32; %e = arith.addi %y, %x : i32; "x.use"(%b, %d, %e) : (i32, i32, i32) -> (); end',
    "scf.if inside": "A; use a; branch; scf.if %c {; B; use b; scf.yield; }; cf.br ^r; ^r:; end",
    "scf.if before": "scf.if %c {; B; use b; scf.yield; }; A; use a; branch; cf.br ^r; ^r:; K; use k; end",
    "two if": "scf.if %c {; A; B; use a; use b; scf.yield; } else {; K; use k; scf.yield; }; end",
    "loads": "slot; load a; load b; use a; use b; end",
    "loads across blocks": "slot; load a; use a; cf.br ^l; ^l:; load b; use b; end",
    "store between loads": "slot; load a; memref.store %x, %m[] : memref<i32>; load b; use a; use b; end",
    "constants": "%a = arith.constant 1 : i32; branch; %b = arith.constant 1 : i32; use b; cf.br ^r; ^r:; use a; end",
}  # fmt: skip


def _text(body: str) -> str:
    lines = "\n".join(PARTS.get(line, line) for line in body.split("; "))
    return f"func.func @f(%c: i1, %x: i32) {{\n{lines}\n}}"


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


def test_as_mlir_opt(
    parse: Callable[[str], Operation], text_of: Callable[[Operation], str]
) -> None:
    """The result, printed by mlir-opt, is mlir-opt's, counts are true, and dominance survives."""
    texts = {name: _text(body) for name, body in BODIES.items()}
    results: dict[str, str] = {}
    for name, module in readable(texts, parse).items():
        before = sum(1 for _ in module.walk())
        manager = PassManager("builtin.module", Context(), adapter=XDSLAdapter())
        manager.add(Ask()).add(CSE()).add(Ask(seen=True))
        manager.enable_verifier("always")
        manager.enable_analysis_verifier()
        result = manager.run(module)
        counts = {what: n for group in result.statistics.values() for what, n in group.items()}
        erased = before - sum(1 for _ in module.walk())
        assert sum(counts.values()) == erased, (name, counts)
        assert set(counts) <= {"num-cse'd", "num-dce'd"}, name
        results[name] = text_of(module)
    theirs = run_mlir_opt_on_all(texts, UNREGISTERED, "--cse")
    assert [name for name, each in theirs.items() if each.code] == []
    again = run_mlir_opt_on_all(results, UNREGISTERED)
    assert again == {name: theirs[name] for name in results}


def test_dominance_is_an_analysis_of_the_run(parse_op: Callable[[str], Operation]) -> None:
    """Observers of analyses see that it is computed, for a function of several blocks alone."""
    seen: list[str] = []

    class Watch(PassInstrumentation):
        def before_analysis(self, name: str, kind: object, op: object) -> None:
            seen.append(name)

    for body in ("func.return", "cf.br ^b ^b: func.return"):
        manager = PassManager("func.func")
        manager.add(CSE())
        manager.add_instrumentation(Watch())
        manager.run(parse_op(f"func.func @f() {{ {body} }}"))
    assert seen == ["DominanceInfo"]
