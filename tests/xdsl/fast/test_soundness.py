"""Ops whose parsers look around are not learned from, and nothing unusual is done by example."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, cast

import pytest
from twins import assert_same, eager_learning
from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, Builtin, IntAttr, IntegerAttr, StringAttr, i32
from xdsl.dialects.func import Func
from xdsl.dialects.test import Test
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Dialect,
    Operation,
    OpResult,
    ParametrizedAttribute,
    SSAValue,
)
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    var_operand_def,
    var_result_def,
    var_successor_def,
)
from xdsl_inputs import xdsl_context

from passel.xdsl import parse_source, parsed_in_context
from passel.xdsl.fast.templates import same_attribute
from passel.xdsl.source_parser import SourceParser

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.parser import AttrParser, Parser
    from xdsl.parser.core import UnresolvedOperand

    Consult = Callable[[Any, UnresolvedOperand, SSAValue[Any]], object]

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

_LINES = """\
builtin.module {
  %a, %b, %longer = "t.source"() : () -> (i32, i32, i32)
  "t.region"() ({
  ^bb0(%c: i32, %d: i32):
    %0 = t.op %a : i32
    %1 = t.op %a : i32
    %2 = t.op %b : i32
    %3 = t.op %longer : i32
      %4 = t.op %c : i32
    %named = t.op %d : i32
    "t.use"(%a) : (i32) -> ()
    %6 = t.op %a : i32
    %7 = t.op %named : i32
    %8 = t.op %0 : i32
    %9 = t.op %d : i32
  }) : () -> ()
}
"""


def _context(*ops: type[Operation], attributes: Sequence[type[Attribute]] = ()) -> Context:
    context = Context(allow_unregistered=True)
    for dialect in (Builtin, Func, Test, Dialect("t", list(ops), list(attributes))):
        context.load_dialect(dialect)
    return context


@irdl_op_definition
class _Op(IRDLOperation):
    """Base of the ops here: any operands, results and successors."""

    name = "t.op"
    values = var_operand_def()
    made = var_result_def()
    targets = var_successor_def()


def _op_that(consult: Consult) -> type[Operation]:
    """Return an op that keeps in an attribute what its parser learns from something."""

    class ConsultingOp(_Op):
        @classmethod
        def parse(cls, parser: Parser) -> ConsultingOp:
            operand = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            type_ = parser.parse_type()
            value = parser.resolve_operand(operand, type_)
            seen = StringAttr(str(consult(parser, operand, value)))
            return cls.create(operands=[value], result_types=[type_], attributes={"seen": seen})

    return ConsultingOp


_LOOKING_AROUND: dict[str, Consult] = {
    "values in scope": lambda parser, _, __: len(parser.ssa_values),
    "blocks": lambda parser, _, __: list(parser.blocks),
    "the context": lambda parser, _, __: len(list(parser.ctx.loaded_ops)),
    "the next token": lambda parser, _, __: parser._current_token.text,
    "the text": lambda parser, _, __: parser.lexer.input.content[parser.pos :][:6],
    "the position": lambda parser, _, __: parser.pos + 1,
    "the position as text": lambda parser, _, __: f"{parser.pos}",
    "an operand's name": lambda _, operand, __: operand.operand_name,
    "an operand's span": lambda _, operand, __: operand.span.start,
    "an operand's owner": lambda _, __, value: type(value.owner).__name__,
    "an operand's hint": lambda _, __, value: value.name_hint,
    "an operand's uses": lambda _, __, value: value.uses.get_length(),
    "an operand's kind": lambda _, __, value: isinstance(value, BlockArgument),
    "an operand's exact class": lambda _, __, value: type(value) is OpResult,
}


@pytest.mark.parametrize("subject", _LOOKING_AROUND)
def test_a_parser_that_looks_around_is_not_learned_from(subject: str) -> None:
    """Whatever a parser learns besides tokens and types, each op gets its own."""
    assert_same(_LINES, lambda: _context(_op_that(_LOOKING_AROUND[subject])))


def test_a_parser_that_numbers_its_ops_is_not_learned_from() -> None:
    """Each op gets a number of its own from a parser that keeps count."""
    numbers = count()
    context = _context(_op_that(lambda _, __, ___: next(numbers)))
    with eager_learning():
        module = parse_source(context, _LINES, "test.mlir")
    seen = [op.attributes["seen"] for op in module.walk() if op.name == "t.op"]
    assert len(set(seen)) == len(seen) == 10


_LEARNED: dict[str, Consult] = {
    "the type": lambda _, __, value: value.type,
    "positions compared": lambda parser, _, __: parser.pos > 10,
    "a keyword": lambda parser, _, __: parser.parse_optional_keyword("nothing"),
    "that there is no region": lambda parser, _, __: parser.parse_optional_region(),
    "that there are no regions": lambda parser, _, __: parser.parse_region_list(),
}


@pytest.mark.parametrize("subject", _LEARNED)
def test_a_parser_of_tokens_and_types_is_learned_from(subject: str) -> None:
    """What depends on the line alone is done by example."""
    assert assert_same(_LINES, lambda: _context(_op_that(_LEARNED[subject]))).by_example >= 4


def test_a_class_whose_author_says_so_is_not_learned_from() -> None:
    """Each op of a class that is parsed in context is parsed by its parser, and only once."""
    calls: list[SSAValue[Any]] = []
    op_class = parsed_in_context(_op_that(lambda _, __, value: calls.append(value)))
    with eager_learning():
        parse_source(_context(op_class), _LINES, "test.mlir")
    assert len(calls) == _LINES.count("t.op ")


def _parsed_by(parse: Callable[[Parser], dict[str, Any]]) -> type[Operation]:
    """Return an op whose parser is written by hand."""

    class HandWrittenOp(_Op):
        @classmethod
        def parse(cls, parser: Parser) -> HandWrittenOp:
            return cls.create(**parse(parser))

    return HandWrittenOp


def _operand(parser: Parser) -> SSAValue[Any]:
    return parser.parse_operand()  # pyright: ignore[reportDeprecated]


def _without_operand(parser: Parser) -> dict[str, Any]:
    value = _operand(parser)
    return {"result_types": [value.type], "attributes": {"type": value.type}}


def _used_elsewhere(parser: Parser) -> dict[str, Any]:
    value = _operand(parser)
    _Op.create(operands=[value])
    return {"operands": [value], "result_types": [value.type]}


def _own_name(parser: Parser) -> dict[str, Any]:
    if parser.parse_optional_characters("%longer"):
        return {"result_types": [i32]}
    value = _operand(parser)
    return {"operands": [value], "result_types": [value.type]}


def _of_two(parser: Parser) -> dict[str, Any]:
    first = _operand(parser)
    parser.parse_punctuation(",")
    second = _operand(parser)
    same = StringAttr("same" if first is second else "different")
    return {"operands": [first, second], "result_types": [i32], "attributes": {"are": same}}


_HAND_WRITTEN: dict[str, tuple[Callable[[Parser], dict[str, Any]], str]] = {
    "an operand that is checked and dropped": (_without_operand, "%{r} = t.op %{v}"),
    "an operand used by another op": (_used_elsewhere, "%{r} = t.op %{v}"),
    "a name for a keyword": (_own_name, "%{r} = t.op %{v}"),
    "equal operands": (_of_two, "%{r} = t.op %{v}, %{w}"),
}
_VALUES = "%a, %b, %longer, %c, %d, %f"


@pytest.mark.parametrize("subject", _HAND_WRITTEN)
def test_unusual_parsers(subject: str) -> None:
    """Ops of parsers that use names and operands in unusual ways are what they ever were."""
    parse, line = _HAND_WRITTEN[subject]
    values = ["a", "b", "c", "d", "longer", "a", "f", "longer", "c", "b"]
    others = ["b", "c", "d", "a", "b", "a", "a", "longer", "d", "a"]
    pairs = enumerate(zip(values, others, strict=True))
    lines = "\n".join(line.format(r=r, v=v, w=w) for r, (v, w) in pairs)
    source = f'{_VALUES} = "t.source"() : () -> (i32, i32, i32, i32, i32, f32)'
    after = "".join(f'"t.use"(%{r}) : (i32) -> ()\n' for r in range(6))
    text = f"builtin.module {{\n{source}\n{lines}\n{after}}}"
    assert_same(text, lambda: _context(_parsed_by(parse)))


_DROPPED: dict[str, Callable[[Parser], object]] = {
    "{}": lambda parser: parser.parse_optional_region(),
    '{ "t.inner"() : () -> () }': lambda parser: parser.parse_optional_region(),
    '({}, { "t.inner"() : () -> () })': lambda parser: parser.parse_region_list(),
}


@pytest.mark.parametrize("regions", _DROPPED)
def test_an_op_that_drops_its_regions(regions: str) -> None:
    """An op whose parser drops regions is not learned from, and the blocks around are known."""

    class DroppingOp(_Op):
        @classmethod
        def parse(cls, parser: Parser) -> DroppingOp:
            _DROPPED[regions](parser)
            return cls.create()

    branch, last = '"test.termop"()[^a, ^b] : () -> ()\n', '"test.op"() : () -> ()\n'
    lines = f"t.op {regions}\n" * 4
    text = f'"t.region"() ({{\n{branch}^a:\n{lines}{branch}^b:\n{last}}}) : () -> ()'
    assert not assert_same(text, lambda: _context(DroppingOp)).by_example


def _with_field(op: Operation) -> None:
    op.remark = object.__name__  # pyright: ignore[reportAttributeAccessIssue]


def _with_hint(op: Operation) -> None:
    op.results[0].name_hint = "own"


@pytest.mark.parametrize("change", [_with_field, _with_hint])
def test_ops_that_are_more_than_their_fields(change: Callable[[Operation], None]) -> None:
    """What a parser adds to its op beside the usual is there on each of them."""

    class ChangedOp(_Op):
        @classmethod
        def parse(cls, parser: Parser) -> ChangedOp:
            op = cls.create(operands=[_operand(parser)], result_types=[i32])
            change(op)
            return op

    for line in ("%x{} = t.op %a\n", "t.op %a\n"):
        lines = "".join(line.format(n) for n in range(8)) + "%1 = t.op %a\n%2 = t.op %a\n"
        text = f'builtin.module {{\n%a = "t.source"() : () -> i32\n{lines}}}'
        assert_same(text, lambda: _context(ChangedOp))


def test_an_attribute_that_looks_around() -> None:
    """An attribute whose parser looks around is parsed anew for each op."""

    @irdl_attr_definition
    class Nosy(ParametrizedAttribute):
        name = "t.nosy"
        seen: IntAttr

        @classmethod
        def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
            return (IntAttr(len(parser.ssa_values)),)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]

    lines = "".join(f'%{n} = "t.other"() {{a = #t.nosy}} : () -> i32\n' for n in range(8))
    text = f"builtin.module {{\n{lines}}}"
    assert not assert_same(text, lambda: _context(attributes=[Nosy])).by_example


def test_a_line_that_may_go_on() -> None:
    """An op whose parser goes on when the next line starts with some word does so each time."""

    class LongOp(_Op):
        @classmethod
        def parse(cls, parser: Parser) -> LongOp:
            more = parser.parse_optional_keyword("t.more") or "no more"
            return cls.create(attributes={"more": StringAttr(more)})

    lines = "t.op\n" * 8 + "t.op\nt.more\n" * 3 + "t.op\n" * 2 + '"t.other"() : () -> ()\n' * 2
    assert assert_same(f"builtin.module {{\n{lines}}}", lambda: _context(LongOp)).by_example


def test_a_parser_that_reads_ahead() -> None:
    """An op whose parser reads on and goes back is not learned from."""

    class ShapedOp(_Op):
        @classmethod
        def parse(cls, parser: Parser) -> ShapedOp:
            shape = parser.parse_dimension_list()
            return cls.create(attributes={"rank": IntAttr(len(shape))})

    @irdl_op_definition
    class NextOp(IRDLOperation):
        name = "x1.op"
        assembly_format = "attr-dict"

    def context() -> Context:
        context = _context(ShapedOp)
        context.load_dialect(Dialect("x1", [NextOp]))
        return context

    # To see that `x1.op` is no further dimension, its letter is taken off and put back.
    found = assert_same("builtin.module {\n" + "t.op 4\nx1.op\n" * 6 + "}", context)
    assert found.by_example <= 4


_SHAPES = {
    "redefinition": '%{n} = "test.op"(%a) : (i32) -> i32\n%3 = "test.op"(%a) : (i32) -> i32\n',
    "a forward reference": '%{n} = "test.op"(%x{n}) : (i32) -> i32\n',
    "a forward definition": '%z{n} = "test.op"() : () -> i32\n%w{n} = "test.op"() : () -> i32\n'
    '"test.op"(%y{n}) : (i32) -> ()\n%y{n} = "test.op"() : () -> i32\n',
    "itself": '%{n} = "test.op"(%{n}) : (i32) -> i32\n',
    "several results of one name": '%{n}:2 = "test.op"() : () -> (i32, i32)\n',
    "an index": '"test.op"(%pair#1) : (i32) -> ()\n',
    "the first of two": '%{n} = "test.op"(%pair) : (i32) -> i32\n',
    "a location": '%{n} = "test.op"() : () -> i32 loc("x":{n}:1)\n',
    "a location of many": '%{n} = "test.op"() : () -> i32 loc("x":1:1)\n',
    "a location on the next line": '%{n} = "test.op"() : () -> i32\nloc("x":1:1)\n',
    "attributes on the next line": '%{n} = "test.op"()\n{{a}} : () -> i32\n',
    "comments": '%{n} = "test.op"(%a) : (i32) -> i32 // of %a and %{n}\n',
    "names in strings": '%{n} = "test.op"() {{s = "%a{n} ^b{n} // "}} : () -> i32\n',
    "names in raw text": '"test.op"() {{s = #un.known<%a>}} : () -> ()\n'
    '"test.op"() {{s = #un.known<%b>}} : () -> ()\n',
    "names in opaque text": '"test.op"() {{s = #un<known%a>}} : () -> ()\n'
    '"test.op"() {{s = #un<known%b>}} : () -> ()\n',
    "several ops on a line": '"test.op"() : () -> () "test.op"(%a) : (i32) -> ()\n',
    "odd white space": ' \t%{n}\t=  "test.op"( %a ,\f%b ):(i32,i32)->i32  \r\n\n',
    "too many names": '%{n}, %x{n} = "test.op"() : () -> i32\n',
    "a region": '%{n} = "test.op"() ({{ "test.op"() : () -> () }}) : () -> i32\n',
    "an empty region": '"test.op"() ({{}}) : () -> ()\n',
    "names that are no hints": '%{n}a = "test.op"() : () -> i32\n',
    "hints with numbers": '%some_name_{n} = "test.op"(%a) : (i32) -> i32\n',
    "other types": '%{n} = "test.op"(%f) : (f32) -> f32\n%g{n} = "test.op"(%a) : (f32) -> f32\n',
    "unknown ops": '%{n} = "un.known{n}"(%a) : (i32) -> i32\n"un.known"() : () -> ()\n',
    "a resource": '%{n} = "test.op"() {{r = dense_resource<none> : tensor<1xi32>}} : () -> i32\n',
}


@pytest.mark.parametrize("end", ["", "%a = \n", '"test.op"(%undefined) : (i32) -> ()\n', '"\n'])
@pytest.mark.parametrize("subject", _SHAPES)
def test_unusual_lines(subject: str, end: str) -> None:
    """Lines that are unusual in some way, and errors after them, are as they ever were."""
    lines = "".join(_SHAPES[subject].format(n=n) for n in range(7))
    text = (
        'builtin.module {\n%a, %b = "test.op"() : () -> (i32, i32)\n'
        '%pair:2 = "test.op"() : () -> (i32, i32)\n%f = "test.op"() : () -> f32\n'
        f"{lines}{end}}}"
    )
    assert_same(text, _context)


_BRANCHES = """\
"test.op"() ({
^bb0(%a: i32, %b: i1):
  "test.termop"(%a)[^next, ^bb0] : (i32) -> ()
^bb1(%c: i32):
  "test.termop"(%c)[^bb7, ^bb0] : (i32) -> ()
^next:
  "test.termop"(%a)[^bb1, ^far] : (i32) -> ()
^bb7:
  "test.termop"(%a)[^bb0, ^next] : (i32) -> ()
^bb8:
  "test.termop"(%a)[^bb8, ^bb8] : (i32) -> ()
^bb9:
  "test.termop"(%a)[^bb9, ^bb9] : (i32) -> ()
^far:
  "test.termop"(%a)[^bb11, ^bb12] : (i32) -> ()
^bb11:
  "test.termop"(%a)[^bb9, ^bb9] : (i32) -> ()
^bb12:
  "test.termop"(%a)[^{last}, ^bb9] : (i32) -> ()
^bb13:
  "test.termop"(%a)[^bb9, ^bb9] : (i32) -> ()
}) : () -> ()
"""


@pytest.mark.parametrize("last", ["bb0", "missing", "0", "odd-name", "bb", "far_1"])
def test_branches(last: str) -> None:
    """Successors are found, declared and missed as ever, and used in the same order."""
    text = _BRANCHES.replace("{last}", last)
    assert_same(text, _context)
    found = assert_same(
        "builtin.module {\n" + _BRANCHES.replace("{last}", "bb0") * 2 + "}", _context
    )
    assert found.by_example > 10


def test_a_block_where_an_operand_was() -> None:
    """Names of blocks and of values are told apart."""

    class EitherOp(_Op):
        @classmethod
        def parse(cls, parser: Parser) -> EitherOp:
            operands: list[SSAValue[Any]] = []
            successors: list[Block] = []
            for _ in range(2):
                if block := parser.parse_optional_successor():
                    successors.append(block)
                else:
                    operands.append(_operand(parser))
            return cls.create(operands=operands, successors=successors)

    lines = "t.op %a ^b\n" * 5 + "t.op ^a %b\n" * 5
    values = '%a, %b = "t.source"() : () -> (i32, i32)'
    text = f'"t.region"() ({{\n{values}\n{lines}^a:\n^b:\n}}) : () -> ()'
    assert assert_same(text, lambda: _context(EitherOp)).by_example


def test_ops_do_not_share_dictionaries() -> None:
    """A change to the attributes or properties of one op leaves those alike alone."""
    line = '"test.op"() <{prop1 = 1 : i32}> {attr = 2 : i32} : () -> ()\n'
    with eager_learning():
        module = parse_source(_context(), f"builtin.module {{\n{line * 6}}}", "test.mlir")
    *_, one, other, last = module.walk()
    one.attributes["attr"] = one.properties["prop1"] = i32
    for op in (other, last):
        assert (str(op.attributes["attr"]), str(op.properties["prop1"])) == ("2 : i32", "1 : i32")


def test_types_that_only_seem_equal() -> None:
    """Types that xDSL finds equal although they print differently are not the same."""
    texts = ("#dlti.dl_spec<>", "#dlti.dl_spec<i32 = i32>", "#dlti.dl_spec<i32 = i32>")
    none, one, again = (SourceParser(xdsl_context(), text).parse_attribute() for text in texts)
    assert none == one
    assert not same_attribute(none, one)
    assert same_attribute(one, again)


def test_names_mean_what_the_dialects_around_say() -> None:
    """An op's short name stands for another op where another dialect surrounds it."""

    class Return(_Op):
        name = "t.return"

        @classmethod
        def parse(cls, parser: Parser) -> Return:
            parser.parse_optional_keyword("nothing")
            return cls.create()

    class Around(_Op):
        name = "t.around"

        @classmethod
        def parse(cls, parser: Parser) -> Around:
            return cls.create(regions=[parser.parse_region()])

    lines = "t.around {\nreturn\n}\nfunc.func @f() {\nreturn\n}\n" * 6
    text = f"builtin.module {{\n{lines}}}"
    assert assert_same(text, lambda: _context(Return, Around)).by_example


