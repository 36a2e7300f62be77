"""What is known of an op from its class, or seen at a glance, is not taken for more than it is."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, ClassVar, cast

import pytest
from rewriting_twins import compare_rewriting, rewritten
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.arith import Arith, SignlessIntegerBinaryOperation
from xdsl.dialects.builtin import Builtin, IntegerAttr, i32, i64
from xdsl.dialects.cf import Cf
from xdsl.dialects.func import Func
from xdsl.dialects.memref import MemRef
from xdsl.dialects.scf import Scf
from xdsl.dialects.test import Test
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Dialect, Operation, OpTraits
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import (
    ConstantLike,
    EffectInstance,
    HasCanonicalizationPatternsTrait,
    HasFolder,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)
from xdsl_inputs import xdsl_context

from passel.xdsl import fast, parse_source
from passel.xdsl.fast import rewriting_assumptions, slow_paths
from passel.xdsl.fast.assumptions import layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, SSAValue
    from xdsl.pattern_rewriter import PatternRewriter

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class _Any(IRDLOperation):
    """Base of the ops here: any operands, results and regions."""

    ins = var_operand_def()
    outs = var_result_def()
    inside = var_region_def()
    value = opt_prop_def()


def _context(*ops: type[Operation]) -> Context:
    context = Context(allow_unregistered=True)
    for dialect in (Builtin, Func, Test, Arith, Cf, Scf, MemRef, Dialect("t", list(ops), [])):
        context.load_dialect(dialect)
    return context


def _check(text: str, pipeline: str, *ops: type[Operation]) -> bool:
    return compare_rewriting(f"builtin.module {{\n{text}\n}}", pipeline, lambda: _context(*ops))


# -- Folders, patterns and constants ------------------------------------------------------------


class _Binary(SignlessIntegerBinaryOperation):
    """Base of ops that look like `arith`'s."""

    traits = traits_def(Pure())


class _OwnFold(_Binary):
    name = "t.own_fold"

    def fold(self) -> tuple[SSAValue] | None:
        return (self.lhs,)


class _OwnFolder(HasFolder):
    @classmethod
    def fold(cls, op: Operation) -> Sequence[SSAValue | Attribute] | None:
        return (op.operands[1],)


class _OwnTrait(_Binary):
    name = "t.own_trait"


