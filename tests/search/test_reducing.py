"""Reduction of cases on both IRs."""

from __future__ import annotations

import ctypes
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from corpus import Asked, subject_of

from passel import Pass, PassFailure
from passel.search import Case, Reducer, SameFailure, SearchError, Trials
from passel.search.starting import failure_of, narrowed, printed

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.search.oracle import FailureIdentity

SOURCE = """
func.func private @g(i32) -> i32
func.func @noise(%t: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = arith.addf %t, %t : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @long_name(%x: i32, %c: i1, %d: i1) -> i32 attributes {foo = "a,b"} {
  %0 = arith.constant 12345 : i32
  %1:2 = scf.if %c -> (i32, i32) {
    %z = arith.addi %x, %0 : i32
    scf.yield %z, %x : i32, i32
  } else {
    scf.yield %x, %x : i32, i32
  }
  cf.cond_br %d, ^bb1(%1#0 : i32), ^bb2
^bb1(%a: i32):
  %r = func.call @g(%a) : (i32) -> i32
  %s = arith.select %c, %r, %a : i32
  %m = arith.muli %s, %r {bar = 3 : i32} : i32
  return %m : i32
^bb2:
  return %1#1 : i32
}
"""


def _raise_key(text: str) -> None:
    if "arith.muli" in text and "arith.select" in text:
        raise KeyError(f"no {text.count('%')}")


def _give_up(text: str) -> None:
    if "arith.muli" in text and "scf.if" in text:
        raise PassFailure(f"cannot do {text.count('%')}")


def _exit(text: str) -> None:
    if "call @g" in text and "arith.muli" in text:
        sys.exit(3)


def _crash(text: str) -> None:
    if "arith.select" in text:
        ctypes.string_at(0)


class Faulty(Pass[Any]):
    """Does what it should not."""

    name = "faulty"
    how: str = "raise"
    other: int = 0

    def run(self, op: Any, ctx: Any) -> None:
        """Look at the text, which is the same on both IRs."""
        acts: dict[str, Callable[[str], None]] = {
            "raise": _raise_key,
            "fail": _give_up,
            "exit": _exit,
            "crash": _crash,
        }
        acts[self.how](str(op))


def _reduced(ir: str, pipeline: str, jobs: int = 1) -> tuple[Reducer, Trials, FailureIdentity]:
    subject = subject_of(ir, Faulty)
    case = Case(printed(subject, SOURCE) or "", pipeline)
    identity = failure_of(subject, case)
    assert identity is not None
    trials = Trials(SameFailure(subject, identity), jobs=jobs)
    reducer = Reducer(case, trials)
    local = narrowed(subject, case)
    assert local is not None
    assert reducer.offer([local])
    reducer.run()
    return reducer, trials, identity


_EXPECTED = {
    "raise": ({"arith.select", "arith.muli", "func.return", "func.func", "builtin.module"}, 5),
    "fail": (
        {"scf.if", "arith.muli", "scf.yield", "func.return", "func.func", "builtin.module"},
        7,
    ),
    "exit": ({"func.call", "arith.muli", "func.return", "func.func", "builtin.module"}, 6),
    "crash": ({"arith.select", "func.return", "func.func", "builtin.module"}, 4),
}


@pytest.mark.parametrize(
    ("ir", "how"),
    [
        ("xdsl", "raise"),
        pytest.param("xdsl", "fail", marks=pytest.mark.sweep),
        ("xdsl", "exit"),
        pytest.param("xdsl", "crash", marks=pytest.mark.sweep),
        ("mlir", "fail"),
        ("mlir", "crash"),
    ],
)
def test_what_is_needed_is_left(ir: str, how: str) -> None:
    """Of a case on either IR, the pass and the ops are left that it fails on, in few calls."""
    text = f"builtin.module(func.func(cse,faulty{{how={how} other=1}},cse),symbol-dce)"
    reducer, trials, identity = _reduced(ir, text)
    names, most = _EXPECTED[how]
    assert {name for name in names if f'"{name}"' in reducer.best.ir} == names
    assert reducer.size.ops <= most
    option = "" if how == "raise" else f"{{how={how}}}"
    assert reducer.best.pipeline == f"builtin.module(func.func(faulty{option}))"
    assert failure_of(subject_of(ir, Faulty), reducer.best) == identity
    assert trials.calls <= 60


def test_a_result_may_become_any_of_the_operands() -> None:
    """Of an op that only hands on its second operand, that one is left."""
    source = """
    func.func @f(%a: i32, %b: i32) -> i32 {
      %0 = arith.subi %a, %b : i32
      %1 = arith.addi %a, %0 : i32
      func.return %1 : i32
    }
    """

    def returns_what_is_subtracted(text: str) -> bool:
        added = r'"arith.addi"\(%\w+, (%\w+)\)'
        text = re.sub(rf'(%\w+) = {added}(.*"func.return"\()\1\)', r"\3\2)", text, flags=re.DOTALL)
        return re.search(r'(%\w+) = "arith.subi".*"func.return"\(\1\)', text, re.DOTALL) is not None

    case = Case(printed(subject_of("xdsl", Faulty), source) or "")
    reducer = Reducer(case, Trials(Asked(returns_what_is_subtracted)))
    assert "arith.addi" not in reducer.run().ir


def test_a_case_that_cannot_be_run_is_refused() -> None:
    """IR that does not parse has no failure to look for."""
    with pytest.raises(SearchError, match="cannot be read"):
        failure_of(subject_of("xdsl", Faulty), Case("func.func @f(", "builtin.module(cse)"))


def test_the_best_case_is_there_after_an_interrupt() -> None:
    """When the search is stopped, what was found until then is small already."""
    subject = subject_of("xdsl", Faulty)
    case = Case(printed(subject, SOURCE) or "", "builtin.module(func.func(cse,faulty))")
    identity = failure_of(subject, case)
    assert identity is not None
    phases: list[str] = []

    def stop(phase: str) -> None:
        phases.append(phase)
        if phase == "branches":
            raise KeyboardInterrupt

    reducer = Reducer(case, Trials(SameFailure(subject, identity)), stop)
    before = reducer.size
    with pytest.raises(KeyboardInterrupt):
        reducer.run()
    assert reducer.size < before
    assert failure_of(subject, reducer.best) == identity