def test_names_mean_what_the_context_says_now() -> None:
    """A name that the context learns only later is another op from then on."""
    lines = "func.func @f() {\nreturn\n}\n" * 6
    text = f'builtin.module {{\n{lines}"return"() : () -> ()\n{lines}}}'
    assert_same(text, _context)


def test_operands_of_other_types() -> None:
    """Where operands' types decide about an op, those of an example hold for the like alone."""

    class AnyOp(_Op):
        @classmethod
        def parse(cls, parser: Parser) -> AnyOp:
            value = _operand(parser)
            return cls.create(operands=[value], result_types=[value.type])

    lines = "".join(f"%{n} = t.op %{'ab'[n % 5 == 3]}\n" for n in range(16))
    text = f'builtin.module {{\n%a, %b = "t.source"() : () -> (i32, f32)\n{lines}}}'
    assert assert_same(text, lambda: _context(AnyOp)).by_example


def _keeping(keep: Callable[[IntegerAttr[Any]], Attribute | None]) -> type[Operation]:
    """Return an op that keeps a number, and what can be made of it."""

    class NumberOp(_Op):
        @classmethod
        def parse(cls, parser: Parser) -> NumberOp:
            number = cast("IntegerAttr[Any]", parser.parse_attribute())
            op = cls.create(attributes={"n": number})
            if (more := keep(number)) is not None:
                op.attributes["more"] = more
            return op

    return NumberOp


