"""`canonicalize` and `dce`: their options, and what they leave alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from xdsl.dialects.arith import ConstantOp

from passel import PassFailedError
from passel.xdsl.passes.canonicalize import Canonicalizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation

CHAIN = """
func.func @f(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %a = arith.addi %x, %zero : i32
  %b = arith.addi %a, %zero : i32
  %c = arith.addi %b, %zero : i32
  func.return %c : i32
}"""


def count(op: Operation, name: str) -> int:
    """Return how many ops of a name are in `op`."""
    return len([inner for inner in op.walk() if inner.name == name])


def test_region_simplify(parse_op: Callable[[str], Operation], run: Callable[..., object]) -> None:
    """Blocks that only each other lead to go, unless `region-simplify=disabled`."""
    text = """
func.func @f() {
  func.return
^a:
  "test.op"() : () -> ()
  cf.br ^b
^b:
  cf.br ^a
}"""
    for passes, blocks in (
        ("canonicalize{region-simplify=disabled}", 2),
        ("canonicalize{region-simplify=normal}", 1),
        ("dce", 1),
    ):
        op = parse_op(text)
        run(op, f"func.func({passes})")
        assert len(op.regions[0].blocks) == blocks


@pytest.mark.parametrize("options", ["", "{disable-patterns=SimplifyTrivialLoops}"])
def test_unregistered_ops_stay_in_loops(parse_op: Any, run: Any, options: str) -> None:
    """They are no constants, although to xDSL they have every trait."""
    loop = 'scf.for %i = %n to %n step %n { "a.b"() : () -> () }'
    op = parse_op(f"func.func @f(%n: index) {{ {loop} func.return }}")
    names = [inner.name for inner in op.walk()]
    run(op, f"func.func(canonicalize{options})")
    assert [inner.name for inner in op.walk()] == names


def test_top_down(parse_op: Callable[[str], Operation], run: Callable[..., object]) -> None:
    """It is the first op that is rewritten first, or the last one; the result is the same."""
    for top_down, first in ((True, "a"), (False, "c")):
        op = parse_op(CHAIN)
        run(op, Canonicalizer(top_down=top_down))
        assert count(op, "arith.addi") == 0

        op = parse_op(CHAIN)
        one = Canonicalizer(top_down=top_down, max_num_rewrites=1, max_iterations=1)
        run(op, one)
        left = [i.results[0].name_hint for i in op.walk() if i.name == "arith.addi"]
        assert left == [name for name in "abc" if name != first]


@pytest.mark.parametrize(
    ("options", "adds", "converges"),
    [
        ({}, 0, True),
        ({"max_iterations": 0}, 3, True),
        ({"max_iterations": 1}, 0, False),
        ({"max_iterations": 2}, 0, True),
        ({"max_iterations": -1}, 0, True),
        ({"max_num_rewrites": 0}, 3, False),
        ({"max_num_rewrites": 1}, 0, True),
        ({"max_num_rewrites": 2}, 0, True),
        ({"max_num_rewrites": -1}, 0, True),
        ({"max_num_rewrites": 1, "max_iterations": 1}, 2, False),
        ({"max_num_rewrites": 1, "max_iterations": 2}, 1, False),
        ({"max_num_rewrites": 1, "max_iterations": 10}, 0, True),
    ],
    ids=str,
)
def test_limits(
    options: dict[str, Any],
    adds: int,
    converges: bool,
    parse_op: Callable[[str], Operation],
    run: Callable[..., object],
) -> None:
    """The limits stop the work, and only `test-convergence` makes that a failure."""
    op = parse_op(CHAIN)
    run(op, Canonicalizer(**options))
    assert count(op, "arith.addi") == adds

    op = parse_op(CHAIN)
    if converges:
        run(op, Canonicalizer(**options, test_convergence=True))
    else:
        with pytest.raises(PassFailedError, match="canonicalization did not converge"):
            run(op, Canonicalizer(**options, test_convergence=True))
    assert count(op, "arith.addi") == adds


def test_dead_code_is_a_change(
    parse_op: Callable[[str], Operation], run: Callable[..., object]
) -> None:
    """An iteration that only erased blocks is followed by another one, as in MLIR."""
    op = parse_op("func.func @f() { func.return ^a: func.return }")
    with pytest.raises(PassFailedError, match="did not converge"):
        run(op, Canonicalizer(max_iterations=1, test_convergence=True))


BRANCH = """
func.func @f(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %true = arith.constant true
  %r = scf.if %true -> (i32) {
    %y = arith.addi %zero, %x : i32
    scf.yield %y : i32
  } else {
    scf.yield %x : i32
  }
  func.return %r : i32
}"""


@pytest.mark.parametrize(
    ("options", "branches"),
    [
        ("", 0),
        ("disable-patterns=SimplifyTrivialForLoop", 0),
        ("disable-patterns={PATTERN}", 1),
        ("enable-patterns={PATTERN}", 0),
        ("enable-patterns=NoSuchPattern", 1),
        ("enable-patterns={PATTERN} disable-patterns={PATTERN}", 1),
    ],
)
def test_patterns(
    options: str,
    branches: int,
    parse_op: Callable[[str], Operation],
    run: Callable[..., object],
) -> None:
    """Patterns are chosen by the names of their classes; to disable one wins."""
    from xdsl.dialects.scf import IfOp
    from xdsl.traits import HasCanonicalizationPatternsTrait

    (trait,) = IfOp.get_traits_of_type(HasCanonicalizationPatternsTrait)
    pattern = type(next(iter(trait.get_patterns(IfOp)))).__name__
    op = parse_op(BRANCH)
    run(op, f"func.func(canonicalize{{{options.replace('PATTERN', pattern)}}})")
    assert count(op, "scf.if") == branches


WIDEST = 2**63


@pytest.mark.parametrize(
    ("op_name", "a", "b", "expected"),
    [
        ("addi", WIDEST - 1, 1, -WIDEST),
        ("subi", -WIDEST, 1, WIDEST - 1),
        ("muli", WIDEST - 1, 2, -2),
    ],
)
def test_constants_of_type_index_wrap_around(
    op_name: str,
    a: int,
    b: int,
    expected: int,
    parse: Callable[[str], Operation],
    run: Callable[..., object],
) -> None:
    """What is computed with `index` is a number of 64 bits, as it is where it is not folded."""
    op = parse(f"""
func.func @f() -> index {{
  %a = arith.constant {a} : index
  %b = arith.constant {b} : index
  %c = arith.{op_name} %a, %b : index
  func.return %c : index
}}""")
    run(op, Canonicalizer())
    (constant,) = (inner for inner in op.walk() if isinstance(inner, ConstantOp))
    assert str(constant.value) == f"{expected} : index"
