"""The passes give the IR that MLIR's passes of the same name give."""

from __future__ import annotations

import random
import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tool_fixtures import MlirOpt, Outcome
    from xdsl.ir import Operation

PROGRAMS = [path.read_text() for path in sorted(Path(__file__).parent.glob("inputs/*.mlir"))]
MUTUAL = """
func.func @ping(%n: i32) -> i32 {
  %k = arith.constant 10 : i32
  %m = arith.addi %n, %k : i32
  %r = call @pong(%m) : (i32) -> i32
  return %r : i32
}
func.func private @pong(%n: i32) -> i32 {
  %k = arith.constant 3 : i32
  %m = arith.muli %n, %k : i32
  %r = call @ping(%m) : (i32) -> i32
  return %r : i32
}
func.func @outside(%n: i32) -> i32 {
  %r = call @pong(%n) : (i32) -> i32
  %s = call @unused_later(%r) : (i32) -> i32
  return %s : i32
}
func.func private @never(%n: i32) -> i32 {
  %s = call @unused_later(%n) : (i32) -> i32
  return %s : i32
}
func.func private @unused_later(%n: i32) -> i32 {
  return %n : i32
}
func.func private @taken(%n: i32) -> i32 {
  return %n : i32
}
func.func @address(%n: i32) -> i32 attributes {handler = @taken} {
  %r = call @taken(%n) : (i32) -> i32
  return %r : i32
}
"""
SPLIT = "\n// -----\n"


def done(outcome: Outcome) -> str:
    """Return what a run that must succeed has printed."""
    assert outcome.code == 0, outcome.err
    return outcome.out


@pytest.fixture
def compare(
    transform: Callable[..., tuple[Operation, object]], mlir_opt: MlirOpt
) -> Callable[..., None]:
    """Hold a pipeline against MLIR's, over several modules at once."""

    def check(texts: list[str], ours: str, *theirs: str, loose: bool = False) -> None:
        printed = SPLIT.join(str(transform(text, ours)[0]) for text in texts)
        left = done(mlir_opt("--split-input-file", source=printed))
        right = done(mlir_opt("--split-input-file", *theirs, source=SPLIT.join(texts)))
        if loose:
            left, right = without_constants(left), without_constants(right)
        assert left == right

    return check


def without_constants(text: str) -> str:
    """Put constants where they are used, as their order and number mean nothing."""
    lines: list[str] = []
    constants: dict[str, str] = {}
    for line in text.splitlines():
        if "func.func" in line:
            constants.clear()
        if (match := re.match(r"\s*(%\w[\w-]*) = arith.constant (.*)", line)) is not None:
            constants[match[1]] = f"<{match[2]}>"
            continue
        lines.append(re.sub(r"%\w[\w-]*", lambda m: constants.get(m[0], m[0]), line))
    return "\n".join(lines)


@pytest.mark.parametrize(
    "options", ["", "inlining-threshold=60", "inlining-threshold=0", "max-iterations=1"]
)
def test_inline(options: str, compare: Callable[..., None]) -> None:
    """Inline."""
    ours = f"inline{{default-pipeline={{}} {options}}}"
    compare([*PROGRAMS, MUTUAL], ours, f"--inline=default-pipeline= {options}")


def test_mem2reg_on_programs(compare: Callable[..., None]) -> None:
    """`mem2reg` on programs."""
    simplify = "region-simplify=false"
    compare(PROGRAMS, f"mem2reg{{{simplify}}}", f"--mem2reg={simplify}")


def test_sccp_on_programs(compare: Callable[..., None]) -> None:
    """`sccp` on programs."""
    compare(PROGRAMS, "sccp", "--sccp", loose=True)


