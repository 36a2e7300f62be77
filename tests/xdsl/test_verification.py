"""`verify` must accept what xDSL accepts, dominance aside, and say which op it rejects."""

from collections.abc import Callable
from functools import partial

import pytest
from xdsl.dialects.arith import SelectOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.test import TestOp as Op
from xdsl.dialects.test import TestTermOp as TermOp
from xdsl.ir import Block, Operation, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition, region_def
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl_inputs import outcome_of, sampled, xdsl_context, xdsl_corpus

from passel.ir import InvalidIR
from passel.xdsl.parsing import parse_source
from passel.xdsl.verification import verify

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def _invalid(op: Operation, *, recursive: bool = True) -> InvalidIR:
    with pytest.raises(InvalidIR) as caught:
        verify(op, recursive=recursive)
    return caught.value


@sampled(6)
def test_accepts_and_rejects_what_xdsl_does(step: int) -> None:
    """`verify` and `Operation.verify` never disagree over xDSL's own tests."""
    rejected = 0
    check = partial(verify, recursive=True, dominance=False)
    for file, chunk in xdsl_corpus()[::step]:
        try:
            module = parse_source(xdsl_context(), chunk, file)
        except ParseError:
            continue
        error = outcome_of(check, module)
        assert bool(error) == bool(outcome_of(module.verify)), chunk
        rejected += bool(error)
    assert rejected > 50


def test_names_the_invalid_op(parse: Callable[[str], Operation]) -> None:
    """The error carries the op that is wrong and the verifier's own message."""
    module = parse('"test.op"() ({ "func.return"() : () -> () }) : () -> ()')
    error = _invalid(module)
    assert error.op.name == "func.return"
    assert error.message == str(error)
    assert isinstance(error.__cause__, VerifyException)


def test_reports_the_first_of_two_invalid_ops() -> None:
    """Verifiers run from the leaves up, so a nested op is reported before its parent."""
    inner, outer = _Broken(), _Broken(regions=[Region(Block([TermOp.create()]))])
    outer.regions[0].block.insert_op_before(inner, outer.regions[0].block.ops.last or inner)
    assert _invalid(outer).op is inner
    inner.detach()
    assert _invalid(outer).op is outer


def test_an_outer_verifier_decides() -> None:
    """A class that overrides `verify`, and does not call its base, accepts what it pleases."""
    verify(_Lenient(regions=[Region()]), recursive=True)
    verify(_Lenient(regions=[Region(Block([Op()]))]), recursive=True)
    verify(_Lenient(regions=[Region(Block([Op()]))]), recursive=False)
    verify(ModuleOp([_Lenient(regions=[Region(Block([Op()]))])]), recursive=True)
    strict = _Extended(regions=[Region()])
    error = _invalid(strict)
    assert error.op is strict
    assert "expected a single block" in error.message
    assert "\n" not in error.message  # xDSL's own error shows the enclosing module
    with pytest.raises(InvalidIR, match="refused by the outer verifier"):
        verify(_Extended(regions=[Region(Block([TermOp.create()]))]), recursive=True)
    inner = Op()
    assert _invalid(_Extended(regions=[Region(Block([inner]))])).op is inner


@irdl_op_definition
class _Lenient(IRDLOperation):
    """As stim's circuit up to xDSL 0.66."""

    name = "test.lenient"
    body = region_def("single_block")

    def verify(self, verify_nested_ops: bool = True) -> None:
        """Accept everything."""


@irdl_op_definition
class _Extended(IRDLOperation):
    """As LLVM's casts, which check more."""

    name = "test.extended"
    body = region_def("single_block")

    def verify(self, verify_nested_ops: bool = True) -> None:
        super().verify(verify_nested_ops)
        raise VerifyException("refused by the outer verifier")


@irdl_op_definition
class _Broken(IRDLOperation):
    """An op whose verifier has a bug."""

    name = "test.broken"

    def __init__(self, regions: list[Region] | None = None) -> None:
        Operation.__init__(self, regions=regions or [])

    def verify_(self) -> None:
        """Fail in a way that no verifier should."""
        raise AssertionError("a bug")


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ('"test.op"() : () -> ()', "block with no terminator"),
        ("^bb0:", "empty block: expect at least a terminator"),
    ],
)
def test_rejects_a_block_without_terminator(
    parse: Callable[[str], Operation], block: str, message: str
) -> None:
    """A block that needs a terminator and has none is reported in MLIR's words."""
    error = _invalid(parse(f'"test.op"() ({{ {block} }}) : () -> ()'))
    assert (error.op.name, error.message) == ("test.op", message)


def test_rejects_misplaced_successors() -> None:
    """Successors need an op at the end of a block, and a target in the same region."""
    target = Block([TermOp.create()])
    detached = TermOp(successors=[target])
    assert "not in a block" in _invalid(detached).message
    outer = Op(regions=[Region(Block([detached]))])
    assert "another region" in _invalid(outer).message
    outer.regions[0].block.add_op(Op())
    assert "must terminate" in _invalid(outer).message


def test_rejects_wrong_parent_pointers() -> None:
    """Links that contradict the structure are found."""
    module = ModuleOp([Op()])
    block = module.body.block
    assert block.first_op is not None
    block.first_op.parent = None
    assert "parent pointer" in _invalid(module).message
    block.first_op.parent = block
    block.parent = None
    assert "parent pointer" in _invalid(module).message


def test_shallow_verification_looks_at_what_nested_ops_say_of_each_other() -> None:
    """Without `recursive`, verifiers written by hand run, as they may look anywhere.

    What the definition of a nested op demands does not count, but the shape of regions does.
    """
    broken = _Broken()
    assert _invalid(ModuleOp([broken]), recursive=False).op is broken
    verify(ModuleOp([SelectOp.create()]), recursive=False)
    unterminated = FuncOp("f", ((), ()), Region(Block([Op()])))
    assert "no terminator" in _invalid(ModuleOp([unterminated]), recursive=False).message
    assert _invalid(Op(regions=[Region(Block())]), recursive=False).message


def test_verifies_deep_nests() -> None:
    """Nesting of 2000 regions is no reason to fail, neither for verifiers nor for dominance."""
    op = Op()
    for _ in range(2000):
        op = Op(regions=[Region(Block([op, TermOp()]))])
    verify(op, recursive=True)
