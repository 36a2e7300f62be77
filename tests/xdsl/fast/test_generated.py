"""Parsing with templates gives what the ordinary way gives, on generated sources."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import STEP
from twins import assert_same

if TYPE_CHECKING:
    from collections.abc import Sequence

_T = TypeVar("_T")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

_TYPES = ("i32", "f32", "index", "memref<4x?xf32, strided<[4, 1]>>", "!alias", "!un.known<%a>")

# What a line makes: `r` is the result, of type `t`; `v` a value of type `t`, `w` one of `u`, `i`
# and `j` numbers, `x` a name for anything.
_USUAL = (
    '%{r} = "test.op"(%{v}) : ({t}) -> {t}',
    '%{r} = "test.op"(%{v}, %{w}) {{a = 1 : i7, b = #alias}} : ({t}, {u}) -> {t}',
    '%{r}, %q{r} = "test.op"(%{w}, %{v}, %{w}) : ({u}, {t}, {u}) -> ({t}, {u})',
    '"test.op"(%{v}) <{{"prop1" = #alias}}> {{s = "text"}} : ({t}) -> ()',
    '%{r} = "un.known"(%{v}) : ({t}) -> {t}',
    "%i{r} = arith.addi %{i}, %{j} : i32",
    "%c{r} = arith.constant {n} : i32",
    "%b{r} = arith.cmpi slt, %{i}, %{j} : i32",
    "%{r} = builtin.unrealized_conversion_cast %{w}, %{v} : {u}, {t} to {t}",
    '"test.op"(%{v}, %{i}) : ({t}, i32) -> ()',
    '%{r} = "test.op"(%{v}) : ({t}) -> {t} loc("a b":{n}:7)',
)
_UNUSUAL = (
    '%{r}:2 = "test.op"() : () -> ({t}, {u})',
    '"test.op"(%{x}) : ({t}) -> ()',
    '"test.op"(%{v}) {{s = "%{x} // ^bb0", a = #un.known<%{x} "^b">}} : ({t}) -> ()',
    '"un.known"(%{v}) : ({t}) -> () loc("somewhere":3:4)',
    '%{r} = "test.op"(%{x}#1) : ({t}) -> {t}',
    "%{r} = scf.if %{x} -> ({t}) {{ scf.yield %{v} : {t} }} else {{ scf.yield %{v} : {t} }}",
    '"test.op"() ({{\n^bb0(%{r}: {t}):\n"test.op"(%{r}) : ({t}) -> ()\n}}) : () -> ()',
    "cf.br ^bb{n}(%{v} : {t})",
    '"test.termop"(%{v})[^bb{n}, ^next] : ({t}) -> ()',
    "^bb{n}(%{r}: {t}):",
    "^next:",
    "return %{v} : {t}",
    "arith.addi %{i}, %{j} : i32 arith.addi %{i}, %{j} : i32",
    '%{x} = "test.op"(%{v}) : ({t}) -> {t}',
    "loc(unknown)",
    "@",
)
_SPACE = (*([" "] * 6), "\t", "  ", " // %a ^b\n", "\r\f", "\n")


@st.composite
def _sources(draw: st.DrawFn) -> str:
    """Draw a function of lines that often come again with other names."""

    def pick(values: Sequence[_T]) -> _T:
        return draw(st.sampled_from(values))

    is_unusual = draw(st.integers(0, 2)) > 0
    usual = [(pick(_USUAL), pick(_TYPES), pick(_TYPES)) for _ in range(draw(st.integers(1, 4)))]
    unusual = [(pick(_UNUSUAL), pick(_TYPES), pick(_TYPES)) for _ in range(2)]
    values = {type_: [f"arg{n}"] for n, type_ in enumerate(_TYPES)}
    lines: list[str] = []
    for number in range(draw(st.integers(5, 30))):
        odd = is_unusual and draw(st.integers(0, 7)) == 0
        shape, t, u = pick(unusual if odd else usual)
        result = pick([f"x{number}", f"{number}", f"c_{number}"])
        anything = pick([*chain.from_iterable(values.values()), "later", f"{number + 1}"])
        fields = {"t": t, "u": u, "r": result, "n": draw(st.integers(0, 3)), "x": anything}
        fields |= {"v": pick(values[t]), "w": pick(values[u])}
        line = shape.format(**fields, i=pick(values["i32"]), j=pick(values["i32"]))
        if odd or draw(st.integers(0, 12)) == 0:
            line = pick(_SPACE).join(line.split(" "))
        lines.append(line + pick(["\n"] * 9 + [" \n", " // %a\n", "\n\n  "]))
        if line.startswith(f"%{result} ="):
            values[t].append(result)
    arguments = ", ".join(f"%{names[0]}: {type_}" for type_, names in values.items())
    aliases = "!alias = tensor<4xf32>\n#alias = 3 : i64\n"
    return f"{aliases}func.func @f({arguments}) {{\n{''.join(lines)}}}\n"


@settings(max_examples=50, deadline=None)
@given(_sources())
def test_generated_sources(text: str) -> None:
    """The IR, or the error and its place, is the same."""
    assert_same(text)


@pytest.mark.sweep
@settings(max_examples=1500 // min(STEP, 5), deadline=None)
@given(_sources())
def test_many_generated_sources(text: str) -> None:
    """The IR, or the error and its place, is the same."""
    assert_same(text)
