"""Lines, branches, numbers and symbols that are unusual in some way are parsed as ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from loose_ops import TextOp, context_with
from twins import assert_same
from xdsl.dialects.builtin import i32

from passel.xdsl import parse_source

if TYPE_CHECKING:
    from xdsl.parser import Parser

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

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
    "an unknown location": '%{n} = "test.op"() : () -> i32 loc(unknown)\n',
    "a location with zeros": '"test.op"() : () -> () loc("x":0{n}:00)\n',
    "a location with an escape": '"test.op"() : () -> () loc("x\\22":{n}:1)\n',
    "a range": '"test.op"() : () -> () loc("x":{n}:1 to :3)\n',
    "a named location": '"test.op"() : () -> () loc("x"("y":{n}:1))\n',
    "a location in a comment": '"test.op"() : () -> () // loc("x":1:{n})\n',
    "half a location in a string": '"test.op"() {{s = " loc("x":{n}:1)\n',
    "locations with and without": '%{n} = "test.op"() : () -> i32 loc("x%a":{n}:1)\n'
    '%x{n} = "test.op"() : () -> i32\n',
    "an integer and a location": '%{n} = arith.constant {n} : i32 loc("x":{n}:1)\n',
    "a location on the next line": '%{n} = "test.op"() : () -> i32\nloc("x":1:1)\n',
    "locations of a block": '"test.op"() ({{\n^bb0(%c: i32 loc("x":{n}:1), %d: i32 loc("x" : 2:{n})):\n'
    '"test.op"() : () -> ()\n^bb1(%e: i32 loc(unknown)):\n}}) : () -> () loc("y":{n}:2)\n',
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


@pytest.mark.parametrize("subject", _SHAPES)
def test_unusual_lines(subject: str) -> None:
    """Lines that are unusual in some way, and errors after them, are as they ever were."""
    lines = "".join(_SHAPES[subject].format(n=n) for n in range(7))
    text = (
        'builtin.module {\n%a, %b = "test.op"() : () -> (i32, i32)\n'
        '%pair:2 = "test.op"() : () -> (i32, i32)\n%f = "test.op"() : () -> f32\n'
        f"{lines}"
    )
    for end in ("", "%a = \n", '"test.op"(%undefined) : (i32) -> ()\n', '"\n'):
        assert_same(f"{text}{end}}}", context_with)


def test_lines_with_locations_are_built_from_templates() -> None:
    """Lines that differ in their locations share a template, as in the texts of a record."""
    lines = "".join(f'%{n} = "test.op"() : () -> i32 loc("x":{n}:1)\n' for n in range(9))
    assert assert_same(f"builtin.module {{\n{lines}}}", context_with).from_templates > 5


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
    assert_same(text, context_with)
    found = assert_same(
        "builtin.module {\n" + _BRANCHES.replace("{last}", "bb0") * 2 + "}", context_with
    )
    assert found.from_templates > 10


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
    "text beside the number": '"test.op"() {{a = "{n} : i64", b = 1}} : () -> ()\n',
    "a comment beside it": '"test.op"() {{b = 1}} : () -> () // {n} : i64\n',
    "a location beside it": '"test.op"() {{b = 1}} : () -> () loc("{n} : i64")\n',
    "a key beside it": '"test.op"() {{"k {n} : i64" = 1}} : () -> ()\n',
    "a truth, and a comment": '"arith.constant"() <{{value = true}}> : () -> i1 // {n} : i1\n',
    "a symbol": '"test.op"() {{a = @s{n}}} : () -> ()\n',
    "two symbols": '"test.op"() {{a = @s{n}, b = @s{n}}} : () -> ()\n',
    "a path": '"test.op"() {{a = @s::@t{n}}} : () -> ()\n"test.op"() {{a = @s{n}::@t}} : () -> ()\n',
    "text with a symbol": '"test.op"() {{a = "@s{n}", b = @"s{n}"}} : () -> () // @s{n}\n',
    "a symbol and text": '"test.op"() {{a = @s{n}, b = "s{n}"}} : () -> ()\n',
    "a symbol in an array": '"test.op"() {{a = [@s{n}]}} : () -> ()\n',
    "a symbol and a number": '"test.op"() {{a = @s{n}}} : () -> ()\n"test.op"() {{a = {n} : i32}} : () -> ()\n',
    "calls": "func.call @s{n}() : () -> ()\nfunc.call @s{n}() {{b = @t{n}}} : () -> ()\n",
    "functions": "func.func @s{n}(%a{n}: i32, %b: i1) -> (i32, i1) {{\nreturn %a{n}, %b : i32, i1\n}} loc(unknown)\n",
    "private functions": "func.func private @s{n}(%a: i32) {{ // {n}\n}}\nfunc.func private @s{n}(i{n})\n",
    "odd functions": "func.func @s{n}(%a: i{n}1) {{\n%a = arith.constant 0 : i1\n}}\nfunc.func @s{n}(i32) {{\n}}\n",
    "functions without blocks": "func.func @s{n}() {{\n}}\n",
    "functions of blocks": "func.func @s{n}() {{\n^x:\ncf.br ^y{n}\n^y{n}:\nreturn\n}}\n",
    "functions with attributes": "func.func @s{n}(%a: i1 {{a = {n}}}) attributes {{b = @s{n}}} {{\nreturn\n}}\n",
    "other dimensions": '"test.op"() {{a = dense<{n}> : tensor<{n}xi32>}} : () -> ()\n',
}
_WRONG = ("300 : i8", "-1 : ui8", "128 : si8", "99 : i08", "1 : i0")


@pytest.mark.parametrize("number", range(len(_NUMBERS)), ids=_NUMBERS)
def test_numbers(number: int) -> None:
    """Numbers in all places, and such as do not fit their type, are as they ever were."""
    line = list(_NUMBERS.values())[number]
    lines = "".join(line.format(n=n) for n in (1, 1, 1, *range(1, 8)))
    last, wrong = (
        "".join(f'"arith.constant"() <{{value = {each}}}> : () -> i8\n' for each in values)
        for values in (("1 : i8", "2 : ui8", "3 : si8") * 4, [_WRONG[number % len(_WRONG)]] * 2)
    )
    for end in ("", last, f"{last}{wrong}"):
        assert_same(f"builtin.module {{\n{lines}{end}}}")


def test_ops_do_not_share_dictionaries() -> None:
    """A change to the attributes or properties of one op leaves those alike alone."""
    line = '"test.op"() <{prop1 = 1 : i32}> {attr = 2 : i32} : () -> ()\n'
    module = parse_source(context_with(), f"builtin.module {{\n{line * 6}}}", "test.mlir")
    *_, one, other, last = module.walk()
    one.attributes["attr"] = one.properties["prop1"] = i32
    for op in (other, last):
        assert (str(op.attributes["attr"]), str(op.properties["prop1"])) == ("2 : i32", "1 : i32")


def test_names_mean_what_the_dialects_around_say() -> None:
    """An op's short name stands for another op where another dialect surrounds it."""

    class Return(TextOp):
        name = "t.return"

        @classmethod
        def parse(cls, parser: Parser) -> Return:
            parser.parse_optional_keyword("nothing")
            return cls.create()

    class Around(TextOp):
        name = "t.around"

        @classmethod
        def parse(cls, parser: Parser) -> Around:
            return cls.create(regions=[parser.parse_region()])

    lines = "t.around {\nreturn\n}\nfunc.func @f() {\nreturn\n}\n" * 6
    text = f"builtin.module {{\n{lines}}}"
    assert assert_same(text, lambda: context_with(Return, Around)).from_templates


def test_names_mean_what_the_context_says_now() -> None:
    """A name that the context learns only later is another op from then on."""
    lines = "func.func @f() {\nreturn\n}\n" * 6
    text = f'builtin.module {{\n{lines}"return"() : () -> ()\n{lines}}}'
    assert_same(text, context_with)