_OF_NUMBERS: dict[str, Callable[[IntegerAttr[Any]], Attribute | None]] = {
    "its value": lambda n: IntAttr(n.value.data + 1),
    "the value itself": lambda n: n.value,
    "its text": lambda n: StringAttr(str(n)),
    "whether it is three": lambda n: StringAttr(str(n == IntegerAttr(3, n.type))),
    "its hash": lambda n: StringAttr(str(hash(n) == hash(IntegerAttr(3, n.type)))),
    "whether it is among some": lambda n: StringAttr(str(n in (IntegerAttr(3, n.type), i32))),
    "the number in an array": lambda n: ArrayAttr([n]),
    "the number once more": lambda n: n,
    "nothing in one case": lambda n: i32 if n.value.data == 6 else None,
}


@pytest.mark.parametrize("subject", _OF_NUMBERS)
def test_numbers_that_matter(subject: str) -> None:
    """Where a parser makes something of a number's value, each op gets what is its own."""
    lines = "".join(f"t.op {n} : i32\n" for n in (1, 1, 2, 3, 3, 4, 5, 6, 7, 3, -3))
    found = assert_same(
        f"builtin.module {{\n{lines}}}", lambda: _context(_keeping(_OF_NUMBERS[subject]))
    )
    assert found.by_example <= 2  # some have the same number as two before them