class _Swap(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if "seen" not in op.attributes:
            op.attributes["seen"] = i32
            rewriter.notify_op_modified(op)


class _SwapTrait(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_Swap(),)


class _OwnPattern(_Binary):
    name = "t.own_pattern"
    traits = traits_def(Pure(), _SwapTrait())


class _OwnUnit(_Binary):
    name = "t.own_unit"

    @staticmethod
    def is_right_unit(attr: IntegerAttr) -> bool:
        return attr.value.data == 3


class _LargeUnit(_Binary):
    name = "t.large_unit"

    @staticmethod
    def is_right_unit(attr: IntegerAttr) -> bool:
        return attr.value.data == 100


class _OwnZero(_Binary):
    name = "t.own_zero"
    traits = traits_def(
        Pure(), arith.SignlessIntegerBinaryOperationHasCanonicalizationPatternsTrait()
    )

    @staticmethod
    def is_right_zero(attr: IntegerAttr) -> bool:
        return attr.value.data == 3


@pytest.mark.parametrize(
    ("base", "module"),
    [
        *product((_OwnFold, _OwnTrait, _OwnPattern, _OwnUnit, _OwnZero), ("t", arith.__name__)),
        (_LargeUnit, "t"),
    ],
)
def test_ops_that_look_like_arithmetic(base: type[_Binary], module: str) -> None:
    """An op with a folder, a pattern or neutral numbers of its own is folded and rewritten."""
    op_class = irdl_op_definition(type(base.__name__, (base,), {"__module__": module}))
    if base is _OwnTrait:  # in place of the one that is inherited
        op_class.traits = OpTraits(lambda: (Pure(), _OwnFolder()))
    text = f"""
  %x = "test.op"() : () -> i32
  %c = arith.constant {100 if base is _LargeUnit else 3} : i32
  %y = "{base.name}"(%x, %c) : (i32, i32) -> i32
  "test.op"(%y) : (i32) -> ()"""
    assert _check(text, "canonicalize", op_class)


@irdl_op_definition
class _Zero(IRDLOperation, HasFolderInterface):
    """A constant that is not `arith`'s."""

    name = "t.zero"
    out = result_def(i32)
    value = opt_prop_def()
    traits = traits_def(Pure(), ConstantLike())

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        return (IntegerAttr(0, i32),)


@pytest.mark.parametrize(
    "line",
    [
        *("arith.addi %x, %zero", "arith.muli %x, %one", "arith.muli %x, %zero"),
        *("arith.andi %x, %zero", "arith.divsi %x, %one", "arith.ori %x, %zero"),
        *("arith.addi %two, %x", "arith.muli %two, %x", "arith.addi %two, %two"),
        *("arith.addi %x, %other", "arith.addi %other, %x", "arith.subi %x, %zero"),
    ],
)
def test_constants_that_matter(line: str) -> None:
    """What has a constant on the left, or a special one on the right, is folded or rewritten."""
    text = f"""
  %x = "test.op"() : () -> i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %other = "t.zero"() <{{value = 9 : i32}}> : () -> i32
  %y = {line} : i32
  "test.op"(%y, %zero, %one, %two, %other) : (i32, i32, i32, i32, i32) -> ()"""
    assert _check(text, "canonicalize", _Zero)


def test_constants_of_type_index() -> None:
    """Sums of constants of type `index` are folded, also of constants that are not `arith`'s."""
    text = """
  %big = arith.constant 9223372036854775807 : index
  %one = arith.constant 1 : index
  %x = "test.op"() : () -> index
  %y = arith.addi %big, %one : index
  %z = arith.addi %x, %one : index
  "test.op"(%y, %z) : (index, index) -> ()"""
    assert _check(text, "canonicalize")


@irdl_op_definition
class _Wide(IRDLOperation, HasFolderInterface):
    """A constant whose value has another type than its result."""

    name = "t.wide"
    out = result_def(i32)
    traits = traits_def(Pure(), ConstantLike())

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        return (IntegerAttr(9, i64),)


def test_constants_of_other_types() -> None:
    """Only type `index` is folded otherwise than xDSL does, which keeps the type of a constant."""
    text = """
  %nine = "t.wide"() : () -> i32
  %y = arith.addi %nine, %nine : i32
  "test.op"(%y) : (i32) -> ()"""
    _check(text, "canonicalize", _Wide)


class _Hinting(RewritePattern):
    """Gives what it inserts a name, and leaves the rewriter with it."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        rewriter.name_hint = "hinted"
        if op.parent is not None and "seen" not in op.attributes:
            op.attributes["seen"] = i32
            rewriter.insert(arith.ConstantOp(IntegerAttr(7, i32)))
            rewriter.insert(AnyOp(result_types=[i32]))


class _HintingTrait(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_Hinting(),)


@irdl_op_definition
class _Hints(_Any):
    name = "t.hints"
    traits = traits_def(_HintingTrait())


@pytest.mark.parametrize("kind", ["index", "i32"])
def test_a_rewriter_that_a_pattern_has_left_with_a_name(kind: str) -> None:
    """The next op is rewritten without the name, also one that is folded."""
    text = f"""
  "t.hints"() : () -> ()
  %0 = arith.constant 5 : {kind}
  %1 = arith.addi %0, %0 : {kind}
  "test.op"(%1) : ({kind}) -> ()"""
    assert _check(text, "canonicalize", _Hints)


class _Failing(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        raise ValueError("no good")


class _FailingTrait(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_Failing(),)


@irdl_op_definition
class _Fails(_Any):
    name = "t.fails"
    traits = traits_def(_FailingTrait())


class _Detaching(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if op.next_op is not None and op.next_op.name == "test.op":
            op.next_op.detach()


class _DetachingTrait(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_Detaching(),)


@irdl_op_definition
class _Detaches(_Any):
    name = "t.detaches"
    traits = traits_def(_DetachingTrait())


@pytest.mark.parametrize(
    ("name", "message"), [("t.fails", "no good"), ("t.detaches", "must have a parent block")]
)
def test_failing_patterns(name: str, message: str) -> None:
    """An error in a pattern, and an op that a pattern has taken away, are told alike."""
    text = f'builtin.module {{ "{name}"() : () -> () "test.op"() : () -> () }}'
    context = _context(_Fails, _Detaches)
    told = [rewritten(parse_source(context, text, "test.mlir"), "canonicalize", context)[1]]
    with slow_paths():
        told.append(rewritten(parse_source(context, text, "test.mlir"), "canonicalize", context)[1])
    assert message in told[0]
    assert told[0] == told[1]


class _Recording(RewritePattern):
    """Takes note of the order in which ops are visited."""

    visited: ClassVar[list[str]] = []

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        place = rewriter.insertion_point.insert_before
        current = rewriter.current_operation  # pyright: ignore[reportDeprecated]
        told = (current is op, place is op, rewriter.has_done_action)
        self.visited.append(f"{op.attributes['n']} {told}")


class _Nothing(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Match nothing."""


class _RecordingTrait(HasCanonicalizationPatternsTrait):
    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_Nothing(), _Recording())


