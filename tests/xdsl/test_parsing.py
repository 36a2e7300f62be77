"""Parsing must build xDSL's IR, MLIR's locations, and errors that say where."""

import gc
import pickle
import re
from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError
from xdsl_inputs import enough, sampled, xdsl_context, xdsl_corpus

from passel.xdsl.parsing import parse_source
from passel.xdsl.source_parser import SourceParser

_LOCATED = """\
func.func @f(%a: i32,
   %b : i32) -> i32 {
  %0, %1 = "test.op"(%a) : (i32) -> (i32, i32)
  %2 =
     arith.addi %a, %b : i32
  cf.br ^bb1(%2 : i32)
^bb1(%x: i32):
  func.return %x : i32
}
"test.op"() ({
 ^bb0(%z : i32):
  "test.op"() : () -> ()
}) : () -> ()
"""


def _error(context: Context, text: str, **options: bool | int) -> ParseError:
    with pytest.raises(ParseError) as caught:
        parse_source(context, text, "test.mlir", **options)  # pyright: ignore[reportArgumentType]
    return caught.value


def _place(error: ParseError) -> tuple[str, int, int]:
    return error.span.get_location()


@sampled(8)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_builds_the_ir_that_xdsl_builds(step: int, text_of: Callable[..., str]) -> None:
    """Both parsers accept and print the same over xDSL's own tests."""
    compared = 0
    for _, chunk in xdsl_corpus()[::step]:
        try:
            theirs = Parser(xdsl_context(), chunk).parse_module()
        except Exception as error:  # noqa: BLE001 - xDSL raises errors of many types
            if "Could not parse entire input" not in str(error):
                _error(xdsl_context(), chunk)
            continue
        ours = parse_source(xdsl_context(), chunk, "test.mlir")
        texts = [text_of(each, locations=False) for each in (ours, theirs)]
        # A resource's handle is renamed every time that it is parsed in one process.
        actual, expected = (re.sub(r"dense_resource<\w+>", "", each) for each in texts)
        assert actual == expected
        compared += 1
    assert compared > enough(150)


def test_locates_ops_and_arguments_where_mlir_does(parse: Callable[[str], Operation]) -> None:
    """Ops are located at their name, block arguments at theirs (mlir-opt 22.1)."""
    module = parse(_LOCATED)
    assert [str(op.location) for op in module.walk()] == [
        f'loc("test.mlir":{place})'
        for place in ("0:0", "1:1", "3:12", "5:6", "6:3", "8:3", "10:1", "12:3")
    ]
    args = [arg for op in module.walk() for r in op.regions for b in r.blocks for arg in b.args]
    assert [str(arg.location) for arg in args] == [
        f'loc("test.mlir":{place})' for place in ("1:14", "2:4", "7:6", "11:7")
    ]


def test_keeps_explicit_locations(parse: Callable[[str], Operation]) -> None:
    """What the text says about a location wins, also that it is unknown."""
    module = parse(
        '"test.op"() ({\n^bb0(%a: i32 loc("b":1:2)):\n}) : () -> () loc("a":3:4)\n'
        '"test.op"() : () -> () loc(unknown)\n'
    )
    assert isinstance(module, ModuleOp)
    first, second = module.body.block.ops
    assert str(first.location) == 'loc("a":3:4)'
    assert str(first.regions[0].block.args[0].location) == 'loc("b":1:2)'
    assert isinstance(second.location, UnknownLoc)


@pytest.mark.parametrize(
    ("text", "wrapped"),
    [
        *(("", True), ("// nothing", True), ("func.func private @f()", True)),
        *(("module {}\nmodule {}", True), ("builtin.module {}", False)),
        ("#a = i32\nbuiltin.module {}", False),
    ],
)
def test_anything_but_a_single_module_is_wrapped(
    context: Context, text: str, *, wrapped: bool
) -> None:
    """No op, one op that is not a module, and two modules get an implicit module."""
    module = parse_source(context, text, "test.mlir")
    assert isinstance(module, ModuleOp)
    assert (str(module.location) == 'loc("test.mlir":0:0)') == wrapped