def random_function(seed: int, *, written: bool = False) -> str:  # noqa: C901, PLR0915 - one case per op
    """Return a function of random blocks that load, compute, store and branch."""
    choose = random.Random(seed)  # noqa: S311 - repeatable inputs
    count = choose.randint(2, 7)
    lines = [f"func.func @f{seed}(%c0: i1, %x0: i32) -> i32 {{"]
    slots = choose.randint(1, 3)
    lines += [f"  %s{slot} = memref.alloca() : memref<i32>" for slot in range(slots)]
    if written:
        lines += [f"  memref.store %x0, %s{slot}[] : memref<i32>" for slot in range(slots)]
    for block in range(count):
        if block:
            lines.append(f"^b{block}:")
        values, conditions = ["%x0"], ["%c0"]
        for step in range(choose.randint(0, 5)):
            name = f"%v{block}_{step}"
            match choose.randint(0, 4):
                case 0:
                    lines.append(f"  {name} = arith.constant {choose.randint(-2, 2)} : i32")
                    values.append(name)
                case 1:
                    a, b = choose.choice(values), choose.choice(values)
                    op = choose.choice(["addi", "muli", "subi", "divsi", "andi"])
                    lines.append(f"  {name} = arith.{op} {a}, {b} : i32")
                    values.append(name)
                case 2:
                    a, b = choose.choice(values), choose.choice(values)
                    predicate = choose.choice(["eq", "slt", "uge"])
                    lines.append(f"  {name} = arith.cmpi {predicate}, {a}, {b} : i32")
                    conditions.append(name)
                case 3:
                    slot = choose.randrange(slots)
                    lines.append(f"  {name} = memref.load %s{slot}[] : memref<i32>")
                    values.append(name)
                case _:
                    slot, value = choose.randrange(slots), choose.choice(values)
                    lines.append(f"  memref.store {value}, %s{slot}[] : memref<i32>")
        # Every block can be reached: what else is in memory there does not matter.
        targets = [f"^b{min(block + 1, count - 1)}", f"^b{choose.randint(1, count - 1)}"]
        if block == count - 1:
            lines.append(f"  return {choose.choice(values)} : i32")
        elif choose.randint(0, 2):
            choose.shuffle(targets)
            lines.append(f"  cf.cond_br {choose.choice(conditions)}, {', '.join(targets)}")
        else:
            lines.append(f"  cf.br {targets[0]}")
    return "\n".join([*lines, "}"])


def test_mem2reg_and_sccp_on_random_blocks(compare: Callable[..., None], mlir_opt: MlirOpt) -> None:
    """`mem2reg` and `sccp` on random blocks."""
    text = "\n".join(random_function(seed) for seed in range(60))
    simplify = "region-simplify=false"
    compare([text], f"mem2reg{{{simplify}}}", f"--mem2reg={simplify}")
    # What is never written is poison, which MLIR folds and xDSL does not know.
    text = "\n".join(random_function(seed, written=True) for seed in range(60))
    promoted = done(mlir_opt(f"--mem2reg={simplify}", source=text))
    compare([promoted], "sccp", "--sccp", loose=True)


VALUES = (-128, -7, -1, 0, 1, 2, 8, 127)
OPS = (
    *("addi", "subi", "muli", "andi", "ori", "xori", "divsi", "divui", "remsi", "remui"),
    *("floordivsi", "ceildivsi", "ceildivui", "shli", "shrsi", "shrui"),
    *("maxsi", "minsi", "maxui", "minui"),
)
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def test_sccp_computes_as_mlir_does(compare: Callable[..., None]) -> None:
    """`sccp` computes as MLIR does."""
    rows = [(f"arith.{op} %{{}}, %{{}} : i8", "i8", "i8") for op in OPS]
    rows += [(f"arith.cmpi {each}, %{{}}, %{{}} : i8", "i8", "i1") for each in PREDICATES]
    casts = (
        "extsi i8 i16",
        "extui i8 i16",
        "trunci i8 i4",
        "index_cast index i8",
        "index_cast i8 index",
    )
    for op, source, target in map(str.split, casts):
        rows.append((f"arith.{op} %{{}} : {source} to {target}", source, target))
    functions: list[str] = []
    for text, source, target in rows:
        # MLIR gives up on some divisions of the smallest number that have a result.
        values = VALUES["divsi" in text :]
        lines = [f"%c{n} = arith.constant {value} : {source}" for n, value in enumerate(values)]
        names = [f"c{n}" for n in range(len(values))]
        pairs = list(product(names, repeat=text.count("{}")))
        lines += [f"%r{n} = {text.format(*pair)}" for n, pair in enumerate(pairs)]
        types = ", ".join([target] * len(pairs))
        lines.append(f"return {', '.join(f'%r{n}' for n in range(len(pairs)))} : {types}")
        functions.append(
            f"func.func @f{len(functions)}() -> ({types}) {{\n{chr(10).join(lines)}\n}}"
        )
    compare(["\n".join(functions)], "sccp", "--sccp", loose=True)
