"""Numbers, symbols and functions of which all matters are not taken for others."""

from __future__ import annotations

import pytest
from twins import assert_same

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


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
    "functions of blocks": "func.func @s{n}() {{\n^x:\ncf.br ^y{n}\n^y{n}:\nreturn\n}}\n",
    "functions with attributes": "func.func @s{n}(%a: i1 {{a = {n}}}) attributes {{b = @s{n}}} {{\nreturn\n}}\n",
    "other dimensions": '"test.op"() {{a = dense<{n}> : tensor<{n}xi32>}} : () -> ()\n',
}


@pytest.mark.parametrize("end", ["", "300 : i8", "-1 : ui8", "128 : si8", "99 : i08", "1 : i0"])
@pytest.mark.parametrize("subject", _NUMBERS)
def test_numbers(subject: str, end: str) -> None:
    """Numbers in all places, and such as do not fit their type, are as they ever were."""
    lines = "".join(_NUMBERS[subject].format(n=n) for n in (1, 1, 1, *range(1, 8)))
    last = "".join(
        f'"test.op"() {{a = {number}}} : () -> ()\n'
        for number in ("1 : i8", "1 : ui8", "1 : si8") * 4
    )
    last = last + f'"test.op"() {{a = {end}}} : () -> ()\n' * 2 if end else ""
    assert_same(f"builtin.module {{\n{lines}{last}}}")