@pytest.mark.parametrize(("text", "count"), [("", 0), ("module {}\nmodule {}", 2)])
def test_without_implicit_module_the_count_must_be_one(
    context: Context, text: str, count: int
) -> None:
    """None and several top-level ops are refused in MLIR's words."""
    error = _error(context, text, implicit_module=False)
    assert error.msg == f"source must contain a single top-level operation, found: {count}"
    op = parse_source(context, "func.func private @f()", "test.mlir", implicit_module=False)
    assert (op.name, op.parent) == ("func.func", None)


def test_line_offset_counts_lines_of_the_file(context: Context) -> None:
    """Locations and errors of split input report the lines of the original file."""
    module = parse_source(context, "\nmodule {}", "test.mlir", line_offset=10)
    assert str(module.location) == 'loc("test.mlir":12:1)'
    assert _place(_error(context, "\n}", line_offset=10)) == ("test.mlir", 12, 1)
    missing = _error(context, 'module { "test.op"() [^a] : () -> () }', line_offset=10)
    assert re.findall(r"test.mlir:(\d+)", str(missing)) == ["11"]


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("module {\n  func.func f\n}", "expect symbol name", 2, 13),
        ("}", "expected operation", 1, 1),
        ('"unclosed', "expected '\"' in string literal", 1, 1),
        ('module { "a\\q" }', "unknown escape", 1, 12),
        ("module {\n %", "after '%'", 2, 2),
        ("module {\n \0", "U+0000", 2, 2),
        ("func.func @f() {\n  cf.br ^a\n}", "reference to an undefined block", 2, 9),
        ('module {\n  "test.op"(%1) : (i32) -> ()\n}', "undeclared SSA value name '%1'", 2, 13),
        ("func.func @f() {\n  cf.br ^0\n^0:\n}", "Invalid Block name", 2, 10),
        pytest.param(
            *("module attributes {\n a = !llvm.func<index ()>}", "", 2, 25),
            marks=pytest.mark.needs_xdsl("0.66"),
        ),
        ('module attributes {a = @"\\FF"}', "", 1, 29),
        # xDSL's parser of this op has an assertion without a message.
        ("%0 = linalg.fill ins(%v : index) outs(%v : index)", "crashed: AssertionError (", 1, 49),
    ],
)
def test_errors_have_a_place(
    context: Context, text: str, message: str, line: int, column: int
) -> None:
    """Whatever goes wrong is a `ParseError` near the text that is wrong."""
    error = _error(context, text)
    assert message in error.msg
    assert _place(error) == ("test.mlir", line, column)


def test_deep_nesting_is_reported_as_such(context: Context) -> None:
    """Too deep nesting ends in a message, not in a crash."""
    error = _error(context, "builtin.module {" * 5000 + "}" * 5000)
    assert error.msg == "nested too deeply"
    assert isinstance(error.__cause__, RecursionError)
    assert pickle.loads(pickle.dumps(error)).msg == error.msg


def test_interrupts_pass_through(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while parsing is not an error of the source, and the collector resumes."""

    def interrupt(_: SourceParser) -> list[Operation]:
        raise KeyboardInterrupt

    monkeypatch.setattr(SourceParser, "parse_top_level", interrupt)
    with pytest.raises(KeyboardInterrupt):
        parse_source(context, "", "test.mlir")
    assert gc.isenabled()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '"x.y"() : () -> ()',
            "operation being parsed with an unregistered dialect. If this is intended, please use -allow-unregistered-dialect with the MLIR tool used",
        ),
        (
            '"arith.nothing"() : () -> ()',
            "unregistered operation 'arith.nothing' found in dialect ('arith') that does not allow unknown operations",
        ),
        ("x.y %a", "Dialect `x' not found for custom op 'x.y' "),
        ("arith.nothing %a", "custom op 'arith.nothing' is unknown"),
        ("linalg.softmax %a", "custom op 'linalg.softmax' is unknown"),  # not 'linalg.max'
        ("nothing %a", "custom op 'nothing' is unknown (tried 'builtin.nothing' as well)"),
        ("arith.adddi %a", "custom op 'arith.adddi' is unknown; did you mean 'arith.addi'?"),
    ],
)
def test_unknown_ops_are_refused_in_mlirs_words(context: Context, text: str, message: str) -> None:
    """An op that is not registered is reported at its name; in custom form also if allowed."""
    for allowed in {False, not text.startswith('"')}:
        context.allow_unregistered = allowed
        error = _error(context, f"module {{\n  {text}\n}}")
        assert error.msg == message
        assert _place(error) == ("test.mlir", 2, 3)
