"""Places in pipelines, and runs that stop at one and go on from it."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from sweeps import STEP
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from passel import Pass, PassContext, PassManager, Statistic
from passel.ir import PrintFlags
from passel.passes import PassRegistry, default_registry
from passel.search import Place, Stretch
from passel.xdsl import XDSLAdapter, parse_source

if TYPE_CHECKING:
    from collections.abc import Sequence

ADAPTER = XDSLAdapter()


SOURCE = """
builtin.module {
  func.func @f(%a: i32) -> i32 {
    %0 = arith.addi %a, %a : i32
    %1 = arith.addi %a, %a : i32
    %c = arith.constant 0 : i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %2, %c : i32
    func.return %3 : i32
  }
  func.func private @unused()
  builtin.module @inner {
    func.func @g(%a: i32) -> i32 {
      %c = arith.constant 0 : i32
      %d = arith.constant 0 : i32
      %0 = arith.addi %a, %c : i32
      %1 = arith.addi %0, %d : i32
      func.return %1 : i32
    }
  }
  func.func @h(%a: i32) -> i32 {
    %0 = func.call @f(%a) : (i32) -> i32
    %1 = arith.muli %0, %0 : i32
    %2 = arith.muli %0, %0 : i32
    func.return %0 : i32
  }
}
"""


class Mark(Pass[Operation]):
    """Write down that it ran, so that no execution is lost or happens twice unnoticed."""

    name = "mark"
    marks = Statistic("Marks")

    def run(self, op: Operation, ctx: PassContext) -> None:
        """Append to an attribute."""
        old = op.attributes.get("marks", StringAttr(""))
        assert isinstance(old, StringAttr)
        op.attributes["marks"] = StringAttr(f"{old.data} {len(old.data)}")
        ctx.count(self.marks)


REGISTRY = PassRegistry(default_registry())
REGISTRY.register(Mark)

_ANYWHERE = ("cse", "canonicalize", "dce", "mark", "mark")


def _random_elements(numbers: random.Random, depth: int) -> str:
    """Return elements of a pipeline on a module, some of them nested."""
    elements: list[str] = []
    for _ in range(numbers.randint(1, 3)):
        kind = numbers.random()
        if kind < 0.4:
            passes = ",".join(numbers.choices(_ANYWHERE, k=numbers.randint(1, 3)))
            elements.append(f"{numbers.choice(['func.func', 'any'])}({passes})")
        elif kind < 0.6 and depth:
            elements.append(f"builtin.module({_random_elements(numbers, depth - 1)})")
        else:
            elements.append(numbers.choice([*_ANYWHERE, "symbol-dce", "inline"]))
    return ",".join(elements)


_PARSED = parse_source(ADAPTER.create_context(), SOURCE, "input.mlir")


def _module() -> ModuleOp:
    module = _PARSED.clone()
    assert isinstance(module, ModuleOp)
    return module


def _manager(pipeline: str) -> PassManager:
    return PassManager.parse(pipeline, ADAPTER.create_context(), registry=REGISTRY, adapter=ADAPTER)


def _run(
    pipeline: str, module: ModuleOp, start: Place | None = None, stop: Place | None = None
) -> tuple[str, Counter[tuple[str, str]], Stretch]:
    """Run a stretch of a pipeline, and return the IR, the statistics, and the stretch."""
    manager = _manager(pipeline)
    stretch = Stretch(tuple(manager.passes_by_path()), ADAPTER.symbol_name, start, stop)
    manager.add_gate(stretch)
    statistics = manager.run(module).statistics
    counts = Counter({(p, n): c for p, each in statistics.items() for n, c in each.items()})
    text = ADAPTER.print_op(module, PrintFlags(generic=True, debuginfo=True))
    return text, counts, stretch


def _places(paths: Sequence[str]) -> list[Place]:
    return [Place(path, symbol) for path in paths for symbol in ("", "f", "g", "h")]


@pytest.mark.parametrize(
    "seed",
    [
        *range(0, 100, 12),
        *(pytest.param(n, marks=pytest.mark.sweep) for n in range(1, 100, min(STEP, 4)) if n % 12),
    ],
)
def test_stopping_and_going_on_does_what_one_run_does(seed: int) -> None:
    """At every place of a random pipeline: the same IR, locations and statistics."""
    pipeline = f"builtin.module({_random_elements(random.Random(seed), 2)})"  # noqa: S311 - repeatable
    whole, all_counts, _ = _run(pipeline, _module())
    manager = _manager(pipeline)
    reached = 0
    for place in _places(tuple(manager.passes_by_path())):
        module = _module()
        _, first, stretch = _run(pipeline, module, stop=place)
        if stretch.missed:
            continue
        text, rest, _ = _run(pipeline, module, start=place)
        assert (text, first + rest) == (whole, all_counts), (pipeline, place)
        reached += 1
    assert reached >= len(tuple(manager.passes_by_path()))