def test_numbers_of_which_only_the_type_matters() -> None:
    """Lines that differ in a number alone are done by example if only its type is looked at."""
    lines = "".join(f"t.op {n} : i{8 * (1 + n % 2)}\n" for n in range(12))
    found = assert_same(
        f"builtin.module {{\n{lines}}}", lambda: _context(_keeping(lambda n: n.get_type()))
    )
    assert found.by_example >= 6


_NUMBERS = {
    "two": '"test.op"() {{a = {n} : i32, b = -{n} : i64}} : () -> ()\n',
    "two alike": '"test.op"() {{a = {n} : i32, b = {n} : i32}} : () -> ()\n',
    "one in an array": '"test.op"() {{a = {n} : i32, b = [{n} : i32]}} : () -> ()\n',
    "a property": '"test.op"() <{{"prop1" = {n} : index}}> {{a = {n}}} : () -> ()\n',
    "text": '"test.op"() {{a = "{n} : i32", b = #un.known<{n} : i32>}} : () -> ()\n',
    "a comment": '"test.op"() : () -> () // {n} : i32\n',
    "odd spelling": '"test.op"() {{a = 0{n} : i32, b = 0x{n} : i32, c = - {n} : i32}} : () -> ()\n',
    "odd spaces": '"test.op"() {{a = {n}: i32, b = {n} :i32, c = {n}  :  i32}} : () -> ()\n',
    "a float": '"test.op"() {{a = {n} : f32, b = {n}.5 : f32}} : () -> ()\n',
    "a name": '%{n} = "test.op"() : () -> i32\n"test.op"(%{n}) {{a = {n} : i32}} : (i32) -> ()\n',
    "a constant": "%{n} = arith.constant {n} : i32\n%c{n} = arith.constant -{n} : i32\n",
    "other dimensions": '"test.op"() {{a = dense<{n}> : tensor<{n}xi32>}} : () -> ()\n',
}


@pytest.mark.parametrize("end", ["", "300 : i8", "-1 : ui8", "128 : si8", "99 : i08", "1 : i0"])
@pytest.mark.parametrize("subject", _NUMBERS)
def test_numbers(subject: str, end: str) -> None:
    """Numbers in all places, and such as do not fit their type, are as they ever were."""
    lines = "".join(_NUMBERS[subject].format(n=n) for n in range(1, 8))
    last = "".join(
        f'"test.op"() {{a = {number}}} : () -> ()\n'
        for number in ("1 : i8", "1 : ui8", "1 : si8") * 4
    )
    last = last + f'"test.op"() {{a = {end}}} : () -> ()\n' * 2 if end else ""
    assert_same(f"builtin.module {{\n{lines}{last}}}")
