"""`inline` does work in proportion to what it is given: counted in calls, not in time."""

from __future__ import annotations

from cProfile import Profile
from typing import TYPE_CHECKING

import pytest

from passel import PassManager
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

LINKS = {
    "that only call": "func.return %y : i32",
    "that add what they are given": "%z = arith.addi %y, %x : i32 func.return %z : i32",
}


def chain(length: int, rest: str, visibility: str) -> str:
    """Return functions that call one another, the first one called from `main`."""
    links = [
        f"func.func {visibility} @f{i}(%x: i32) -> i32 {{\n"
        f"%y = func.call @f{i + 1}(%x) : (i32) -> i32\n{rest} }}"
        for i in range(length)
    ]
    last = f"func.func {visibility} @f{length}(%x: i32) -> i32 {{ func.return %x : i32 }}"
    main = """func.func @main(%x: i32) -> i32 {
      %y = func.call @f0(%x) : (i32) -> i32
      func.return %y : i32
    }"""
    return "\n".join([*links, last, main])


def run_counted(text: str, pipeline: str) -> tuple[int, Operation]:
    """Run a pipeline; return how many calls of functions that took, and the module after it."""
    adapter = XDSLAdapter()
    context = adapter.create_context()
    module = parse_source(context, text, "test.mlir")
    manager = PassManager("builtin.module", context).add(pipeline)
    with Profile() as profile:
        manager.run(module)
    return sum(each.callcount for each in profile.getstats()), module


@pytest.mark.parametrize("pipeline", ["inline", "inline{default-pipeline={}}"])
@pytest.mark.parametrize("rest", LINKS.values(), ids=LINKS)
def test_a_chain_of_calls_costs_as_much_as_it_is_long(rest: str, pipeline: str) -> None:
    """A chain of functions four times as long is inlined with four times the work, whatever they do."""
    run_counted(chain(5, rest, "private"), pipeline)  # what is imported and cached is so now
    short, _ = run_counted(chain(20, rest, "private"), pipeline)
    long, module = run_counted(chain(80, rest, "private"), pipeline)
    assert long < 4 * short
    assert "func.call" not in str(module)
    assert str(module).count("func.func") == 1


def test_a_chain_inlines_to_the_same_where_its_links_are_marked(
    transform: Callable[..., tuple[Operation, object]],
) -> None:
    """Where a link may not be inlined, those below it are inlined into it and those above not."""
    text = chain(4, LINKS["that only call"], "private").replace(
        "@f2(%x: i32) -> i32 {", "@f2(%x: i32) -> i32 attributes {no_inline} {"
    )
    module, _ = transform(text, "inline")
    printed = str(module)
    assert printed.count("func.call") == printed.count("func.call @f2") == 1
    assert printed.count("func.func") == 2
