"""The check of isolated ops finds what xDSL's trait finds, in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def, var_region_def
from xdsl.traits import IsolatedFromAbove, OpTrait
from xdsl.utils.exceptions import VerifyException
from xdsl_inputs import enough, sampled, xdsl_context, xdsl_corpus

from passel.xdsl import parse_source
from passel.xdsl.invariants import InvariantChecker, check_isolation

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Operation


def complaint(check: Callable[[Operation], None], op: Operation) -> str:
    """Return what a check says of an op."""
    try:
        check(op)
    except VerifyException as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("inside", "is_valid"),
    [
        ('"test.op"(%b) : (i32) -> ()', True),
        ('"test.op"(%c) : (i32) -> () %c = "test.op"() : () -> i32', True),
        ('"test.op"() ({ "test.op"(%b) : (i32) -> () }) : () -> ()', True),
        ('"test.op"(%a) : (i32) -> ()', False),
        ('"test.op"(%b, %a) : (i32, i32) -> () "test.op"(%own) : (i32) -> ()', False),
        ('"test.op"() ({ "test.op"() ({ "test.op"(%a) : (i32) -> () }) : () -> () }) : () -> ()', False),
        ('"test.op"() ({ "test.op"(%own) : (i32) -> () }) : () -> () "test.op"(%a) : (i32) -> ()', False),
        # Left to ops that are isolated themselves, or may be.
        ('builtin.module { "test.op"(%a) : (i32) -> () }', True),
        ('"no.one"() ({ "test.op"(%a) : (i32) -> () }) : () -> ()', True),
    ],
)  # fmt: skip
def test_values_from_outside(inside: str, is_valid: bool) -> None:
    """Values from outside and the op's own results are found, at any depth; others are not."""
    text = f"""
  %a = "test.op"() : () -> i32
  %own = "test.op"() ({{ ^bb0(%b: i32): {inside} }}) : () -> i32"""
    module = parse_source(xdsl_context(), text, "test.mlir")
    _, op = module.regions[0].block.ops
    assert complaint(check_isolation, op) == complaint(IsolatedFromAbove().verify, op)
    assert is_valid == (not complaint(check_isolation, op))


@sampled(30)
def test_corpus(step: int) -> None:
    """All ops of xDSL's corpus with regions, isolated or not, are judged as by the trait."""
    refused = 0
    for _, chunk in xdsl_corpus()[::step]:
        try:
            module = parse_source(xdsl_context(), chunk, "test.mlir")
        except Exception:  # noqa: BLE001, S112 - the corpus has tests of errors
            continue
        for op in module.walk():
            said = complaint(IsolatedFromAbove().verify, op) if op.regions else ""
            assert said == (complaint(check_isolation, op) if op.regions else "")
            refused += bool(said)
    assert refused > enough(10)


class _Refuses(OpTrait):
    def verify(self, op: Operation) -> None:
        raise VerifyException("refused")


@pytest.mark.parametrize("regions", [0, 1])
def test_traits_that_are_added_later(regions: int) -> None:
    """A trait that a class is given after one of its ops was verified is verified as well."""

    @irdl_op_definition
    class Later(IRDLOperation):
        name = "t.later"
        inside = var_region_def()
        traits = traits_def()

    op = Later.create(regions=[parse_source(xdsl_context(), "", "t").detach_region(0)] * regions)
    InvariantChecker().check(op)
    Later.traits.add_trait(_Refuses())
    with pytest.raises(VerifyException, match="refused"):
        InvariantChecker().check(op)