@irdl_op_definition
class _Recorded(_Any):
    name = "t.recorded"
    traits = traits_def(_RecordingTrait())


def test_order() -> None:
    """Ops are visited in xDSL's order, also after others that used them were erased as dead."""
    text = """
  "t.hints"() : () -> ()
  %a = "t.recorded"() {n = 1} : () -> i32
  %b = "t.recorded"() {n = 2} : () -> i32
  %p = "t.pure"(%q, %a) : (i32, i32) -> i32
  %q = "t.pure"(%p, %a, %b) : (i32, i32, i32) -> i32
  "t.recorded"(%b) {n = 3} : (i32) -> ()
  %dead = "t.pure"(%a) : (i32) -> i32
  "t.recorded"() ({ "t.recorded"() {n = 5} : () -> () }) {n = 4} : () -> ()"""
    _Recording.visited.clear()
    _check(text, "canonicalize", *_EFFECTS, _Recorded, _Hints)
    half = len(_Recording.visited) // 2
    assert half > 9
    assert _Recording.visited[:half] == _Recording.visited[half:]


# -- Effects, and what is dead ------------------------------------------------------------------


class _EffectsByProperty(MemoryEffect):
    """Effects that differ between ops of one class."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance] | None:
        match str(op.properties.get("value", "")):
            case '"write"':
                return {EffectInstance(MemoryEffectKind.WRITE)}
            case '"unknown"':
                return None
            case '"alloc"':
                return {EffectInstance(MemoryEffectKind.ALLOC, op.results[0])}
            case '"other"':
                return {EffectInstance(MemoryEffectKind.ALLOC, op.operands[0])}
            case '"read"':
                return {EffectInstance(MemoryEffectKind.READ)}
            case _:
                return set()


def _op(op_name: str, *traits: object) -> type[Operation]:
    fields = {"name": op_name, "traits": traits_def(*cast("list[Pure]", traits))}
    return irdl_op_definition(type("_Op", (_Any,), fields))


_EFFECTS = (
    _op("t.pure", Pure()),
    _op("t.read", MemoryReadEffect()),
    _op("t.write", MemoryWriteEffect()),
    _op("t.both", MemoryReadEffect(), MemoryWriteEffect()),
    _op("t.asked", _EffectsByProperty()),
    _op("t.nested", RecursiveMemoryEffect()),
    _op("t.nested_write", RecursiveMemoryEffect(), MemoryWriteEffect()),
    _op("t.nested_asked", RecursiveMemoryEffect(), _EffectsByProperty()),
    _op("t.symbol", Pure(), SymbolOpInterface()),
    _op("t.end", Pure(), IsTerminator()),
    _op("t.unknown"),
)
_LINES = (
    *('"t.pure"(%x) : (i32) -> i32', '"t.read"(%x) : (i32) -> i32'),
    *('"t.write"(%x) : (i32) -> i32', '"t.both"(%x) : (i32) -> i32'),
    *('"t.unknown"(%x) : (i32) -> i32', '"no.one"(%x) : (i32) -> i32'),
    *(
        f'"t.asked"(%x) <{{value = "{effect}"}}> : (i32) -> i32'
        for effect in ("none", "read", "write", "alloc", "other", "unknown")
    ),
)
_NESTS = ("t.nested", "t.nested_write", "t.nested_asked", "t.pure", "t.read", "t.unknown")


@pytest.mark.parametrize("line", _LINES)
@pytest.mark.parametrize("pipeline", ["canonicalize", "cse", "dce"])
def test_effects(line: str, pipeline: str) -> None:
    """What has effects stays, in every combination of nesting and use; what has none goes.

    Effects are asked of the op where they are not known from its class.
    """
    nests = "\n".join(
        f'%n{n} = "{name}"() ({{ %y{n} = {line} }}) : () -> i32' for n, name in enumerate(_NESTS)
    )
    deep = "\n".join(
        f'"t.nested"() ({{ "{name}"() ({{ %z = {line} }}) : () -> () }}) : () -> ()'
        for name in _NESTS
    )
    twice = f'%a = {line}\n%b = {line}\n"test.op"(%a, %b) : (i32, i32) -> ()'
    reads = f"""
  %c = "t.read"(%x) : (i32) -> i32
  %d = {line}
  %e = "t.read"(%x) : (i32) -> i32
  "t.nested"() ({{ %f = {line} }}) : () -> ()
  %g = "t.read"(%x) : (i32) -> i32
  "test.op"(%c, %d, %e, %g) : (i32, i32, i32, i32) -> ()"""
    text = f'%x = "test.op"() : () -> i32\n%dead = {line}\n{nests}\n{deep}\n{twice}\n{reads}'
    assert _check(text, pipeline, *_EFFECTS)


@pytest.mark.parametrize("pipeline", ["canonicalize", "cse", "dce"])
def test_symbols_and_terminators_stay(pipeline: str) -> None:
    """Neither is dead, whatever its effects; nor is an op of which one result is used."""
    text = """
  "t.symbol"() {sym_name = "s"} : () -> ()
  %a, %b = "t.pure"() : () -> (i32, i32)
  "test.op"(%b) : (i32) -> ()
  %c, %d = "t.pure"() : () -> (i32, i32)
  "t.nested"() ({ "t.end"() : () -> () }) : () -> ()"""
    assert _check(text, pipeline, *_EFFECTS)


@pytest.mark.parametrize(
    "text",
    [
        # Nothing but itself needs it.
        '%a = "t.pure"(%b) : (i32) -> i32 %b = "t.pure"(%a) : (i32) -> i32',
        # One use each, by one op: only both together are dead.
        '%a = "t.pure"() : () -> i32 %b = "t.pure"(%a, %a) : (i32, i32) -> i32',
        # A chain, and one that somebody needs.
        (
            '%a = "t.pure"() : () -> i32 %b = "t.pure"(%a) : (i32) -> i32 "t.pure"(%b) : (i32) -> ()'
            ' %c = "t.pure"(%a) : (i32) -> i32 "test.op"(%c) : (i32) -> ()'
        ),
        # Needed inside of what is dead itself.
        '%a = "t.pure"() : () -> i32 "t.nested"() ({ "t.pure"(%a) : (i32) -> () }) : () -> ()',
        '%a = "t.pure"() : () -> i32 "t.pure"() ({ "t.write"(%a) : (i32) -> () }) : () -> ()',
        # Used by what comes before.
        '"test.op"(%a) : (i32) -> () %a = "t.pure"() : () -> i32 %b = "t.pure"() : () -> i32',
        # Blocks that are not reached, one of which uses what another one defines.
        'func.func @f() { func.return ^a: %x = "t.pure"() : () -> i32 cf.br ^b ^b: func.return }',
        'func.func @f() { cf.br ^b ^a: %x = "t.pure"() : () -> i32 cf.br ^b ^b: func.return }',
        # Reached, but with nothing in it.
        '"test.op"() ({ "test.termop"() [^a] : () -> () ^a: }) : () -> ()',
        '"test.op"() ({ "test.termop"() [^a] : () -> () ^a: "t.pure"() : () -> () }) : () -> ()',
        # Reached from an op that nobody knows.
        '"test.op"() ({ "no.one"() [^a] : () -> () ^a: "t.write"() : () -> () }) : () -> ()',
        '"test.op"() ({ "t.write"() [^a] : () -> () ^a: "t.write"() : () -> () }) : () -> ()',
        # Dead in regions of several blocks, nested in one another.
        (
            'func.func @f() { cf.br ^a ^a: "t.unknown"() ({ cf.br ^b ^b: %x = "t.pure"() : () -> i32'
            ' "t.end"() : () -> () ^c: "t.end"() : () -> () }) : () -> () func.return }'
        ),
    ],
)
def test_dead_code(text: str) -> None:
    """Dead is what no effect depends on, in one region or several, in order or in circles."""
    for pipeline in ("canonicalize", "cse", "dce"):
        _check(text, pipeline, *_EFFECTS)
    assert _check(text, "dce,canonicalize", *_EFFECTS) or "no.one" in text


def test_traits_that_are_added_later() -> None:
    """A trait that is given to a class between two runs counts in the second one."""
    op_class = _op("t.later")
    text = '%a = "t.later"() : () -> i32'
    assert not _check(text, "dce", op_class)
    op_class.traits.add_trait(Pure())
    assert _check(text, "dce", op_class)


# -- Common subexpressions ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "is_changed"),
    [
        # The same, with attributes that are several objects, or in another order.
        (['"t.pure"() {a = [1, "x"]} : () -> i32'] * 2, True),
        ([f'"t.pure"() {{{each}}} : () -> i32' for each in ("a = 1, b = 2", "b = 2, a = 1")], True),
        # Of other attributes, or under other names.
        ([f'"t.pure"() {{{each}}} : () -> i32' for each in ("a = 1", "a = 2")], False),
        ([f'"t.pure"() {{{each}}} : () -> i32' for each in ("a = 1", "b = 1")], False),
        # Of other types, operands, names.
        (['"t.pure"() : () -> i32', '"t.pure"() : () -> i64'], False),
        (['"t.pure"(%x) : (i32) -> i32', '"t.pure"(%y) : (i32) -> i32'], False),
        (['"t.pure"(%x, %y) : (i32, i32) -> i32', '"t.pure"(%y, %x) : (i32, i32) -> i32'], False),
        (['"t.pure"(%x) : (i32) -> i32', '"t.also_pure"(%x) : (i32) -> i32'], False),
        # With regions.
        (['"t.pure"() ({ "test.op"() : () -> () }) : () -> i32'] * 2, True),
        (
            [
                f'"t.pure"() ({{ "test.op"() {{a = {n}}} : () -> () }}) : () -> i32'
                for n in (1, 2, 1, 2)
            ],
            True,
        ),
        (['"t.pure"() ({ cf.br ^a ^a: "t.end"() : () -> () }) : () -> i32'] * 2, False),
        (['"t.pure"() ({ }) : () -> i32', '"t.pure"() ({ }, { }) : () -> i32'], False),
        # Ends of blocks, and unregistered ops, which may be.
        (['"t.end"(%x) : (i32) -> i32'] * 2, False),
        (['"no.one"(%x) : (i32) -> i32'] * 2, False),
        # Known around, but not in what is isolated, and not after the region.
        (["arith.constant 1 : i32", '"t.pure"() ({ %r = arith.constant 1 : i32 "test.op"(%r) : (i32) -> () }) : () -> i32'], True),
        (['"t.pure"() ({ %r = arith.constant 1 : i32 "test.op"(%r) : (i32) -> () }) : () -> i32', "arith.constant 1 : i32"], False),
        (["arith.constant 1 : i32", '"t.pure"() ({ builtin.module { %r = arith.constant 1 : i32 "test.op"(%r) : (i32) -> () } }) : () -> i32'], False),
        (["arith.constant 1 : i32", '"no.one"() ({ %r = arith.constant 1 : i32 "test.op"(%r) : (i32) -> () }) : () -> i32'], False),
        (["arith.constant 1 : i32", '"no.one"() ({ "test.op"() : () -> () }) : () -> i32', "arith.constant 1 : i32"], True),
        # Reads, with nothing between, with writes, around regions and in others.
        (['"t.read"(%x) : (i32) -> i32'] * 3, True),
        (['"t.read"(%x) : (i32) -> i32', '"t.write"() : () -> i32', '"t.read"(%x) : (i32) -> i32'], False),
        (['"t.read"(%x) : (i32) -> i32', '"no.one"() : () -> i32', '"t.read"(%x) : (i32) -> i32'], False),
        (['"t.read"(%x) : (i32) -> i32', '"t.write"() : () -> i32', '"t.read"(%x) : (i32) -> i32', '"t.read"(%x) : (i32) -> i32'], True),
        (['"t.read"(%x) : (i32) -> i32', '"t.nested"() ({ %r = "t.read"(%x) : (i32) -> i32 "test.op"(%r) : (i32) -> () }) : () -> i32'], False),
        (['"t.read"(%x) : (i32) -> i32', '"t.nested"() ({ "t.write"() : () -> () "t.write"() : () -> () %r = "t.read"(%x) : (i32) -> i32 "test.op"(%r) : (i32) -> () }) : () -> i32'], False),
        (['"t.read"(%x) : (i32) -> i32', '"t.nested"() ({ "t.nested"() ({ "t.write"() : () -> () }) : () -> () }) : () -> i32', '"t.read"(%x) : (i32) -> i32'], False),
        (['"t.read"(%x) : (i32) -> i32', '"t.nested"() ({ "t.pure"(%x) : (i32) -> () }) : () -> i32', '"t.read"(%x) : (i32) -> i32'], True),
        (['"t.asked"(%x) <{value = "read"}> : (i32) -> i32', '"t.asked"(%x) <{value = "write"}> : (i32) -> i32', '"t.asked"(%x) <{value = "read"}> : (i32) -> i32'], False),
    ],
)  # fmt: skip
def test_subexpressions(lines: list[str], is_changed: bool) -> None:
    """Ops are merged if all that matters of them is equal, and nothing was written between."""
    body = "\n".join(f"%r{n} = {line}" for n, line in enumerate(lines))
    kinds = [
        line.rpartition("-> ")[2] if "->" in line else line.rpartition(": ")[2] for line in lines
    ]
    kinds = [kind.strip() for kind in kinds]
    used = (
        f'"test.op"({", ".join(f"%r{n}" for n in range(len(lines)))}) : ({", ".join(kinds)}) -> ()'
    )
    text = f'%x = "test.op"() : () -> i32\n%y = "test.op"() : () -> i32\n{body}\n{used}'
    ops = (*_EFFECTS, _op("t.also_pure", Pure()))
    assert _check(text, "cse", *ops) == is_changed


def test_attributes_and_properties_differ() -> None:
    """The same under the same name, but once as a property, makes ops different."""
    context = _context(*_EFFECTS)
    text = '%a = "t.pure"() {a = 1} : () -> i32 %b = "t.pure"() {a = 1} : () -> i32 "test.op"(%a, %b) : (i32, i32) -> ()'
    module = parse_source(context, text, "test.mlir")
    second = list(module.walk())[2]
    second.properties["a"] = second.attributes.pop("a")
    before = layout(module)
    assert rewritten(module, "cse", context)[0] == before


@pytest.mark.parametrize(
    "text",
    [
        # The second sum's user was seen before it, and is known under its operand.
        (
            '%u = "t.pure"(%b) : (i32) -> i32 %a = "t.pure"() : () -> i32 %b = "t.pure"() : () -> i32'
            ' "test.op"(%u, %a) : (i32, i32) -> ()'
        ),
        # A user was seen, but in a region that is left.
        (
            '%n = "t.nested"() ({ %k = "t.pure"(%b) : (i32) -> i32 "test.op"(%k) : (i32) -> () }) : () -> i32'
            ' %a = "t.pure"() : () -> i32 %b = "t.pure"() : () -> i32 "test.op"(%n, %a) : (i32, i32) -> ()'
        ),
        # A user was seen, but has effects, so that nobody will use it again.
        (
            '"test.op"(%b) : (i32) -> () %a = "t.pure"() : () -> i32 %b = "t.pure"() : () -> i32'
            ' "test.op"(%a) : (i32) -> ()'
        ),
    ],
)
def test_users_that_come_before(text: str) -> None:
    """In a graph region, an op that is known already keeps its operands."""
    _check(text, "cse", *_EFFECTS)
    _check(text, "cse,cse,canonicalize", *_EFFECTS)


# -- Which is taken -----------------------------------------------------------------------------


def test_slow_paths() -> None:
    """Inside of `slow_paths()`, or with an xDSL that lacks something, xDSL's own parts run."""
    ways = (fast.greedy_rewriter, fast.dead_code_eraser, fast.subexpression_eliminator)
    assert rewriting_assumptions.rewriting_mismatches() == ()
    assert all(way() is not None for way in ways)
    with slow_paths():
        assert not any(way() for way in ways)


def test_another_xdsl(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a member is missing, xDSL's own parts run, and nothing is said."""
    monkeypatch.setitem(rewriting_assumptions.MEMBERS, Operation, ("no_such_member",))
    rewriting_assumptions.rewriting_mismatches.cache_clear()
    assert fast.greedy_rewriter() is None
    monkeypatch.undo()
    rewriting_assumptions.rewriting_mismatches.cache_clear()
    assert compare_rewriting("builtin.module { }", "canonicalize", xdsl_context) is False
